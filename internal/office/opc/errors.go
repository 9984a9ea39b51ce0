package opc

// FormatError says that a file is not an office file that we can read. Message
// is written for the person who uploaded it and never quotes the file's
// contents; Err, for the log, may.
type FormatError struct {
	Message string
	Err     error
}

// Error returns the message and, for logs, its cause.
func (e *FormatError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause, which may be nil.
func (e *FormatError) Unwrap() error { return e.Err }

// RequestError is a fault in a batchUpdate request. It becomes Google's
// 400 INVALID_ARGUMENT, and Message goes to the client as it is: it names the
// request by its place, as in "Invalid requests[0].insertText: …".
type RequestError struct{ Message string }

// Error returns the message.
func (e *RequestError) Error() string { return e.Message }
