package platen

import "time"

// Timestamp writes a time as /v0 and the payloads of events show it: ISO 8601 in
// UTC, with microseconds and a numeric offset.
func Timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}
