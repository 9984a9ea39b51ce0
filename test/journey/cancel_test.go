package journey

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/internal/platen"
)

// What an integrator reads of an automation that was cancelled.
type cancelled struct {
	State             string  `json:"state"`
	CancelRequestedAt *string `json:"cancelRequestedAt"`
	Outputs           []struct {
		DocumentID string `json:"documentId"`
		State      string `json:"state"`
		Files      []struct {
			Name string `json:"name"`
		} `json:"files"`
		Error *struct {
			Code string `json:"code"`
		} `json:"error"`
	} `json:"outputs"`
}

// cancel asks over /v0 to cancel the workflow's only automation, and returns
// its id when Temporal has been told.
func (h *harness) cancel(t *testing.T, w workflow) string {
	t.Helper()
	all := h.automations(t, w.ID)
	if len(all) != 1 {
		t.Fatalf("automations: got %v, want one", all)
	}
	id := all[0].id
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/automations/"+id+"/cancel/", nil, nil, http.StatusAccepted)
	eventually(t, "Temporal is told to cancel "+id, func() error {
		described, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			return err
		}
		if described.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return nil
		}
		if !described.GetWorkflowExtendedInfo().GetCancelRequested() {
			return errors.New("it is not")
		}
		return nil
	})
	return id
}

// wantCancelled checks what /v0 says of an automation that was cancelled: a
// document in each state, its files, and which events were sent.
func (h *harness) wantCancelled(t *testing.T, w workflow, id, state string, outputs []string, events ...string) {
	t.Helper()
	h.finished(t, w.ID, platen.AutomationState(state))
	var got cancelled
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+id+"/", nil, &got, http.StatusOK)
	if got.State != state || got.CancelRequestedAt == nil {
		t.Errorf("automation: got %+v, want %s and when it was asked for", got, state)
	}
	var have []string
	for _, o := range got.Outputs {
		line := o.State
		if o.Error != nil {
			line += " " + o.Error.Code
		}
		for _, f := range o.Files {
			line += " " + f.Name
		}
		have = append(have, line)
	}
	slices.Sort(have)
	if !slices.Equal(have, outputs) {
		t.Errorf("outputs: got %q, want %q", have, outputs)
	}
	eventually(t, "events", func() error {
		got := h.events(t, w.ID)
		slices.Sort(got)
		if !slices.Equal(got, events) {
			return fmt.Errorf("got %q, want %q", got, events)
		}
		return nil
	})
}

func cancellations() []shape {
	return []shape{
		{"run-cancelled-before-copy", playCancelledBeforeCopy},
		{"run-cancelled-during-copy", playCancelledDuringCopy},
		{"run-cancelled-between-documents", playCancelledBetweenDocuments},
		{"run-cancelled-while-a-retry-waits", playCancelledWhileARetryWaits},
		{"run-cancelled-during-delivery", playCancelledDuringDelivery},
	}
}

const template = "Letter"

// settled waits for the run to end and looks at what is in the drive then.
func (h *harness) settled(t *testing.T, id string, status enums.WorkflowExecutionStatus, files ...string) {
	t.Helper()
	h.closed(t, id, status)
	wantFiles(t, h, files...)
}

func playCancelledBeforeCopy(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	tried := g.away(isCopy)
	send(t, w)
	<-tried
	<-tried
	id := h.cancel(t, w)
	h.wantCancelled(t, w, id, "CANCELLED", []string{"FAILED cancelled"}, "DOCUMENT_FAILED DELIVERED")
	h.settled(t, id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, template, "Letters - [Template]")
	return h, map[string]run{"run-cancelled-before-copy": {id: id}}
}

// heardOf waits until a run has been told to end: when its task is over, or
// after four seconds of a local activity. Until then it goes on.
func (h *harness) heardOf(t *testing.T, id string) {
	t.Helper()
	eventually(t, "the run hears that it is cancelled", func() error {
		for _, e := range h.history(t, id) {
			if e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED {
				return nil
			}
		}
		return errors.New("not yet")
	})
}

