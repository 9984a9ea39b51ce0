package edge

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/platenhq/platen"
)

// drainLimit is how much of an oversized body is read and thrown away: a
// client that writes before it reads sees the 413 and not a broken connection.
const drainLimit = 4 << 20

// announced is how much of an announced body gets its room before it is there.
const announced = 16 << 10

// ReadBody reads a request's body whole, at most limit bytes of it after
// decompression; gzip is the only encoding. A longer body is KindTooLarge, an
// unreadable one KindInvalid.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	zipped, err := isGzip(r.Header)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		drain(r)
		return nil, tooLarge(limit)
	}
	var src io.Reader = io.LimitReader(r.Body, limit+1)
	if zipped {
		unzipped, err := gzip.NewReader(src)
		if err != nil {
			return nil, unreadable("The body is not gzip, as its Content-Encoding says.", err)
		}
		src = io.LimitReader(unzipped, limit+1)
	}
	var read bytes.Buffer
	// What the sender announces is made room for, but not all that it could.
	read.Grow(int(min(max(r.ContentLength, 0), announced)) + bytes.MinRead)
	_, err = read.ReadFrom(src)
	body := read.Bytes()
	if int64(len(body)) > limit {
		drain(r)
		return nil, tooLarge(limit)
	}
	if err != nil {
		return nil, unreadable("The body could not be read to its end. Send it again.", err)
	}
	return body, nil
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

func tooLarge(limit int64) error {
	return platen.Errorf(platen.KindTooLarge, "body_too_large", "The body is larger than %d bytes. Send a smaller one.", limit)
}

func unreadable(message string, err error) error {
	var e *http.MaxBytesError
	if errors.As(err, &e) {
		return tooLarge(e.Limit)
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: "body_unreadable", Message: message, Err: err}
}
