package journey

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

// Everything personal or secret in the shapes has this word in it, which no
// history may hold.
const canary = "Canary"

// ten is a schedule of production's length that takes no time.
const ten = "0s,5ms,5ms,5ms,5ms,5ms,5ms,5ms,5ms,5ms"

// A shape is a way that runs go. play goes it and returns the runs to record,
// by the names of their files.
type shape struct {
	name string
	play func(t *testing.T) (*harness, map[string]run)
}

// record plays the shape and writes its histories.
func (s shape) record(t *testing.T) {
	h, runs := s.play(t)
	for name, r := range runs {
		h.record(t, *record, name, r)
	}
}

// A run is one execution in Temporal; an empty runID means the latest.
type run struct{ id, runID string }

// encrypted are the settings of a document with everything.
var encrypted = object{
	"outputName": "Letter for {{Name}}", "createPdfCopy": true, "removeOutput": true,
	"enablePdfPassword": true, "pdfPassword": canary + "-{{Name}}",
}

func (h *harness) letter(t *testing.T, r *receiver, settings ...object) workflow {
	t.Helper()
	w := h.createWorkflow(t, object{"name": "Letters"})
	for _, s := range settings {
		h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), s)
	}
	if r != nil {
		h.register(t, w, r)
	}
	return w
}

func send(t *testing.T, w workflow) {
	t.Helper()
	postObject(t, w.Source.WebhookURL, object{"Name": canary + "-Ada"})
}

// through plays a workflow that is sent one event and ends by itself.
func through(name string, state platen.AutomationState, events int, make func(t *testing.T, h *harness, r *receiver) workflow) shape {
	return shape{name, func(t *testing.T) (*harness, map[string]run) {
		h := open(t, options{schedule: ten})
		r := newReceiver(t)
		w := make(t, h, r)
		send(t, w)
		for range events {
			r.next(t)
		}
		return h, map[string]run{name: {id: h.finished(t, w.ID, state).id}}
	}}
}

// shapes are those whose course other tests check: here they are recorded.
func shapes() []shape {
	plain := object{"outputName": "Letter for {{Name}}"}
	return []shape{
		through("run-with-everything", platen.AutomationCompleted, 1, func(t *testing.T, h *harness, r *receiver) workflow {
			return h.letter(t, r, encrypted)
		}),
		through("run-without-pdf", platen.AutomationCompleted, 1, func(t *testing.T, h *harness, r *receiver) workflow {
			return h.letter(t, r, plain)
		}),
		through("run-without-webhook", platen.AutomationCompleted, 0, func(t *testing.T, h *harness, _ *receiver) workflow {
			return h.letter(t, nil, encrypted)
		}),
		through("run-two-documents", platen.AutomationCompleted, 2, func(t *testing.T, h *harness, r *receiver) workflow {
			return h.letter(t, r, encrypted, plain)
		}),
		through("run-missing-field", platen.AutomationCompleted, 1, func(t *testing.T, h *harness, r *receiver) workflow {
			w := h.letter(t, r)
			h.addDocument(t, w, h.write(t, "Open", "Dear {{Name}}, born {{Birthday}}"), plain)
			return w
		}),
		through("run-document-failed", platen.AutomationFailed, 2, func(t *testing.T, h *harness, r *receiver) workflow {
			w := h.letter(t, r, encrypted)
			h.removeTemplate(t, h.addDocument(t, w, h.write(t, "Gone", "Dear {{Name}}"), encrypted))
			return w
		}),
		{"run-to-receivers", playToReceivers},
		{"run-step-retried", playStepRetried},
		{"run-retried", playRetried},
		{"run-forgotten", playForgotten},
		{"run-without-template", playWithoutTemplate},
		{"deliver-after-retries", playDeliveredAfterRetries},
		{"deliver-given-up", playGivenUp},
		{"deliver-again", playDeliveredAgain},
		{"deliver-again-while-it-waits", playDeliveredAgainWhileItWaits},
		{"deliver-after-a-rest", playDeliveredAfterARest},
		{"deliver-cancelled", playDeliveryCancelled},
		{"run-mailed", playMailed},
		{"run-mailed-together", playMailedAll},
		{"run-appended", playAppended},
		{"mail-after-a-retry", playMailedAfterARetry},
		{"run-approved", playApproved},
	}
}

func (h *harness) removeTemplate(t *testing.T, d document) {
	t.Helper()
	if err := h.files.Files.Delete(d.File.ID).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
}

func playStepRetried(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	tried := g.away(isFill)
	send(t, w)
	<-tried
	<-tried
	g.open()
	r.next(t)
	return h, map[string]run{"run-step-retried": {id: h.finished(t, w.ID, platen.AutomationCompleted).id}}
}

// playRetried has one document made by the first attempt and the other by the
// second, after the integrator has given the workflow's owner the file back.
func playRetried(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	second := h.addDocument(t, w, h.write(t, "Second", "Dear {{Name}}"), encrypted)
	g.set(func(r *http.Request) verdict {
		if isCopy(r) && r.URL.Path == "/drive/v3/files/"+second.File.ID+"/copy" {
			return verdict{status: http.StatusNotFound}
		}
		return verdict{}
	})
	send(t, w)
	a := h.finished(t, w.ID, platen.AutomationFailed)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	r.next(t)
	r.next(t)
	first := h.latest(t, a.id)
	g.open()
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/automations/"+a.id+"/retry/", nil, nil, http.StatusAccepted)
	r.next(t)
	h.finished(t, w.ID, platen.AutomationCompleted)
	return h, map[string]run{"run-failed-before-retry": {a.id, first}, "run-retried": {id: a.id}}
}

