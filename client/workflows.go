package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// A Workflow turns source data into documents.
type Workflow struct {
	ID              string           `json:"id"`
	Name            string           `json:"name"`
	Color           string           `json:"color"`
	Icon            string           `json:"icon"`
	Status          string           `json:"status"`    // COMPLETE, INCOMPLETE, ARCHIVED
	Locale          string           `json:"locale"`    // of numbers, dates and words; empty: English
	OrderedBy       string           `json:"orderedBy"` // automations for which this formula gives one key run one after the other; empty: side by side
	AutoCreate      bool             `json:"autoCreate"`
	Owner           User             `json:"owner"`
	Team            *Team            `json:"team"` // nil: none
	Source          Source           `json:"source"`
	Documents       []Document       `json:"documents"`       // the oldest first
	OutgoingWebhook *OutgoingWebhook `json:"outgoingWebhook"` // nil: no events are made
	CreatedByAPI    bool             `json:"createdByApi"`
	CreatedAt       time.Time        `json:"createdAt"`
	UpdatedAt       time.Time        `json:"updatedAt"`
}

// A User owns workflows.
type User struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// A Team shares workflows among its members.
type Team struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A NewWorkflow is what a workflow is made of. Only Name is needed.
type NewWorkflow struct {
	Name            string                  `json:"name"`
	Color           string                  `json:"color,omitempty"` // such as #2f6fde
	Icon            string                  `json:"icon,omitempty"`
	Locale          string                  `json:"locale,omitempty"`    // such as de-AT
	OrderedBy       string                  `json:"orderedBy,omitempty"` // such as Customer.Number
	Source          *NewSource              `json:"source,omitempty"`
	Document        *NewDocument            `json:"document,omitempty"`
	OutgoingWebhook *OutgoingWebhookAddress `json:"outgoingWebhook,omitempty"`
}

// A NewSource names the fields of a source, which stay then.
type NewSource struct {
	Fields []string `json:"sourceFields,omitempty"`
}

// A NewDocument names the template's file in the drive, and has its settings. Without a
// file an empty document is made.
type NewDocument struct {
	FileID string `json:"fileId,omitempty"`
	DocumentSettings
}

// A WorkflowChange leaves out what stays.
type WorkflowChange struct {
	Name      string  `json:"name,omitempty"`
	Color     string  `json:"color,omitempty"`
	Icon      string  `json:"icon,omitempty"`
	Locale    *string `json:"locale,omitempty"`    // empty: English
	OrderedBy *string `json:"orderedBy,omitempty"` // empty: side by side
}

// A WorkflowQuery says which workflows a list is to hold.
type WorkflowQuery struct {
	Statuses []string // any of these; empty: any status
}

// Workflows lists the caller's workflows and those of the team, the oldest first.
func (c *Client) Workflows(ctx context.Context, q WorkflowQuery) iter.Seq2[Workflow, error] {
	return list[Workflow](ctx, c, "/workflows/", values("status", q.Statuses))
}

// CreateWorkflow makes a workflow, complete if a document is named.
func (c *Client) CreateWorkflow(ctx context.Context, w NewWorkflow) (Workflow, error) {
	return post[Workflow](ctx, c, "/workflows/", w)
}

// Workflow reads one. One that is not the caller's has the code workflow_not_found.
func (c *Client) Workflow(ctx context.Context, id string) (Workflow, error) {
	return get[Workflow](ctx, c, workflowPath(id))
}

// UpdateWorkflow changes what is set.
func (c *Client) UpdateWorkflow(ctx context.Context, id string, change WorkflowChange) (Workflow, error) {
	return patch[Workflow](ctx, c, workflowPath(id), change)
}

// A WorkflowCopy is what a copy has of its own.
type WorkflowCopy struct {
	Name            string `json:"name"`
	OutgoingWebhook bool   `json:"outgoingWebhook,omitempty"` // its events go to the same receiver, with a new secret
}