// playCancelledDuringCopy cancels while the first try of the copy is under
// way: it is made, and removed again.
func playCancelledDuringCopy(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	begun, release := make(chan struct{}, 8), make(chan struct{})
	g.set(func(r *http.Request) verdict {
		if !isCopy(r) {
			return verdict{}
		}
		begun <- struct{}{}
		return verdict{release: release}
	})
	send(t, w)
	<-begun
	id := h.cancel(t, w)
	h.heardOf(t, id)
	close(release)
	h.wantCancelled(t, w, id, "CANCELLED", []string{"FAILED cancelled"}, "DOCUMENT_FAILED DELIVERED")
	h.settled(t, id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, template, "Letters - [Template]")
	return h, map[string]run{"run-cancelled-during-copy": {id: id}}
}

func playCancelledBetweenDocuments(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, object{"outputName": "First for {{Name}}", "createPdfCopy": true})
	second := h.addDocument(t, w, h.write(t, "Second", "Dear {{Name}}"), encrypted)
	tried := g.away(func(r *http.Request) bool {
		return isCopy(r) && r.URL.Path == "/drive/v3/files/"+second.File.ID+"/copy"
	})
	send(t, w)
	<-tried
	<-tried
	r.next(t) // the first document is made
	id := h.cancel(t, w)
	made := "First for " + canary + "-Ada"
	h.wantCancelled(t, w, id, "CANCELLED", []string{"DONE " + made + ".pdf " + made, "FAILED cancelled"},
		"DOCUMENTS_CREATED DELIVERED", "DOCUMENT_FAILED DELIVERED")
	h.settled(t, id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED,
		template, "Second", "Letters - [Template]", "Letters - [Template]", made, made+".pdf")
	return h, map[string]run{"run-cancelled-between-documents": {id: id}}
}

func playCancelledWhileARetryWaits(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	tried := g.away(isFill)
	send(t, w)
	<-tried
	<-tried
	id := h.cancel(t, w)
	h.wantCancelled(t, w, id, "CANCELLED", []string{"FAILED cancelled"}, "DOCUMENT_FAILED DELIVERED")
	h.settled(t, id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, template, "Letters - [Template]")
	return h, map[string]run{"run-cancelled-while-a-retry-waits": {id: id}}
}

// TestATryThatFailsAfterCancellingIsNoReason cancels while the second try of
// filling is under way. Temporal makes no further attempt and passes that failure
// on.
func TestATryThatFailsAfterCancellingIsNoReason(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	begun, release := make(chan struct{}, 8), make(chan struct{})
	var tries atomic.Int32
	g.set(func(r *http.Request) verdict {
		switch {
		case !isFill(r):
			return verdict{}
		case tries.Add(1) == 1:
			return verdict{status: http.StatusServiceUnavailable}
		}
		begun <- struct{}{}
		return verdict{status: http.StatusServiceUnavailable, release: release}
	})
	send(t, w)
	<-begun
	id := h.cancel(t, w)
	eventually(t, "the try is told to end", func() error {
		for _, e := range h.history(t, id) {
			if e.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED {
				return nil
			}
		}
		return errors.New("not yet")
	})
	close(release)
	h.wantCancelled(t, w, id, "CANCELLED", []string{"FAILED cancelled"}, "DOCUMENT_FAILED DELIVERED")
}

// playCancelledDuringDelivery cancels when everything is made: the outputs stay,
// their events are sent, and the automation says that cancelling came too late.
func playCancelledDuringDelivery(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten})
	begun, release := make(chan struct{}, 8), make(chan struct{})
	r := newReceiver(t)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		begun <- struct{}{}
		<-release
		r.ServeHTTP(w, request)
	}))
	t.Cleanup(slow.Close)
	r.url = slow.URL
	w := h.letter(t, r, encrypted)
	send(t, w)
	<-begun
	id := h.cancel(t, w)
	h.heardOf(t, id)
	close(release)
	h.wantCancelled(t, w, id, "COMPLETED", []string{"DONE Letter for " + canary + "-Ada.pdf"}, "DOCUMENTS_CREATED DELIVERED")
	h.settled(t, id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, template, "Letters - [Template]", "Letter for "+canary+"-Ada.pdf")
	return h, map[string]run{"run-cancelled-during-delivery": {id: id}}
}

func TestCancellingEndsCleanlyAndSaysWhatWasLeft(t *testing.T) {
	t.Parallel()
	for _, s := range cancellations() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.record(t)
		})
	}
}
