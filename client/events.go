package client

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// An Event says to the outgoing webhook what became of one output.
type Event struct {
	ID           string    `json:"id"`
	Type         EventType `json:"type"`
	State        string    `json:"state"` // PENDING, DELIVERED, FAILED, HELD
	Held         *Failure  `json:"held"`  // why it is HELD
	AutomationID string    `json:"automationId"`
	OutputID     string    `json:"outputId"`
	Test         bool      `json:"test"` // it went to the test receiver, if anywhere
	CreatedAt    time.Time `json:"createdAt"`
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
	Newest    bool     // the newest first
	Page      int      // how many are read at a time; 0: 200
	Test      bool     // tests alone; false: everything else
}

// A Recovery says how many events are delivered again.
type Recovery struct {
	Recovered int  `json:"recovered"`
	Held      int  `json:"held"` // of these
	More      bool `json:"more"` // ask again
}

// Events lists those of a workflow, the oldest first.
func (c *Client) Events(ctx context.Context, workflowID string, q EventQuery) iter.Seq2[Event, error] {
	return list[Event](ctx, c, workflowPath(workflowID)+"events/", values("state", q.States, "outputId", q.OutputIDs, "order", q.Newest, "limit", q.Page, "test", q.Test))
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
}

// RecoverEvents delivers FAILED and HELD events again, 10,000 at most.
func (c *Client) RecoverEvents(ctx context.Context, workflowID string, r RecoveryRequest) (Recovery, error) {
	return post[Recovery](ctx, c, workflowPath(workflowID)+"events/recover/", r)
}
