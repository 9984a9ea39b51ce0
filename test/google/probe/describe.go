package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/platen"
)

// A callError is the failure of one call.
type callError struct {
	call string
	err  error
}

func (e callError) Error() string { return e.call + ": " + e.err.Error() }
func (e callError) Unwrap() error { return e.err }

// unexpected is a failure in the probe's own words: an answer is not as it has to be.
type unexpected string

func (u unexpected) Error() string { return string(u) }

// message is describe with the drive's own words, for what the report hides the
// account's in.
func message(err error) string {
	if answer, ok := errors.AsType[*googleapi.Error](err); ok && answer.Message != "" {
		return describe(err) + ", " + answer.Message
	}
	return describe(err)
}

// describe is an error without what an account is known by: each call that failed,
// with the status and the reasons of its answer, or with why there was none.
func describe(err error) string {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, one := range several.Unwrap() {
			all = append(all, describe(one))
		}
		return strings.Join(all, "; ")
	}
	if failed, ok := errors.AsType[callError](err); ok {
		return failed.call + ": " + reason(failed.err)
	}
	return reason(err)
}

// reason is why a call failed. Texts of errors that are not ours may have addresses.
func reason(err error) string {
	if answer, ok := errors.AsType[*googleapi.Error](err); ok {
		return fmt.Sprintf("status %d%s", answer.Code, reasonsOf([]byte(answer.Body)))
	}
	if refused, ok := errors.AsType[*platen.Error](err); ok {
		return refused.Message
	}
	if own, ok := errors.AsType[unexpected](err); ok {
		return string(own)
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return "no answer: " + number.Error()
	}
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), ok && timeout.Timeout():
		return fmt.Sprintf("no answer within %v", callTimeout)
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return fmt.Sprintf("no answer, or one that cannot be read (%T)", innermost(err))
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
