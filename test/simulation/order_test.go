package simulation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// hasOrder tells whether the workflows of a seed have an order.
func hasOrder(seed uint64) bool {
	return draw(seed, "order", "")%4 == 0 && !rollsOut(seed) && !hasNeighbours(seed)
}

// orderedBy is the formula of their keys.
const orderedBy = "Key"

// stateBehind is that of an automation which waits for its key to be worked out, or for
// those of its key that were accepted before.
const stateBehind platen.AutomationState = "BEHIND"

// A place is that of an automation among those of its key.
type place struct {
	number int    // 0: it has none
	key    string // empty: it is not known yet
}

// keyOf is what the formula gives for an event, so that no key is empty.
func keyOf(a automationRow) string {
	key, err := fill.Key(orderedBy, platen.OrderedEvent{PastEvent: platen.PastEvent{AutomationID: a.ID, AcceptedAt: a.AcceptedAt, Body: a.body}}, time.UTC)
	if err != nil {
		panic(err) // the events of these tests have a key
	}
	return "key " + key
}

// hasTurn tells of an automation that has the turn of its key: it may be claimed, runs, or
// waits for people.
func (a automationRow) hasTurn() bool {
	return a.State == platen.AutomationAccepted || a.State == platen.AutomationRunning || a.State == platen.AutomationReview
}

// sharesKey tells of another that has not ended.
func (a automationRow) sharesKey(with automationRow) bool {
	return a.ID != with.ID && a.place.key != "" && a.place.key == with.place.key && a.WorkflowID == with.WorkflowID && !a.Ended()
}

// arrange works out keys.
func (s *store) arrange() {
	for _, a := range s.byNumber() {
		if a.State == stateBehind && a.place.key == "" {
			a.place.key = keyOf(a)
			s.automations[a.ID] = a
			s.startNext(a)
		}
	}
	s.wake(platen.Waking{})
}

// startNext has the first of a key start if no other may, or runs.
func (s *store) startNext(of automationRow) {
	if of.place.key == "" || s.forgetsNext {
		return
	}
	for _, a := range s.byNumber() {
		if (a.ID == of.ID || a.sharesKey(of)) && a.hasTurn() && !s.startsAll {
			return
		}
	}
	for _, a := range s.byNumber() {
		if (a.ID == of.ID || a.sharesKey(of)) && a.State == stateBehind {
			a.State = platen.AutomationAccepted
			s.automations[a.ID] = a
			return
		}
	}
}

func (s *store) byNumber() []automationRow {
	all := s.byAge()
	slices.SortStableFunc(all, func(a, b automationRow) int { return cmp.Compare(a.place.number, b.place.number) })
	return all
}

func (d database) Arrange(ctx context.Context) (more bool, err error) {
	err = d.run(ctx, "arranges", "automations", func(s *store) { s.arrange() })
	return false, err
}

// checkOrder sees that what was claimed starts in its turn. Postgres that was put back may
// have forgotten the turn of another, and what is cancelled makes nothing more.
func (w *harness) checkOrder(claimed []platen.Automation) {
	if w.putBack {
		return
	}
	for _, one := range claimed {
		a := w.store.automations[one.ID]
		for _, id := range sorted(w.store.automations) {
			other := w.store.automations[id]
			switch {
			case !other.sharesKey(a) || other.CancelRequestedAt != nil:
			case other.hasTurn():
				w.violate("%s starts beside %s of its key", a.ID, other.ID)
			case other.place.number < a.place.number && other.Attempt == 1:
				w.violate("%s starts before %s of its key", a.ID, other.ID)
			}
		}
	}
}
