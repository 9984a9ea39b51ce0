package drive

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// inline lists the types that a browser may show by itself. Everything else
// is saved: a page of a user's must not run on this host.
var inline = map[string]bool{
	store.PDFType: true, store.TextType: true, "image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true,
}

// open answers a file's public address, of Docs and Slides files their PDF, or with
// download=office the office file:
// the secret one that its owner knows, or, while it is shared with everybody,
// that of its id. The address is a credential, so it goes into no Referer and
// no index. Of a protected file it is none: a token has to come with it.
func (s *Server) open(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Robots-Tag", "noindex")
	var f store.File
	var err error
	if key := r.PathValue("key"); key != "" {
		f, err = s.store.ByLink(r.Context(), key)
		if err == nil && s.linkLifetime > 0 && time.Since(f.CreatedAt) > s.linkLifetime {
			err = fault.FileNotFound("?")
		}
	} else {
		f, err = s.store.FindShared(r.Context(), r.URL.Query().Get("id"))
	}
	var missing *fault.Error
	if errors.As(err, &missing) || err == nil && !f.HasContent() {
		writeNoFile(w, r)
		return nil
	}
	accessOf(r.Context()).file = f.ID
	switch {
	case err != nil:
		return err
	case s.isSignedOut(r, f):
		writeSignIn(w)
		return nil
	case s.needsAccess(f):
		if err := s.admit(r, f); err != nil {
			return err
		}
	}
	// Every use asks again, so that a revoked address ends at once.
	w.Header().Set("Cache-Control", "private, no-cache")
	disposition := "inline"
	download := r.URL.Query().Get("download")
	if download != "" || !f.IsEditor() && !inline[f.MimeType] {
		disposition = "attachment"
	}
	as := store.PDFType
	if download == "office" {
		as = officeType(f.MimeType)
	}
	return s.serveContent(w, r, f, disposition, as)
}

// writeNoFile tells a browser, which opened the address in a page of its own, how to go on.
func writeNoFile(w http.ResponseWriter, r *http.Request) {
	contentType, text := "text/plain; charset=utf-8", "There is no file at this address, or it is no longer shared.\n"
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		contentType, text = "text/html; charset=utf-8", `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>There is no file at this address</title>
<h1>There is no file at this address</h1>
<p>Somebody deleted it, or it is no longer shared. Close this page to go back to where you came from.</p>
<p>If it is the template of a document, open the document's workflow in the console: another file can take its place there.</p>
</html>
`
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, text)
}

// admit refuses callers of a protected file who may not read it by the token
// that they send.
func (s *Server) admit(r *http.Request, f store.File) error {
	user, err := s.caller(r)
	if err == nil && f.Role(user.ID) == "" {
		return store.Insufficient()
	}
	return err
}

// fileExtensions are those of what a Docs or Slides file is exported as.
var fileExtensions = map[string]string{store.PDFType: ".pdf", store.DocxType: ".docx", store.PptxType: ".pptx"}

// serveContent writes a file's bytes, or a Docs or Slides file as a PDF or an office
// file, and knows ranges and ETags.
func (s *Server) serveContent(w http.ResponseWriter, r *http.Request, f store.File, disposition, as string) error {
	name, mimeType := f.Name, f.MimeType
	var body []byte
	var err error
	if f.IsEditor() {
		mimeType = as
		if name = f.Name; !strings.EqualFold(path.Ext(name), fileExtensions[as]) {
			name += fileExtensions[as]
		}
		var made export
		made, err = s.makeExport(r.Context(), f, as)
		body = made.body
	} else {
		body, err = s.store.Content(r.Context(), nil, f.SHA256)
	}
	if err != nil {
		return err
	}
	if !f.IsEditor() {
		w.Header().Set("ETag", `"`+hex.EncodeToString(f.SHA256)+`"`)
	}
	if mimeType == store.TextType {
		mimeType += "; charset=utf-8"
	}
	w.Header().Set("Content-Type", mimeType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": name}))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}
