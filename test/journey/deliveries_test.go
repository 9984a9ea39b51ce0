package journey

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"testing"

	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/internal/platen"
)

func (h *harness) simple(t *testing.T, r *receiver) workflow {
	t.Helper()
	w := h.createWorkflow(t, object{"name": "Simple"})
	h.addDocument(t, w, h.write(t, "Simple", "Dear {{Name}}"), object{"outputName": "Simple for {{Name}}"})
	if r != nil {
		h.register(t, w, r)
	}
	return w
}

func TestReceiverThatFailsGetsTheSameEventAgain(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: "0s,50ms,50ms,50ms"})
	r := newReceiver(t, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusOK)
	w := h.simple(t, r)

	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	first := r.next(t)
	for attempt := 2; attempt <= 3; attempt++ {
		again := r.next(t)
		if again.id != first.id || !bytes.Equal(again.body, first.body) {
			t.Errorf("attempt %d: got %s with %s, want %s with the same bytes as at first: %s", attempt, again.id, again.body, first.id, first.body)
		}
	}
	h.finished(t, w.ID, platen.AutomationCompleted)
	h.closed(t, first.id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	r.quiet(t)
	if got, want := h.events(t, w.ID), []string{"DOCUMENTS_CREATED DELIVERED"}; !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	h.found(t, fmt.Sprintf("PlatenWorkflowId = '%s' AND WorkflowType = 'DeliverEvent' AND PlatenOutcome = 'DELIVERED'", w.ID), first.id)
}

func TestReceiverThatIsGoneGetsNoSecondAttempt(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: "0s,10ms,10ms"})
	r := newReceiver(t, http.StatusGone)
	w := h.simple(t, r)

	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	id := r.next(t).id
	h.finished(t, w.ID, platen.AutomationCompleted)
	if got, want := h.events(t, w.ID), []string{"DOCUMENTS_CREATED FAILED"}; !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	if _, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, ""); err == nil {
		t.Errorf("a run goes on to deliver %s, want none", id)
	}
	r.quiet(t)
}

func TestDeliveryThatNeverSucceedsEnds(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: "0s,10ms,10ms"})
	r := newReceiver(t, http.StatusBadGateway, http.StatusFound, http.StatusNotFound)
	w := h.simple(t, r)

	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	first := r.next(t)
	for range 2 {
		r.next(t)
	}
	h.closed(t, first.id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	r.quiet(t)
	h.finished(t, w.ID, platen.AutomationCompleted) // the document was made
	if got, want := h.events(t, w.ID), []string{"DOCUMENTS_CREATED FAILED"}; !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
}

func TestWithoutOutgoingWebhookNoEventIsMade(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.simple(t, nil)

	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	a := h.finished(t, w.ID, platen.AutomationCompleted)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	if got := h.events(t, w.ID); len(got) != 0 {
		t.Errorf("events: got %q, want none", got)
	}
	wantFiles(t, h, "Simple", "Simple - [Template]", "Simple for Ada")
}
