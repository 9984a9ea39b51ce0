package console

import (
	"context"
	"net/http"
	"strings"
	"unicode"
)

// addDocument takes a file that was chosen, a file of the drive, or a new one.
func (s *site) addDocument(ctx context.Context, r request) (string, error) {
	content, err := r.chosen()
	if err != nil {
		return "", err
	}
	at := r.workflowPath() + "/documents/"
	if content != nil {
		return r.uploadTemplate(ctx, at, content)
	}
	wanted := map[string]any{"createPdfCopy": true}
	if file := r.typed("file"); file != "" {
		wanted["file_id"] = file
	}
	var made struct{ ID string }
	err = r.ask(ctx, http.MethodPost, at, wanted, &made)
	return made.ID, err
}

// uploadTemplate makes a document of an office file, with a PDF of each output.
func (r request) uploadTemplate(ctx context.Context, at string, content []byte) (string, error) {
	var made struct{ ID string }
	if err := r.upload(ctx, at+"upload/", content, &made); err != nil {
		return "", err
	}
	return made.ID, r.ask(ctx, http.MethodPatch, at+made.ID+"/", map[string]any{"createPdfCopy": true}, nil)
}

// replaceTemplate keeps the document and its settings, also where its file is gone.
func (s *site) replaceTemplate(ctx context.Context, r request) (string, error) {
	content, err := r.chosen()
	if err == nil && content == nil {
		// A caller who may not see the document must not learn its forms.
		_, err = r.get(ctx, r.documentPath(), nil)
	}
	if err == nil && content == nil {
		err = refused("Choose a .docx or .pptx file first.")
	}
	if err != nil {
		return "", err
	}
	return r.PathValue("document"), r.upload(ctx, r.documentPath()+"template/", content, nil)
}

// setDocument sets what the form has: one of a page that was opened before an update may
// lack fields, and takes nothing away.
func (s *site) setDocument(ctx context.Context, r request) (string, error) {
	wanted := map[string]any{
		"outputName":           r.typed("outputName"),
		"createPdfCopy":        r.PostForm.Has("createPdfCopy"),
		"removeOutput":         r.PostForm.Has("removeOutput"),
		"enablePdfPassword":    r.PostForm.Has("enablePdfPassword"),
		"pdfPassword":          r.PostForm.Get("pdfPassword"),
		"enablePdfPreventCopy": r.PostForm.Has("enablePdfPreventCopy"),
		"onMissing":            r.typed("onMissing"),
	}
	for _, field := range []string{"outputFolder", "outputFolderId", "outputSharing"} {
		if r.PostForm.Has(field) {
			wanted[field] = r.typed(field)
		}
	}
	if r.PostForm.Has("numbers") {
		wanted["numbers"] = append([]string{}, namesIn(r.typed("numbers"))...)
	}
	if r.PostForm.Has("appendices") {
		wanted["appendices"] = append([]string{}, namesIn(r.PostForm.Get("appendices"))...)
	}
	return r.changeDocument(ctx, wanted)
}

// namesIn are names with commas or white space between them.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// setMail has each output sent by mail.
func (s *site) setMail(ctx context.Context, r request) (string, error) {
	return r.changeDocument(ctx, map[string]any{"email": map[string]string{
		"to": r.typed("to"), "subject": r.typed("subject"), "attach": r.typed("attach"),
		"text": strings.ReplaceAll(r.typed("text"), "\r\n", "\n"), // as forms end lines
	}})
}

func (s *site) removeMail(ctx context.Context, r request) error {
	return r.ask(ctx, http.MethodPatch, r.documentPath(), map[string]any{"email": nil}, nil)
}

// changeDocument saves settings of a document. It returns the document's id where there
// is something to be seen to: mistakes, or that nobody knows of any.
func (r request) changeDocument(ctx context.Context, settings map[string]any) (string, error) {
	var saved struct {
		Findings  []templateFinding
		Unchecked *failure
	}
	err := r.ask(ctx, http.MethodPatch, r.documentPath(), settings, &saved)
	if err != nil || len(saved.Findings) == 0 && saved.Unchecked == nil {
		return "", err
	}
	return r.PathValue("document"), nil
}

func (s *site) removeDocument(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.ask(ctx, http.MethodDelete, r.documentPath(), nil, nil)
}

func (s *site) rotatePreview(ctx context.Context, r request) error {
	return r.post(ctx, r.documentPath()+"preview-url/rotate/", nil)
}
