package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// An Event says to the outgoing webhook what became of one output, or of a batch.
type Event struct {
	ID           string    `json:"id"`
	Type         EventType `json:"type"`
	State        string    `json:"state"`        // PENDING, DELIVERED, FAILED, HELD
	Held         *Failure  `json:"held"`         // why it is HELD
	AutomationID string    `json:"automationId"` // of a batch: of the row that ended last
	OutputID     string    `json:"outputId"`     // empty: it is about a batch
	BatchID      string    `json:"batchId"`      // empty: it is about an output
	ReceiverID   string    `json:"receiverId"`   // empty: it goes to the outgoing webhook, or to the test receiver
	Test         bool      `json:"test"`         // it went to the test receiver, if anywhere
	CreatedAt    time.Time `json:"createdAt"`
	// NextAttemptAt is when a PENDING one is tried; nil: now, or nobody knows. LastFailure is
	// why the last attempt failed.
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	LastFailure   *string    `json:"lastFailure"`
}

// An EventDetail is an event with what it says and how it was delivered.
type EventDetail struct {
	Event
	Payload    json.RawMessage `json:"payload"` // the body, byte for byte; null: it was erased
	Deliveries []Delivery      `json:"deliveries"`
}

// A Delivery is one attempt to deliver an event.
type Delivery struct {
	Attempt    int       `json:"attempt"`
	At         time.Time `json:"at"`
	Delivered  bool      `json:"delivered"`
	Status     *int      `json:"status"` // of HTTP; nil: no answer
	DurationMS int       `json:"durationMs"`
	Failure    *string   `json:"failure"`
	Answer     string    `json:"answer"` // its start
}

// An EventQuery says which events of a workflow a list is to hold.
type EventQuery struct {
	States    []string // any of these; empty: any state
	OutputIDs []string // about these alone; empty: about any
	Receivers []string // for these alone; empty: for any
	// Since and Until bound when it was created, the end excluded; zero: nothing does.
	Since, Until time.Time
	Newest       bool // the newest first
	Page         int  // how many are read at a time; 0: 200
	Test         bool // tests alone; false: everything else
}

// A Recovery says how many events are delivered again.
type Recovery struct {
	Recovered int  `json:"recovered"`
	Held      int  `json:"held"` // of these
	More      bool `json:"more"` // ask again
}

// Events lists those of a workflow, the oldest first.
func (c *Client) Events(ctx context.Context, workflowID string, q EventQuery) iter.Seq2[Event, error] {
	return list[Event](ctx, c, workflowPath(workflowID)+"events/", values("state", q.States, "outputId", q.OutputIDs, "receiverId", q.Receivers, "since", q.Since, "until", q.Until, "order", q.Newest, "limit", q.Page, "test", q.Test))
}

// EventCounts are how many events are not delivered.
type EventCounts struct {
	Pending int `json:"pending"` // they wait for their next attempt
	Failed  int `json:"failed"`
	Held    int `json:"held"`
}

// CountEvents counts the events of a workflow that were created at or after since, the zero
// time: all, and are not delivered. It says how far a recovery is.
func (c *Client) CountEvents(ctx context.Context, workflowID string, since time.Time) (EventCounts, error) {
	var n EventCounts
	_, err := c.ask(ctx, request{method: http.MethodGet, path: workflowPath(workflowID) + "events/counts/", query: values("since", since)}, &n)
	return n, err
}

// Event reads one, with its payload and deliveries.
func (c *Client) Event(ctx context.Context, workflowID, id string) (EventDetail, error) {
	return get[EventDetail](ctx, c, eventPath(workflowID, id))
}

// RedeliverEvent delivers an event again: same id, same bytes.
func (c *Client) RedeliverEvent(ctx context.Context, workflowID, id string) (EventDetail, error) {
	return post[EventDetail](ctx, c, eventPath(workflowID, id)+"redeliver/", nil)
}

// A RecoveryRequest says which events are delivered again.
type RecoveryRequest struct {
	Since time.Time `json:"since"`          // created at or after
	Test  bool      `json:"test,omitempty"` // those of tests; false: all others
	// ReceiverID is of the receiver whose events alone; empty: all, and those of the outgoing
	// webhook.
	ReceiverID string `json:"receiverId,omitempty"`
}

// RecoverEvents delivers FAILED and HELD events again, 10,000 at most.
func (c *Client) RecoverEvents(ctx context.Context, workflowID string, r RecoveryRequest) (Recovery, error) {
	return post[Recovery](ctx, c, workflowPath(workflowID)+"events/recover/", r)
}
