package platen

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// AutomationState says where an automation stands.
type AutomationState string

const (
	AutomationAccepted  AutomationState = "ACCEPTED"  // stored; waits to be started
	AutomationRunning   AutomationState = "RUNNING"   // a Temporal run exists
	AutomationReview    AutomationState = "REVIEW"    // made, and at least one document waits for those who approve it; no run exists
	AutomationCompleted AutomationState = "COMPLETED" // every document was made
	AutomationFailed    AutomationState = "FAILED"    // at least one document could not be made
	AutomationSkipped   AutomationState = "SKIPPED"   // accepted while the workflow could not run; Reason says why
	AutomationCancelled AutomationState = "CANCELLED" // ended on request; outputs that were done by then stay
)

// Reasons of skipped automations.
const (
	ReasonIncomplete    = "WORKFLOW_INCOMPLETE"
	ReasonAutoCreateOff = "AUTO_CREATE_OFF"
	ReasonKeyReused     = "KEY_REUSED" // its sender named another event so before
)

// An Automation is one run of a workflow, started by one accepted source
// event. Its ID is the Temporal workflow id as well.
type Automation struct {
	ID         string // aut_…
	WorkflowID string
	SourceID   string
	OwnerID    string // for fair turns between owners
	TeamID     string // empty: no team
	State      AutomationState
	Reason     string
	Attempt    int // 1 at first; one more with each retry
	AcceptedAt time.Time
	StartedAt  *time.Time // of the present attempt; nil while it waits
	FinishedAt *time.Time
	// CancelRequestedAt: somebody asked to cancel it, and it ends as CANCELLED
	// unless every document was made by then.
	CancelRequestedAt *time.Time
	RequestID         string
	Reference         string // ReferenceHeader
	// KeyTakenBy is the automation of the event that had the key of one that is SKIPPED for
	// ReasonKeyReused; empty: it is not known.
	KeyTakenBy string
	// ReplacedBy is the automation of the corrected row of its batch, which took its place.
	ReplacedBy string
	Test       bool // TestHeader
	// FailureCode and Failure say why no document could be begun; why a
	// document failed stands at its output.
	FailureCode string
	Failure     string
	// ParkedAt is since when it takes none of the places of open runs, because
	// it waits for something outside: Waits says what. nil: it is not parked.
	ParkedAt *time.Time
	Waits    []Wait
	Outputs  []Output  // only where a reader asks for them
	Skipped  []Skipped // what its plan left out, by conditions
	Held     string    // with Outputs: why events of it are HELD; empty: none is
	// Refused: it is FAILED by people alone, each output of it that failed by a verdict. Only
	// where it is compared with its latest run.
	Refused bool

	DataErasedAt *time.Time // when its source data and payloads were erased; nil: they are there
	// EraseRequestedAt: somebody asked that nothing be left of it, or its time was over
	// (EraseRequestedBy: usr_…, or ErasedByRetention). ErasedAt: nothing is.
	EraseRequestedAt *time.Time
	EraseRequestedBy string
	ErasedAt         *time.Time
}

// CodeStepSlow is the code of a Wait for a first attempt that has no answer yet.
const CodeStepSlow = "step_slow"

// A Wait is something outside that a run waits for: a drive, the host of a
// picture, a receiver.
type Wait struct {
	Subject string    // id of what waits: an output, or an event in its first attempt
	Step    string    // name of the activity
	Code    string    // of the step's last failure; CodeStepSlow and CodeQuotaUsedUp are none
	Message string    // for the integrator; quotes no value
	Since   time.Time // the first attempt that failed with this code
	Tries   int       // that failed with this code, one after the other
	Beside  int       // other parked runs that wait for the same (OwnersReasons); not kept

	// Patience is how long the step may fail alike; zero: for ever. It is not kept.
	Patience time.Duration
	// Until is when the step is given up if it goes on failing alike: after Patience, and
	// no later than Park was told. Zero: it is not given up, or that is not known yet.
	Until time.Time
}

// ownersReasons are the codes of what all runs of an owner wait for together: the drive
// as a whole does not answer, or does not let the owner in.
var ownersReasons = []string{"drive_unavailable", "drive_rate_limited", CodeConnectionBroken}

// OwnersReasons are the codes with which runs of other workflows of the owner wait for the
// same. None: what the run waits for may be its workflow's alone, such as the host of a
// picture, or a template that the drive cannot read.
func (w Wait) OwnersReasons() []string {
	if slices.Contains(ownersReasons, w.Code) {
		return ownersReasons
	}
	return []string{}
}

// HasFailed tells whether the step has failed: one that is only slow, or waits for
// a quota, has not.
func (w Wait) HasFailed() bool {
	return w.Code != CodeStepSlow && w.Code != CodeQuotaUsedUp
}

// What outputs say that cancelling kept from being made.
const (
	CodeCancelled    = "cancelled"
	MessageCancelled = "the automation was cancelled before this document was made"
)

// CodeSuperseded is the code of CheckAttempt. CodeStepSuperseded is that of a step that is
// carried out twice at once, where the other execution is further: trying again finds
// what it did.
const (
	CodeSuperseded     = "attempt_superseded"
	CodeStepSuperseded = "step_superseded"
)

