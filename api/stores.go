package api

import (
	"context"
	"time"

	"github.com/platenhq/platen"
)

// Store is what the API reads and writes. Every method that takes a caller
// sees that caller's workflows only: those the caller owns and those of the
// caller's team; anything else is KindNotFound. A workflow that is archived
// answers reads; changes of it and of its parts are KindInvalid with code
// "workflow_archived".
type Store interface {
	// UserByToken finds the user of a token by the SHA-256 of its text, and
	// answers KindForbidden for one that is unknown, expired or revoked.
	UserByToken(ctx context.Context, hash [32]byte) (platen.User, error)

	// Workflows returns those of the caller's workflows that q asks for,
	// archived ones included, by creation time, then id.
	Workflows(ctx context.Context, caller platen.User, q platen.WorkflowQuery) ([]platen.Workflow, error)
	Workflow(ctx context.Context, caller platen.User, workflowID string) (platen.Workflow, error)
	// CreateWorkflow stores w with its source, its documents (zero or one) and
	// its outgoing webhook in one transaction. Times and status are w's.
	CreateWorkflow(ctx context.Context, w platen.Workflow) error
	// UpdateWorkflow applies change to name, colour and icon under a row lock.
	UpdateWorkflow(ctx context.Context, caller platen.User, workflowID string, change func(*platen.Workflow) error) (platen.Workflow, error)
	// ArchiveWorkflow works from any state; archiving twice is no error. The
	// error of allowed, which sees the workflow under its row lock, prevents it.
	ArchiveWorkflow(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.Workflow) error) error

	// Documents returns a page of them by creation time, then id.
	Documents(ctx context.Context, caller platen.User, workflowID string, page platen.Page) ([]platen.Document, error)
	// ReserveDocument stores a pending row before the template is copied, so
	// that a copy without a row is known to be an orphan.
	ReserveDocument(ctx context.Context, caller platen.User, d platen.Document) error
	// CompleteDocument turns the pending row into a document and the workflow
	// COMPLETE. Completing twice is no error.
	CompleteDocument(ctx context.Context, caller platen.User, d platen.Document) (platen.Document, error)
	// UpdateDocument applies change to the editable fields under a row lock.
	UpdateDocument(ctx context.Context, caller platen.User, workflowID, documentID string, change func(*platen.Document) error) (platen.Document, error)

	// OutgoingWebhook answers KindNotFound with code "outgoing_webhook_not_found"
	// when the workflow has none.
	OutgoingWebhook(ctx context.Context, caller platen.User, workflowID string) (platen.OutgoingWebhook, error)
	// CreateOutgoingWebhook answers KindInvalid with code
	// "outgoing_webhook_exists" when there is one.
	CreateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, o platen.OutgoingWebhook) error
	UpdateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, change func(*platen.OutgoingWebhook) error) (platen.OutgoingWebhook, error)

	// EndpointState returns what is known of the address of the outgoing
	// webhook, and how many events of the workflow are HELD. EnableEndpoint
	// forgets what speaks against it, if the address is still url. Both answer
	// as OutgoingWebhook does where there is none.
	EndpointState(ctx context.Context, caller platen.User, workflowID string) (state platen.EndpointState, held int, err error)
	EnableEndpoint(ctx context.Context, caller platen.User, workflowID, url string) error

	// RemoveDocument takes a document out of its workflow, which is INCOMPLETE
	// without its last one. needed: its template must stay in the drive until
	// outputs under way have ended; a sweep then removes it. The error of
	// allowed, which sees the document under its row lock, prevents it.
	RemoveDocument(ctx context.Context, caller platen.User, workflowID, documentID string, allowed func(platen.Document) error) (needed bool, err error)
	// TemplateRemoved notes that the template of a removed document is trashed.
	TemplateRemoved(ctx context.Context, documentID string) error
	// DeleteOutgoingWebhook answers KindNotFound with code
	// "outgoing_webhook_not_found" when there is none; allowed as above.
	DeleteOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.OutgoingWebhook) error) error

	Runs

	// DocumentByID serves the signed preview address, which stands for its
	// owner's permission: it returns the document and its workflow's owner.
	DocumentByID(ctx context.Context, documentID string) (platen.Document, platen.User, error)

	// Ready answers nil when the database does and fits this program. KindInvalid
	// says in its message what does not fit.
	Ready(ctx context.Context) error
}

// Runs is what the API shows of automations, their outputs and their events,
// and what it asks of them. Lists are by creation time, then id; the zero page
// of each is its last platen.MaxList entries. What a workflow does not have is
// KindNotFound with code "automation_not_found" or "event_not_found".
type Runs interface {
	// WorkflowAutomations and WorkflowAutomation return automations with their outputs.
	WorkflowAutomations(ctx context.Context, caller platen.User, workflowID string, query platen.AutomationQuery) ([]platen.Automation, error)
	WorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	// SourceData returns the body that was POSTed, for an automation that the
	// caller was found to see.
	SourceData(ctx context.Context, automationID string) ([]byte, error)
	// RetryWorkflowAutomation begins the next attempt of a FAILED automation:
	// KindInvalid with code "automation_not_failed" otherwise, and with
	// "workflow_archived" where nothing new begins.
	RetryWorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	// CancelWorkflowAutomation ends an automation that waits, and asks one that
	// runs to end. Twice is no error; one that has ended otherwise is
	// KindInvalid with code "automation_ended".
	CancelWorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)

	WorkflowOutputs(ctx context.Context, caller platen.User, workflowID string, query platen.OutputQuery) ([]platen.Output, error)

	// WorkflowEvents returns events without their payloads.
	WorkflowEvents(ctx context.Context, caller platen.User, workflowID string, query platen.EventQuery) ([]platen.Event, error)
	WorkflowEvent(ctx context.Context, caller platen.User, workflowID, eventID string) (platen.Event, []platen.Delivery, error)
	// RedeliverEvent begins to deliver an event anew, and RecoverEvents at most
	// limit FAILED and HELD ones that were created at or after since, oldest
	// first. Without an outgoing webhook: KindNotFound with code
	// "outgoing_webhook_not_found"; while nothing is sent to its address:
	// KindInvalid with code "endpoint_disabled".
	RedeliverEvent(ctx context.Context, caller platen.User, workflowID, eventID string) error
	RecoverEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error)
}
