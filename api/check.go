package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
)

// removeDocument takes the document out of the workflow first: a template that
// could not be trashed then is left to the sweep.
func (s *server) removeDocument(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	check := unchanged(r)
	needed, err := s.store.RemoveDocument(r.Context(), caller(r.Context()), wf.ID, d.ID, func(d platen.Document) error {
		return check(s.document(d))
	})
	if err != nil {
		return err
	}
	if !needed {
		if err := s.trashTemplate(r.Context(), wf.Owner.ID, d); err != nil {
			edge.Note(r.Context(), slog.String("orphan", d.ID), slog.String("orphan_error", err.Error()))
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) trashTemplate(ctx context.Context, ownerID string, d platen.Document) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	drive, err := s.drives(ctx, ownerID)
	if err != nil {
		return err
	}
	if err := drive.Trash(ctx, d.File.ID); err != nil {
		return err
	}
	return s.store.TemplateRemoved(ctx, d.ID)
}

// faultsOf are what the specification lets nobody refuse when it is set, and
// what no event can make good.
func faultsOf(d platen.Document) []checkFaultJSON {
	faults := []checkFaultJSON{}
	add := func(in, message string) { faults = append(faults, checkFaultJSON{in, message}) }
	const unclosed = "has a tag that is not closed: it stays as it is; put }} behind the name"
	if isUnclosed(d.OutputName) {
		add("outputName", unclosed)
	}
	if d.EnablePDFPassword && isUnclosed(d.PDFPassword) {
		add("pdfPassword", unclosed)
	}
	empty := strings.TrimSpace(d.PDFPassword) == ""
	switch {
	case d.EnablePDFPassword && !d.CreatePDFCopy && empty:
		add("enablePdfPassword", "encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: set createPdfCopy and a pdfPassword, or switch encryption off")
	case d.EnablePDFPassword && !d.CreatePDFCopy:
		add("enablePdfPassword", "encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: set createPdfCopy, or switch encryption off")
	case d.EnablePDFPassword && empty:
		add("pdfPassword", "is empty and enablePdfPassword is true: every output fails; set a password, or switch encryption off")
	case d.EnablePDFPassword && !d.RemoveOutput:
		add("removeOutput", "is false and enablePdfPassword is true: the original stays beside the encrypted PDF and has no password. On Platen's own drive its address asks for credentials; on Google everybody opens it who may open its folder. Set removeOutput, or switch encryption off")
	}
	if d.RemoveOutput && !d.CreatePDFCopy {
		add("removeOutput", "does nothing, for no PDF is made that could stand for the output: set createPdfCopy, or switch it off")
	}
	return faults
}

// isUnclosed tells whether a text opens a tag behind its last closed one.
func isUnclosed(text string) bool {
	return strings.Contains(text[strings.LastIndex(text, "}}")+1:], "{{")
}

// A place is where tags may stand.
type place struct {
	name  string
	texts []string
}

func (s *server) check(d platen.Document, places []place, fields []string) checkJSON {
	out := checkJSON{DocumentID: d.ID, SourceFields: append([]string{}, fields...), Tags: []tagJSON{}, Unfilled: []string{}}
	at := map[string]int{}
	for _, p := range places {
		for _, f := range s.tags(p.texts, fields) {
			if i, ok := at[f.Name]; ok {
				out.Tags[i].In = append(out.Tags[i].In, p.name)
				continue
			}
			at[f.Name] = len(out.Tags)
			out.Tags = append(out.Tags, tagJSON{Name: f.Name, In: []string{p.name}, Filled: f.Filled, Nearest: append([]string{}, f.Nearest...)})
			if !f.Filled {
				out.Unfilled = append(out.Unfilled, f.Name)
			}
		}
	}
	return out
}

// templateError says of our own copy of a file what driveError says of a file
// that the client named.
func templateError(err error) error {
	switch code := codeOf(err); code {
	case "drive_file_not_found", "drive_file_forbidden":
		return &platen.Error{Kind: platen.KindInvalid, Code: code, Err: err,
			Message: "The template is not in the drive of the workflow's owner any more. Restore it there, or remove the document and add it again."}
	}
	return err
}
