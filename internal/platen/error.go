package platen

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error once, where the outside world was touched. One
// table turns it into an HTTP status (package api), one into retry or not
// (package activities).
type Kind int

const (
	KindInternal    Kind = iota // our fault or unknown; the zero kind
	KindInvalid                 // the request or the configuration is wrong
	KindForbidden               // no or wrong credentials, or not the caller's
	KindNotFound                // no such thing
	KindConflict                // a precondition or an idempotency key does not hold
	KindGone                    // was there and is not usable any more
	KindTooLarge                // over a documented limit
	KindRateLimited             // too many calls, and nothing was done; RetryAfter may say when
	KindUnavailable             // a part that we need does not answer; try again
)

func (k Kind) String() string {
	switch k {
	case KindInvalid:
		return "invalid"
	case KindForbidden:
		return "forbidden"
	case KindNotFound:
		return "not found"
	case KindConflict:
		return "conflict"
	case KindGone:
		return "gone"
	case KindTooLarge:
		return "too large"
	case KindRateLimited:
		return "rate limited"
	case KindUnavailable:
		return "unavailable"
	}
	return "internal"
}

// CodeInternal is the code of a step that failed for a reason on our side: it
// panicked, or met an error that nobody foresaw.
const CodeInternal = "internal"

// CodeGaveUp is the code of a step that failed alike for too long.
const CodeGaveUp = "gave_up"

// An Error has two faces: Code, Message and Faults are for the client and
// quote no secret; Err is for the log.
type Error struct {
	Kind       Kind
	Code       string // stable, snake_case, e.g. "drive_file_not_found"
	Message    string // names the field and the cure
	Faults     []Fault
	RetryAfter time.Duration // 0: the caller decides
	Err        error
}

// A Fault is one thing that is wrong with a request body.
type Fault struct {
	Pointer string // JSON pointer (RFC 6901) into the body; "" is the whole body
	Message string // what was found and how to cure it
	Row     int    // of a batch, from 1; 0: it is about no row
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s (%s): %v", e.Message, e.Kind, e.Err)
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Kind)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error without a cause.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of the first Error in err's chain, KindInternal when
// there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}

// What a caller is refused at two places: by the API before it reads a body, and
// by the store under its lock, which knows better by then. Both say it in these
// words.

// ErrWorkflowNotFound is KindNotFound for a workflow that is not there or not the
// caller's: which of the two, is not told.
func ErrWorkflowNotFound() error {
	return Errorf(KindNotFound, "workflow_not_found", "There is no such workflow among those that you may use.")
}

// ErrWorkflowArchived is KindInvalid for changes of an archived workflow.
func ErrWorkflowArchived() error {
	return Errorf(KindInvalid, "workflow_archived", "The workflow is archived and cannot be changed. Ask the operator to restore it.")
}

// ErrDocumentNotFound is KindNotFound for a document that its workflow does not
// have.
func ErrDocumentNotFound() error {
	return Errorf(KindNotFound, "document_not_found", "The workflow has no such document.")
}

// ErrOutgoingWebhookNotFound is KindNotFound for a workflow without one.
func ErrOutgoingWebhookNotFound() error {
	return Errorf(KindNotFound, "outgoing_webhook_not_found", "The workflow has no outgoing webhook. Create it with POST.")
}

// ErrTestReceiverNotFound is KindNotFound for a workflow without one.
func ErrTestReceiverNotFound() error {
	return Errorf(KindNotFound, "test_receiver_not_found", "The workflow has no test receiver. Set one with PUT.")
}

// ErrTestReceiverLive is KindInvalid for a test receiver that is the outgoing webhook's.
func ErrTestReceiverLive() error {
	const message = "is the address of the outgoing webhook or of a receiver: tests go to a receiver of their own"
	e := Errorf(KindInvalid, "test_receiver_live", "webhookUrl %s.", message)
	e.Faults = []Fault{{Pointer: "/webhookUrl", Message: message}}
	return e
}

