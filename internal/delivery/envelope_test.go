package delivery_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// at is shown with its microseconds and in UTC.
var at = time.Date(2026, 1, 2, 4, 4, 5, 678901234, time.FixedZone("CET", 3600))

func TestEventsOfAllTypesAreWrittenAlike(t *testing.T) {
	t.Parallel()
	file := platen.File{ID: "f1", Name: "Letter.pdf", MIMEType: platen.MIMEPDF, URL: "https://drive.example/f1"}
	output := platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputDone, Removed: true, PDF: &file, MissingFields: []string{"city"}}
	failed := platen.Output{ID: "out_2", AutomationID: "aut_1", DocumentID: "doc_2", State: platen.OutputFailed, FailureCode: "c", Failure: "m"}
	batch := platen.Batch{
		ID: "bat_1", WorkflowID: "wkf_1", Name: "October.csv", State: platen.BatchCompleted, Attempt: 2, Rows: 3,
		Counts: map[platen.RowState]int{platen.RowCompleted: 2, platen.RowFailed: 1}, CreatedAt: at.Add(-time.Minute),
	}
	for _, c := range []struct {
		write func() (platen.Event, error)
		of    string // its output
		kind  string
		data  string
	}{
		{func() (platen.Event, error) { return delivery.NewEvent("wkf_1", output, at) }, "out_1", platen.EventDocumentsCreated,
			`"documents":[{"id":"f1","url":"https://drive.example/f1","name":"Letter.pdf","mimetype":"application/pdf","mimeType":"application/pdf","kind":"pdf"}],` +
				`"workflowId":"wkf_1","automationId":"aut_1","documentId":"doc_1","createdAt":"2026-01-02T03:04:05.678901+00:00","missingFields":["city"]`},
		{func() (platen.Event, error) { return delivery.NewEvent("wkf_1", failed, at) }, "out_2", platen.EventDocumentFailed,
			`"documents":[],"workflowId":"wkf_1","automationId":"aut_1","documentId":"doc_2","createdAt":"2026-01-02T03:04:05.678901+00:00","error":{"code":"c","message":"m"}`},
		{func() (platen.Event, error) { return delivery.NewBatchEvent(batch, at) }, "", platen.EventBatchCompleted,
			`"documents":[],"workflowId":"wkf_1","createdAt":"2026-01-02T03:04:05.678901+00:00","batch":{"id":"bat_1","name":"October.csv","state":"COMPLETED","attempt":2,"rows":3,` +
				`"counts":{"CANCELLED":0,"COMPLETED":2,"FAILED":1,"PENDING":0,"RUNNING":0,"SKIPPED":0},` +
				`"createdAt":"2026-01-02T03:03:05.678901+00:00","finishedAt":"2026-01-02T03:04:05.678901+00:00"}`},
		{func() (platen.Event, error) { return delivery.NewTestEvent("wkf_1", at) }, "", platen.EventWorkflowTest,
			`"documents":[],"workflowId":"wkf_1","createdAt":"2026-01-02T03:04:05.678901+00:00"`},
	} {
		e, err := c.write()
		if err != nil || !strings.HasPrefix(e.ID, platen.PrefixEvent) || e.State != platen.EventPending || e.Type != c.kind || e.WorkflowID != "wkf_1" || e.OutputID != c.of || !e.CreatedAt.Equal(at) {
			t.Errorf("%s: got %+v, %v", c.kind, e, err)
		}
		if want := fmt.Sprintf(`{"event_id":%q,"event_type":%q,"data":{%s}}`, e.ID, c.kind, c.data); string(e.Payload) != want {
			t.Errorf("%s: got %s, want %s", c.kind, e.Payload, want)
		}
	}
}

// A receiver knows an event by its id, also when the database has forgotten that
// it was sent.
func TestAnEventHasTheIDOfItsOutputsAttempt(t *testing.T) {
	t.Parallel()
	id := func(o platen.Output, at time.Time) string {
		e, err := delivery.NewEvent("wkf_1", o, at)
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	output := platen.Output{ID: "out_1", AutomationID: "aut_1", State: platen.OutputDone, Attempt: 1}
	first := id(output, at)
	if again := id(output, at.Add(time.Hour)); again != first {
		t.Errorf("got %s, then %s, want one id for one attempt", first, again)
	}
	retried, other := output, output
	retried.Attempt, other.ID = 2, "out_2"
	for name, o := range map[string]platen.Output{"a retry": retried, "another output": other} {
		if got := id(o, at); got == first {
			t.Errorf("%s: got %s, want an id of its own", name, got)
		}
	}
}
