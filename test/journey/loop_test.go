package journey

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// feedsItself makes a workflow whose events go to its own source. The address
// was stored before such addresses were refused.
func (h *harness) feedsItself(t *testing.T) workflow {
	t.Helper()
	w := h.letter(t, newReceiver(t), object{"outputName": "Echo"})
	if _, err := h.database.Exec(t.Context(), `UPDATE outgoing_webhooks SET url = $1 WHERE workflow_id = $2`, w.Source.WebhookURL, w.ID); err != nil {
		t.Fatal(err)
	}
	return w
}

// lastDelivery says how the latest attempt to deliver an event of the workflow
// went.
func (h *harness) lastDelivery(t *testing.T, w workflow) (status int, failure string) {
	t.Helper()
	var events []struct{ ID string }
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/events/", nil, &events, http.StatusOK)
	var e struct {
		Deliveries []struct {
			Status  int
			Failure string
		}
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/events/"+events[len(events)-1].ID+"/", nil, &e, http.StatusOK)
	last := e.Deliveries[len(e.Deliveries)-1]
	return last.Status, last.Failure
}

// A worker that does not know its installation's addresses is as one of another
// installation.
func TestAWorkflowThatFeedsItselfStopsAfterSomeHops(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	h.worker.APIURL, h.worker.HooksURL = "", ""
	h.work(t)
	w := h.feedsItself(t)
	send(t, w)
	const all = platen.MaxHops + 1
	eventually(t, "the last event is refused", func() error {
		automations, events := h.automations(t, w.ID), h.events(t, w.ID)
		if len(automations) > all {
			t.Fatalf("got %d automations of one event, want %d", len(automations), all)
		}
		if len(events) == all && slices.Contains(events, "DOCUMENTS_CREATED FAILED") {
			return nil
		}
		return fmt.Errorf("%d automations with events %q", len(automations), events)
	})
	if status, failure := h.lastDelivery(t, w); status != http.StatusLoopDetected || !strings.Contains(failure, "circle") {
		t.Errorf("the last delivery: got %d %q, want 508 and what it means", status, failure)
	}
	// Neither another attempt at it nor a repeat of it goes further.
	var events []struct{ ID string }
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/events/", nil, &events, http.StatusOK)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/events/"+events[len(events)-1].ID+"/redeliver/", nil, nil, http.StatusAccepted)
	eventually(t, "the event is refused once more", func() error {
		var e struct {
			State      string
			Deliveries []struct{ Status int }
		}
		h.call(t, http.MethodGet, "/workflows/"+w.ID+"/events/"+events[len(events)-1].ID+"/", nil, &e, http.StatusOK)
		if len(e.Deliveries) == 2 && e.Deliveries[1].Status == http.StatusLoopDetected && e.State == "FAILED" {
			return nil
		}
		return fmt.Errorf("got %+v", e)
	})
	if got := len(h.automations(t, w.ID)); got != all {
		t.Errorf("got %d automations of one event, want %d", got, all)
	}
}

func TestNothingIsSentToAnAddressOfTheInstallationThatWasStoredBefore(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: "0s"})
	w := h.feedsItself(t)
	send(t, w)
	h.finished(t, w.ID, platen.AutomationCompleted)
	eventually(t, "the event has failed", func() error {
		if got := h.events(t, w.ID); !slices.Equal(got, []string{"DOCUMENTS_CREATED FAILED"}) {
			return fmt.Errorf("got %q", got)
		}
		return nil
	})
	if status, failure := h.lastDelivery(t, w); status != 0 || !strings.Contains(failure, "this installation") {
		t.Errorf("the delivery: got %d %q, want none and why", status, failure)
	}
	if got := len(h.automations(t, w.ID)); got != 1 {
		t.Errorf("got %d automations, want 1", got)
	}
}
