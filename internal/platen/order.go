package platen

import (
	"fmt"
	"time"
)

// Automations of a workflow with OrderedBy run one after the other where they have one key:
// what the formula gives for their events. An automation that waits for those of its key
// that were accepted before is behind.

// A Waking says why dispatch is woken.
type Waking struct {
	Crowded bool // events come in faster than they can be stored one by one
	Ordered bool // the keys of some are to be worked out
}

// An OrderedEvent is an event whose key is to be worked out.
type OrderedEvent struct {
	PastEvent
	WorkflowName string
	Locale       string
}

// CodeBehind is the code of a Wait for the automation before, and CodeOrderFaulty that of an
// automation whose key cannot be worked out.
const (
	CodeBehind      = "automation_before"
	CodeOrderFaulty = "order_faulty"
)

// BehindWait is what waitingFor says of an automation that waits for the one of its key that
// may start, or runs.
func BehindWait(before string, since time.Time) Wait {
	return Wait{
		Subject: before, Step: "start", Code: CodeBehind, Since: since,
		Message: fmt.Sprintf("Automation %s has the same key and was accepted before. This one starts in its turn, when that one has ended.", before),
	}
}
