package fill

import (
	"context"
	"slices"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
)

// A Template is a document or a presentation, as the Docs or the Slides API
// shows it: one of its fields is set.
type Template struct {
	Document     *docs.Document
	Presentation *slides.Presentation
}

// Show hands the template to the function for what it is.
func (t Template) Show(document func(*docs.Document), presentation func(*slides.Presentation)) {
	switch {
	case t.Presentation != nil:
		presentation(t.Presentation)
	case t.Document != nil:
		document(t.Document)
	}
}

// A Drive reads files and changes them, be it Google or our own. Errors carry a
// platen.Kind.
type Drive interface {
	// EditDocument reads a document, or its texts alone, has its change composed
	// and makes it in one atomic change of what was read; KindConflict when it
	// changed since, and with KindRateLimited nothing did. No requests change
	// nothing; an error of compose is returned as it is. A tag that the requests replace and that still stands
	// there is KindInvalid with code platen.CodeTagLeft. It returns how many
	// requests were carried out.
	EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error)
	// EditPresentation does the same for presentations.
	EditPresentation(ctx context.Context, fileID string, read platen.Reading, compose func(*slides.Presentation) ([]*slides.Request, error)) (int, error)
}

// Read reads a template. Of the file, the id and the MIME type count.
func Read(ctx context.Context, drive Drive, file platen.File) (read Template, err error) {
	_, err = edit(ctx, drive, file, platen.ReadWhole, func(t Template) (batch, error) {
		read = t
		return batch{}, nil
	})
	return read, err
}

// A batch is the requests that fill a template of the one kind or the other.
type batch struct {
	document     []*docs.Request
	presentation []*slides.Request
	// beside says that it changes what is no text of the template, such as a title of a
	// chart.
	beside bool
}

// replacesOnly tells of a batch that replaces texts and nothing else, for which those of
// a template were enough.
func (b batch) replacesOnly() bool {
	return !b.beside && !slices.ContainsFunc(b.document, func(r *docs.Request) bool {
		return r.ReplaceAllText == nil || isChartText(r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
	}) && !slices.ContainsFunc(b.presentation, func(r *slides.Request) bool {
		return r.ReplaceAllText == nil || isChartText(r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
	})
}

// edit has the change of a file composed and made.
func edit(ctx context.Context, drive Drive, file platen.File, read platen.Reading, compose func(Template) (batch, error)) (int, error) {
	if file.MIMEType == platen.MIMESlides {
		return drive.EditPresentation(ctx, file.ID, read, func(p *slides.Presentation) ([]*slides.Request, error) {
			b, err := compose(Template{Presentation: p})
			return b.presentation, err
		})
	}
	return drive.EditDocument(ctx, file.ID, read, func(d *docs.Document) ([]*docs.Request, error) {
		b, err := compose(Template{Document: d})
		return b.document, err
	})
}
