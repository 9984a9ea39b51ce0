package platen

import (
	"time"
)

// Event types.
const (
	EventDocumentsCreated = "DOCUMENTS_CREATED" // an output was made
	EventDocumentFailed   = "DOCUMENT_FAILED"   // an output could not be made
	EventBatchCompleted   = "BATCH_COMPLETED"   // the last row of a batch ended
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
	AutomationID string // of a batch, that of the row which ended last
	OutputID     string // empty: it is about a batch
	BatchID      string // empty: it is about an output
	Type         string
	Payload      []byte
	State        EventState
	Reason       string // of a HELD one: CodeEndpointGone, …
	Test         bool   // its automation's: it goes to the test receiver alone
	ReceiverID   string // it goes to this receiver; empty: to the outgoing webhook, or as Test says
	CreatedAt    time.Time
	// AcceptedAt is when its automation was accepted. It is set only when the event is
	// read for delivery.
	AcceptedAt time.Time
	// Hops is how many deliveries led to the event's automation; this one is the
	// next. Lists leave it out.
	Hops int
	// NextAt is when a PENDING one is tried; nil: it is under way, or nothing is sent.
	// LastFailure is why the last attempt failed, in words for the integrator; empty: it did
	// not, or none was made. Both are unset when the event is read for delivery.
	NextAt      *time.Time
	LastFailure string
}

// An EventQuery says which events of a workflow a list is to hold.
type EventQuery struct {
	Page
	States    []EventState // any of these; empty: any state
	OutputIDs []string     // about any of these; empty: about any output
	Receivers []string     // for any of these; empty: for any, and the outgoing webhook
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

// An EndpointKey names an endpoint: an address that events of one owner go to,
// whichever of the owner's workflows they come from. Events of tests have endpoints of
// their own, so that no breaker of one closes the way of the other.
type EndpointKey struct {
	OwnerID string
	URL     string
	Test    bool
}

// An EndpointState is what all workers know of an endpoint together. The zero
// state is that of one that nothing was sent to yet.
type EndpointState struct {
	InFlight     []Lease   // attempts under way, at most one for each event
	Places       int       // most of them at once while nothing fails; 0: not known yet
	Failures     int       // in a row
	FailingSince time.Time // the first of them
	CoolDowns    int       // how often its breaker opened for one since it last took an event
	OpenUntil    time.Time // no attempt before
	// Slowed: it asked for less, and gets one attempt at a time until it takes one.
	Slowed bool
	// Turn is the last turn that was given to an event that has to wait.
	Turn       time.Time
	Took       time.Duration // the last attempt
	Disabled   string        // why nothing is sent to it any more; empty: it is in use
	DisabledAt time.Time
}

// IsOpen tells whether the endpoint's breaker is open: no attempt is made until
// its cool-down is over.
func (s EndpointState) IsOpen(now time.Time) bool { return now.Before(s.OpenUntil) }

// A Lease holds one of an endpoint's places for an attempt. It ends by itself
// where the worker that made the attempt cannot end it.
type Lease struct {
	EventID string
	Until   time.Time
}

// Why an endpoint is disabled, and why an event is held. Setting the address again, or
// a passed test, enables the endpoint.
const (
	CodeEndpointGone    = "endpoint_gone"
	CodeEndpointFailing = "endpoint_failing"
	// CodeEndpointBusy is that of an event whose turn never came.
	CodeEndpointBusy = "endpoint_busy"
	// CodeDeliveryCancelled is that of an event whose delivery an operator ended.
	CodeDeliveryCancelled = "delivery_cancelled"
	// CodeReceiverCondition is that of an event for a receiver whose condition cannot be worked
	// out: whether the receiver gets it, people decide.
	CodeReceiverCondition = "receiver_condition"
)

// MessageOfHeld says in words for the integrator what such a code stands for.
func MessageOfHeld(code string) string {
	switch code {
	case CodeEndpointGone:
		return "The receiver answered 410 Gone, so nothing is sent to this address any more. Set the address, the same or another, or let a test pass. Then recover the events that are held."
	case CodeEndpointFailing:
		return "The receiver has taken no event for days, so nothing is sent to this address any more. Set the address, the same or another, or let a test pass. Then recover the events that are held."
	case CodeEndpointBusy:
		return "The receiver had no place for this event for days: recover it when the receiver keeps up."
	case CodeDeliveryCancelled:
		return "An operator ended the delivery of this event: recover or redeliver it."
	case CodeReceiverCondition:
		return "The condition of the receiver cannot be worked out with the data of this event, so that nothing is sent. Correct the condition for events to come. Redeliver this event if the receiver is to get it."
	case CodeInternal:
		return "The delivery of this event failed for a reason on our side: report it, and recover the event when it is cured."
	}
	return ""
}

// A Recovery is how many events are redelivered.
type Recovery struct {
	Events int
	Held   int // of these, those that were HELD
}
