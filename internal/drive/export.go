package drive

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"time"
)

// exportFile answers a Docs or Slides file as PDF, as the office file that it
// is kept as, or as plain text.
func (s *Server) exportFile(w http.ResponseWriter, r *http.Request, user User) error {
	f, err := s.store.get(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !f.isEditor() {
		return forbidden("fileNotExportable", "Export only supports Docs Editors files.")
	}
	target := r.URL.Query().Get("mimeType")
	if target == "" {
		return badRequest("required", "Required parameter: mimeType").at("parameter", "mimeType")
	}
	if !slices.Contains(exportTypes(f.MimeType), target) {
		return badRequest("badRequest", "The requested conversion is not supported.").at("parameter", "convertTo")
	}
	body, err := s.exported(r.Context(), f, target)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", target)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// exported makes an export or finds it in the cache. It gives up waiting after
// the server's timeout; the work that has begun still ends in its own time and
// keeps its slot until then.
func (s *Server) exported(ctx context.Context, f file, target string) ([]byte, error) {
	if target == officeType(f.MimeType) {
		return s.store.content(ctx, s.store.pool, f.SHA256)
	}
	key := hex.EncodeToString(f.SHA256) + "\x00" + f.MimeType + "\x00" + target + "\x00" + f.Name
	if body, ok := s.exports.get(key); ok {
		return body, nil
	}
	content, err := s.store.content(ctx, s.store.pool, f.SHA256)
	if err != nil {
		return nil, err
	}
	release, err := s.slot(ctx)
	if err != nil {
		return nil, err
	}
	type outcome struct {
		body []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		defer release()
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: fmt.Errorf("export: panic: %v\n%s", p, debug.Stack())}
			}
		}()
		body, err := s.export(f, content, target)
		done <- outcome{body, err}
	}()
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, unavailable("The export took too long.")
	case o := <-done:
		if o.err == nil {
			s.exports.put(key, o.body)
		}
		return o.body, o.err
	}
}

func (s *Server) export(f file, content []byte, target string) ([]byte, error) {
	format := s.formats.of(f.MimeType)
	if target == textType {
		text, err := format.text(content)
		return []byte(text), err
	}
	pdf, findings, err := format.pdf(content, f.Name)
	if err != nil {
		return nil, err
	}
	if len(findings) > 0 {
		s.log.Info("drive export differs from the file", "file", f.ID, "findings", findings)
	}
	return pdf, nil
}