// CheckAttempt returns KindGone with code CodeSuperseded if latest is a later attempt
// at the automation: the last step of a run may be repeated after a retry of the
// automation. Attempt 0 is unknown, and never superseded.
func CheckAttempt(automationID string, attempt, latest int) error {
	if attempt == 0 || latest <= attempt {
		return nil
	}
	return Errorf(KindGone, CodeSuperseded, "attempt %d at automation %s is over: attempt %d has taken its place", attempt, automationID, latest)
}

// IsSuperseded tells whether an error is that of CheckAttempt.
func IsSuperseded(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeSuperseded
}

// An AutomationQuery says which automations of a workflow, or of all that a caller
// sees, a list is to hold.
type AutomationQuery struct {
	Page
	States []AutomationState // any of these; empty: any state
	Since  time.Time         // accepted at or after it; zero: any time
	Until  time.Time         // accepted before it; zero: any time
	Test   bool              // tests, and nothing else; false: no test
	// Mails: the latest mail of one of its outputs is in one of these states; empty: any.
	Mails []MailState
	// Placements: one of its outputs is in one of these states at a target; empty: any.
	Placements []PlacementState
	// RequestID is that of its source event; empty: any.
	RequestID string
	// Reference is that of its source event, whole; empty: any.
	Reference string
	// Batch is the id of the batch that its row is in; empty: any batch, or none.
	Batch string
	// EventKey is the value of the Idempotency-Key, or of the webhook-id, that its source
	// event came under in the last four days; empty: any.
	EventKey string
}

// Spans are stretches of time of one length, one after the other.
type Spans struct {
	From   time.Time
	Each   time.Duration
	Number int
}

// An AutomationCount is how many automations were accepted in a span, and how many of
// these failed. Tests are not counted.
type AutomationCount struct {
	From             time.Time
	Accepted, Failed int
}

// A FailureCause is why automations of a workflow failed. Their messages differ in numbers and
// in what stands in quotation marks at most.
type FailureCause struct {
	WorkflowID string
	// Open is how many were not made since. Cured is how many were: their data was sent again
	// and its documents were made, or a corrected row of their batch took their place.
	Open, Cured int
	// Newest are the newest of the open ones, MaxFailureExamples at most.
	Newest []Automation
}

// AgainPrefix is what the request id of an event begins with that was made of the data of an
// automation; the automation's id follows.
const AgainPrefix = "again-"

const (
	// MaxFailureCauses bounds the causes that are told.
	MaxFailureCauses = 50
	// MaxFailureExamples bounds the automations that a cause names.
	MaxFailureExamples = 3
	// MaxFailuresRead is how many failed automations of a workflow are looked at: the newest.
	MaxFailuresRead = 1000
)

// MaxList is how many entries of a list that grows with every event are read
// at most at once: automations, outputs, events, attempts to deliver one.
const MaxList = 1000

// Ended tells whether nothing more happens to the automation by itself.
func (a Automation) Ended() bool { return a.FinishedAt != nil }

// A SourceEvent is a body that was POSTed to a source address, on its way into the store.
type SourceEvent struct {
	AutomationID string // chosen before the first attempt, so that a repeat is a no-op
	SourceKey    string // the address's secret segment
	Body         []byte // one JSON object, as it was sent
	Fields       []string
	ReceivedAt   time.Time
	RequestID    string
	Reference    string // ReferenceHeader
	// EventKey names the event among those of its source: one that was
	// accepted under the same key starts nothing again, and with another body
	// it is kept for ReasonKeyReused. Empty: none was sent.
	EventKey string
	// Hops is how many deliveries led to the event; see HopsHeader.
	Hops int
	Test bool // TestHeader
}

// Accepted says which automation an accepted event has.
type Accepted struct {
	AutomationID string
	WorkflowID   string
	OwnerID      string // usr_…
}

// ReferenceHeader is the header of a source event by which its sender calls the automation.
const ReferenceHeader = "Platen-Reference"

// MaxReference is how many characters a reference has at most.
const MaxReference = 200

// Reference is what its sender calls the automation of a source event, by its headers
// ReferenceHeader; empty: it sent none. KindInvalid: one cannot be kept as it is.
func Reference(headers []string) (string, error) {
	if len(headers) == 0 {
		return "", nil
	}
	if len(headers) > 1 || !IsReference(headers[0]) {
		return "", Errorf(KindInvalid, "reference_invalid", "%s must be there once, with 1 to %d printable characters in UTF-8. The event was not stored.", ReferenceHeader, MaxReference)
	}
	return headers[0], nil
}

// IsReference tells whether a text can be a reference.
func IsReference(text string) bool {
	return text != "" && text == strings.TrimSpace(text) && utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxReference &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// An Ending says how an automation ended. Logs and metrics are made of it, so it
// holds ids and codes and nothing of what was sent.
type Ending struct {
	AutomationID string
	WorkflowID   string
	OwnerID      string
	Attempt      int
	State        AutomationState
	Test         bool
	// Code is why it is FAILED or CANCELLED: the automation's own, else that of the
	// first of its outputs that failed. Empty: COMPLETED, or nothing says why.
	Code       string
	AcceptedAt time.Time
	StartedAt  time.Time // of the last attempt; zero: none began
	FinishedAt time.Time
}