// CopyWorkflow makes a workflow of the caller's with the documents and settings of another.
// The address of its source is a new one, and asks senders for nothing.
func (c *Client) CopyWorkflow(ctx context.Context, id string, copied WorkflowCopy) (Workflow, error) {
	return post[Workflow](ctx, c, workflowPath(id)+"copy/", copied)
}

// ExportWorkflow returns a workflow as a zip file that ImportWorkflow takes, here or at
// another installation. It has no secrets and no addresses.
func (c *Client) ExportWorkflow(ctx context.Context, id string) ([]byte, error) {
	return get[[]byte](ctx, c, workflowPath(id)+"export/")
}

// ImportWorkflow makes a workflow of a file that ExportWorkflow gave. A mistake in it has
// the code import_invalid, and nothing is made.
func (c *Client) ImportWorkflow(ctx context.Context, file []byte) (Workflow, error) {
	var w Workflow
	_, err := c.ask(ctx, request{method: http.MethodPost, path: "/workflows/import/", body: file, contentType: octets, keyed: true}, &w)
	return w, err
}

// ArchiveWorkflow takes a workflow out of use. Only the operator can restore it.
func (c *Client) ArchiveWorkflow(ctx context.Context, id string) error {
	_, err := c.ask(ctx, request{method: http.MethodDelete, path: workflowPath(id), repeatable: true}, nil)
	return err
}

// Me is who a token belongs to, and what it lets do.
type Me struct {
	User   User   `json:"user"`
	Team   *Team  `json:"team"` // nil: none
	Token  Token  `json:"token"`
	Limits Limits `json:"limits"`
}

// Limits is what the operator lets a user use.
type Limits struct {
	Documents *int `json:"documents"` // in a month of UTC; nil: as many as they like
}

// A Token is what is known of an access token.
type Token struct {
	ID          string     `json:"id"`
	Write       bool       `json:"write"`       // it lets change what it lets see
	Personal    bool       `json:"personal"`    // tools for AI agents show what names people
	WorkflowIDs []string   `json:"workflowIds"` // that it is for; nil: every one of the user's
	ExpiresAt   *time.Time `json:"expiresAt"`   // nil: never
}

// Me tells whose token the client has. One that is not good is an Error with status 403.
func (c *Client) Me(ctx context.Context) (Me, error) { return get[Me](ctx, c, "/me/") }

// An AuditEntry says who did what.
type AuditEntry struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Actor      Actor     `json:"actor"`
	Action     string    `json:"action"`
	WorkflowID *string   `json:"workflowId"`
	ObjectID   *string   `json:"objectId"`
	Outcome    string    `json:"outcome"` // done, replayed, or the code of the error
	RequestID  *string   `json:"requestId"`
	Fields     []string  `json:"fields"` // of an event, that were corrected
}

// An Actor did something. Unknown fields are nil.
type Actor struct {
	Type    string  `json:"type"` // user, operator, service
	ID      *string `json:"id"`
	TokenID *string `json:"tokenId"`
	Address *string `json:"address"`
	Agent   bool    `json:"agent"` // an AI agent's, through tools for these
}

// An AuditQuery says which entries of the audit a list is to hold.
type AuditQuery struct {
	Since      time.Time
	WorkflowID string
	UserID     string
}

// Audit lists who changed what in the caller's workflows and those of the team.
func (c *Client) Audit(ctx context.Context, q AuditQuery) iter.Seq2[AuditEntry, error] {
	return list[AuditEntry](ctx, c, "/audit/", values("since", q.Since, "workflow", q.WorkflowID, "user", q.UserID))
}

// A Source takes source events.
type Source struct {
	ID     string   `json:"id"`
	Type   string   `json:"sourceType"` // WEBHOOK
	Fields []string `json:"sourceFields"`
	URL    string   `json:"webhookUrl"` // a credential
	// TestURL makes what is sent there a test. It is a credential, too.
	TestURL string `json:"testWebhookUrl"`
}

