package platen

import "time"

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

// Why an endpoint is disabled, and why an event is held. An address that is
// set anew, or a test that passes, enables the endpoint.
const (
	CodeEndpointGone    = "endpoint_gone"
	CodeEndpointFailing = "endpoint_failing"
	// CodeEndpointBusy is that of an event whose turn never came.
	CodeEndpointBusy = "endpoint_busy"
	// CodeDeliveryCancelled is that of an event whose delivery an operator ended.
	CodeDeliveryCancelled = "delivery_cancelled"
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
	case CodeInternal:
		return "The delivery of this event failed for a reason on our side: report it, and recover the event when it is cured."
	}
	return ""
}

// A Recovery is how many events are delivered anew.
type Recovery struct {
	Events int
	Held   int // of these, those that were HELD
}
