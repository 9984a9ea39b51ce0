// Package fault has the errors of Google's wire format that the drive's protocol
// answers with and its store refuses with. How they are written into an answer, and
// those that only the protocol knows, belong to package drive.
package fault

import (
	"fmt"
	"net/http"
	"time"
)

// Error is an error of Google's wire format, fit to be shown to the client.
type Error struct {
	Code    int    // HTTP status
	Status  string // google.rpc.Code, such as NOT_FOUND
	Reason  string // errors[].reason, what clients of Drive branch on
	Message string
	Domain  string // errors[].domain; global if empty
	Details []any  // of google.rpc, if there are any
	// RetryAfter is when to come again; 0: the answer does not say it, but for a 503.
	RetryAfter time.Duration
	// Location names the parameter or header at fault, if one is.
	Location, LocationType string
}

func (f *Error) Error() string { return fmt.Sprintf("%d %s: %s", f.Code, f.Reason, f.Message) }

// At names the parameter or header at fault; locationType is "parameter" or "header".
func (f *Error) At(locationType, location string) *Error {
	f.LocationType, f.Location = locationType, location
	return f
}

// BadRequest is 400 for a reason of Google's; format and args make its message.
func BadRequest(reason, format string, args ...any) *Error {
	return &Error{Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// InvalidParameter is a BadRequest whose reason is "invalid", at a parameter.
func InvalidParameter(name, format string, args ...any) *Error {
	return BadRequest("invalid", format, args...).At("parameter", name)
}

// Forbidden is 403 for a reason of Google's.
func Forbidden(reason, message string) *Error {
	return &Error{Code: http.StatusForbidden, Status: "PERMISSION_DENIED", Reason: reason, Message: message}
}

// FileNotFound answers for an unknown file and for somebody else's alike.
func FileNotFound(id string) *Error {
	f := &Error{Code: http.StatusNotFound, Status: "NOT_FOUND", Reason: "notFound", Message: "File not found: " + id + "."}
	return f.At("parameter", "fileId")
}

// TooLarge is 413 for what has more bytes than the limit.
func TooLarge(what string, limit int64) *Error {
	return &Error{Code: http.StatusRequestEntityTooLarge, Status: "INVALID_ARGUMENT", Reason: "uploadTooLarge",
		Message: fmt.Sprintf("%s may have at most %d bytes.", what, limit)}
}