// ErrReceiverOfTests is KindInvalid for a receiver with the address of the test receiver.
func ErrReceiverOfTests() error {
	const message = "is the address of the workflow's test receiver, which is for tests alone: set another one, or delete the test receiver first"
	e := Errorf(KindInvalid, "test_receiver_live", "webhookUrl %s.", message)
	e.Faults = []Fault{{Pointer: "/webhookUrl", Message: message}}
	return e
}

// ErrOutgoingWebhookExists is KindInvalid for a second one of a workflow.
func ErrOutgoingWebhookExists() error {
	return Errorf(KindInvalid, "outgoing_webhook_exists", "The workflow has an outgoing webhook already. Change it with PATCH.")
}

// ErrAutomationNotFound is KindNotFound for an automation that its workflow does
// not have.
func ErrAutomationNotFound() error {
	return Errorf(KindNotFound, "automation_not_found", "The workflow has no such automation.")
}

// ErrOutputNotFound is KindNotFound for an output that its workflow does not have.
func ErrOutputNotFound() error {
	return Errorf(KindNotFound, "output_not_found", "The workflow has no such output.")
}

// ErrMailNobody is KindInvalid for a mail about an output where nobody says to whom, and none was
// sent about it, or one came back from nobody knows whom.
func ErrMailNobody() error {
	const message = "is needed: nobody is known to whom the output is still to be sent"
	e := Errorf(KindInvalid, "mail_recipients_missing", "to %s.", message)
	e.Faults = []Fault{{Pointer: "/to", Message: message}}
	return e
}

// ErrMailPending is KindInvalid for a mail to the same recipients as one that is not sent yet.
func ErrMailPending() error {
	return Errorf(KindInvalid, "mail_pending", "A mail about this output is still tried. Wait for it, or name other recipients in to.")
}

// ErrMailOfTest is KindInvalid for a mail about what a test made.
func ErrMailOfTest() error {
	return Errorf(KindInvalid, CodeTestMode, "The output was made by a test, and no mail is sent about those. Send the event without the test mark.")
}

// ErrOutputNotMade is KindInvalid for an output that has no file.
func ErrOutputNotMade(state OutputState) error {
	if state == OutputPending {
		return Errorf(KindInvalid, "output_without_file", "The output is not made yet. Ask again once its state is DONE.")
	}
	if state == OutputReview {
		return Errorf(KindInvalid, "output_in_review", "The output waits for those who approve it, and does not leave before.")
	}
	return Errorf(KindInvalid, "output_without_file", "The output could not be made, so that it has no file: its error says why. Retry its automation.")
}

// ErrReviewNotFound is KindNotFound for an output that waited for nobody.
func ErrReviewNotFound() error {
	return Errorf(KindNotFound, "review_not_found", "Nobody was asked to approve the output.")
}

// ErrNotInReview is KindInvalid for an output that waits for nobody.
func ErrNotInReview() error {
	return Errorf(KindInvalid, "output_not_in_review", "The output does not wait for an approval: only one in state REVIEW does.")
}

// ErrReviewSuperseded is KindInvalid for an answer about what was made before the output was
// made again.
func ErrReviewSuperseded() error {
	return Errorf(KindInvalid, "review_superseded", "The document was made again since you have seen it. Look at it again: the page of its run shows it, and a newer mail has the link to it.")
}

// ErrEventNotFound is KindNotFound for an event that its workflow does not have.
func ErrEventNotFound() error {
	return Errorf(KindNotFound, "event_not_found", "The workflow has no such event.")
}

// ErrVersionNotFound is KindNotFound for a version that its document does not have.
func ErrVersionNotFound() error {
	return Errorf(KindNotFound, "version_not_found", "The document has no such version. The newest %d are kept.", MaxVersions)
}

// ErrTemplateBusy is KindUnavailable while another request changes the contents of a
// template: what is there is kept before it is replaced, one change after the other.
func ErrTemplateBusy() error {
	return &Error{
		Kind: KindUnavailable, Code: "template_busy", RetryAfter: 2 * time.Second,
		Message: "Another request changes the template at this moment. Nothing was changed; try again.",
	}
}
