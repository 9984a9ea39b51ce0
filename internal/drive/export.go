package drive

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// exportFile answers a Docs or Slides file as PDF, as the office file that it
// is kept as, or as plain text.
func (s *Server) exportFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	f, err := s.store.Get(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !f.IsEditor() {
		return fault.Forbidden("fileNotExportable", "Export only supports Docs Editors files.")
	}
	target := r.URL.Query().Get("mimeType")
	if target == "" {
		return fault.BadRequest("required", "Required parameter: mimeType").At("parameter", "mimeType")
	}
	if !slices.Contains(exportTypes(f.MimeType), target) {
		return fault.BadRequest("badRequest", "The requested conversion is not supported.").At("parameter", "convertTo")
	}
	made, err := s.makeExport(r.Context(), f, target)
	if err != nil {
		return err
	}
	if made.findings != "" {
		w.Header().Set(findingsHeader, made.findings)
	}
	w.Header().Set("Content-Type", target)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(made.body))
	return nil
}

// makeExport makes an export or finds it in the cache.
func (s *Server) makeExport(ctx context.Context, f store.File, target string) (export, error) {
	if target == officeType(f.MimeType) {
		body, err := s.store.Content(ctx, nil, f.SHA256)
		if err != nil {
			return export{}, err
		}
		body, err = s.formats.of(f.MimeType).plain(body)
		return export{body: body}, err
	}
	key := hex.EncodeToString(f.SHA256) + "\x00" + f.MimeType + "\x00" + target + "\x00" + f.Name
	if made, ok := s.exports.Get(key); ok {
		return made, nil
	}
	content, err := s.store.Content(ctx, nil, f.SHA256)
	if err != nil {
		return export{}, err
	}
	var made export
	if s.exporter != nil && target == store.PDFType {
		made, err = s.exportElsewhere(ctx, f, content)
	} else {
		made, err = s.exportHere(ctx, f, content, target)
	}
	if err == nil {
		s.exports.Put(key, made)
	}
	return made, err
}

// exportHere gives up waiting after the server's timeout; the work that has
// begun still ends in its own time and keeps its slot until then.
func (s *Server) exportHere(ctx context.Context, f store.File, content []byte, target string) (export, error) {
	release, err := s.slot(ctx)
	if err != nil {
		return export{}, err
	}
	type outcome struct {
		made export
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		defer release()
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: fmt.Errorf("export: %w", panicError(p))}
			}
		}()
		made, err := s.export(f, content, target)
		done <- outcome{made, err}
	}()
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return export{}, ctx.Err()
	case <-timer.C:
		return export{}, unavailable("The export took too long.")
	case o := <-done:
		return o.made, o.err
	}
}

func (s *Server) export(f store.File, content []byte, target string) (export, error) {
	format := s.formats.of(f.MimeType)
	if target == store.TextType {
		text, err := format.text(content)
		return export{body: []byte(text)}, err
	}
	pdf, findings, err := format.pdf(content, f.Name)
	if err != nil {
		return export{}, err
	}
	if len(findings) > 0 {
		s.log.Info("drive export differs from the file", "file", f.ID, "findings", codesOf(findings))
	}
	value, err := findingsValue(findings)
	return export{body: pdf, findings: value}, err
}
