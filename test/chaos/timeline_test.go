package chaos

import (
	"math"
	"slices"
	"sync"
	"time"
)

// clock is how times of day are printed.
const clock = "15:04:05.000"

// A span is how long a fault lasted.
type span struct {
	kind     string
	from, to time.Time
	// cutsOff: a worker that had sent an event may have been kept from
	// recording it, so that the event is sent again.
	cutsOff bool
}

// A timeline keeps the faults of a run.
type timeline struct {
	mu  sync.Mutex
	all []span
	// takenBack are times whose changes Postgres has forgotten.
	takenBack []window
}

// takeBack notes that a restore has taken back what was stored in a time.
func (l *timeline) takeBack(w window) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.takenBack = append(l.takenBack, w)
}

// wentBack tells whether Postgres was put back to an earlier moment.
func (l *timeline) wentBack() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.takenBack) > 0
}

// forgot tells whether a restore may have taken back what was stored at a
// moment, or so long before it.
func (l *timeline) forgot(at time.Time, before time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.takenBack, func(w window) bool { return w.holds(at) || w.holds(at.Add(-before)) })
}

func (l *timeline) note(s span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, s)
}

const (
	// before is how long recording an attempt may take after the receiver's
	// answer, on a busy machine.
	before = 2 * time.Second
	// after is for connections that a fault broke and nobody has noticed yet.
	after = 3 * time.Second
)

// cutOff names the fault that most likely kept an attempt which was taken at a
// moment from being recorded.
func (l *timeline) cutOff(at time.Time) (kind string, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	nearest := time.Duration(math.MaxInt64)
	for _, s := range l.all {
		if !s.cutsOff || at.Before(s.from.Add(-before)) || at.After(s.to.Add(after)) {
			continue
		}
		if away := max(s.from.Sub(at), at.Sub(s.to), 0); away <= nearest {
			kind, nearest, found = s.kind, away, true
		}
	}
	return kind, found
}
