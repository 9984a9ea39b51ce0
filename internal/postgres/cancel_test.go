package postgres_test

import (
	"testing"

	"github.com/platenhq/platen"
)

func TestCancellingARetryThatWaitsTellsOfItsOutputs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.running(w)
	_, err := f.RecordOutput(t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode = platen.OutputFailed, "broken"
		return nil
	}, eventFor)
	f.must(err)
	_, err = f.FinishAutomation(t.Context(), p.AutomationID)
	f.must(err)
	_, err = f.RetryWorkflowAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.must(err)
	for range 2 {
		a, err := f.CancelWorkflowAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
		if err != nil || a.State != platen.AutomationRunning || a.CancelRequestedAt == nil {
			t.Fatalf("got %+v, %v; want the wish noted", a, err)
		}
	}
	if claimed := f.claim(10, 10); len(claimed) != 0 {
		t.Errorf("claimed %v, want nothing", ids(claimed))
	}
	if got := f.errands(); len(got) != 1 || got[0].Kind != platen.ErrandCancel {
		t.Fatalf("errands: got %+v, want one to cancel it", got)
	}
	// What dispatch does when Temporal has no open run of it.
	state, err := f.EndAutomation(t.Context(), p.AutomationID, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return eventFor(o) })
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
	if n := f.count(`SELECT count(*) FROM events WHERE automation_id = $1`, p.AutomationID); n != 2 {
		t.Errorf("%d events, want one of the failure and one of the cancelled retry", n)
	}
}
