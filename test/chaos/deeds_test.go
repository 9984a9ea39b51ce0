package chaos

import (
	"slices"
	"sync"
)

// deeds are what was asked for on purpose, by operators in Temporal and by
// integrators through /v0, as far as it changes what a run may end in.
type deeds struct {
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

func newDeeds() *deeds {
	return &deeds{ended: map[string]string{}, held: map[string]bool{}, redelivered: map[string]int{}, names: map[string][]string{}}
}

// rename notes what outputs of a document may be called from now on.
func (d *deeds) rename(documentID, prefix string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[documentID] = append(d.names[documentID], prefix)
}

// mayBeCalled tells whether an output of a document may have a name.
func (d *deeds) mayBeCalled(documentID, name, id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.names[documentID], func(prefix string) bool {
		return name == prefix+" "+id || name == prefix+" "+id+".pdf"
	})
}

func (d *deeds) redeliver(eventID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.redelivered[eventID]++
}

func (d *deeds) redeliveriesOf(eventID string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.redelivered[eventID]
}

// end notes before it is asked for that an automation may end otherwise than
// COMPLETED.
func (d *deeds) end(automationID, reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended[automationID] = reason
}

// endOf says why an automation may have ended otherwise than COMPLETED.
func (d *deeds) endOf(automationID string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended[automationID]
}

func (d *deeds) hold(eventID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held[eventID] = true
}

func (d *deeds) mayBeHeld(eventID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held[eventID]
}
