package simulation

import (
	"cmp"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// restTime is after how long without a start nothing is known of an owner or a workflow
// any more.
const restTime = time.Minute

// A candidate may start: turn is how many of its owner would be open with it.
type candidate struct {
	automationRow
	of       *load // of its owner
	workflow *load
	n        int // how many of its workflow would be open with it
	turn     int
}

// A load is what an owner or a workflow has under way. most is how many open runs it
// may have.
type load struct {
	turnRow
	open, parked int
	parking      int // workflows of an owner with parked runs
	most         int
}

// mayHave is how many open runs are allowed where so many begin at once.
func (l *load) mayHave(first int, now time.Time) int {
	switch held := min(l.held, l.open); {
	case l.hasRested(now):
		return l.open + first
	case l.aloneUntil.After(now):
		return held + 1
	default:
		return held + max(first, 2*(l.served-l.open-l.parked))
	}
}

func (t turnRow) hasRested(now time.Time) bool {
	return t.servedAt.IsZero() || t.servedAt.Before(now.Add(-restTime))
}

// rank is when it was served, later for who has parked runs.
func rank(servedAt time.Time, parked int) time.Time {
	if parked > 0 && !servedAt.IsZero() {
		return servedAt.Add(5 * time.Second)
	}
	return servedAt
}

// loads are those of owners and of workflows, by id.
func (s *store) loads(now time.Time) map[string]*load {
	found := map[string]*load{}
	of := func(id string) *load {
		if found[id] == nil {
			found[id] = &load{turnRow: s.turns[id]}
		}
		return found[id]
	}
	for _, a := range s.automations {
		owner, workflow := of(a.OwnerID), of(a.WorkflowID)
		if a.isOpen(now) {
			owner.open++
			workflow.open++
		}
		if a.isParked(now) {
			if workflow.parked == 0 {
				owner.parking++
			}
			owner.parked++
			workflow.parked++
		}
	}
	return found
}

// workerGone is after how long without a word a worker is taken to be gone.
const workerGone = 10 * time.Second

func (s *store) register(id string, carries int) {
	for other, w := range s.workers {
		if w.seenAt.Before(s.now().Add(-time.Hour)) {
			delete(s.workers, other)
		}
	}
	if carries == 0 { // there is one build, so a run of a worker that is gone goes on with another
		delete(s.workers, id)
		return
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
	loads := s.loads(now)
	var claimed []platen.Automation
	started := map[string]int{}
	latest := map[string]string{} // by owner, the last workflow
	several := map[string]bool{}  // owners with several workflows served
	for _, c := range s.seats(s.candidates(room, seen.Most, loads, now), room, seen.Open, seen.Most) {
		a := s.automations[c.ID]
		a.leasedUntil, a.claimedBy, a.notBefore, a.ParkedAt, a.waits = now.Add(lease), by.Worker, time.Time{}, nil, nil
		s.automations[c.ID] = a
		started[a.OwnerID]++
		started[a.WorkflowID]++
		several[a.OwnerID] = several[a.OwnerID] || latest[a.OwnerID] != "" && latest[a.OwnerID] != a.WorkflowID
		latest[a.OwnerID] = max(latest[a.OwnerID], a.WorkflowID)
		claimed = append(claimed, a.shown())
	}
	for id, n := range started {
		t := s.turns[id]
		if workflow, isOwner := latest[id]; isOwner {
			switch {
			case several[id]:
				t.otherAt = now
			case t.workflowID != "" && t.workflowID != workflow:
				t.otherAt = t.servedAt
			}
			t.workflowID = workflow
		}
		if t.hasRested(now) {
			t.served, t.held = loads[id].open+loads[id].parked, loads[id].open
		}
		t.served, t.servedAt = n+min(t.served, 1000000), now
		s.turns[id] = t
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

// parkedShare is how many parked runs an owner may have.
func (s *store) parkedShare(places platen.Places, loads map[string]*load) int {
	all, owners := 0, 0
	for id, l := range loads {
		if l.parked > 0 && s.isOwner(id) {
			all += l.parked
			owners++
		}
	}
	if all < places.Parked {
		return places.OwnerParked
	}
	return min(places.OwnerParked, max(1, places.Parked/owners))
}

func (s *store) isOwner(id string) bool { _, isWorkflow := s.workflows[id]; return !isWorkflow }

// candidates are automations that may start, of each workflow as many as it may open.
func (s *store) candidates(room int, places platen.Places, loads map[string]*load, now time.Time) []candidate {
	share := s.parkedShare(places, loads)
	var found []candidate
	taken := map[string]int{}
	for _, a := range s.byAge() {
		if a.State != platen.AutomationAccepted || a.leasedUntil.After(now) || a.notBefore.After(now) || s.held(a) {
			continue
		}
		o, w := loads[a.OwnerID], loads[a.WorkflowID]
		if w.pausedUntil.After(now) || w.parked > 0 && o.parked >= share && w.parked >= max(1, share/o.parking) {
			continue
		}
		o.most, w.most = min(o.mayHave(platen.FirstWorkflows, now), places.OwnerOpen), min(w.mayHave(1, now), places.OwnerOpen)
		if !o.otherAt.IsZero() && !o.otherAt.Before(now.Add(-restTime)) {
			w.most = min(w.most, places.WorkflowOpen())
		}
		most := min(room, w.most-w.open)
		if w.parked > 0 {
			most = min(most, max(places.OwnerParked-o.parked-o.open, max(1, places.OwnerParked/o.parking)-w.parked-w.open))
		}
		if taken[a.WorkflowID] >= most {
			continue
		}
		taken[a.WorkflowID]++
		found = append(found, candidate{automationRow: a, of: o, workflow: w, n: w.open + taken[a.WorkflowID]})
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.n, b.n), rank(a.workflow.servedAt, a.workflow.parked).Compare(rank(b.workflow.servedAt, b.workflow.parked)), a.AcceptedAt.Compare(b.AcceptedAt), cmp.Compare(a.ID, b.ID))
	})
	turns := map[string]int{}
	for i, c := range found {
		turns[c.OwnerID]++
		found[i].turn = c.of.open + turns[c.OwnerID]
	}
	return found
}

// seats are those of the candidates that start, in order.
func (s *store) seats(found []candidate, room, open int, places platen.Places) []candidate {
	found = slices.DeleteFunc(found, func(c candidate) bool { return c.turn > c.of.most })
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), rank(a.of.servedAt, a.workflow.parked).Compare(rank(b.of.servedAt, b.workflow.parked)), a.AcceptedAt.Compare(b.AcceptedAt), cmp.Compare(a.ID, b.ID))
	})
	var seated []candidate
	for i, c := range found {
		if (open+i+1 <= places.OwnerOpen || c.turn == 1 && c.of.parked == 0) && len(seated) < room {
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
