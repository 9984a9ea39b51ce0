package edge

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/platen"
)

// A Rate is how often something may happen: PerSecond in the long run, and up
// to Burst at once after a pause. The zero Rate is no limit.
type Rate struct {
	PerSecond int
	Burst     int // 0: as many as PerSecond
}

// A Limiter counts the calls of each key, in this process only. A nil Limiter limits
// nothing.
type Limiter struct {
	rate  *admission.Rate[[32]byte]
	burst int
	now   func() time.Time
}

// NewLimiter returns nil for the zero Rate. now is the clock; nil is time.Now.
func NewLimiter(r Rate, now func() time.Time) *Limiter {
	if r.PerSecond <= 0 {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	burst := cmp.Or(r.Burst, r.PerSecond)
	return &Limiter{rate: admission.NewRate[[32]byte](r.PerSecond, burst), burst: burst, now: now}
}

// Take counts one call of key and writes the RateLimit fields of the answer
// (draft-ietf-httpapi-ratelimit-headers). A call too many is not counted and
// is KindRateLimited with code "rate_limited".
func (l *Limiter) Take(h http.Header, key [32]byte) error {
	if l == nil {
		return nil
	}
	left, reset, wait := l.rate.Take(key, l.now())
	h.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	h.Set("RateLimit-Remaining", strconv.Itoa(left))
	h.Set("RateLimit-Reset", strconv.Itoa(roundUp(reset)))
	if wait > 0 {
		return &platen.Error{Kind: platen.KindRateLimited, Code: "rate_limited", RetryAfter: wait,
			Message: "Too many requests. Send fewer, and this one again after the seconds that Retry-After says."}
	}
	return nil
}

func roundUp(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
