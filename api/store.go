package api

import (
	"context"

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
	Document(ctx context.Context, caller platen.User, workflowID, documentID string) (platen.Document, error)
	// ReserveDocument stores a pending row before the template is copied, so
	// that a copy without a row is known to be a stray.
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

	// DocumentByID serves the signed preview address, which stands for its
	// owner's permission: it returns the document and its workflow's owner.
	DocumentByID(ctx context.Context, documentID string) (platen.Document, platen.User, error)

	// Ready answers nil when the database does.
	Ready(ctx context.Context) error
}

// Drive is the cloud drive of the calling user or of a workflow's owner. Errors: KindInvalid with code
// "drive_file_not_found" or "drive_file_forbidden", KindForbidden with code
// "drive_not_connected", KindUnavailable, KindRateLimited.
type Drive interface {
	File(ctx context.Context, fileID string) (platen.File, error)
	// Copy makes a copy of fileID that carries key (platen.PropertyKey).
	Copy(ctx context.Context, fileID, name, key string) (platen.File, error)
	// CreateBlank makes an empty Docs or Slides file that carries key.
	CreateBlank(ctx context.Context, name, mimeType, key string) (platen.File, error)
	// FindByKey returns the files, trashed ones left out, that carry key.
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	Trash(ctx context.Context, fileID string) error
	ExportPDF(ctx context.Context, fileID string) ([]byte, error)
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)
