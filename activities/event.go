package activities

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/platenhq/platen"
)

// timestampLayout is ISO 8601 with microseconds and UTC offset, as /v0 writes it.
const timestampLayout = "2006-01-02T15:04:05.000000-07:00"

// The body of an event. Fields may be added inside data, none removed.
type eventBody struct {
	EventID   string    `json:"event_id"`
	EventType string    `json:"event_type"`
	Data      eventData `json:"data"`
}

type eventData struct {
	Documents     []eventFile   `json:"documents"`
	WorkflowID    string        `json:"workflowId"`
	AutomationID  string        `json:"automationId"`
	DocumentID    string        `json:"documentId"`
	CreatedAt     string        `json:"createdAt"`
	MissingFields []string      `json:"missingFields,omitempty"`
	Error         *eventFailure `json:"error,omitempty"`
}

type eventFile struct {
	ID            string `json:"id"`
	URL           string `json:"url"`
	Name          string `json:"name"`
	MIMETypeLower string `json:"mimetype"`
	MIMEType      string `json:"mimeType"`
	// Kind is which of the output's files it is, Protection what it asks for.
	Kind       platen.FileKind   `json:"kind"`
	Protection platen.Protection `json:"protection,omitempty"` // not there: made by an earlier release
}

type eventFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// maxMissingInEvent and maxMissingBytes keep a body under Standard Webhooks'
// 20 KB whatever a template asks for; the automation itself lists all of them.
const (
	maxMissingInEvent = 50
	maxMissingBytes   = 2000 // a byte becomes six at most in JSON
)

// NewEvent writes the event about an output that just ended.
func NewEvent(workflowID string, o platen.Output, at time.Time) (platen.Event, error) {
	event := platen.Event{
		ID:           platen.NewID(platen.PrefixEvent),
		WorkflowID:   workflowID,
		AutomationID: o.AutomationID,
		OutputID:     o.ID,
		Type:         platen.EventDocumentsCreated,
		State:        platen.EventPending,
		CreatedAt:    at,
	}
	body := eventBody{
		EventID: event.ID,
		Data: eventData{
			Documents:     []eventFile{},
			WorkflowID:    workflowID,
			AutomationID:  o.AutomationID,
			DocumentID:    o.DocumentID,
			CreatedAt:     at.UTC().Format(timestampLayout),
			MissingFields: someOf(o.MissingFields),
		},
	}
	if o.State == platen.OutputFailed {
		event.Type = platen.EventDocumentFailed
		body.Data.Error = &eventFailure{Code: o.FailureCode, Message: o.Failure}
	} else {
		for _, f := range o.Files() {
			body.Data.Documents = append(body.Data.Documents, eventFile{
				ID: f.ID, URL: f.URL, Name: f.Name, MIMETypeLower: f.MIMEType, MIMEType: f.MIMEType,
				Kind: f.Kind, Protection: f.Protection(),
			})
		}
	}
	body.EventType = event.Type
	payload, err := json.Marshal(body)
	if err != nil {
		return event, fmt.Errorf("write the event of output %s: %w", o.ID, err)
	}
	event.Payload = payload
	return event, nil
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
