package platen

import "time"

// An Overview are the numbers of a whole installation at a moment, over all tenants.
type Overview struct {
	Backlog       int            // automations that are accepted and not started
	OldestAge     time.Duration  // of the oldest of them
	Open          int            // runs that take a place
	Parked        map[string]int // runs that wait for something outside, by the code of the wait
	Workers       int            // that said a word within ten seconds
	Carried       int            // open runs that they take together
	EventsPending int
	EventsOverdue int // PENDING, and due more than 15 minutes ago
	EventsHeld    int
	Endpoints     map[string]int // by their breaker: closed, failing, open, half_open, disabled
	QuotaUsed     map[string]int // of the project that used most in the last minute, by quota
}
