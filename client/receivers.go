package client

import (
	"context"
	"net/url"
	"time"
)

// A Receiver gets events of a workflow by rules, beside its outgoing webhook.
type Receiver struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	URL       string      `json:"webhookUrl"`
	Events    []EventType `json:"events"` // the types that it gets
	When      string      `json:"when"`   // a condition; empty: it gets the events of all source events
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
	// Findings are what keeps events from being delivered, where it was set just now.
	Findings []TemplateFinding `json:"findings,omitempty"`
}

// A ReceiverChange is what a change sets; nil leaves it as it is. A new receiver needs Name and
// URL.
type ReceiverChange struct {
	Name   *string     `json:"name,omitempty"`
	URL    *string     `json:"webhookUrl,omitempty"`
	Events []EventType `json:"events,omitempty"`
	When   *string     `json:"when,omitempty"`
}

// A ReceiversCheck says how many source events would have gone to which receivers.
type ReceiversCheck struct {
	Events    int             `json:"events"` // how many were looked at
	Receivers []ReceiverCheck `json:"receivers"`
}

// A ReceiverCheck is what a ReceiversCheck says of one: for how many source events its condition
// is true (Sent), false (Skipped), and cannot be worked out (Faulty).
type ReceiverCheck struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	When     string   `json:"when"`
	Sent     int      `json:"sent"`
	Skipped  int      `json:"skipped"`
	Faulty   int      `json:"faulty"`
	Unfilled []string `json:"unfilled"` // names in its condition that no event has
}

func receiversPath(workflowID string) string { return workflowPath(workflowID) + "receivers/" }

func receiverPath(workflowID, id string) string {
	return receiversPath(workflowID) + url.PathEscape(id) + "/"
}

// Receivers lists those of a workflow, 10 at most.
func (c *Client) Receivers(ctx context.Context, workflowID string) ([]Receiver, error) {
	return get[[]Receiver](ctx, c, receiversPath(workflowID))
}

// Receiver reads a receiver.
func (c *Client) Receiver(ctx context.Context, workflowID, id string) (Receiver, error) {
	return get[Receiver](ctx, c, receiverPath(workflowID, id))
}

// CreateReceiver has events of automations sent to a receiver that start from then on.
func (c *Client) CreateReceiver(ctx context.Context, workflowID string, r ReceiverChange) (Receiver, error) {
	return post[Receiver](ctx, c, receiversPath(workflowID), r)
}

// UpdateReceiver changes a receiver. The address, also the same one, enables it.
func (c *Client) UpdateReceiver(ctx context.Context, workflowID, id string, change ReceiverChange) (Receiver, error) {
	return patch[Receiver](ctx, c, receiverPath(workflowID, id), change)
}

// DeleteReceiver removes a receiver. Events that it did not get by then fail.
func (c *Client) DeleteReceiver(ctx context.Context, workflowID, id string) error {
	return remove(ctx, c, receiverPath(workflowID, id))
}

// ReceiverSecret reads the secret that the events of a receiver are signed with. The token needs
// to write.
func (c *Client) ReceiverSecret(ctx context.Context, workflowID, id string) (SigningSecret, error) {
	return get[SigningSecret](ctx, c, receiverPath(workflowID, id)+"secret/")
}

// RotateReceiverSecret makes another secret; events carry both signatures for 24 hours.
func (c *Client) RotateReceiverSecret(ctx context.Context, workflowID, id string) (SigningSecret, error) {
	return post[SigningSecret](ctx, c, receiverPath(workflowID, id)+"secret/rotate/", nil)
}

// ReceiverState reads how the address of a receiver takes events.
func (c *Client) ReceiverState(ctx context.Context, workflowID, id string) (EndpointState, error) {
	return get[EndpointState](ctx, c, receiverPath(workflowID, id)+"state/")
}

// TryReceiver sends a WORKFLOW_TEST event to a receiver at once and says how it went.
func (c *Client) TryReceiver(ctx context.Context, workflowID, id string) (TestDelivery, error) {
	return post[TestDelivery](ctx, c, receiverPath(workflowID, id)+"test/", nil)
}

// CheckReceivers works out the conditions of all receivers with the last 100 source events, or
// with data, which becomes a JSON object, alone; nil: with those.
func (c *Client) CheckReceivers(ctx context.Context, workflowID string, data any) (ReceiversCheck, error) {
	return checkWith[ReceiversCheck](ctx, c, receiversPath(workflowID), data)
}
