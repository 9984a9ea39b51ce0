package journey

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestEventsOfWorkflowsThatCannotRunAreKeptWithoutARun(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	incomplete := h.createWorkflow(t, object{"name": "Incomplete"})
	r := newReceiver(t)
	off := h.simple(t, r)
	// Over /v0 it cannot be switched off.
	if _, err := h.database.Exec(t.Context(), `UPDATE workflows SET auto_create = false WHERE id = $1`, off.ID); err != nil {
		t.Fatal(err)
	}

	for _, one := range []struct {
		workflow workflow
		reason   string
	}{
		{incomplete, platen.ReasonIncomplete},
		{off, platen.ReasonAutoCreateOff},
	} {
		postObject(t, one.workflow.Source.WebhookURL, object{"Name": "Ada"})
		a := h.finished(t, one.workflow.ID, platen.AutomationSkipped)
		if a.reason != one.reason {
			t.Errorf("reason: got %s, want %s", a.reason, one.reason)
		}
		if got := h.workflow(t, one.workflow.ID).Source.SourceFields; len(got) != 1 || got[0] != "Name" {
			t.Errorf("sourceFields: got %q, want those of the event", got)
		}
	}

	// An event that runs, sent after those two, shows that they do not.
	if _, err := h.database.Exec(t.Context(), `UPDATE workflows SET auto_create = true WHERE id = $1`, off.ID); err != nil {
		t.Fatal(err)
	}
	postObject(t, off.Source.WebhookURL, object{"Name": "Grace"})
	if e := r.next(t).event; len(e.Data.Documents) != 1 || e.Data.Documents[0].Name != "Simple for Grace" {
		t.Errorf("event: got %+v, want Simple for Grace", e)
	}
	for _, w := range []workflow{incomplete, off} {
		a := h.automations(t, w.ID)[0]
		if _, err := h.temporal.DescribeWorkflowExecution(t.Context(), a.id, ""); err == nil || a.state != string(platen.AutomationSkipped) {
			t.Errorf("skipped automation: got state %s and a run, want SKIPPED and none", a.state)
		}
	}
}

func TestArchivedWorkflowsRefuseEvents(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.simple(t, nil)
	h.call(t, http.MethodDelete, "/workflows/"+w.ID+"/", nil, nil, http.StatusNoContent)
	post(t, w.Source.WebhookURL, []byte(`{"Name": "Ada"}`), http.StatusGone)
	if got := h.automations(t, w.ID); len(got) != 0 {
		t.Errorf("automations: got %v, want none", got)
	}
	if got := h.workflow(t, w.ID).Status; got != "ARCHIVED" {
		t.Errorf("status: got %s, want ARCHIVED", got)
	}
}

func TestEventsAcceptedWithoutAWorkerAreCarriedOutByTheNextOne(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	r := newReceiver(t)
	w := h.simple(t, r)
	const events = 3
	for range events {
		postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	}
	for _, a := range h.automations(t, w.ID) {
		if a.state != string(platen.AutomationAccepted) {
			t.Errorf("state without a worker: got %s, want ACCEPTED", a.state)
		}
	}
	running, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	h.startWorker(t, running, slog.New(slog.NewTextHandler(h.log, nil)))
	seen := map[string]bool{}
	for range events {
		seen[r.next(t).event.Data.AutomationID] = true
	}
	if len(seen) != events {
		t.Errorf("automations that sent events: got %d, want %d", len(seen), events)
	}
}
