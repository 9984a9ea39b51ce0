package journey

import (
	"net/http"
	"strings"
	"testing"

	"go.temporal.io/sdk/converter"

	"github.com/platenhq/platen/internal/platen"
)

// The id of the request that brought an event is found everywhere: in the answer,
// the log, the automation and its run.
func TestTheIDOfARequestLeadsToTheAutomationAndItsRun(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.simple(t, nil)
	const id = "trace-2026:7.b"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Source.WebhookURL, strings.NewReader(`{"Name":"Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Request-Id", id)
	if _, header := do(t, request, http.StatusOK); header.Get("X-Request-Id") != id {
		t.Errorf("answer: got X-Request-Id %q, want %q", header.Get("X-Request-Id"), id)
	}
	automation := h.finished(t, w.ID, platen.AutomationCompleted).id
	var shown struct {
		RequestID string `json:"requestId"`
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+automation+"/", nil, &shown, http.StatusOK)
	if shown.RequestID != id {
		t.Errorf("automation: got requestId %q, want %q", shown.RequestID, id)
	}
	described, err := h.temporal.DescribeWorkflowExecution(t.Context(), automation, "")
	if err != nil {
		t.Fatal(err)
	}
	var remembered string
	memo := described.GetWorkflowExecutionInfo().GetMemo().GetFields()["requestId"]
	if err := converter.GetDefaultDataConverter().FromPayload(memo, &remembered); err != nil || remembered != id {
		t.Errorf("memo of the run: got %q, %v; want %q", remembered, err, id)
	}
	if log := h.log.String(); !strings.Contains(log, "request_id="+id) {
		t.Errorf("the log does not have the id of the request")
	}
}
