package drive

import (
	"fmt"
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/drive/fault"
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
	atOnce *admission.Keyed
	rate   *admission.Rate[string]
	now    func() time.Time
}

func newLimiter(l Limits) *limiter {
	return &limiter{limits: l, atOnce: admission.NewKeyed(admission.Places{PerKey: l.AtOnce}), rate: admission.NewRate[string](l.PerSecond, l.PerSecond), now: time.Now}
}

// busyFor is after how long a client may come again that has too many requests under
// way.
const busyFor = time.Second

// enter counts a request of the account, which leave ends. One that is too many is not
// counted and fails as Google's do.
func (l *limiter) enter(account string, r *http.Request) (leave func(), err error) {
	leave, ok := l.atOnce.TryTake(account)
	if !ok {
		return nil, tooMany(r, busyFor, "Too many concurrent requests: this account may have %d under way.", l.limits.AtOnce)
	}
	if _, _, wait := l.rate.Take(account, l.now()); wait > 0 {
		leave()
		return nil, tooMany(r, wait, "Rate Limit Exceeded: this account may make %d requests per second.", l.limits.PerSecond)
	}
	return leave, nil
}

// tooMany is how Google says that a limit of a user is reached: Drive with a reason of
// the domain usageLimits, Docs and Slides with google.rpc.ErrorInfo.
func tooMany(r *http.Request, after time.Duration, format string, args ...any) *fault.Error {
	f := &fault.Error{Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED", Reason: "userRateLimitExceeded", Domain: "usageLimits",
		Message: fmt.Sprintf(format, args...), RetryAfter: after}
	if isEditorPath(r.URL.Path) {
		f.Details = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com"}}
	}
	return f
}