// A RotatedSource has a new address.
type RotatedSource struct {
	Source
	PreviousURLUntil *time.Time `json:"previousWebhookUrlUntil"` // nil: it is unknown already
}

// A SourceRotation says how long the address before goes on.
type SourceRotation struct {
	OverlapHours *int `json:"overlapHours,omitempty"` // nil: 24
}

// A SourceVerification is what a source asks of senders.
type SourceVerification struct {
	Scheme           *string  `json:"scheme"` // nil: no signature
	SecretCount      int      `json:"secretCount"`
	Header           *string  `json:"header"`
	Encoding         *string  `json:"encoding"`
	Prefix           *string  `json:"prefix"`
	ToleranceSeconds *int     `json:"toleranceSeconds"`
	Networks         []string `json:"networks"` // empty: anywhere
}

// A NewSourceVerification is what a source is to ask of senders.
type NewSourceVerification struct {
	Scheme           string   `json:"scheme,omitempty"` // STANDARD_WEBHOOKS, STRIPE, GITHUB, HMAC
	Secrets          []string `json:"secrets,omitempty"`
	Header           string   `json:"header,omitempty"`
	Encoding         string   `json:"encoding,omitempty"`
	Prefix           string   `json:"prefix,omitempty"`
	ToleranceSeconds int      `json:"toleranceSeconds,omitempty"`
	Networks         []string `json:"networks,omitempty"`
}

// Source reads the source of a workflow.
func (c *Client) Source(ctx context.Context, workflowID string) (Source, error) {
	return get[Source](ctx, c, workflowPath(workflowID)+"source/")
}

// RotateSource gives the source another address.
func (c *Client) RotateSource(ctx context.Context, workflowID string, r SourceRotation) (RotatedSource, error) {
	return post[RotatedSource](ctx, c, workflowPath(workflowID)+"source/rotate/", r)
}

// SourceVerification reads what the source asks of senders.
func (c *Client) SourceVerification(ctx context.Context, workflowID string) (SourceVerification, error) {
	return get[SourceVerification](ctx, c, workflowPath(workflowID)+"source/verification/")
}

// SetSourceVerification has the source ask that of senders, and nothing else.
func (c *Client) SetSourceVerification(ctx context.Context, workflowID string, v NewSourceVerification) (SourceVerification, error) {
	return post[SourceVerification](ctx, c, workflowPath(workflowID)+"source/verification/", v)
}

// RemoveSourceVerification has the source ask nothing but its address.
func (c *Client) RemoveSourceVerification(ctx context.Context, workflowID string) error {
	_, err := c.ask(ctx, request{method: http.MethodDelete, path: workflowPath(workflowID) + "source/verification/", repeatable: true}, nil)
	return err
}

// Send posts an event to the address of a source, as Source.URL has it, or as a test to
// Source.TestURL: a value that is
// one JSON object, or a []byte that goes as it is. The token does not go along. With nil
// the event is stored. The same event twice is one, by the key of WithIdempotencyKey.
func (c *Client) Send(ctx context.Context, sourceURL string, data any) error {
	var accepted json.RawMessage
	_, err := c.ask(ctx, request{method: http.MethodPost, address: sourceURL, body: data, keyed: true}, &accepted)
	return err
}

// SendWaiting is Send that answers with the automation of the event: once that has ended,
// or as it stands after so long, as WithWait says. A wait of 0 asks which automation it is.
// A repeat under the key of WithIdempotencyKey waits for the first one's. Without an ID
// the event is accepted, and the service could not say what becomes of it.
func (c *Client) SendWaiting(ctx context.Context, sourceURL string, data any, most time.Duration) (Automation, error) {
	var a Automation
	_, err := c.ask(WithWait(ctx, most), request{method: http.MethodPost, address: sourceURL, body: data, keyed: true}, &a)
	return a, err
}
