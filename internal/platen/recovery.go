package platen

import (
	"errors"
	"time"
)

// CodeForgotten is the code of a step that finds less in the store than its run has
// done: the database was restored from a backup. The run ends, and its automation is
// recovered from its owner's drive.
const CodeForgotten = "run_forgotten"

// ErrForgotten is the error of such a step; what says what the store lacks.
func ErrForgotten(what string) error {
	return Errorf(KindGone, CodeForgotten, "The database was put back to an earlier moment and has forgotten %s: the automation is put right by what the drive holds.", what)
}

// IsForgotten tells whether an error is that of ErrForgotten.
func IsForgotten(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeForgotten
}

// A LatestRun is what Temporal knows of the latest run of an automation.
type LatestRun struct {
	Attempt   int  // at the automation
	Open      bool // it goes on
	Completed bool // every document was made
	Cancelled bool
}

// IsAheadOf tells whether the store has forgotten this run of an automation, or how
// it ended: Temporal knows a later attempt, or one that made what has failed here. What
// people refused after a restore is no such failure, although the run may have let it out.
// Nor is what they refused before, when the run that failed by it had the attempt after that.
func (r LatestRun) IsAheadOf(a Automation) bool {
	if a.Refused && !r.Open && !r.Completed {
		return false
	}
	return r.Attempt > a.Attempt || r.Attempt == a.Attempt && r.Completed && a.State == AutomationFailed && !a.Refused
}

// A DriveWaitError says that nothing is known of an automation's documents yet,
// because its owner's drive does not answer or refuses.
type DriveWaitError struct {
	Kind    Kind
	Code    string
	Message string // for the integrator; quotes no value
	Err     error
}

func (e *DriveWaitError) Error() string { return "wait for the drive: " + e.Err.Error() }

func (e *DriveWaitError) Unwrap() error { return e.Err }

// IsOutage tells whether the drive would answer likewise about another automation
// now. A drive that fails at one document may not.
func (e *DriveWaitError) IsOutage() bool {
	return (e.Kind == KindUnavailable || e.Kind == KindRateLimited) && e.Code != "drive_fault"
}

// An OrphanedTemplate is the copy of a template that no document uses: of one that
// was reserved and never completed, or that was removed. It is in its owner's
// drive under the document's id as key, if it is there.
type OrphanedTemplate struct {
	DocumentID string
	OwnerID    string
	CreatedAt  time.Time // of the document
}

// A PreviewCopy is a copy of a template that was filled, or was to be filled,
// with sample data. It is in its owner's drive under its key, if it is there.
type PreviewCopy struct {
	Key       string
	OwnerID   string
	CreatedAt time.Time
}

// An EndedOutput is an output that may have orphans in its owner's drive.
type EndedOutput struct {
	OutputID   string
	Automation Automation // as it was when the output was listed
	CreatedAt  time.Time
	EndedAt    time.Time
}

// A CommandKind says what is to be done.
type CommandKind string

const (
	CommandCancel  CommandKind = "CANCEL"  // cancel the run of an automation
	CommandDeliver CommandKind = "DELIVER" // begin to redeliver an event
	CommandMail    CommandKind = "MAIL"    // begin to send an output by mail again
	CommandReview  CommandKind = "REVIEW"  // look after an output that waits for people, or waited
	CommandStore   CommandKind = "STORE"   // begin to store an output at a target
	CommandWake    CommandKind = "WAKE"    // have an automation's run try again what waits for its owner's connection
)

// An OutboxCommand asks dispatch to act on Temporal: for something that /v0 was
// asked for, or for deliveries that nobody makes. It rests in the store until
// that was done, and may be done twice.
type OutboxCommand struct {
	Kind    CommandKind
	ID      string // aut_…, evt_…, or that of a MailKey or a PlacementKey
	Version int    // a later request for the same is a new version
	// Where it belongs, for search attributes and fair turns.
	WorkflowID string
	OwnerID    string
	TeamID     string // empty: no team
	// Before is how many attempts to deliver were made, or may have been made,
	// before these; the next has the number after it.
	Before int
	// Attempt is the number of the next attempt to deliver; 0: the one after Before.
	Attempt int
	// Mail is the one to send; zero: the command is another.
	Mail MailKey
	// Placement is the one to store; zero: the command is another.
	Placement PlacementKey
	// AutomationID is that of the output to look after; empty: the command is another.
	AutomationID string
	// Endpoint is where an event to deliver goes; zero: nowhere.
	Endpoint EndpointKey
}
