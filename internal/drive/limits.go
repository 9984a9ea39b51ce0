package drive

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Limits bound what one account asks of a Server, so that it leaves something to the
// others. Zero is no limit.
type Limits struct {
	// AtOnce is how many requests of an account may be under way.
	AtOnce int
	// PerSecond is how many an account may make in the long run, and at once after a
	// rest.
	PerSecond int
}

// limiter counts the requests of each account in this process. It is safe for
// concurrent use.
type limiter struct {
	limits Limits
	now    func() time.Time

	mu    sync.Mutex
	using map[string]*using
	swept time.Time
}

// using is what an account has used.
type using struct {
	atOnce int
	// full is when all of PerSecond will have been given back (the generic cell rate
	// algorithm).
	full time.Time
}

func newLimiter(l Limits) *limiter {
	return &limiter{limits: l, now: time.Now, using: map[string]*using{}}
}

// busyFor is after how long a client may come again that has too many requests under
// way.
const busyFor = time.Second

// enter counts a request of the account, which leave ends. One that is too many is not
// counted and fails as Google's do.
func (l *limiter) enter(account string, r *http.Request) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.sweep(now)
	u := l.using[account]
	if u == nil {
		u = &using{}
		l.using[account] = u
	}
	if l.limits.AtOnce > 0 && u.atOnce >= l.limits.AtOnce {
		return nil, tooMany(r, busyFor, "Too many concurrent requests: this account may have %d under way.", l.limits.AtOnce)
	}
	if n := l.limits.PerSecond; n > 0 {
		full := u.full
		if full.Before(now) {
			full = now
		}
		full = full.Add(time.Second / time.Duration(n))
		if wait := full.Sub(now) - time.Second; wait > 0 {
			return nil, tooMany(r, wait, "Rate Limit Exceeded: this account may make %d requests per second.", n)
		}
		u.full = full
	}
	u.atOnce++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.atOnce--
	}, nil
}

// sweep forgets accounts that use nothing.
func (l *limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for account, u := range l.using {
		if u.atOnce == 0 && !u.full.After(now) {
			delete(l.using, account)
		}
	}
}

// tooMany is how Google says that a limit of a user is reached: Drive with a reason of
// the domain usageLimits, Docs and Slides with google.rpc.ErrorInfo.
func tooMany(r *http.Request, after time.Duration, format string, args ...any) *fault {
	f := &fault{code: http.StatusTooManyRequests, status: "RESOURCE_EXHAUSTED", reason: "userRateLimitExceeded", domain: "usageLimits",
		message: fmt.Sprintf(format, args...), retryAfter: after}
	if isEditorPath(r.URL.Path) {
		f.details = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com"}}
	}
	return f
}
