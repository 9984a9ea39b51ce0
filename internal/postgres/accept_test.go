package postgres_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
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
		if got := postgres.Takes(c.batches, c.events, c.next, c.flushers); got != c.want {
			t.Errorf("%d events beside %d batches of %d in all, %d flushers: got %v, want %v", c.next, c.batches, c.events, c.flushers, got, c.want)
		}
	}
}

func TestOneBatchGivesEachSourceTheFieldsOfItsLastNewEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	one, two, given := f.workflow(owner), f.workflow(owner), f.workflow(owner, func(w *platen.Workflow) {
		w.Source.Fields, w.Source.FieldsGiven = []string{"Given"}, true
	})
	b := f.batcher(postgres.BatcherOptions{Flushers: 1, Patience: time.Minute})
	stored, named := event(one, "Stored"), event(two, "Named")
	named.EventKey = "x"
	f.must(b.Accept(t.Context(), stored))
	f.must(b.Accept(t.Context(), named))
	repeated := event(two, "Repeated")
	repeated.EventKey = "x"
	fresh, again := event(two, "Fresh"), event(two, "Again")
	fresh.EventKey, again.EventKey = "y", "y"

	batch := []platen.SourceEvent{
		event(one, "A"), event(one, "B"), stored, // stored: was there before
		event(two, "A"), event(two, "B"), fresh, repeated, again, // the last two: names that were taken
		event(given, "A"), event(given, "B"),
	}
	for range 2 { // the second time nothing is new
		results, err := postgres.InsertEvents(t.Context(), f.DB, batch)
		f.must(err)
		f.must(errors.Join(results...))
	}
	for name, c := range map[string]struct {
		workflow platen.Workflow
		want     string
	}{"repeat of an id": {one, "B"}, "repeat of a name": {two, "Fresh"}, "given": {given, "Given"}} {
		if got := f.fields(c.workflow); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: got %q, want %s", name, got, c.want)
		}
	}
	if n := f.count(`SELECT count(*) FROM automations`); n != 2+7 {
		t.Errorf("%d automations, want 9", n)
	}
}

// Hops are the automation's: they outlive its retries and its events.
func TestAnEventKnowsHowManyDeliveriesLedToItsAutomation(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	none, some, named := event(w, "A"), event(w, "A"), event(w, "A")
	some.Hops = 3
	named.Hops, named.EventKey = 5, "x"
	results, err := postgres.InsertEvents(t.Context(), f.DB, []platen.SourceEvent{none, some, named})
	f.must(err)
	f.must(errors.Join(results...))
	for id, want := range map[string]int{none.AutomationID: 0, some.AutomationID: 3, named.AutomationID: 5} {
		if got := f.count(`SELECT hops FROM automations WHERE id = $1`, id); got != want {
			t.Errorf("got %d hops, want %d", got, want)
		}
	}
	plan, err := f.Plans.Plan(t.Context(), some.AutomationID)
	f.must(err)
	_, eventID, err := f.Outputs.RecordOutput(t.Context(), plan.Documents[0].OutputID,
		func(o *platen.Output) error { o.State = platen.OutputFailed; return nil },
		func(o platen.Output) (platen.Event, error) {
			return delivery.NewEvent(w.ID, o, time.Now())
		})
	f.must(err)
	e, _, err := f.Deliveries.Event(t.Context(), eventID)
	if err != nil || e.Hops != 3 {
		t.Errorf("got an event of %d hops, %v; want 3", e.Hops, err)
	}
}
