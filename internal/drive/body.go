package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/intake"
)

// jsonLimits are those of a body of Google's JSON.
type jsonLimits struct {
	what     string // it is, for the error
	bytes    int64
	decoded  int64 // bytes that it may take once it is decoded
	requests int   // of a batch; 0: it is none
}

var (
	// Our own batches have a few requests for each of the 10,000 changes that a
	// document may take.
	batchLimits        = jsonLimits{"A batch of requests", maxBatch, 64 << 20, 50_000}
	documentLimits     = jsonLimits{"The document", maxMetadata, 16 << 20, 0}
	presentationLimits = jsonLimits{"The presentation", maxMetadata, 16 << 20, 0}
	fileLimits         = jsonLimits{"The file resource", maxMetadata, 2 << 20, 0}
)

// What all batches and documents may take together once they are decoded, and
// how long one waits for the others.
const (
	maxDecoding      = 96 << 20
	decodingWaits    = 64
	decodingPatience = 5 * time.Second
)

// readBody reads a body whole. Room for it is taken before it is read, in steps.
func readBody(r *http.Request, what string, limit int64) ([]byte, error) {
	return readFrom(r, r.Body, r.ContentLength, what, limit)
}

// readFrom is readBody for what is made of a request's body. Length is what is
// known of its length, -1 for nothing.
func readFrom(r *http.Request, from io.Reader, length int64, what string, limit int64) ([]byte, error) {
	if length > limit {
		return nil, fault.TooLarge(what, limit)
	}
	body, err := intake.Of(r.Context()).ReadAll(r.Context(), from, length, limit)
	var f *fault.Error
	switch {
	case errors.Is(err, intake.ErrTooLong):
		return nil, fault.TooLarge(what, limit)
	case errors.Is(err, admission.ErrFull):
		return nil, noRoom()
	case errors.As(err, &f):
		return nil, f
	case err != nil:
		return nil, fault.BadRequest("badRequest", "The request body could not be read to its end.")
	}
	return body, nil
}

func noRoom() *fault.Error {
	return unavailable("The drive has no room for the request's body beside those of others; try again.")
}

// A payload is a body of JSON whose elements were counted while it was read.
type payload struct {
	body    []byte
	decoded int64 // what it takes when it is decoded, in bytes, at most
}

// readPayload reads JSON of Google's resources. Their fields are many and
// mostly empty, so that three bytes can become five hundred: how many there are
// is limited beside the bytes.
func readPayload(r *http.Request, l jsonLimits) (payload, error) {
	c := &census{from: r.Body, limits: l}
	body, err := readFrom(r, c, r.ContentLength, l.what, l.bytes)
	return payload{body, c.decoded + int64(len(body))}, err
}

// readMetadata reads the file resource that a request consists of.
func readMetadata(r *http.Request) ([]byte, error) {
	p, err := readPayload(r, fileLimits)
	return p.body, err
}

// strictly decodes a payload in which an unknown name would be a request that
// is not carried out. The caller holds a slot, and calls release once it is
// done with the decoded value.
func (s *Server) strictly(ctx context.Context, p payload, target any) (release func(), err error) {
	if err := s.decoded.Take(ctx, "", p.decoded); err != nil {
		if errors.Is(err, admission.ErrFull) {
			return nil, noRoom()
		}
		return nil, err
	}
	release = func() { s.decoded.Give("", p.decoded) }
	if err := decodeStrictly(p.body, target); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func decodeStrictly(body []byte, target any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil && err != io.EOF {
		return fault.BadRequest("badRequest", "Invalid JSON payload received: %s.", jsonFault(err))
	}
	if d.More() {
		return fault.BadRequest("badRequest", "Invalid JSON payload received: more than one value.")
	}
	return nil
}

// jsonFault says what is wrong with a body without quoting it.
func jsonFault(err error) string {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var moment *time.ParseError
	switch {
	case errors.As(err, &wrong):
		kind, _, _ := strings.Cut(wrong.Value, " ")
		return fmt.Sprintf("%s cannot be a JSON %s", wrong.Field, kind)
	case errors.As(err, &moment):
		return "a time must be of the form 2026-01-02T03:04:05.678Z"
	case errors.As(err, &syntax):
		return fmt.Sprintf("syntax error at byte %d", syntax.Offset)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return "Unknown name " + strings.TrimPrefix(err.Error(), "json: unknown field ")
	}
	return "it is not valid JSON"
}

// What a value of JSON takes in Google's Go types, in bytes: a request is the
// union of all there are, other objects are smaller, and what a comma parts
// from the one before has a place in a list at least.
const (
	sizeOfRequest = 512
	sizeOfObject  = 256
	sizeOfElement = 32
)

// A census counts the values of the JSON that is read through it, and stops
// where there are too many. Whether it is JSON is not its business.
type census struct {
	from   io.Reader
	limits jsonLimits

	depth      int
	isInString bool
	isEscaped  bool // the next byte of the string stands for itself
	requests   int  // in the lists of the outermost object, but for their first ones
	decoded    int64
}

func (c *census) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.count(p[:n])
	switch {
	case c.limits.requests > 0 && c.requests >= c.limits.requests:
		return 0, fault.BadRequest("badRequest", "Invalid value at 'requests': a batch may have at most %d requests. Send them in several batches.", c.limits.requests).
			At("parameter", "requests")
	case c.decoded > c.limits.decoded:
		return 0, fault.BadRequest("badRequest", "Invalid JSON payload received: its objects and lists would take more than %d MiB. Send fewer of them at once.", c.limits.decoded>>20)
	}
	return n, err
}

func (c *census) count(p []byte) {
	for len(p) > 0 {
		if c.isInString {
			p = c.skipText(p)
			continue
		}
		switch p[0] {
		case '"':
			c.isInString = true
		case '{':
			c.depth++
			c.decoded += sizeOfObject
			if c.depth == 3 { // {"requests":[{
				c.decoded += sizeOfRequest - sizeOfObject
			}
		case '[':
			c.depth++
		case '}', ']':
			c.depth--
		case ',':
			c.decoded += sizeOfElement
			if c.depth == 2 {
				c.requests++
			}
		}
		p = p[1:]
	}
}

// skipText returns what comes after the string, or nothing while it goes on.
func (c *census) skipText(p []byte) []byte {
	if c.isEscaped {
		c.isEscaped = false
		return p[1:]
	}
	end := bytes.IndexByte(p, '"')
	text := p
	if end >= 0 {
		text = p[:end]
	}
	if escape := bytes.IndexByte(text, '\\'); escape >= 0 {
		c.isEscaped = true
		return p[escape+1:]
	}
	if end < 0 {
		return nil
	}
	c.isInString = false
	return p[end+1:]
}
