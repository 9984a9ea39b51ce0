package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// An Error is an answer that refuses a request (RFC 9457).
type Error struct {
	Status     int           // of HTTP
	Code       string        // never changes its meaning; empty: the answer was not the API's
	Detail     string        // what happened and what to do about it
	Faults     []Fault       // every fault of the body
	RequestID  string        // for those who help
	RetryAfter time.Duration // how long to wait; 0: not said
	Replayed   bool          // the first request with the same Idempotency-Key was refused so
}

// A Fault is what is wrong at one place of a body.
type Fault struct {
	Pointer string `json:"pointer"` // JSON pointer; empty: the whole body
	Detail  string `json:"detail"`
	Row     int    `json:"row"` // of a batch; 0: it is about no row
}

// Error says what to do, every fault, and the code.
func (e *Error) Error() string {
	text := e.Detail
	for _, f := range e.Faults {
		where := f.Pointer
		if f.Row > 0 {
			where = fmt.Sprint("row ", f.Row)
		}
		text += fmt.Sprintf("\n  %s %s", where, f.Detail)
	}
	if e.Code == "" {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, e.Code)
}

// CodeOf is the code of the API's error in err; empty: there is none.
func CodeOf(err error) string {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}

// ErrorOf reads an answer of the API that refuses a request, for programs that send requests
// without a Client. said is the body, which the caller has read.
func ErrorOf(answer *http.Response, said []byte) *Error {
	var problem struct {
		Detail    string  `json:"detail"`
		Code      string  `json:"code"`
		Errors    []Fault `json:"errors"`
		RequestID string  `json:"requestId"`
	}
	e := &Error{Status: answer.StatusCode, RequestID: answer.Header.Get("X-Request-Id"), Replayed: answer.Header.Get("Idempotent-Replayed") == "true"}
	if json.Unmarshal(said, &problem) == nil && problem.Code != "" {
		e.Code, e.Detail, e.Faults = problem.Code, problem.Detail, problem.Errors
	} else {
		host := "somebody"
		if answer.Request != nil {
			host = answer.Request.URL.Host
		}
		e.Detail = fmt.Sprintf("%s answered %s, and not as the API does: look at the address", host, answer.Status)
	}
	e.RetryAfter = retryAfter(answer.Header)
	return e
}

// retryAfter reads seconds or a date of HTTP (RFC 9110, section 10.2.3). A date counts from
// that of the answer, so that a wrong clock on this machine does not matter.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return max(0, time.Duration(min(seconds, maxRetryAfter))*time.Second)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
}

// maxRetryAfter is a hundred years, in seconds: more would not fit.
const maxRetryAfter = 100 * 365 * 24 * 3600

// unanswered is the error of a request that nobody knows the fate of.
type unanswered struct{ error }

func (u *unanswered) Unwrap() error { return u.error }

// The waits between the tries of a request: doubled each time, and between half and all
// of it, so that clients that failed together do not come back together.
const (
	firstPause = 250 * time.Millisecond
	maxPause   = 30 * time.Second
)

// pause tells whether a request that ended in err is worth another try, and when. A
// request that must not happen twice is tried again only after an answer that says that
// nothing was done.
func pause(r request, err error, try int) (time.Duration, bool) {
	wait := min(firstPause<<min(try-1, 16), maxPause)
	wait = wait/2 + rand.N(wait/2)
	if _, ok := errors.AsType[*unanswered](err); ok {
		return wait, r.repeatable
	}
	refused, ok := errors.AsType[*Error](err)
	if !ok || refused.RetryAfter > maxPause {
		return 0, false
	}
	wait = max(wait, refused.RetryAfter)
	switch refused.Status {
	case http.StatusTooManyRequests:
		return wait, true
	case http.StatusServiceUnavailable:
		return wait, r.repeatable || refused.Code == "busy"
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return wait, r.repeatable
	}
	return wait, refused.Code == "idempotency_in_progress"
}
