package platen

import "time"

// Event types.
const (
	EventDocumentsCreated = "DOCUMENTS_CREATED" // an output was made
	EventDocumentFailed   = "DOCUMENT_FAILED"   // an output could not be made
	EventWorkflowTest     = "WORKFLOW_TEST"     // somebody tries the outgoing webhook; no automation is behind it
)

// EventState says where an event stands.
type EventState string

const (
	EventPending   EventState = "PENDING"
	EventDelivered EventState = "DELIVERED"
	EventFailed    EventState = "FAILED" // every attempt failed, or the receiver answered 410
	EventHeld      EventState = "HELD"   // came due while its endpoint was disabled; Reason says why
)

// An Event tells the outgoing webhook of one output. Its ID is the
// `webhook-id` of every attempt, its Payload the body of every attempt, byte
// for byte.
type Event struct {
	ID           string // evt_…
	WorkflowID   string
	AutomationID string
	OutputID     string
	Type         string
	Payload      []byte
	State        EventState
	Reason       string // of a HELD one: CodeEndpointGone, …
	Test         bool   // its automation's: it goes to the test receiver alone
	CreatedAt    time.Time
	// AcceptedAt is when its automation was accepted. Only a reader that delivers
	// it knows.
	AcceptedAt time.Time
	// Hops is how many deliveries led to the event's automation; this one is the
	// next. Lists leave it out.
	Hops int
	// NextAt is when a PENDING one is tried; nil: it is under way, or nothing is sent.
	// LastFailure is why the last attempt failed, in words for the integrator; empty: it did
	// not, or none was made. Whoever delivers it knows neither.
	NextAt      *time.Time
	LastFailure string
}

// An EventQuery says which events of a workflow a list is to hold.
type EventQuery struct {
	Page
	States    []EventState // any of these; empty: any state
	OutputIDs []string     // about any of these; empty: about any output
	Test      bool         // as in AutomationQuery; with OutputIDs, false finds both
	// Since and Until bound when it was created, the end excluded; zero: nothing does.
	Since, Until time.Time
}

// EventCounts are how many events of a workflow stand how. Those that were delivered are
// not counted: they are the most, and nobody has to act on them.
type EventCounts struct{ Pending, Failed, Held int }

// An EventStanding is how an event stands, for operators: ids and codes, and nothing
// of what it says.
type EventStanding struct {
	ID           string
	WorkflowID   string
	AutomationID string
	OwnerID      string // of the workflow
	Type         string
	State        EventState
	Reason       string // of a HELD one
	CreatedAt    time.Time
	Attempts     int        // to deliver it
	Status       int        // what the last attempt was answered with; 0: nothing
	NextAt       *time.Time // when a PENDING one is sent; nil: it is under way, or nothing is sent
}

// An EventStandingQuery says which events of all users a list is to hold: the newest.
type EventStandingQuery struct {
	States       []EventState // any of these; empty: any state
	Since        time.Duration
	WorkflowID   string // empty: of any
	AutomationID string // empty: of any
	Limit        int
}

// An Endpoint is where an event goes, read at the time of sending.
type Endpoint struct {
	WebhookID string // owc_…
	OwnerID   string // of the workflow
	URL       string
	Test      bool     // it is the workflow's test receiver
	Secrets   []Secret // whsec_…; the request carries one signature for each
}

// Key names the endpoint among all.
func (e Endpoint) Key() EndpointKey {
	return EndpointKey{OwnerID: e.OwnerID, URL: e.URL, Test: e.Test}
}

// A Delivery is one attempt to send an event.
type Delivery struct {
	EventID  string
	Attempt  int // 1 is the step inside the run
	At       time.Time
	Duration time.Duration
	Status   int    // HTTP status, 0 when there was no answer
	Failure  string // empty: delivered; else why not, in words for the integrator
	Answer   string // start of the receiver's answer, printable, at most 1 KiB
	// RetryAfter is how long the receiver asked us to wait; 0: it did not.
	RetryAfter time.Duration
}

// An OverdueEvent is PENDING although its next attempt was due long ago.
type OverdueEvent struct {
	ID       string
	Attempt  int  // the number of the next one
	RunEnded bool // its automation has ended: no run of it is about to deliver the event
}
