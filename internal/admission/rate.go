package admission

import (
	"sync"
	"time"
)

// maxKeys bounds the memory of a Rate. Beyond it newcomers are let in uncounted: a limit
// must not become a way to shut others out.
const maxKeys = 100_000

// A Rate lets a key in so often in the long run, and some times at once after a pause. It
// keeps one moment for each key that was seen lately, and is exact to the nanosecond (the
// generic cell rate algorithm). It is safe for concurrent use. A nil
// Rate bounds nothing.
type Rate[K comparable] struct {
	interval time.Duration // that gives one call back
	burst    time.Duration // that gives all of them back
	most     int           // keys at once

	mu    sync.Mutex
	full  map[K]time.Time // when all that the key used is given back
	sweep time.Time       // the next one
}

// NewRate returns a Rate of so many calls a second, and burst of them at once, one at
// least; nil where perSecond is not above 0.
func NewRate[K comparable](perSecond, burst int) *Rate[K] {
	if perSecond <= 0 {
		return nil
	}
	interval := time.Second / time.Duration(perSecond)
	return &Rate[K]{interval: interval, burst: time.Duration(max(1, burst)) * interval, most: maxKeys, full: map[K]time.Time{}}
}

// Take counts a call at the time now, and returns how many more the key may make at once,
// after how long it may make all of them again, and how long to wait if this one was too
// many: then it is not counted.
func (r *Rate[K]) Take(key K, now time.Time) (left int, reset, wait time.Duration) {
	if r == nil {
		return 0, 0, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now)
	full, known := r.full[key]
	used := max(full.Sub(now), 0)
	if over := used + r.interval - r.burst; over > 0 {
		return 0, used, over
	}
	used += r.interval
	if known || len(r.full) < r.most {
		r.full[key] = now.Add(used)
	}
	return int((r.burst - used) / r.interval), used, 0
}

// forget drops keys to whom all is given back: they are as good as new.
func (r *Rate[K]) forget(now time.Time) {
	if now.Before(r.sweep) {
		return
	}
	for key, full := range r.full {
		if !full.After(now) {
			delete(r.full, key)
		}
	}
	r.sweep = now.Add(max(time.Second, r.burst))
}
