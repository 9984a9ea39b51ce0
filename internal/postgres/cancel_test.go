package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen"
)

func TestCancellingARetryThatWaitsTellsOfItsOutputs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.running(w)
	_, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode = platen.OutputFailed, "broken"
		return nil
	}, eventFor)
	f.must(err)
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.must(err)
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.must(err)
	for range 2 {
		a, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
		if err != nil || a.State != platen.AutomationRunning || a.CancelRequestedAt == nil {
			t.Fatalf("got %+v, %v; want the wish noted", a, err)
		}
	}
	if claimed := f.claim(10, 10); len(claimed) != 0 {
		t.Errorf("claimed %v, want nothing", ids(claimed))
	}
	if got := f.commands(); len(got) != 1 || got[0].Kind != platen.CommandCancel {
		t.Fatalf("commands: got %+v, want one to cancel it", got)
	}
	// The wish may have met the run of the attempt before, which ends nothing.
	overdue, err := f.Queue.OverdueAutomations(t.Context(), -time.Hour, platen.Automation{})
	if err != nil || len(overdue) != 1 || overdue[0].Attempt != 2 {
		t.Errorf("got %+v, %v; want the reconciler to see it", overdue, err)
	}
	// What dispatch does when Temporal has no open run of it.
	state, err := f.Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 0, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return eventFor(o) })
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
	if n := f.count(`SELECT count(*) FROM events WHERE automation_id = $1`, p.AutomationID); n != 2 {
		t.Errorf("%d events, want one of the failure and one of the cancelled retry", n)
	}
}