// playForgotten has the database forget the output while a step of it waits.
func playForgotten(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	w := h.letter(t, nil, encrypted)
	tried := g.away(isFill)
	send(t, w)
	<-tried
	<-tried
	id := h.finished(t, w.ID, platen.AutomationRunning).id
	first := h.latest(t, id)
	if _, err := h.database.Exec(t.Context(), `DELETE FROM outputs WHERE automation_id = $1`, id); err != nil {
		t.Fatal(err)
	}
	g.open()
	h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	return h, map[string]run{"run-forgotten": {id, first}}
}

func playWithoutTemplate(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), encrypted)
	send(t, w)
	h.call(t, http.MethodDelete, "/workflows/"+w.ID+"/documents/"+d.ID+"/", nil, nil, http.StatusNoContent)
	h.work(t)
	return h, map[string]run{"run-without-template": {id: h.finished(t, w.ID, platen.AutomationFailed).id}}
}

func playDeliveredAfterRetries(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten})
	r := newReceiver(t, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusBadGateway)
	w := h.letter(t, r, encrypted)
	send(t, w)
	id := r.next(t).id
	for range 3 {
		r.next(t)
	}
	h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	return h, map[string]run{
		"run-first-delivery-failed": {id: h.finished(t, w.ID, platen.AutomationCompleted).id},
		"deliver-after-retries":     {id: id},
	}
}

func playGivenUp(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	h.worker.EndpointFailures = config.Of(1000) // all ten attempts in a row
	h.work(t)
	r := newReceiver(t, slices.Repeat([]int{http.StatusInternalServerError}, 10)...)
	w := h.letter(t, r, encrypted)
	send(t, w)
	id := r.next(t).id
	for range 9 {
		r.next(t)
	}
	h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	return h, map[string]run{"deliver-given-up": {id: id}}
}

func playDeliveredAgain(t *testing.T) (*harness, map[string]run) {
	h, runs := playGivenUp(t)
	id := runs["deliver-given-up"].id
	workflowID := h.workflowOf(t, id)
	h.call(t, http.MethodPost, "/workflows/"+workflowID+"/events/"+id+"/redeliver/", nil, nil, http.StatusAccepted)
	h.closed2(t, id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	return h, map[string]run{"deliver-again": {id: id}}
}

// playDeliveredAgainWhileItWaits has an event redelivered whose next attempt is an hour
// away: the delivery that waits goes on with it.
func playDeliveredAgainWhileItWaits(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: "0s,1h"})
	r := newReceiver(t, http.StatusInternalServerError)
	w := h.letter(t, r, encrypted)
	send(t, w)
	id := r.next(t).id
	h.finished(t, w.ID, platen.AutomationCompleted)
	waits := h.latest(t, id)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/events/"+id+"/redeliver/", nil, nil, http.StatusAccepted)
	if again := r.next(t); again.id != id {
		t.Errorf("got %s, want %s again", again.id, id)
	}
	h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	if latest := h.latest(t, id); latest != waits {
		t.Errorf("the event was redelivered by a run of its own, want it by the one that waited")
	}
	return h, map[string]run{"deliver-again-while-it-waits": {id: id}}
}

// playDeliveredAfterARest has the endpoint left alone after two failures, so
// that a run finds it closed and waits.
func playDeliveredAfterARest(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten, idle: true})
	h.worker.EndpointFailures, h.worker.EndpointRest = config.Of(2), waits(t, "500ms,500ms")
	h.work(t)
	r := newReceiver(t, http.StatusInternalServerError, http.StatusInternalServerError)
	w := h.letter(t, r, encrypted)
	send(t, w)
	id := r.next(t).id
	r.next(t)
	r.next(t)
	h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	return h, map[string]run{"deliver-after-a-rest": {id: id}}
}

func playDeliveryCancelled(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: "0s,1h"})
	r := newReceiver(t, http.StatusInternalServerError)
	w := h.letter(t, r, encrypted)
	send(t, w)
	id := r.next(t).id
	h.finished(t, w.ID, platen.AutomationCompleted)
	eventually(t, "delivery "+id, func() error { return h.temporal.CancelWorkflow(t.Context(), id, "") })
	h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED)
	if got, want := h.events(t, w.ID), []string{"DOCUMENTS_CREATED HELD"}; !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	return h, map[string]run{"deliver-cancelled": {id: id}}
}

// latest returns the id of the latest execution of a run.
func (h *harness) latest(t *testing.T, id string) string {
	t.Helper()
	described, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	return described.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}

func (h *harness) workflowOf(t *testing.T, eventID string) (id string) {
	t.Helper()
	err := h.database.QueryRow(t.Context(), `SELECT workflow_id FROM events WHERE id = $1`, eventID).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// closed2 waits for a second execution of a run to end this way.
func (h *harness) closed2(t *testing.T, id string, want enums.WorkflowExecutionStatus) {
	t.Helper()
	eventually(t, fmt.Sprintf("second run %s %s", id, want), func() error {
		described, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			return err
		}
		if got := described.GetWorkflowExecutionInfo().GetStatus(); got != want {
			return fmt.Errorf("got %s", got)
		}
		return nil
	})
}

func TestARedeliveryEndsNoDeliveryThatWaits(t *testing.T) {
	t.Parallel()
	playDeliveredAgainWhileItWaits(t)
}

func TestHistoriesOfShapesAreRecorded(t *testing.T) {
	t.Parallel()
	if *record == "" {
		t.Skip("records histories: `make histories`")
	}
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.record(t)
		})
	}
}
