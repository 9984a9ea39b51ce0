package edge

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

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
	zipped, err := isGzip(r.Header)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		drain(r)
		return nil, tooLarge(limit)
	}
	ctx, holding := r.Context(), notesOf(r.Context()).holding
	src, length := io.Reader(r.Body), r.ContentLength
	if zipped {
		if err := holding.Take(ctx, inflating); err != nil {
			return nil, noRoom(err)
		}
		unzipped, err := gzip.NewReader(io.LimitReader(src, limit+1))
		if err != nil {
			return nil, unreadableError("The body is not gzip, as its Content-Encoding says.", err)
		}
		src, length = unzipped, -1
	}
	body, err := holding.ReadAll(ctx, src, length, limit)
	switch {
	case errors.Is(err, intake.ErrTooLong):
		drain(r)
		return nil, tooLarge(limit)
	case errors.Is(err, intake.ErrFull):
		return nil, noRoom(err)
	case err != nil:
		return nil, unreadableError("The body could not be read to its end. Send it again.", err)
	}
	return body, nil
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
	if !errors.Is(err, intake.ErrFull) {
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
