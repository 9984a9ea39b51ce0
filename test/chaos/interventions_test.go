package chaos

import (
	"slices"
	"sync"
)

// interventions are what was asked for on purpose, by operators in Temporal and by
// integrators through /v0, as far as it changes what a run may end in.
type interventions struct {
	mu sync.Mutex
	// ended are automations that were told to end: the reason by their ids.
	ended map[string]string
	// held are events whose delivery was cancelled in Temporal.
	held map[string]bool
	// redelivered counts by event what was asked for; an answer that was lost
	// may have been a yes.
	redelivered map[string]int
	// names are what outputs of a document may be called.
	names map[string][]string
}

func newInterventions() *interventions {
	return &interventions{ended: map[string]string{}, held: map[string]bool{}, redelivered: map[string]int{}, names: map[string][]string{}}
}

// rename notes what outputs of a document may be called from now on.
func (i *interventions) rename(documentID, prefix string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.names[documentID] = append(i.names[documentID], prefix)
}

// mayBeCalled tells whether an output of a document may have a name.
func (i *interventions) mayBeCalled(documentID, name, id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(i.names[documentID], func(prefix string) bool {
		return name == prefix+" "+id || name == prefix+" "+id+".pdf"
	})
}

func (i *interventions) redeliver(eventID string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.redelivered[eventID]++
}

func (i *interventions) redeliveriesOf(eventID string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.redelivered[eventID]
}

// end notes before it is asked for that an automation may end otherwise than
// COMPLETED.
func (i *interventions) end(automationID, reason string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended[automationID] = reason
}

// endOf says why an automation may have ended otherwise than COMPLETED.
func (i *interventions) endOf(automationID string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ended[automationID]
}

func (i *interventions) hold(eventID string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held[eventID] = true
}

func (i *interventions) mayBeHeld(eventID string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.held[eventID]
}
