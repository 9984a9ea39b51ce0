package delivery

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/platen"
)

// An eventBody is the payload of events of all types. Fields may be added inside data,
// none removed.
type eventBody struct {
	EventID   string    `json:"event_id"`
	EventType string    `json:"event_type"`
	Data      eventData `json:"data"`
}

type eventData struct {
	Documents     []eventFile   `json:"documents"`
	WorkflowID    string        `json:"workflowId"`
	AutomationID  string        `json:"automationId,omitempty"` // not there in a test, as the document's
	DocumentID    string        `json:"documentId,omitempty"`
	CreatedAt     string        `json:"createdAt"`
	RequestID     string        `json:"requestId,omitempty"`      // of the source event, as the next; not there in a test event
	EventKey      string        `json:"idempotencyKey,omitempty"` // the value of Idempotency-Key or webhook-id
	Reference     string        `json:"reference,omitempty"`      // of the automation
	Test          bool          `json:"test,omitempty"`           // there where it is true
	MissingFields []string      `json:"missingFields,omitempty"`
	Error         *eventFailure `json:"error,omitempty"`
	Batch         *eventBatch   `json:"batch,omitempty"`
}

// An eventBatch is what an event says of a batch, in the names that it has under /v0.
type eventBatch struct {
	ID         string                  `json:"id"`
	Name       string                  `json:"name"`
	State      platen.BatchState       `json:"state"`
	Attempt    int                     `json:"attempt"`
	Rows       int                     `json:"rows"`
	Counts     map[platen.RowState]int `json:"counts"` // every state is there
	CreatedAt  string                  `json:"createdAt"`
	FinishedAt string                  `json:"finishedAt"`
}

type eventFile struct {
	ID            string `json:"id"`
	URL           string `json:"url"`
	Name          string `json:"name"`
	MIMETypeLower string `json:"mimetype"`
	MIMEType      string `json:"mimeType"`
	// Kind is which of the output's files it is, Protection what it asks for.
	Kind       platen.FileKind   `json:"kind"`
	Protection platen.Protection `json:"protection,omitempty"` // not there: the drive did not say it
}

type eventFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// maxMissingInEvent and maxMissingBytes keep a body under Standard Webhooks' 20 KB for
// every template; the automation itself lists all missing fields.
const (
	maxMissingInEvent = 50
	maxMissingBytes   = 2000 // a byte becomes six at most in JSON
)

// NewEvent writes the event about an output that ended at the time at. Its id is
// derived from the output's attempt, so that an event that is rewritten after a restore
// of the database keeps the id that the receiver may know.
func NewEvent(workflowID string, o platen.Output, at time.Time) (platen.Event, error) {
	event := platen.Event{
		ID:         platen.DerivedID(platen.PrefixEvent, o.ID, strconv.Itoa(o.Attempt)),
		WorkflowID: workflowID, AutomationID: o.AutomationID, OutputID: o.ID, Type: platen.EventDocumentsCreated,
		Test: o.Test,
	}
	data := eventData{
		Documents:     []eventFile{},
		AutomationID:  o.AutomationID,
		DocumentID:    o.DocumentID,
		RequestID:     o.RequestID,
		EventKey:      someText(o.EventKey),
		Reference:     o.Reference,
		MissingFields: someOf(o.MissingFields),
		Test:          o.Test,
	}
	if o.State == platen.OutputFailed {
		event.Type = platen.EventDocumentFailed
		data.Error = &eventFailure{Code: o.FailureCode, Message: o.Failure}
	} else {
		for _, f := range o.Files() {
			data.Documents = append(data.Documents, eventFile{
				ID: f.ID, URL: f.URL, Name: f.Name, MIMETypeLower: f.MIMEType, MIMEType: f.MIMEType,
				Kind: f.Kind, Protection: f.Protection(),
			})
		}
	}
	event, err := envelop(event, data, at)
	if err != nil {
		return event, fmt.Errorf("write the event of output %s: %w", o.ID, err)
	}
	return event, nil
}

// NewBatchEvent writes the event about a batch whose last row ended at the time at. A batch
// whose failed rows are retried has one for each attempt.
func NewBatchEvent(b platen.Batch, at time.Time) (platen.Event, error) {
	counts := map[platen.RowState]int{}
	for _, state := range platen.RowStates() {
		counts[state] = b.Counts[state]
	}
	event, err := envelop(platen.Event{
		ID:         platen.DerivedID(platen.PrefixEvent, b.ID, strconv.Itoa(b.Attempt)),
		WorkflowID: b.WorkflowID, BatchID: b.ID, Type: platen.EventBatchCompleted, Test: b.Test,
	}, eventData{Documents: []eventFile{}, Test: b.Test, Batch: &eventBatch{
		ID: b.ID, Name: b.Name, State: b.State, Attempt: b.Attempt, Rows: b.Rows, Counts: counts,
		CreatedAt: platen.Timestamp(b.CreatedAt), FinishedAt: platen.Timestamp(at),
	}}, at)
	if err != nil {
		return event, fmt.Errorf("write the event of batch %s: %w", b.ID, err)
	}
	return event, nil
}

// NewTestEvent writes an event that no automation is behind.
func NewTestEvent(workflowID string, at time.Time) (platen.Event, error) {
	event, err := envelop(platen.Event{ID: platen.NewID(platen.PrefixEvent), WorkflowID: workflowID, Type: platen.EventWorkflowTest}, eventData{Documents: []eventFile{}}, at)
	if err != nil {
		return event, fmt.Errorf("write a test event: %w", err)
	}
	return event, nil
}

// envelop gives an event that is new its payload.
func envelop(e platen.Event, data eventData, at time.Time) (platen.Event, error) {
	e.State, e.CreatedAt = platen.EventPending, at
	data.WorkflowID, data.CreatedAt = e.WorkflowID, platen.Timestamp(at)
	var err error
	e.Payload, err = json.Marshal(eventBody{EventID: e.ID, EventType: e.Type, Data: data})
	return e, err
}

// maxEventKey keeps a body small: senders name events by headers, which may be long.
const maxEventKey = 1024

// someText is a text that fits into an event; empty: it does not, or is none.
func someText(text string) string {
	if len(text) > maxEventKey || !utf8.ValidString(text) {
		return ""
	}
	return text
}

// someOf returns the first of the names that fit into an event.
func someOf(names []string) []string {
	size := 0
	for i, name := range names {
		if size += len(name); i == maxMissingInEvent || size > maxMissingBytes {
			return names[:i]
		}
	}
	return names
}
