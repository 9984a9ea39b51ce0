package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/platen"
)

// StatusOf is the one table that turns a kind into an HTTP status.
func StatusOf(k platen.Kind) int {
	switch k {
	case platen.KindInvalid:
		return http.StatusBadRequest
	case platen.KindForbidden:
		return http.StatusForbidden
	case platen.KindNotFound:
		return http.StatusNotFound
	case platen.KindConflict:
		return http.StatusConflict
	case platen.KindGone:
		return http.StatusGone
	case platen.KindTooLarge:
		return http.StatusRequestEntityTooLarge
	case platen.KindRateLimited:
		return http.StatusTooManyRequests
	case platen.KindUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// titleOf is the reason text of a status: the specification's (section 7)
// where it names one, else that of RFC 9110.
func titleOf(status int) string {
	switch status {
	case http.StatusForbidden:
		return "Unauthorised"
	case http.StatusRequestEntityTooLarge:
		return "Content Too Large"
	case StatusClientGone:
		return "Client Closed Request"
	}
	return http.StatusText(status)
}

// StatusClientGone is what logs and metrics say of a request whose client closed the
// connection before the answer, as nginx has it. Nobody reads it.
const StatusClientGone = 499

// typePrefix and a code make a problem's type. A title like "Unauthorised"
// needs a type of its own: about:blank would promise HTTP's reason text.
const typePrefix = "urn:platen:problem:"

// defaultRetryAfter is what a 429 or 503 says when its error does not.
const defaultRetryAfter = 5 * time.Second

type problem struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	Code      string  `json:"code"`
	Errors    []fault `json:"errors,omitempty"`
	RequestID string  `json:"requestId"`
}

type fault struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	Row     int    `json:"row,omitempty"` // of a batch
}

// statusError is an answer that HTTP itself asks for and no kind stands for.
type statusError struct {
	status int
	header http.Header
	shown  *platen.Error
}

func (e *statusError) Error() string { return e.shown.Message }
func (e *statusError) Unwrap() error { return e.shown }

// MethodNotAllowed is the 405 of a path that knows only the methods of allow,
// written as in an Allow header; detail says what to do instead.
func MethodNotAllowed(allow, detail string) error {
	return &statusError{
		status: http.StatusMethodNotAllowed,
		shown:  platen.Errorf(platen.KindInvalid, "method_not_allowed", "%s", detail),
		header: http.Header{"Allow": {allow}},
	}
}

// PreconditionFailed is the 412 of a request whose If-Match does not hold.
func PreconditionFailed(detail string) error {
	return &statusError{
		status: http.StatusPreconditionFailed,
		shown:  platen.Errorf(platen.KindConflict, "precondition_failed", "%s", detail),
	}
}

// NotReady is a 503 with the reason: what the store says to clients where
// waiting does not help, such as a schema that is not migrated.
func NotReady(err error) error {
	unready := &platen.Error{Kind: platen.KindUnavailable, Code: "not_ready", Message: "The database does not answer.", Err: err}
	if reason, ok := errors.AsType[*platen.Error](err); ok && reason.Kind == platen.KindInvalid {
		unready.Code, unready.Message = reason.Code, reason.Message
	}
	return unready
}

// LoopDetected is the 508 (RFC 5842, section 7.2) of an event that goes in a
// circle.
func LoopDetected(detail string) error {
	return &statusError{
		status: http.StatusLoopDetected,
		shown:  platen.Errorf(platen.KindInvalid, "loop_detected", "%s", detail),
	}
}

func unsupportedEncoding() error {
	return &statusError{
		status: http.StatusUnsupportedMediaType,
		shown:  platen.Errorf(platen.KindInvalid, "content_encoding_unsupported", "The body's Content-Encoding is not supported: send it as it is or with gzip."),
		header: http.Header{"Accept-Encoding": {"gzip"}},
	}
}

// refusal is the answer of an error.
type refusal struct {
	status int
	header http.Header
	*platen.Error
}

// classify returns the part of err that the client may see. An unclassified error is an
// internal error and stays in the log.
func classify(r *http.Request, err error) refusal {
	var e *platen.Error
	var s *statusError
	var p *panicError
	switch {
	case errors.Is(r.Context().Err(), context.Canceled) && !errors.As(err, &p):
		return refusal{StatusClientGone, nil, platen.Errorf(platen.KindUnavailable, "client_gone",
			"The connection was closed before the answer.")}
	case errors.As(err, &s):
		return refusal{s.status, s.header, s.shown}
	case errors.As(err, &e) && e.Kind != platen.KindInternal:
		if e.Code == "" {
			coded := *e
			coded.Code = strings.ReplaceAll(e.Kind.String(), " ", "_")
			e = &coded
		}
		return refusal{StatusOf(e.Kind), nil, e}
	case r.Context().Err() != nil,
		errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, context.Canceled):
		return refusal{http.StatusServiceUnavailable, nil, platen.Errorf(platen.KindUnavailable, "timed_out",
			"The request could not be finished in time. Try again.")}
	}
	return refusal{http.StatusInternalServerError, nil, platen.Errorf(platen.KindInternal, "internal_error",
		"Internal error. Quote the request id %s when you report it.", RequestID(r.Context()))}
}

// Code is the code of err that a client gets.
func Code(r *http.Request, err error) string { return classify(r, err).Code }

// WriteProblem answers with the problem that err is to the client, for a layer
// that must see the answer; every other error is returned and written once, by
// Handler.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	writeProblem(w, r, classify(r, err))
}

// writeProblem is the only place that answers with an error.
func writeProblem(w http.ResponseWriter, r *http.Request, to refusal) {
	p := problem{
		Type:      typePrefix + to.Code,
		Title:     titleOf(to.status),
		Status:    to.status,
		Detail:    Sentence(to.Error),
		Code:      to.Code,
		RequestID: RequestID(r.Context()),
	}
	for _, f := range to.Faults {
		p.Errors = append(p.Errors, fault{Pointer: f.Pointer, Detail: f.Message, Row: f.Row})
	}
	h := w.Header()
	for name, values := range to.header {
		h[name] = values
	}
	if to.status == http.StatusServiceUnavailable || to.status == http.StatusTooManyRequests || to.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(wholeSeconds(to.RetryAfter)))
	}
	h.Set("Cache-Control", "no-store")
	if body, err := Encode(p); err == nil {
		Write(w, to.status, "application/problem+json", body)
	}
}

// Sentence writes a message that was made like Go's errors, in lower case and
// without a full stop, as one. A message with faults may begin with the name
// of a field, which stays as it is.
func Sentence(e *platen.Error) string {
	s := e.Message
	if first, size := utf8.DecodeRuneInString(s); len(e.Faults) == 0 && unicode.IsLower(first) {
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if last, _ := utf8.DecodeLastRuneInString(s); unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' {
		s += "."
	}
	return s
}

func wholeSeconds(d time.Duration) int {
	if d <= 0 {
		d = defaultRetryAfter
	}
	return roundUp(d)
}

// WriteJSON answers with v as JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	Write(w, status, "application/json", body, []byte("\n"))
	return nil
}

// Encode writes v as WriteJSON answers with it: one line, nothing after it.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // addresses are full of '&'
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Write answers with a body that is complete, in one piece or several.
func Write(w http.ResponseWriter, status int, contentType string, body ...[]byte) {
	length := 0
	for _, piece := range body {
		length += len(piece)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(status)
	for _, piece := range body {
		_, _ = w.Write(piece) // fails only when nobody listens any more
	}
}
