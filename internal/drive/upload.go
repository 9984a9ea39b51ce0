package drive

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// upload takes content for a new file, or for the file in the path: in one go
// (uploadType=media), after its metadata in one body (multipart), or in a
// session (resumable).
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	if key := r.URL.Query().Get("upload_id"); key != "" {
		// The session's address is its credential.
		return s.continueUpload(w, r, key)
	}
	if r.Method != http.MethodPost && r.Method != http.MethodPatch || r.Method == http.MethodPost && r.PathValue("id") != "" {
		return notServed(r)
	}
	return s.authenticate(s.newUpload)(w, r)
}

// newUpload takes content in one request, or opens a session for it.
func (s *Server) newUpload(w http.ResponseWriter, r *http.Request, user store.User) error {
	query := r.URL.Query()
	m, err := fileMask(query)
	if err != nil {
		return err
	}
	u := store.Upload{Owner: user.ID, Query: r.URL.RawQuery}
	if id := r.PathValue("id"); id != "" {
		u.FileID = &id
	}
	var body []byte
	switch query.Get("uploadType") {
	case "resumable":
		return s.beginUpload(w, r, u)
	case "multipart":
		u.Metadata, u.MediaType, body, err = readMultipart(r)
	case "media", "":
		u.MediaType = r.Header.Get("Content-Type")
		body, err = readBody(r, "A file", store.MaxContent)
	default:
		err = fault.InvalidParameter("uploadType", "Invalid value for uploadType: it is media, multipart or resumable.")
	}
	if err != nil {
		return err
	}
	f, err := s.receive(r.Context(), u, body)
	if err != nil {
		return err
	}
	return s.writeFile(w, r, m, f, user)
}

// receive stores an upload that came in one piece.
func (s *Server) receive(ctx context.Context, u store.Upload, body []byte) (f store.File, err error) {
	if err := s.checkUploader(ctx, u); err != nil {
		return store.File{}, err
	}
	release, err := s.uploadSlot(ctx, u)
	if err != nil {
		return store.File{}, err
	}
	defer release()
	if u.FileID == nil {
		f, err := s.newUploaded(u, body)
		if err != nil {
			return store.File{}, err
		}
		return s.store.Create(ctx, f, store.NewBlob(body))
	}
	err = s.store.InTx(ctx, func(tx pgx.Tx) error {
		f, err = s.finish(ctx, tx, u, body)
		return err
	})
	return f, err
}

// checkUploader refuses an upload early if its owner may not create the file.
func (s *Server) checkUploader(ctx context.Context, u store.Upload) error {
	m, err := parseMetadata(u.Metadata)
	if err != nil || u.FileID != nil {
		return err
	}
	return s.checkStorage(ctx, m.newFile(u.Owner, ""))
}

// uploadSlot waits for a turn if the upload's content may be an office file to
// be converted. A new file of another type is only stored.
func (s *Server) uploadSlot(ctx context.Context, u store.Upload) (release func(), err error) {
	m, err := parseMetadata(u.Metadata)
	if err != nil {
		return nil, err
	}
	if u.FileID == nil && !isEditorType(m.MimeType) {
		return func() {}, nil
	}
	return s.slot(ctx)
}

// newUploaded is the new file of an upload whose bytes are all there.
func (s *Server) newUploaded(u store.Upload, body []byte) (store.File, error) {
	m, err := parseMetadata(u.Metadata)
	if err != nil {
		return store.File{}, err
	}
	mediaType, _, _ := mime.ParseMediaType(u.MediaType)
	f := m.newFile(u.Owner, mediaType)
	if err := checkCreatable(f); err != nil {
		return store.File{}, err
	}
	return f, s.checkUpload(f, body)
}

