package simulation

import (
	"cmp"
	"slices"
	"time"

	"github.com/platenhq/platen"
)

// restTime is after how long without a start nothing is known of an owner any more.
const restTime = time.Minute

// A candidate may start: turn is how many of its owner would be open with it.
type candidate struct {
	automationRow
	servedAt time.Time
	most     int
	parked   int
	turn     int
}

// counts are the open and parked runs by owner.
func (s *store) counts(now time.Time) (open, parked map[string]int) {
	open, parked = map[string]int{}, map[string]int{}
	for _, a := range s.automations {
		if a.isOpen(now) {
			open[a.OwnerID]++
		}
		if a.isParked(now) {
			parked[a.OwnerID]++
		}
	}
	return open, parked
}

// workerGone is after how long without a word a worker is taken to be gone.
const workerGone = 10 * time.Second

func (s *store) register(id string, carries int) {
	for other, w := range s.workers {
		if w.seenAt.Before(s.now().Add(-time.Hour)) {
			delete(s.workers, other)
		}
	}
	s.workers[id] = workerRow{carries, s.now()}
}

func (s *store) unregister(id string) { delete(s.workers, id) }

// occupancy counts the open runs, and the workers beside the one that claims.
func (s *store) occupancy(by platen.Claimer) platen.Occupancy {
	open, own, others := 0, 0, platen.Others{}
	for _, a := range s.automations {
		if a.isOpen(s.now()) {
			open++
			if a.claimedBy == by.Worker {
				own++
			}
		}
	}
	for id, w := range s.workers {
		if id != by.Worker && w.seenAt.After(s.now().Add(-workerGone)) {
			others.Workers++
			others.Carried += w.carries
		}
	}
	return by.Occupancy(open, own, others)
}

func (s *store) claim(limit int, by platen.Claimer, lease time.Duration) ([]platen.Automation, platen.Occupancy) {
	now := s.now()
	seen := s.occupancy(by)
	room := min(limit, seen.Room())
	if room <= 0 || !s.anyWaits() {
		return nil, seen
	}
	open, parked := s.counts(now)
	var claimed []platen.Automation
	started := map[string]int{}
	for _, c := range s.seats(s.candidates(room, seen.Most, open, parked, now), room, seen.Open, seen.Most) {
		a := s.automations[c.ID]
		a.leasedUntil, a.claimedBy, a.notBefore, a.ParkedAt, a.waits = now.Add(lease), by.Worker, time.Time{}, nil, nil
		s.automations[c.ID] = a
		started[a.OwnerID]++
		claimed = append(claimed, a.shown())
	}
	for owner, n := range started {
		t, known := s.turns[owner]
		if !known || t.servedAt.Before(now.Add(-restTime)) {
			t.served, t.held = open[owner]+parked[owner], open[owner]
		}
		t.served, t.servedAt = n+min(t.served, 1000000), now
		s.turns[owner] = t
	}
	slices.SortFunc(claimed, func(a, b platen.Automation) int {
		return cmp.Or(a.AcceptedAt.Compare(b.AcceptedAt), cmp.Compare(a.ID, b.ID))
	})
	seen.Open += len(claimed)
	seen.Own += len(claimed)
	return claimed, seen
}

func (s *store) anyWaits() bool {
	for _, a := range s.automations {
		if a.State == platen.AutomationAccepted {
			return true
		}
	}
	return false
}

// candidates are automations that may start, of each owner as many as there is room.
func (s *store) candidates(room int, places platen.Places, open, parked map[string]int, now time.Time) []candidate {
	all := 0
	for _, n := range parked {
		all += n
	}
	share := places.OwnerParked
	if len(parked) > 0 && all >= places.Parked {
		share = min(places.OwnerParked, max(1, places.Parked/len(parked)))
	}
	var found []candidate
	turns := map[string]int{}
	for _, a := range s.byAge() {
		o, p, t := open[a.OwnerID], parked[a.OwnerID], s.turns[a.OwnerID]
		switch {
		case a.State != platen.AutomationAccepted, a.leasedUntil.After(now), a.notBefore.After(now):
			continue
		case s.held(a), t.pausedUntil.After(now), p >= share, turns[a.OwnerID] == room:
			continue
		}
		turns[a.OwnerID]++
		c := candidate{automationRow: a, servedAt: t.servedAt, parked: p, turn: o + turns[a.OwnerID]}
		switch {
		case t.servedAt.IsZero() || t.servedAt.Before(now.Add(-restTime)):
			c.most = o + 1
		case t.aloneUntil.After(now):
			c.most = min(t.held, o) + 1
		default:
			c.most = min(t.held, o) + max(1, 2*(t.served-o-p))
		}
		found = append(found, c)
	}
	return found
}

// seats are those of the candidates that start, in order.
func (s *store) seats(found []candidate, room, open int, places platen.Places) []candidate {
	found = slices.DeleteFunc(found, func(c candidate) bool {
		return c.turn > min(c.most, places.OwnerOpen) || c.parked > 0 && c.parked+c.turn > places.OwnerParked
	})
	key := func(c candidate) time.Time {
		if c.parked > 0 && !c.servedAt.IsZero() {
			return c.servedAt.Add(5 * time.Second)
		}
		return c.servedAt
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), key(a).Compare(key(b)), a.AcceptedAt.Compare(b.AcceptedAt), cmp.Compare(a.ID, b.ID))
	})
	var seated []candidate
	for i, c := range found {
		if (open+i+1 <= places.OwnerOpen || c.turn == 1 && c.parked == 0) && len(seated) < room {
			seated = append(seated, c)
		}
	}
	return seated
}

func (s *store) markStarted(started []platen.Automation) {
	now := s.now()
	for _, one := range started {
		if a, ok := s.automations[one.ID]; ok && a.Attempt == one.Attempt && a.State == platen.AutomationAccepted {
			a.State, a.StartedAt, a.leasedUntil, a.notBefore = platen.AutomationRunning, &now, time.Time{}, time.Time{}
			s.automations[one.ID] = a
		}
	}
}

func (s *store) release(ids []string, delay time.Duration) {
	for _, id := range ids {
		if a, ok := s.automations[id]; ok && a.State == platen.AutomationAccepted {
			a.leasedUntil, a.notBefore = time.Time{}, s.now().Add(delay)
			s.automations[id] = a
		}
	}
}

func (s *store) overdueAutomations(age time.Duration, after platen.Automation) []platen.Automation {
	var found []platen.Automation
	for _, a := range s.automations {
		if a.State == platen.AutomationRunning && a.StartedAt.Before(s.now().Add(-age)) && (after.StartedAt == nil || byStart(after, a.Automation) < 0) {
			found = append(found, a.shown())
		}
	}
	slices.SortFunc(found, byStart)
	return found[:min(len(found), 1000)]
}

func byStart(a, b platen.Automation) int {
	return cmp.Or(a.StartedAt.Compare(*b.StartedAt), cmp.Compare(a.ID, b.ID))
}

func (s *store) requeue(id string, attempt int) {
	a, ok := s.automations[id]
	if !ok || a.State != platen.AutomationRunning || a.Attempt != attempt {
		return
	}
	a.State, a.Attempt, a.StartedAt, a.ParkedAt, a.waits = platen.AutomationAccepted, a.Attempt+1, nil, nil, nil
	s.automations[id] = a
}
