package platen

import "time"

// NoticeKind says what owners are told of by mail.
type NoticeKind string

const (
	NoticeFailures   NoticeKind = "failures"   // automations of a workflow failed
	NoticeReceiver   NoticeKind = "receiver"   // nothing is sent to a receiver any more
	NoticeMails      NoticeKind = "mails"      // mails about outputs of a workflow did not go out
	NoticeKeys       NoticeKind = "keys"       // events of a workflow came under the key of another
	NoticeConnection NoticeKind = "connection" // the drive accepts the owner's connection no more
)

// A Notice is something that the owner of a workflow is to be told of.
type Notice struct {
	Kind    NoticeKind
	Subject string // what it is about: a workflow's id, an endpoint, a user's id
	OwnerID string
	Email   string // the owner's
	// Workflow and WorkflowID name one workflow that it is about; empty: none.
	Workflow   string
	WorkflowID string
	// Count is how many automations, mails or events it is about, since the owner was told
	// last.
	Count int
	// Code and Message say why; of failures, of the last one. They quote no value.
	Code    string
	Message string
	// AutomationID is the last event's that came under a key of before, and KeyTakenBy the
	// automation that had the key first; empty: another kind, or it is not known.
	AutomationID string
	KeyTakenBy   string
	CausedAt     time.Time // the last cause
	Again        bool      // the owner was told of earlier ones
	// Mail names the mail that tells of it. A mail that is sent again has its name, and
	// tells of the same notices.
	Mail string
}

// CodeFileNotFound is the code of a file that the drive does not find, such as a template
// that was deleted.
const CodeFileNotFound = "drive_file_not_found"
