package drive

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// beginUpload opens a session and answers its address. What can be known to
// fail fails here, before the bytes are sent.
func (s *Server) beginUpload(w http.ResponseWriter, r *http.Request, u store.Upload) error {
	var err error
	if u.Metadata, err = readMetadata(r); err != nil {
		return err
	}
	if err := s.checkUploader(r.Context(), u); err != nil {
		return err
	}
	if u.FileID != nil {
		f, err := s.store.Get(r.Context(), u.Owner, *u.FileID)
		if err != nil {
			return err
		}
		if err := f.CheckWritable(u.Owner); err != nil {
			return err
		}
	}
	u.MediaType = r.Header.Get("X-Upload-Content-Type")
	if text := r.Header.Get("X-Upload-Content-Length"); text != "" {
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 0 {
			return fault.BadRequest("badRequest", "X-Upload-Content-Length must be a number of bytes.")
		}
		if size > store.MaxContent {
			return fault.TooLarge("A file", store.MaxContent)
		}
		u.Size = &size
	}
	if _, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok {
		u.Token = store.Hash(strings.TrimSpace(token))
	}
	key, err := s.store.BeginUpload(r.Context(), u)
	if err != nil {
		return err
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	// The address that the client has used, which need not be the public one.
	w.Header().Set("Location", scheme+"://"+r.Host+r.URL.Path+"?uploadType=resumable&upload_id="+key)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (s *Server) continueUpload(w http.ResponseWriter, r *http.Request, key string) error {
	ctx := r.Context()
	if r.Method == http.MethodDelete {
		if err := s.store.CancelUpload(ctx, key); err != nil {
			return err
		}
		// Google's own answer to a cancelled upload.
		w.WriteHeader(499)
		return nil
	}
	owner, err := s.uploader(r, key)
	if err != nil {
		return err
	}
	leave, err := s.enter(r, owner)
	if err != nil {
		return err
	}
	defer leave()
	body, err := readBody(r, "A file", store.MaxContent)
	if err != nil {
		return err
	}
	c, err := parseRange(r.Header.Get("Content-Range"), body)
	if err != nil {
		return err
	}
	release, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
	u, f, err := s.store.ContinueUpload(ctx, key, c, s.finish)
	if errors.Is(err, store.ErrGap) {
		return fault.BadRequest("badRequest", "Failed to parse Content-Range header: the chunk begins after the last byte received. Ask for the range with Content-Range: bytes */*.")
	}
	if err != nil {
		return err
	}
	if f == nil {
		return resumeIncomplete(w, r, u.Received)
	}
	user, err := s.store.UserByID(ctx, u.Owner)
	if err != nil {
		return err
	}
	query, err := url.ParseQuery(u.Query)
	if err != nil {
		return fmt.Errorf("parse the stored query: %w", err)
	}
	m, err := fileMask(query)
	if err != nil {
		return err
	}
	return s.writeFile(w, r, m, *f, user)
}

// uploader says whose session it is. A session of somebody else than the
// request's token is as unknown as one that is not there.
func (s *Server) uploader(r *http.Request, key string) (owner string, err error) {
	if owner, err = s.store.UploadOwner(r.Context(), key); err != nil {
		return "", err
	}
	if r.Header.Get("Authorization") == "" {
		return owner, nil // the session's address is a credential
	}
	user, err := s.caller(r)
	if err == nil && user.ID != owner {
		err = store.UploadNotFound()
	}
	return owner, err
}

// resumeIncomplete says which bytes are there. Clients that ask for it get 200
// with the 308 in a header, because RFC 7538 gave 308 another meaning.
func resumeIncomplete(w http.ResponseWriter, r *http.Request, received int64) error {
	if received > 0 {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", received-1))
	}
	if r.Header.Get("X-GUploader-No-308") == "yes" {
		w.Header().Set("X-Http-Status-Code-Override", "308")
		w.WriteHeader(http.StatusOK)
		return nil
	}
	w.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

// chunkUnit is what the size of every chunk but the last is a multiple of, on
// Google's drive as here.
const chunkUnit = 256 << 10

// parseRange reads Content-Range: "bytes 0-9/20", "bytes 0-9/*", "bytes */20"
// or "bytes */*"; without one the body is the whole file.
func parseRange(header string, body []byte) (store.Chunk, error) {
	c := store.Chunk{Body: body}
	size := int64(len(body))
	if header == "" {
		c.Total = &size
		return c, nil
	}
	wrong := fault.BadRequest("badRequest", "Failed to parse Content-Range header: it must be like bytes 0-262143/524288 and fit the body.")
	span, total, ok := strings.Cut(strings.TrimPrefix(header, "bytes "), "/")
	if !ok || !strings.HasPrefix(header, "bytes ") {
		return c, wrong
	}
	if total != "*" {
		n, err := strconv.ParseInt(total, 10, 64)
		if err != nil || n < 0 {
			return c, wrong
		}
		c.Total = &n
	}
	if span == "*" {
		if size != 0 {
			return c, wrong
		}
		return c, nil
	}
	first, last, ok := strings.Cut(span, "-")
	start, err1 := strconv.ParseInt(first, 10, 64)
	end, err2 := strconv.ParseInt(last, 10, 64)
	if !ok || err1 != nil || err2 != nil || start < 0 || end != start+size-1 {
		return c, wrong
	}
	if final := c.Total != nil && end == *c.Total-1; !final && size%chunkUnit != 0 {
		return c, fault.BadRequest("badRequest", "The size of every chunk but the last must be a multiple of 262144 bytes.")
	}
	c.Start = start
	return c, nil
}
