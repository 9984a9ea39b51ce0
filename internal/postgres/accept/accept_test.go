package accept_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestABatchGoesBesideOthersOnlyWhenItIsNoSmaller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		batches, events, next, flushers int
		want                            bool
	}{
		{0, 0, 0, 2, false},
		{0, 0, 1, 2, true}, // one alone goes at once
		{1, 1, 1, 2, true},
		{1, 8, 7, 2, false},
		{1, 8, 8, 2, true},
		{2, 12, 5, 3, false},
		{2, 12, 6, 3, true},
		{2, 2, 500, 2, false},
	} {
		if got := accept.Takes(c.batches, c.events, c.next, c.flushers); got != c.want {
			t.Errorf("%d events beside %d batches of %d in all, %d flushers: got %v, want %v", c.next, c.batches, c.events, c.flushers, got, c.want)
		}
	}
}

func TestOneBatchGivesEachSourceTheFieldsOfItsLastNewEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	one, two, given := f.Workflow(owner), f.Workflow(owner), f.Workflow(owner, func(w *platen.Workflow) {
		w.Source.Fields, w.Source.FieldsGiven = []string{"Given"}, true
	})
	b := f.Batcher(accept.BatcherOptions{Flushers: 1, Patience: time.Minute})
	stored, named := storetest.Event(one, "Stored"), storetest.Event(two, "Named")
	named.EventKey = "x"
	f.Must(b.Accept(t.Context(), stored))
	f.Must(b.Accept(t.Context(), named))
	repeated := storetest.Event(two, "Repeated")
	repeated.EventKey = "x"
	fresh, again := storetest.Event(two, "Fresh"), storetest.Event(two, "Again")
	fresh.EventKey, again.EventKey = "y", "y"

	batch := []platen.SourceEvent{
		storetest.Event(one, "A"), storetest.Event(one, "B"), stored, // stored: was there before
		storetest.Event(two, "A"), storetest.Event(two, "B"), fresh, repeated, again, // the last two: names that were taken
		storetest.Event(given, "A"), storetest.Event(given, "B"),
	}
	for range 2 { // the second time nothing is new
		results, err := accept.InsertEvents(t.Context(), f.DB.DB, batch)
		f.Must(err)
		f.Must(errors.Join(results...))
	}
	for name, c := range map[string]struct {
		workflow platen.Workflow
		want     string
	}{"repeat of an id": {one, "B"}, "repeat of a name": {two, "Fresh"}, "given": {given, "Given"}} {
		if got := f.Fields(c.workflow); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: got %q, want %s", name, got, c.want)
		}
	}
	if n := f.Count(`SELECT count(*) FROM automations`); n != 2+7 {
		t.Errorf("%d automations, want 9", n)
	}
}

// Hops are the automation's: they outlive its retries and its events.
func TestAnEventKnowsHowManyDeliveriesLedToItsAutomation(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	none, some, named := storetest.Event(w, "A"), storetest.Event(w, "A"), storetest.Event(w, "A")
	some.Hops = 3
	named.Hops, named.EventKey = 5, "x"
	results, err := accept.InsertEvents(t.Context(), f.DB.DB, []platen.SourceEvent{none, some, named})
	f.Must(err)
	f.Must(errors.Join(results...))
	for id, want := range map[string]int{none.AutomationID: 0, some.AutomationID: 3, named.AutomationID: 5} {
		if got := f.Count(`SELECT hops FROM automations WHERE id = $1`, id); got != want {
			t.Errorf("got %d hops, want %d", got, want)
		}
	}
	plan, err := f.Plans.Plan(t.Context(), some.AutomationID)
	f.Must(err)
	_, eventID, err := f.Outputs.RecordOutput(t.Context(), plan.Documents[0].OutputID,
		func(o *platen.Output) error { o.State = platen.OutputFailed; return nil },
		func(o platen.Output) (platen.Event, error) {
			return delivery.NewEvent(w.ID, o, time.Now())
		})
	f.Must(err)
	e, _, err := f.Deliveries.Event(t.Context(), eventID)
	if err != nil || e.Hops != 3 {
		t.Errorf("got an event of %d hops, %v; want 3", e.Hops, err)
	}
}
