package platen

import (
	"time"
)

// A Position is the place of an entry in a list: lists are ordered by creation
// time, then id, and neither ever changes.
type Position struct {
	CreatedAt time.Time
	ID        string
}

// A Page asks for a part of a list; the zero Page is the whole of it.
type Page struct {
	Limit int      // most entries; 0: all
	After Position // the last entry of the page before; zero: from the start
	// Newest begins with the newest entry, and goes back in time from there.
	Newest bool
}

// A WorkflowQuery says which of the caller's workflows a list is to hold.
type WorkflowQuery struct {
	Page
	Statuses []Status // any of these; empty: any status
}

// Timestamp writes a time as /v0 and the payloads of events show it: ISO 8601 in
// UTC, with microseconds and a numeric offset.
func Timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}
