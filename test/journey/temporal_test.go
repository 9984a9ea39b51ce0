package journey

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	enums "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// closed waits for the run to end, and fails when it ended another way.
func (h *harness) closed(t *testing.T, id string, want enums.WorkflowExecutionStatus) {
	t.Helper()
	eventually(t, "run "+id+" "+want.String(), func() error {
		described, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			return err
		}
		got := described.GetWorkflowExecutionInfo().GetStatus()
		if got != want && got != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			t.Fatalf("run %s: got %s, want %s", id, got, want)
		}
		if got != want {
			return fmt.Errorf("got %s", got)
		}
		return nil
	})
}

// found waits until a visibility query finds exactly these runs.
func (h *harness) found(t *testing.T, query string, want ...string) {
	t.Helper()
	slices.Sort(want)
	eventually(t, query, func() error {
		list, err := h.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		if err != nil {
			return err
		}
		var got []string
		for _, e := range list.GetExecutions() {
			got = append(got, e.GetExecution().GetWorkflowId())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			return fmt.Errorf("got %q, want %q", got, want)
		}
		return nil
	})
}

func (h *harness) history(t *testing.T, id string) []*historypb.HistoryEvent {
	t.Helper()
	var all []*historypb.HistoryEvent
	events := h.temporal.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			t.Fatalf("history of %s: %v", id, err)
		}
		all = append(all, e)
	}
	return all
}

func TestRunsAreFoundBySearchAttributes(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	good := h.simple(t, nil)
	bad := h.createWorkflow(t, object{"name": "Bad"})
	d := h.addDocument(t, bad, h.write(t, "Bad", "{{Name}}"), nil)
	if err := h.files.Files.Delete(d.File.ID).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	postObject(t, good.Source.WebhookURL, object{"Name": "Ada"})
	postObject(t, bad.Source.WebhookURL, object{"Name": "Ada"})
	made := h.finished(t, good.ID, platen.AutomationCompleted).id
	failed := h.finished(t, bad.ID, platen.AutomationFailed).id

	h.found(t, fmt.Sprintf("PlatenWorkflowId = '%s'", good.ID), made)
	h.found(t, fmt.Sprintf("PlatenOwner = '%s'", h.ownerID), made, failed)
	h.found(t, fmt.Sprintf("PlatenOwner = '%s' AND PlatenOutcome = 'FAILED'", h.ownerID), failed)
	h.found(t, fmt.Sprintf("PlatenOwner = '%s' AND ExecutionStatus = 'Completed'", h.ownerID), made)
	h.found(t, fmt.Sprintf("PlatenOwner = '%s' AND ExecutionStatus = 'Failed'", h.ownerID), failed)
}

// A namedStep is how a step stands in a history.
type namedStep struct{ name, summary string }

// steps reads the steps of a history, those that ran inside a workflow task
// and those that were scheduled.
func steps(t *testing.T, events []*historypb.HistoryEvent) []namedStep {
	t.Helper()
	var all []namedStep
	for _, e := range events {
		s := namedStep{}
		if summary := e.GetUserMetadata().GetSummary(); summary != nil {
			if err := json.Unmarshal(summary.GetData(), &s.summary); err != nil {
				t.Fatalf("summary %s: %v", summary.GetData(), err)
			}
		}
		switch e.GetEventType() {
		case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			s.name = e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
		case enums.EVENT_TYPE_MARKER_RECORDED:
			marker := e.GetMarkerRecordedEventAttributes()
			var data struct{ ActivityType string }
			for _, payload := range marker.GetDetails()["data"].GetPayloads() {
				if err := json.Unmarshal(payload.GetData(), &data); err != nil {
					t.Fatalf("marker %s: %v", payload.GetData(), err)
				}
			}
			s.name = data.ActivityType
		default:
			continue
		}
		all = append(all, s)
	}
	return all
}

func TestStepsHaveNamesAndSummariesInTheHistory(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: "0s,10ms"})
	r := newReceiver(t, http.StatusInternalServerError, http.StatusOK)
	w := h.createWorkflow(t, object{"name": "Steps"})
	d := h.addDocument(t, w, h.write(t, "Steps", "{{Name}}"), object{"createPdfCopy": true, "removeOutput": true})
	h.register(t, w, r)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	eventID := r.next(t).id
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	h.closed(t, eventID, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)

	// A step that was tried again stands there twice, one after the other.
	got := slices.Compact(steps(t, h.history(t, a.id)))
	of := " · " + d.ID
	want := []namedStep{
		{"LoadPlan", "load the plan"},
		{"CopyTemplate", "copy the template" + of},
		{"FillTags", "fill the tags" + of},
		{"MakePDF", "make the PDF" + of},
		{"RemoveOriginal", "remove the original" + of},
		{"RecordOutput", "record the output" + of},
		{"SendEvent", "deliver the event, attempt 1" + of},
		{"FinishAutomation", "record the outcome"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps of the run:\n got %q\nwant %q", got, want)
	}
	got = slices.Compact(steps(t, h.history(t, eventID)))
	want = []namedStep{{"AskEndpoint", "ask the endpoint for attempt 2"}, {"SendEvent", "deliver the event, attempt 2"}}
	if !slices.Equal(got, want) {
		t.Errorf("steps of the delivery:\n got %q\nwant %q", got, want)
	}
}

