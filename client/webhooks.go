package client

import (
	"context"
	"net/http"
	"time"
)

// An OutgoingWebhook is where the events of a workflow go.
type OutgoingWebhook struct {
	ID  string `json:"id"`
	URL string `json:"webhookUrl"`
	// Findings are what keeps events from being delivered, where it was set just now.
	Findings []TemplateFinding `json:"findings"`
}

// An OutgoingWebhookAddress is the one field of an outgoing webhook that is set.
type OutgoingWebhookAddress struct {
	URL string `json:"webhookUrl"`
}

// A SigningSecret signs the events of a workflow.
type SigningSecret struct {
	Secret        string     `json:"secret"`              // whsec_…
	PreviousUntil *time.Time `json:"previousSecretUntil"` // how long the one before signs along; nil: it does not
}

// An EndpointState is how the address of an outgoing webhook takes events.
type EndpointState struct {
	State        string     `json:"state"`  // READY, RESTING, DISABLED
	Reason       *Failure   `json:"reason"` // why it is DISABLED
	Places       *int       `json:"places"` // most events at once; nil: not known yet
	Failures     int        `json:"failures"`
	FailingSince *time.Time `json:"failingSince"`
	RestsUntil   *time.Time `json:"restsUntil"`
	DisabledAt   *time.Time `json:"disabledAt"`
	HeldEvents   int        `json:"heldEvents"`
}

// A TestDelivery is how a test went.
type TestDelivery struct {
	EventID   string `json:"eventId"`
	EventType string `json:"eventType"`
	Delivery
}

func webhookPath(workflowID string) string { return workflowPath(workflowID) + "outgoing-webhooks/" }

// OutgoingWebhook reads it. A workflow without has the code outgoing_webhook_not_found.
func (c *Client) OutgoingWebhook(ctx context.Context, workflowID string) (OutgoingWebhook, error) {
	return get[OutgoingWebhook](ctx, c, webhookPath(workflowID))
}

// CreateOutgoingWebhook says where events go. A workflow has at most one webhook; a
// second has the code outgoing_webhook_exists.
func (c *Client) CreateOutgoingWebhook(ctx context.Context, workflowID, url string) (OutgoingWebhook, error) {
	return post[OutgoingWebhook](ctx, c, webhookPath(workflowID), OutgoingWebhookAddress{url})
}

// UpdateOutgoingWebhook sets another address, or enables the same one.
func (c *Client) UpdateOutgoingWebhook(ctx context.Context, workflowID, url string) (OutgoingWebhook, error) {
	return patch[OutgoingWebhook](ctx, c, webhookPath(workflowID), OutgoingWebhookAddress{url})
}

// DeleteOutgoingWebhook ends the events of a workflow.
func (c *Client) DeleteOutgoingWebhook(ctx context.Context, workflowID string) error {
	return remove(ctx, c, webhookPath(workflowID))
}

// SigningSecret reads the secret that events are signed with. The token needs to write.
func (c *Client) SigningSecret(ctx context.Context, workflowID string) (SigningSecret, error) {
	return get[SigningSecret](ctx, c, webhookPath(workflowID)+"secret/")
}

// RotateSigningSecret makes another secret; events carry both signatures for 24 hours.
func (c *Client) RotateSigningSecret(ctx context.Context, workflowID string) (SigningSecret, error) {
	return post[SigningSecret](ctx, c, webhookPath(workflowID)+"secret/rotate/", nil)
}

// EndpointState reads how the address takes events.
func (c *Client) EndpointState(ctx context.Context, workflowID string) (EndpointState, error) {
	return get[EndpointState](ctx, c, webhookPath(workflowID)+"state/")
}

// TestOutgoingWebhook sends a WORKFLOW_TEST event at once and says how it went.
func (c *Client) TestOutgoingWebhook(ctx context.Context, workflowID string) (TestDelivery, error) {
	return post[TestDelivery](ctx, c, webhookPath(workflowID)+"test/", nil)
}

// A TestReceiver is where the events of a workflow's tests go.
type TestReceiver struct {
	ID  string `json:"id"`
	URL string `json:"webhookUrl"`
}

func testReceiverPath(workflowID string) string { return webhookPath(workflowID) + "test-receiver/" }

// TestReceiver reads where events of tests go. A workflow without one has the code
// test_receiver_not_found.
func (c *Client) TestReceiver(ctx context.Context, workflowID string) (TestReceiver, error) {
	return get[TestReceiver](ctx, c, testReceiverPath(workflowID))
}

// SetTestReceiver says where events of tests go. One that is there gets the address, and
// keeps its secret.
func (c *Client) SetTestReceiver(ctx context.Context, workflowID, url string) (TestReceiver, error) {
	var o TestReceiver
	_, err := c.ask(ctx, request{method: http.MethodPut, path: testReceiverPath(workflowID), body: OutgoingWebhookAddress{url}, repeatable: true}, &o)
	return o, err
}

// DeleteTestReceiver has tests tell nobody.
func (c *Client) DeleteTestReceiver(ctx context.Context, workflowID string) error {
	return remove(ctx, c, testReceiverPath(workflowID))
}

// TestSecret reads the secret that events of tests are signed with. The token needs to
// write.
func (c *Client) TestSecret(ctx context.Context, workflowID string) (SigningSecret, error) {
	return get[SigningSecret](ctx, c, testReceiverPath(workflowID)+"secret/")
}
