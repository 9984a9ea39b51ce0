package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestWhatIsAnotherWorkflowsIsNotFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, other := f.Workflow(owner), f.Workflow(owner)
	p := f.Planned(w)
	_, evt, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	stranger := f.User(nil)
	for _, c := range []struct {
		caller   platen.User
		workflow string
		code     string
	}{{owner, other.ID, ""}, {stranger, w.ID, "workflow_not_found"}} {
		check := func(what string, err error, code string) {
			t.Helper()
			if c.code != "" {
				code = c.code
			}
			storetest.WantKind(t, what, err, platen.KindNotFound, code)
		}
		_, err := f.Automations.WorkflowAutomation(t.Context(), c.caller, c.workflow, p.AutomationID)
		check("automation", err, "automation_not_found")
		_, err = f.Automations.RetryAutomation(t.Context(), c.caller, c.workflow, p.AutomationID)
		check("retry", err, "automation_not_found")
		_, err = f.Automations.CancelAutomation(t.Context(), c.caller, c.workflow, p.AutomationID)
		check("cancel", err, "automation_not_found")
		_, _, err = f.Events.WorkflowEvent(t.Context(), c.caller, c.workflow, evt)
		check("event", err, "event_not_found")
		check("redeliver", f.Events.RedeliverEvent(t.Context(), c.caller, c.workflow, evt), "event_not_found")
		if c.code != "" {
			_, err = f.Automations.WorkflowAutomations(t.Context(), c.caller, c.workflow, platen.AutomationQuery{})
			check("automations", err, "")
			_, err = f.Outputs.WorkflowOutputs(t.Context(), c.caller, c.workflow, platen.OutputQuery{})
			check("outputs", err, "")
			_, err = f.Events.WorkflowEvents(t.Context(), c.caller, c.workflow, platen.EventQuery{})
			check("events", err, "")
			_, err = f.Events.RecoverEvents(t.Context(), c.caller, c.workflow, time.Time{}, 10)
			check("recover", err, "")
		}
	}
	if got := f.Commands(); len(got) != 0 {
		t.Errorf("commands: got %+v, want none", got)
	}
}
