package platen

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error once, where the outside world was touched. One
// table turns it into an HTTP status (package api), one into retry or not
// (package activities).
type Kind int

const (
	KindInternal    Kind = iota // our fault or unknown; the zero kind
	KindInvalid                 // the request or the configuration is wrong
	KindForbidden               // no or wrong credentials, or not the caller's
	KindNotFound                // no such thing
	KindConflict                // a precondition or an idempotency key does not hold
	KindGone                    // was there and is not usable any more
	KindTooLarge                // over a documented limit
	KindRateLimited             // too many calls, and nothing was done; RetryAfter may say when
	KindUnavailable             // a part that we need does not answer; try again
)

func (k Kind) String() string {
	switch k {
	case KindInvalid:
		return "invalid"
	case KindForbidden:
		return "forbidden"
	case KindNotFound:
		return "not found"
	case KindConflict:
		return "conflict"
	case KindGone:
		return "gone"
	case KindTooLarge:
		return "too large"
	case KindRateLimited:
		return "rate limited"
	case KindUnavailable:
		return "unavailable"
	}
	return "internal"
}

// CodeInternal is the code of a step that failed for a reason on our side: it
// panicked, or met an error that nobody foresaw.
const CodeInternal = "internal"

// CodeGaveUp is the code of a step that failed alike for too long.
const CodeGaveUp = "gave_up"

// An Error has two faces: Code, Message and Faults are for the client and
// quote no secret; Err is for the log.
type Error struct {
	Kind       Kind
	Code       string // stable, snake_case, e.g. "drive_file_not_found"
	Message    string // names the field and the cure
	Faults     []Fault
	RetryAfter time.Duration // 0: the caller decides
	Err        error
}

// A Fault is one thing that is wrong with a request body.
type Fault struct {
	Pointer string // JSON pointer (RFC 6901) into the body; "" is the whole body
	Message string // what was found and how to cure it
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s (%s): %v", e.Message, e.Kind, e.Err)
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Kind)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error without a cause.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of the first Error in err's chain, KindInternal when
// there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}
