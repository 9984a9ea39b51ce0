package drive

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// upload takes content for a new file, or for the file in the path: in one go
// (uploadType=media), after its metadata in one body (multipart), or in a
// session (resumable).
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if key := query.Get("upload_id"); key != "" {
		// The session's address is its credential.
		return s.continueUpload(w, r, key)
	}
	if r.Method != http.MethodPost && r.Method != http.MethodPatch || r.Method == http.MethodPost && r.PathValue("id") != "" {
		return notServed()
	}
	user, err := s.caller(r)
	if err != nil {
		return err
	}
	m, err := fileMask(query)
	if err != nil {
		return err
	}
	u := upload{Owner: user.ID, Query: r.URL.RawQuery}
	if id := r.PathValue("id"); id != "" {
		u.FileID = &id
	}
	var body []byte
	switch query.Get("uploadType") {
	case "resumable":
		return s.beginUpload(w, r, u)
	case "multipart":
		u.Metadata, u.MediaType, body, err = readMultipart(w, r)
	case "media", "":
		u.MediaType = r.Header.Get("Content-Type")
		body, err = readBody(w, r, "A file", MaxContent)
	default:
		err = invalidParameter("uploadType", "Invalid value for uploadType: it is media, multipart or resumable.")
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
func (s *Server) receive(ctx context.Context, u upload, body []byte) (f file, err error) {
	release, err := s.uploadSlot(ctx, u)
	if err != nil {
		return file{}, err
	}
	defer release()
	if u.FileID == nil {
		return s.finishNew(ctx, s.store.pool, u, body)
	}
	err = s.store.inTx(ctx, func(tx pgx.Tx) error {
		f, err = s.finish(ctx, tx, u, body)
		return err
	})
	return f, err
}

// uploadSlot waits for a turn if the upload's content may be an office file to
// be converted. A new file of another type is only stored.
func (s *Server) uploadSlot(ctx context.Context, u upload) (release func(), err error) {
	m, err := parseMetadata(u.Metadata)
	if err != nil {
		return nil, err
	}
	if u.FileID == nil && !isEditorType(m.MimeType) {
		return func() {}, nil
	}
	return s.slot(ctx)
}

// finishNew makes a new file of an upload whose bytes are all there.
func (s *Server) finishNew(ctx context.Context, q querier, u upload, body []byte) (file, error) {
	m, err := parseMetadata(u.Metadata)
	if err != nil {
		return file{}, err
	}
	mediaType, _, _ := mime.ParseMediaType(u.MediaType)
	f := m.newFile(u.Owner, mediaType)
	if err := checkCreatable(f); err != nil {
		return file{}, err
	}
	if err := s.checkUpload(f, body); err != nil {
		return file{}, err
	}
	return insert(ctx, q, f, newBlob(body))
}

// finish makes the file of an upload whose bytes are all there, or changes the
// one that it is for.
func (s *Server) finish(ctx context.Context, tx pgx.Tx, u upload, body []byte) (file, error) {
	if u.FileID == nil {
		return s.finishNew(ctx, tx, u, body)
	}
	m, err := parseMetadata(u.Metadata)
	if err != nil {
		return file{}, err
	}
	mediaType, _, _ := mime.ParseMediaType(u.MediaType)
	query, err := url.ParseQuery(u.Query)
	if err != nil {
		return file{}, badRequest("badRequest", "The query of the upload is malformed.")
	}
	return changeIn(ctx, tx, u.Owner, *u.FileID, func(tx pgx.Tx, f *file) (*blob, error) {
		if err := update(ctx, tx, f, u.Owner, m, query); err != nil {
			return nil, err
		}
		if m.MimeType == nil && mediaType != "" && !strings.HasPrefix(f.MimeType, googleTypes) {
			f.MimeType = mediaType
		}
		return newBlob(body), s.checkUpload(*f, body)
	})
}

// checkUpload refuses content that the file's type cannot have. For Docs and
// Slides files the content is converted, which here means: it can be read.
func (s *Server) checkUpload(f file, body []byte) error {
	if f.isFolder() {
		return invalidParameter("file.mimeType", "A folder has no content.")
	}
	if f.isEditor() {
		return s.formats.of(f.MimeType).check(body)
	}
	return nil
}

// readMultipart reads a file resource and the content that follows it.
func readMultipart(w http.ResponseWriter, r *http.Request) (metadata []byte, mediaType string, body []byte, err error) {
	malformed := badRequest("badContent", "Malformed multipart body: it has a JSON part with the file resource and then a part with the content.")
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		return nil, "", nil, malformed
	}
	// Base64 takes a third more.
	whole, err := readBody(w, r, "A file", MaxContent*4/3+maxMetadata+64<<10)
	if err != nil {
		return nil, "", nil, err
	}
	parts := multipart.NewReader(bytes.NewReader(whole), params["boundary"])
	first, err := parts.NextRawPart()
	if err != nil {
		return nil, "", nil, malformed
	}
	metadata, err = io.ReadAll(io.LimitReader(first, maxMetadata+1))
	if err != nil {
		return nil, "", nil, malformed
	}
	if len(metadata) > maxMetadata {
		return nil, "", nil, tooLarge("The file resource", maxMetadata)
	}
	second, err := parts.NextRawPart()
	if err != nil {
		return nil, "", nil, malformed
	}
	var content io.Reader = second
	if strings.EqualFold(second.Header.Get("Content-Transfer-Encoding"), "base64") {
		content = base64.NewDecoder(base64.StdEncoding, second)
	}
	body, err = io.ReadAll(io.LimitReader(content, MaxContent+1))
	if err != nil {
		return nil, "", nil, malformed
	}
	if len(body) > MaxContent {
		return nil, "", nil, tooLarge("A file", MaxContent)
	}
	return metadata, second.Header.Get("Content-Type"), body, nil
}
