package chaos

import (
	"sync"
	"time"
)

// A misbehaviour is what the suite's own servers do for a while: the drive's
// proxy and the receiver ask it with every request what to do.
type misbehaviour struct {
	mu    sync.Mutex
	what  string
	until time.Time
	every int // of so many requests one is spoilt
	seen  int
	spoil int // how many were
}

func (m *misbehaviour) begin(what string, lasting time.Duration, every int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.what, m.until, m.every, m.seen, m.spoil = what, time.Now().Add(lasting), every, 0, 0
}

// end says how many requests were spoilt.
func (m *misbehaviour) end() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.what = ""
	return m.spoil
}

// now returns what this request is to suffer, "" for nothing. applies tells
// whether a misbehaviour concerns it at all.
func (m *misbehaviour) now(applies func(what string) bool) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.what == "" || time.Now().After(m.until) || !applies(m.what) {
		return ""
	}
	m.seen++
	if m.seen%m.every != 0 {
		return ""
	}
	m.spoil++
	return m.what
}
