package platen

import (
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
)

// Reasons of skipped automations.
const (
	ReasonIncomplete    = "WORKFLOW_INCOMPLETE"
	ReasonAutoCreateOff = "AUTO_CREATE_OFF"
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
	FinishedAt *time.Time
	RequestID  string
}

// A SourceEvent is a body that was POSTed to a source address, on its way into the store.
type SourceEvent struct {
	AutomationID string // chosen before the first try, so that a repeat is a no-op
	SourceKey    string // the address's secret segment
	Body         []byte // one JSON object, as it was sent
	Fields       []string
	ReceivedAt   time.Time
	RequestID    string
	// EventKey names the event among those of its source: one that was
	// accepted under the same key starts nothing again. Empty: none was sent.
	EventKey string
}

// A Plan is the configuration that an automation was started with. It is
// pinned: later changes of the workflow do not touch it.
type Plan struct {
	AutomationID string
	WorkflowID   string
	WorkflowName string
	OwnerID      string
	TeamID       string
	AcceptedAt   time.Time
	Documents    []PlannedDocument
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
	// Generation counts copies: a copy whose filling began but did not end is
	// thrown away and the next generation made.
	Generation    int
	Repeated      bool  // a step began what an earlier execution of it had begun: there may be strays
	CopyBegun     bool  // a copy of this generation was or may have been made
	Copy          *File // the copy, once it is known
	FillBegun     bool
	FillEnded     bool
	MissingFields []string // tags without data, in document order
	PDFID         string   // id that the upload will have, generated beforehand
	PDFHashes     []string // hex SHA-256 of every encoding that an upload was begun with
	PDF           *File    // the stored PDF, read back and checked
	Removed       bool     // the original is gone
	FailureCode   string
	Failure       string // why it could not be made, in words for the integrator; quotes no value
}

// CopyKey is the key under which the copy of this generation is found again.
func (o Output) CopyKey() string {
	return o.ID + "." + strconv.Itoa(o.Generation)
}

// Files are the files that an event about this output names: the PDF where
// there is one, and the original unless it was removed.
func (o Output) Files() []File {
	var files []File
	if o.PDF != nil {
		files = append(files, *o.PDF)
	}
	if o.Copy != nil && !o.Removed {
		files = append(files, *o.Copy)
	}
	return files
}
