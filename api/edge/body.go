package edge

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/platen"
)

// drainLimit is how much of an oversized body is read and thrown away: a
// client that writes before it reads sees the 413 and not a broken connection.
const drainLimit = 4 << 20

// inflating is what unpacking gzip takes beside the body, in bytes.
const inflating = 64 << 10

// ReadBody reads a request's body whole, at most limit bytes of it after
// decompression; gzip is the only encoding. A longer body is KindTooLarge, an
// unreadable one KindInvalid. A body for which there is no room beside those of
// other requests is KindUnavailable.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	src, length, err := open(r, limit, limit)
	if err != nil {
		return nil, err
	}
	body, err := notesOf(r.Context()).holding.ReadAll(r.Context(), src, length, limit)
	return body, readError(r, err, limit)
}

// open returns a body of at most whole bytes, unpacked, and its length, negative when it is
// not known. Limit is what the error of a longer body names.
func open(r *http.Request, limit, whole int64) (src io.Reader, length int64, err error) {
	zipped, err := isGzip(r.Header)
	if err != nil {
		return nil, 0, err
	}
	if r.ContentLength > whole {
		drain(r)
		return nil, 0, tooLarge(limit)
	}
	if !zipped {
		return r.Body, r.ContentLength, nil
	}
	if err := Reserve(r.Context(), inflating); err != nil {
		return nil, 0, err
	}
	unzipped, err := gzip.NewReader(io.LimitReader(r.Body, whole+1))
	if err != nil {
		return nil, 0, unreadableError("The body is not gzip, as its Content-Encoding says.", err)
	}
	return unzipped, -1, nil
}

// readError is what a body that could not be read is answered with; nil without an error.
func readError(r *http.Request, err error, limit int64) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, intake.ErrTooLong):
		drain(r)
		return tooLarge(limit)
	case errors.Is(err, admission.ErrFull):
		return noRoom(err)
	}
	return unreadableError("The body could not be read to its end. Send it again.", err)
}

// FormType is the type of a form that brings a file (RFC 7578).
const FormType = "multipart/form-data"

const (
	// maxParts is how many parts a form may have.
	maxParts = 2
	// besideFile is what a form has beside its file at most, in bytes.
	besideFile = 256 << 10
)

// ReadForm calls read for each part of a form. Content reads the part, at most limit bytes.
// Errors are read's, and those of ReadBody.
func ReadForm(r *http.Request, limit int64, read func(part *multipart.Part, content func() ([]byte, error)) error) error {
	_, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	src, length, err := open(r, limit, limit+besideFile)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if err := Reserve(ctx, besideFile); err != nil {
		return err
	}
	err = intake.EachPart(src, parameters["boundary"], maxParts, func(part *multipart.Part) error {
		return read(part, func() ([]byte, error) {
			return notesOf(ctx).holding.ReadAll(ctx, part, length, limit)
		})
	})
	if _, ok := errors.AsType[*platen.Error](err); ok {
		drain(r) // of a form that was refused before its end
		return err
	}
	if errors.Is(err, intake.ErrNoForm) || errors.Is(err, io.ErrUnexpectedEOF) {
		return unreadableError("The body is not the form that its Content-Type announces, or not all of it: a form ends with its boundary.", err)
	}
	return readError(r, err, limit)
}

// Reserve takes room for what a handler is about to read by itself.
func Reserve(ctx context.Context, bytes int64) error {
	if err := notesOf(ctx).holding.Take(ctx, bytes); err != nil {
		return noRoom(err)
	}
	return nil
}

func isGzip(h http.Header) (bool, error) {
	switch strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")) {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	}
	return false, unsupportedEncoding()
}

func drain(r *http.Request) {
	if strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return // nothing is on its way before we ask for it
	}
	_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
}

// roomAfter is when there may be room for a body again: the largest ones are
// read in seconds.
const roomAfter = 2 * time.Second

// noRoom is the error of a request that waited for room in vain, or whose
// client did not wait.
func noRoom(err error) error {
	if !errors.Is(err, admission.ErrFull) {
		return err
	}
	return &platen.Error{Kind: platen.KindUnavailable, Code: "busy", RetryAfter: roomAfter, Err: err,
		Message: "Too many bytes of other requests are being read. Send this one again after the seconds that Retry-After says."}
}

func tooLarge(limit int64) error {
	size := fmt.Sprint(limit, " bytes")
	if limit >= 1<<20 && limit%(1<<20) == 0 {
		size = fmt.Sprint(limit>>20, " MiB")
	}
	return platen.Errorf(platen.KindTooLarge, "body_too_large", "The body is larger than %s. Send a smaller one.", size)
}

func unreadableError(message string, err error) error {
	var e *http.MaxBytesError
	if errors.As(err, &e) {
		return tooLarge(e.Limit)
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: "body_unreadable", Message: message, Err: err}
}

// streamPause is how long a body may rest while it is read as a stream; the answer has as
// long again. The time limits of the host are for bodies that are held whole.
const streamPause = 30 * time.Second

// Stream returns a request's body as it comes, unpacked. Its errors, and those of its reader,
// are those of ReadBody: of a body with more than limit bytes, of one that cannot be read to
// its end, and of one that rests for too long. Room for what is made of it is the caller's to
// reserve.
func Stream(w http.ResponseWriter, r *http.Request, limit int64) (io.Reader, error) {
	src, _, err := open(r, limit, limit)
	if err != nil {
		return nil, err
	}
	return &stream{r: r, src: src, server: http.NewResponseController(w), limit: limit}, nil
}

type stream struct {
	r      *http.Request
	src    io.Reader
	server *http.ResponseController
	until  time.Time // when the time limit is put off again
	limit  int64
	count  int64
}

func (s *stream) Read(p []byte) (int, error) {
	if now := time.Now(); now.After(s.until) {
		s.until = now.Add(time.Second)
		_ = s.server.SetReadDeadline(now.Add(streamPause)) // not every writer has one
		_ = s.server.SetWriteDeadline(now.Add(2 * streamPause))
	}
	n, err := s.src.Read(p)
	s.count += int64(n)
	switch {
	case s.count > s.limit:
		drain(s.r)
		return n, tooLarge(s.limit)
	case err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return n, readError(s.r, err, s.limit)
	}
	return n, err
}