// finish makes the file of an upload whose bytes are all there, or changes the
// one that it is for.
func (s *Server) finish(ctx context.Context, tx pgx.Tx, u store.Upload, body []byte) (store.File, error) {
	if u.FileID == nil {
		f, err := s.newUploaded(u, body)
		if err != nil {
			return store.File{}, err
		}
		return store.Insert(ctx, tx, f, store.NewBlob(body))
	}
	m, err := parseMetadata(u.Metadata)
	if err != nil {
		return store.File{}, err
	}
	mediaType, _, _ := mime.ParseMediaType(u.MediaType)
	query, err := url.ParseQuery(u.Query)
	if err != nil {
		return store.File{}, fault.BadRequest("badRequest", "The query of the upload is malformed.")
	}
	return store.ChangeIn(ctx, tx, u.Owner, *u.FileID, func(tx pgx.Tx, f *store.File) (*store.Blob, error) {
		if err := update(ctx, tx, f, u.Owner, m, query); err != nil {
			return nil, err
		}
		if m.MimeType == nil && mediaType != "" && !strings.HasPrefix(f.MimeType, store.GoogleTypes) {
			f.MimeType = mediaType
		}
		content := store.NewBlob(body)
		if m.ModifiedTime == nil && !bytes.Equal(content.Sha256, f.SHA256) {
			f.ModifiedAt = time.Now()
		}
		return content, s.checkUpload(*f, body)
	})
}

// checkUpload refuses content that the file's type cannot have. For Docs and
// Slides files the content is converted, which here means: it can be read.
func (s *Server) checkUpload(f store.File, body []byte) error {
	if !f.HasContent() {
		return fault.InvalidParameter("file.mimeType", "A folder or shortcut has no content.")
	}
	if f.IsEditor() {
		return s.formats.of(f.MimeType).check(body)
	}
	return nil
}

// Limits on what a multipart body has beside its two parts, in bytes: the
// headers of a part, and what stands before the first.
const maxPartHeader = 64 << 10

// readMultipart reads a file resource and the content that follows it, each as
// it comes: the body as a whole is held nowhere.
func readMultipart(r *http.Request) (metadata []byte, mediaType string, body []byte, err error) {
	malformed := fault.BadRequest("badContent", "Malformed multipart body: it has a JSON part with the file resource and then a part with the content.")
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		return nil, "", nil, malformed
	}
	// Base64 takes a third more.
	const whole = store.MaxContent*4/3 + maxMetadata + 2*maxPartHeader
	if r.ContentLength > whole {
		return nil, "", nil, fault.TooLarge("A file", store.MaxContent)
	}
	// The reader buffers data outside parts until it is parsed.
	source := &io.LimitedReader{R: r.Body, N: maxPartHeader}
	parts := multipart.NewReader(source, params["boundary"])
	first, err := parts.NextRawPart()
	if err != nil {
		return nil, "", nil, malformed
	}
	source.N = whole
	counted := &census{from: first, limits: fileLimits}
	if metadata, err = readPart(r, counted, fileLimits.what, fileLimits.bytes, malformed); err != nil {
		return nil, "", nil, err
	}
	source.N = maxPartHeader
	second, err := parts.NextRawPart()
	if err != nil {
		return nil, "", nil, malformed
	}
	source.N = whole
	var content io.Reader = second
	if strings.EqualFold(second.Header.Get("Content-Transfer-Encoding"), "base64") {
		content = base64.NewDecoder(base64.StdEncoding, second)
	}
	if body, err = readPart(r, content, "A file", store.MaxContent, malformed); err != nil {
		return nil, "", nil, err
	}
	// Google's client for Go ends the parts even of content that failed, and then
	// breaks the request off.
	source.N = maxPartHeader
	if _, err := io.Copy(io.Discard, source); err != nil {
		return nil, "", nil, malformed
	}
	return metadata, second.Header.Get("Content-Type"), body, nil
}

// readPart is readFrom for a part that ends as a part must, and malformed otherwise.
func readPart(r *http.Request, part io.Reader, what string, limit int64, malformed *fault.Error) ([]byte, error) {
	broken := &brokenOff{Reader: part}
	body, err := readFrom(r, broken, -1, what, limit)
	if broken.err != nil && !errors.As(broken.err, new(*fault.Error)) {
		return nil, malformed
	}
	return body, err
}

// brokenOff remembers why a reader ended too early.
type brokenOff struct {
	io.Reader
	err error
}

func (b *brokenOff) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
