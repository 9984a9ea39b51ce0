package edge

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A Rate is how often something may happen: PerSecond in the long run, and up
// to Burst at once after a pause. The zero Rate is no limit.
type Rate struct {
	PerSecond int
	Burst     int // 0: as many as PerSecond
}

// maxMeters bounds the memory of one limiter. Beyond it newcomers are let
// through uncounted: a limit must not become a way to shut others out.
const maxMeters = 100_000

// A Limiter counts by key, in this process only. It keeps one moment for each
// key that was seen lately (the generic cell rate algorithm): when what was
// used will have been given back in full.
type Limiter struct {
	interval time.Duration // that gives one call back
	burst    int
	most     int // keys at once
	now      func() time.Time

	mu     sync.Mutex
	full   map[[32]byte]time.Time
	sweeps time.Time // the next one
}

// NewLimiter returns nil, which limits nothing, for the zero Rate. now is the
// clock; nil is time.Now.
func NewLimiter(r Rate, now func() time.Time) *Limiter {
	if r.PerSecond <= 0 {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	l := &Limiter{interval: time.Second / time.Duration(r.PerSecond), burst: r.Burst, most: maxMeters, now: now, full: map[[32]byte]time.Time{}}
	if l.burst <= 0 {
		l.burst = r.PerSecond
	}
	return l
}

// Take counts one call of key and writes the RateLimit fields of the answer
// (draft-ietf-httpapi-ratelimit-headers). A call too many is not counted and
// is KindRateLimited with code "rate_limited".
func (l *Limiter) Take(h http.Header, key [32]byte) error {
	if l == nil {
		return nil
	}
	left, reset, wait := l.take(key)
	h.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	h.Set("RateLimit-Remaining", strconv.Itoa(left))
	h.Set("RateLimit-Reset", strconv.Itoa(roundUp(reset)))
	if wait > 0 {
		return &platen.Error{Kind: platen.KindRateLimited, Code: "rate_limited", RetryAfter: wait,
			Message: "Too many requests. Send fewer, and this one again after the seconds that Retry-After says."}
	}
	return nil
}

// take returns how many calls are left, when all are there again, and how long
// to wait if this one was too many.
func (l *Limiter) take(key [32]byte) (left int, reset, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.sweep(now)
	full, known := l.full[key]
	used := max(full.Sub(now), 0)
	room := time.Duration(l.burst) * l.interval
	if over := used + l.interval - room; over > 0 {
		return 0, used, over
	}
	used += l.interval
	if known || len(l.full) < l.most {
		l.full[key] = now.Add(used)
	}
	return int((room - used) / l.interval), used, 0
}

// sweep forgets keys whose calls were all given back: they are as good as new.
func (l *Limiter) sweep(now time.Time) {
	if now.Before(l.sweeps) {
		return
	}
	for key, full := range l.full {
		if !full.After(now) {
			delete(l.full, key)
		}
	}
	l.sweeps = now.Add(max(time.Second, time.Duration(l.burst)*l.interval))
}

func roundUp(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
