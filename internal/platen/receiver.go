package platen

import (
	"bytes"
	"slices"
)

// A Receiver gets those events of a workflow that its rules name, beside the outgoing webhook
// and independently of it. Tests go to the test receiver alone. An extension.
type Receiver struct {
	OutgoingWebhook // ID is rcv_…
	WorkflowID      string
	OwnerID         string // of the workflow
	Name            string // one of its own in its workflow
	Events          []string
	// When is a condition, as Document.When; empty: it gets all events of the types Events. No
	// condition is asked about a batch, which has no data of its own.
	When string
}

// MaxReceivers is how many a workflow has at most.
const MaxReceivers = 10

// EventTypes are those that a receiver may get.
func EventTypes() []string {
	return []string{EventDocumentsCreated, EventDocumentFailed, EventBatchCompleted}
}

// Condition is that of a receiver, which has one.
func (r Receiver) Condition() Condition { return receiverCondition(r.When) }

func receiverCondition(when string) Condition {
	return Condition{Part: PartReceiver, Setting: "when", When: when}
}

// A PlannedReceiver is a receiver as it was when an automation started. Where its events go is
// read when they are sent.
type PlannedReceiver struct {
	ID     string
	Name   string
	Events []string
	When   string
	Faulty bool // its condition cannot be worked out with the data of the event
}

// Condition is that of a receiver, which has one.
func (r PlannedReceiver) Condition() Condition { return receiverCondition(r.When) }

// Event is the receiver's own event about what e tells, with an id that is derived of e's; not
// ok: it gets none of this type. One of a Faulty receiver is HELD.
func (r PlannedReceiver) Event(e Event) (own Event, ok bool) {
	if !slices.Contains(r.Events, e.Type) {
		return Event{}, false
	}
	own = e.For(r.ID)
	if own.State = EventPending; r.Faulty {
		own.State, own.Reason = EventHeld, CodeReceiverCondition
	}
	return own, true
}

// For is the event about the same for a receiver. Its id, with which its payload begins, is
// another one: receivers tell events apart by it.
func (e Event) For(receiverID string) Event {
	id := DerivedID(PrefixEvent, e.ID, receiverID)
	e.Payload = bytes.Replace(e.Payload, []byte(e.ID), []byte(id), 1)
	e.ID, e.ReceiverID = id, receiverID
	return e
}

// ErrReceiverNotFound is KindNotFound for one that the workflow does not have.
func ErrReceiverNotFound() error {
	return Errorf(KindNotFound, "receiver_not_found", "There is no such receiver in this workflow.")
}