func TestTemporalAndTheLogHoldNoDataAndNoSecrets(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten})
	const value, word = "Canary-Value-3141", "Canary-Password-2718"
	r := newReceiver(t, http.StatusInternalServerError, http.StatusInternalServerError, http.StatusOK)
	w := h.createWorkflow(t, object{"name": "Canaries"})
	settings := func(password string) object {
		return object{
			"outputName": "Paper {{Name}}", "createPdfCopy": true, "removeOutput": true,
			"enablePdfPassword": true, "pdfPassword": password,
		}
	}
	// One that succeeds, and three that fail for different reasons: failures
	// carry messages.
	h.addDocument(t, w, h.write(t, "Good", "Dear {{Name}}"), settings(word+"-{{Name}}"))
	h.addDocument(t, w, h.write(t, "Open", "Dear {{Name}}"), settings(word+"-{{Absent}}"))
	h.addDocument(t, w, h.write(t, "Long", "Dear {{Name}}"), settings(word+strings.Repeat("-{{Name}}", 8)))
	gone := h.addDocument(t, w, h.upload(t, example(t, examples.Letter)), settings(word))
	if err := h.files.Files.Delete(gone.File.ID).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	secret := h.register(t, w, r)
	_, sourceKey, _ := strings.Cut(strings.TrimPrefix(w.Source.WebhookURL, "http://"), "/")

	postObject(t, w.Source.WebhookURL, object{"Name": value, "Nested": object{"List": []string{value}}})

	a := h.finished(t, w.ID, platen.AutomationFailed)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	// How many events are handed on differs: after a failure the run does not
	// wait for the endpoint.
	runs := []string{a.id}
	for _, e := range h.history(t, a.id) {
		if started := e.GetChildWorkflowExecutionStartedEventAttributes(); started != nil {
			runs = append(runs, started.GetWorkflowExecution().GetWorkflowId())
		}
	}
	if len(runs) < 2 {
		t.Fatalf("got %q, want the run and a delivery at least", runs)
	}
	for _, id := range runs[1:] {
		h.closed(t, id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	}
	links := map[string]bool{}
	for range 6 {
		for _, f := range r.next(t).event.Data.Documents {
			links[f.URL] = true
		}
	}
	if len(links) != 1 {
		t.Fatalf("links in events: got %v, want that of the good document", links)
	}
	canaries := map[string]string{
		"a value": value, "a password": word, "the signing secret": secret, "the access token": h.token,
		"the drive token": h.driveToken, "the source's key": sourceKey, "the keys of the service": h.secretKeys,
		"the output's name": "Paper " + value,
	}
	for link := range links {
		canaries["a link to a file"] = link[strings.LastIndexByte(link, '/')+1:]
	}
	var known strings.Builder
	for _, id := range runs {
		known.WriteString(h.everything(t, id))
	}
	for _, want := range []string{a.id, "MakePDF", `"OutputID":"out_`} {
		if !strings.Contains(known.String(), want) {
			t.Errorf("the search looks in the wrong places: it does not find %q", want)
		}
	}
	for what, canary := range canaries {
		if i := strings.Index(known.String(), canary); i >= 0 {
			t.Errorf("Temporal holds %s: …%.200q", what, known.String()[max(0, i-100):])
		}
		if i := strings.Index(h.log.String(), canary); i >= 0 {
			t.Errorf("the log holds %s: …%.300q", what, h.log.String()[max(0, i-150):])
		}
	}
}

// everything returns all that Temporal tells of a run, in every form: as it is
// sent, as JSON, and what is hidden in that as base64.
func (h *harness) everything(t *testing.T, id string) string {
	t.Helper()
	described, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	messages := []proto.Message{described}
	for _, e := range h.history(t, id) {
		messages = append(messages, e)
	}
	var all strings.Builder
	for _, m := range messages {
		raw, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
		all.Write(text)
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		decode(&all, value)
	}
	return all.String()
}

// decode writes what strings of a JSON value hold as base64, and what that
// holds, when it is JSON itself.
func decode(into *strings.Builder, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			decode(into, inner)
		}
	case []any:
		for _, inner := range value {
			decode(into, inner)
		}
	case string:
		raw, err := base64.StdEncoding.DecodeString(value)
		if err != nil || len(raw) == 0 {
			return
		}
		into.Write(raw)
		into.WriteByte('\n')
		var inner any
		if json.Unmarshal(raw, &inner) == nil {
			decode(into, inner)
		}
	}
}
