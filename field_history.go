package platen

import (
	"slices"
	"time"
)

const (
	// MaxSeenFields is how many names of fields are kept of a source beside those of
	// its last event.
	MaxSeenFields = 500
	// SeenFieldAge is how long a name that no event has any more is taken for one of
	// the source: who renames a field is told of tags with the old name after it.
	SeenFieldAge = 30 * 24 * time.Hour
)

// A SeenField is the name of a field that events of a source had.
type SeenField struct {
	Name string
	// SeenAt is when a list of fields with it was replaced; the zero time: the last
	// event has it.
	SeenAt time.Time
	// Lists is how many lists of fields had it, the one of the last event aside. What
	// a single bad event brought has 1.
	Lists int
}

// KnownFields are the fields of a source, and behind them the names that its events
// had within SeenFieldAge. One event with other keys so takes no name away.
func KnownFields(fields []string, seen []SeenField, now time.Time) []string {
	known, has := slices.Clone(fields), make(map[string]bool, len(fields)+len(seen))
	for _, name := range fields {
		has[name] = true
	}
	for _, f := range seen {
		if !has[f.Name] && (f.SeenAt.IsZero() || now.Sub(f.SeenAt) < SeenFieldAge) {
			has[f.Name] = true
			known = append(known, f.Name)
		}
	}
	return known
}
