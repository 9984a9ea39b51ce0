package platen

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// AutomationState says where an automation stands.
type AutomationState string

const (
	AutomationAccepted  AutomationState = "ACCEPTED"  // stored; waits to be started
	AutomationRunning   AutomationState = "RUNNING"   // a Temporal run exists
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
	// KeyTakenBy is the automation of the event that had the key of one that is SKIPPED for
	// ReasonKeyReused; empty: it is not known.
	KeyTakenBy string
	Test       bool // TestHeader
	// FailureCode and Failure say why no document could be begun; why a
	// document failed stands at its output.
	FailureCode string
	Failure     string
	// ParkedAt is since when it takes none of the places of open runs, because
	// it waits for something outside: Waits says what. nil: it is not parked.
	ParkedAt *time.Time
	Waits    []Wait
	Outputs  []Output // only where a reader asks for them
	Held     string   // with Outputs: why events of it are HELD; empty: none is

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

// CheckAttempt answers KindGone with code CodeSuperseded where an attempt at an
// automation comes to change what belongs to a later one: a run's last step may
// be made again when somebody has retried the automation already. 0 stands for
// an attempt that is not known and superseded by none.
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
	Test   bool              // tests, and nothing else; false: no test
	// Mails: one of its outputs' latest mails is in one of these states; empty: whatever its
	// mails are.
	Mails []MailState
	// RequestID is that of its source event; empty: whatever it is.
	RequestID string
	// EventKey is the value of the Idempotency-Key, or of the webhook-id, that its source
	// event came under in the last four days; empty: whatever it is.
	EventKey string
}

// An OutputQuery says which outputs of a workflow a list is to hold.
type OutputQuery struct {
	Page
	States []OutputState // any of these; empty: any state
	IDs    []string      // any of these; empty: any output
	// Since and Until bound when it was begun, the end excluded; zero: nothing does.
	Since, Until time.Time
	Test         bool        // as in AutomationQuery; with IDs, false finds both
	Mails        []MailState // its latest mail is in one of these states; empty: whatever it is
	// Name has words that the name of a file of the output has, all of them, in any
	// order and case; only outputs that are DONE are found. Empty: any name.
	Name string
}

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
	// EventKey names the event among those of its source: one that was
	// accepted under the same key starts nothing again, and with another body
	// it is kept for ReasonKeyReused. Empty: none was sent.
	EventKey string
	// Hops is how many deliveries led to the event; see HopsHeader.
	Hops int
	Test bool // TestHeader
}

// A Plan is the configuration that an automation was started with. It is
// pinned: later changes of the workflow do not touch it.
type Plan struct {
	// Cancelled: the automation is to end, or has ended, as CANCELLED. A plan
	// that was not pinned before has no documents then.
	Cancelled bool
	// Attempt is the automation's latest when the plan was asked for; a plan
	// that is read as it was pinned does not say it.
	Attempt      int
	AutomationID string
	WorkflowID   string
	WorkflowName string
	Locale       string // the workflow's
	OwnerID      string
	TeamID       string
	AcceptedAt   time.Time
	Test         bool // the automation's: what is made is marked, and no customer gets a mail
	Documents    []PlannedDocument
	// Numbers are those that it drew, by what its documents declare; see Series.
	Numbers map[string]int64
}

// Output returns the planned document that an output is made from.
func (p Plan) Output(outputID string) (PlannedDocument, bool) {
	for _, d := range p.Documents {
		if d.OutputID == outputID {
			return d, true
		}
	}
	return PlannedDocument{}, false
}

// A PlannedDocument is a Document as it was when its automation started.
type PlannedDocument struct {
	OutputID string
	Document Document
}

// OutputState says where an output stands.
type OutputState string

const (
	OutputPending OutputState = "PENDING"
	OutputDone    OutputState = "DONE"
	OutputFailed  OutputState = "FAILED"
)

// An Output is what an automation makes from one template document. Its row is
// written before each outside effect, so that a step that runs again knows
// what an earlier one began.
type Output struct {
	ID           string // out_…
	AutomationID string
	DocumentID   string
	State        OutputState
	Test         bool // the automation's
	Attempt      int  // at the automation: the one that planned it, or whose retry repeated it
	// Generation counts copies: a copy whose filling began but did not end is
	// thrown away and the next generation made.
	Generation int
	Repeated   bool  // a step began what an earlier execution of it had begun: there may be orphans
	CopyBegun  bool  // a copy of this generation was or may have been made
	Copy       *File // the copy, once it is known
	// KeepsFiles: it is made once more because the database was put back, and files
	// under its keys may be those that its receiver was told of. Only orphans whose
	// ids are noted here are removed.
	KeepsFiles bool
	// ThrownAway are ids of copies that are not in use any more. They are
	// removed when they are noted here and again at the end, whatever the
	// drive lists.
	ThrownAway    []string
	FillBegun     bool
	FillEnded     bool
	MissingFields []string // tags without data, in document order
	PDFID         string   // id that the upload will have, generated beforehand
	PDFHashes     []string // hex SHA-256 of every encoding that an upload was begun with
	PDF           *File    // the stored PDF, read back and checked
	Removed       bool     // the original is gone
	// Appendices are the first of the document's that are ready to be appended, and
	// AppendixBegun says that a copy of the next was or may have been made. There are none
	// once the PDF is made.
	Appendices    []Appendix
	AppendixBegun bool
	// Findings are what the PDF does not show as the document has it, and an
	// original that has to stay (CodeFileKept), or what is wrong with the output's name
	// (CodeNameFaulty, CodeNameEmpty), or with the event (CodeNoField).
	Findings    []Finding
	FailureCode string
	Failure     string // why it could not be made, in words for the integrator; quotes no value
	// RequestID is that of the source event, and EventKey the value by which its sender named
	// it, where the event about the output is written; else empty.
	RequestID, EventKey string
	Mail                *Mail // only where a reader of an automation asks for it; nil: none was begun
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// Codes of findings about an output's name: a tag of it cannot be worked out, or nothing
// is left of it.
const (
	CodeNameFaulty = "output_name_faulty"
	CodeNameEmpty  = "output_name_empty"
)

// CodeNoField is the code of a finding about an output of an event that has no field of
// its template.
const CodeNoField = "no_field_given"

// IsOfFilling tells of a finding that was met before a PDF was made, and stays.
func (f Finding) IsOfFilling() bool {
	return f.Code == CodeNameFaulty || f.Code == CodeNameEmpty || f.Code == CodeNoField
}

// A Finding tells of something that is not as the author of a template or of a
// workflow meant it, such as characters in a PDF that no font of the drive has.
// It is no failure.
type Finding struct {
	Code    string
	Message string // for the integrator; names single characters at most
}

// OutputID is the id of what an automation makes from a document. A plan that is
// pinned once more, because the database has forgotten it, names the same outputs,
// whose files in the drive carry it.
func OutputID(automationID, documentID string) string {
	return DerivedID(PrefixOutput, automationID, documentID)
}

// CopyKey is the key under which the copy of this generation is found again.
func (o Output) CopyKey() string {
	return o.ID + "." + strconv.Itoa(o.Generation)
}

// Files are the files that an event about this output names: the PDF where
// there is one, and the original unless it was removed.
func (o Output) Files() []OutputFile {
	var files []OutputFile
	if o.PDF != nil {
		files = append(files, OutputFile{*o.PDF, FilePDF})
	}
	if o.Copy != nil && !o.Removed {
		files = append(files, OutputFile{*o.Copy, FileOriginal})
	}
	return files
}
