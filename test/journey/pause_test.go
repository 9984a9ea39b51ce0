package journey

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
)

func TestAPausedWorkflowWaitsWhileOthersGoOnAndStartsWhenItIsResumed(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	pauses := operate.New(postgres.New(h.database, nil)).Pauses
	r := newReceiver(t)
	template := h.write(t, "Letter", "For {{Name}}")
	start := func(name string) workflow {
		w := h.createWorkflow(t, object{"name": name})
		h.addDocument(t, w, template, nil)
		return w
	}
	held, other := start("Held"), start("Other")
	h.register(t, held, r)
	if err := pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseWorkflow, ID: held.ID, Reason: "the price list is corrected", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	post(t, held.Source.WebhookURL, []byte(`{"Name": "Ada"}`), http.StatusOK)
	post(t, other.Source.WebhookURL, []byte(`{"Name": "Bea"}`), http.StatusOK)
	type run struct {
		State      string `json:"state"`
		WaitingFor []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"waitingFor"`
	}
	runOf := func(w workflow) run {
		var all []run
		h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/", nil, &all, http.StatusOK)
		if len(all) != 1 {
			t.Fatalf("got %d automations, want 1", len(all))
		}
		return all[0]
	}
	eventually(t, "the other workflow", func() error {
		if got := runOf(other); got.State != "COMPLETED" {
			return fmt.Errorf("it is %s", got.State)
		}
		return nil
	})
	if got := runOf(held); got.State != "ACCEPTED" || len(got.WaitingFor) != 1 || got.WaitingFor[0].Code != platen.CodePaused || !strings.Contains(got.WaitingFor[0].Message, "the price list is corrected") {
		t.Errorf("the paused one: got %+v, want it ACCEPTED, and why", got)
	}
	if was, err := pauses.Resume(t.Context(), platen.PauseWorkflow, held.ID); err != nil || !was {
		t.Fatalf("resume: %v, %v", was, err)
	}
	if e := r.next(t); e.event.Type != platen.EventDocumentsCreated || e.event.Data.WorkflowID != held.ID {
		t.Errorf("after it was resumed: got %s", e.body)
	}
}
