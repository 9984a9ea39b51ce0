package platen

import "time"

// An Overview are the numbers of a whole installation at a moment, over all tenants.
type Overview struct {
	Backlog       int            // automations that are accepted and not started
	Paused        int            // of those, by an operator
	OldestAge     time.Duration  // of the oldest that is not paused
	Open          int            // runs that take a place
	Parked        map[string]int // runs that wait for something outside, by the code of the wait
	Workers       int            // that said a word within ten seconds
	Carried       int            // open runs that they take together
	EventsPending int
	EventsOverdue int // PENDING, and due more than 15 minutes ago
	EventsHeld    int
	MailsFailed   int            // that did not go out, in the last 24 hours
	Endpoints     map[string]int // by their breaker: closed, failing, open, half_open, disabled
	QuotaUsed     map[string]int // of the project that used most in the last minute, by quota
	Erasures      int            // automations that wait to be erased
	OldestData    *time.Time     // end of the oldest automation whose source data is kept; nil: there is none
}

// An Installation is what its database says of it at a moment.
type Installation struct {
	Postgres         string         // version of the server
	Schema           int            // number of the newest migration
	MaxConnections   int            // of the server
	Connections      map[string]int // to this database, by application_name: programs say there which build they are
	OtherConnections int            // to other databases of the server
	FailedByCode     map[string]int // automations
	FailedByOwner    map[string]int
}
