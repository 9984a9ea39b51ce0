package postgres_test

import (
	"testing"

	"github.com/platenhq/platen"
)

func TestOutputsOfARunThatIsGoneAreToldOf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, newDocument(w.ID, now()), newDocument(w.ID, now()))
	})
	p := f.running(w)
	recorded, err := f.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	delivered, err := f.RecordOutput(t.Context(), p.Documents[1].OutputID, done, eventFor)
	f.must(err)
	f.must(f.RecordDelivery(t.Context(), platen.Delivery{EventID: delivered, Attempt: 1, At: now()}, platen.EventDelivered))
	var told platen.Event
	for range 2 {
		state, err := f.EndAutomation(t.Context(), p.AutomationID, func(a platen.Automation, o platen.Output) (platen.Event, error) {
			if a.WorkflowID != w.ID || o.ID != p.Documents[2].OutputID || o.State != platen.OutputFailed || o.FailureCode != "run_ended" {
				t.Errorf("the event is to be about %+v of %+v", o, a)
			}
			told, err = eventFor(o)
			return told, err
		})
		if err != nil || state != platen.AutomationFailed {
			t.Fatalf("got %s, %v; want FAILED", state, err)
		}
	}
	due := map[string]int{}
	for _, e := range f.errands() {
		if e.Kind != platen.ErrandDeliver || e.WorkflowID != w.ID || e.Version != 1 {
			t.Errorf("errand: got %+v", e)
		}
		due[e.ID] = e.Before
	}
	// The run may have begun to deliver what it had recorded: attempt 1 is its own.
	if before, ok := due[recorded]; !ok || before != 1 {
		t.Errorf("the event that was recorded: due %t after %d attempts, want after 1", ok, before)
	}
	if before, ok := due[told.ID]; !ok || before != 0 {
		t.Errorf("the event of the output that was not made: due %t after %d attempts, want after 0", ok, before)
	}
	if len(due) != 2 {
		t.Errorf("got %d deliveries, want 2: %v", len(due), due)
	}
}

func TestACancelledRunThatIsGoneIsToldOfAsCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.running(w)
	_, err := f.CancelWorkflowAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.must(err)
	state, err := f.EndAutomation(t.Context(), p.AutomationID, func(_ platen.Automation, o platen.Output) (platen.Event, error) {
		if o.FailureCode != platen.CodeCancelled {
			t.Errorf("failure code: got %s, want %s", o.FailureCode, platen.CodeCancelled)
		}
		return eventFor(o)
	})
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
}
