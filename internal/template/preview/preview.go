// Package preview looks at the templates of documents in the drive: it finds
// their mistakes, and fills a copy with sample data for somebody to look at.
//
// Nothing of a preview is kept: the copy is noted before it is made and removed
// when its PDF is there, and one that a process died with is found by its key
// (see Sweep). What mistakes are is package check's, what tags mean package
// lang's; credentials, addresses and pages belong to those who call.
package preview

import (
	"cmp"
	"context"
	"fmt"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

const (
	defaultAtOnce = 4
	// patience is how long a preview waits for its turn: somebody waits for it.
	patience = 3 * time.Second
	// removeTimeout bounds the removing of a copy, whatever became of the rest.
	removeTimeout = 10 * time.Second
	// copyName begins the names of copies, for whoever sees one in the drive.
	copyName = "[Sample] "
	mark     = "SAMPLE"
	// sampleID and sampleName stand for what only a run has.
	sampleID   = "aut_sample"
	sampleName = "Workflow"
)

// Drive is the drive of a workflow's owner. Errors carry a platen.Kind.
type Drive interface {
	Copy(ctx context.Context, fileID, name, key string) (platen.File, error)
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	// EditDocument reads a document, has its change planned and makes it; no
	// requests change nothing.
	EditDocument(ctx context.Context, fileID string, plan func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error)
	EditPresentation(ctx context.Context, fileID string, plan func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error)
	ExportPDFWithFindings(ctx context.Context, fileID string) ([]byte, []platen.Finding, error)
	Download(ctx context.Context, fileID string) ([]byte, error)
	// Delete removes a file, for good or into the drive's trash; a file that is
	// not there is no error, and platen.IsFileKept tells of one that has to stay.
	Delete(ctx context.Context, fileID string) error
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)

// Copies remembers which copies may be in whose drive.
type Copies interface {
	NotePreviewCopy(ctx context.Context, key, ownerID string) error
	ForgetPreviewCopy(ctx context.Context, key string) error
}

// Pictures gets pictures in a form that the drive takes; download reads a file
// of the drive.
type Pictures interface {
	Obtain(ctx context.Context, p lang.Picture, download func(ctx context.Context, fileID string) ([]byte, error)) (lang.Obtained, error)
}

// Marker marks every page of a PDF.
type Marker interface {
	Mark(pdf []byte, word string) ([]byte, error)
}

// Options are what New needs; Drives, Copies and Marker are required.
type Options struct {
	Drives Drives
	Copies Copies
	Marker Marker
	// Pictures gets what the tags of pictures ask for. Without it they leave
	// nothing.
	Pictures Pictures
	// FormPictures is Pictures for forms, which strangers type addresses into:
	// it must not reach where they could not. Without it they get no pictures.
	FormPictures Pictures
	// AtOnce is how many copies are filled at once, at most half of them of one
	// owner's; and as many again for forms, one at a time of each document.
	// Default: 4.
	AtOnce int
	// Location is the zone of {{Timestamp}}; nil is UTC.
	Location *time.Location
	// Now is the clock of {{Timestamp}}. Default: time.Now.
	Now func() time.Time
}

// A Previewer checks and previews. It is safe for concurrent use.
type Previewer struct {
	Options
	turns, forms *turns
}

// New returns a Previewer.
func New(o Options) *Previewer {
	if o.Now == nil {
		o.Now = time.Now
	}
	atOnce := cmp.Or(o.AtOnce, defaultAtOnce)
	return &Previewer{Options: o, turns: newTurns(atOnce, max(1, atOnce/2)), forms: newTurns(atOnce, 1)}
}

// A template is one that was read from the drive.
type template struct {
	document     *docsapi.Document
	presentation *slidesapi.Presentation
}

func readTemplate(ctx context.Context, drive Drive, d platen.Document) (t template, err error) {
	if d.Type == platen.TypeSlides {
		_, err = drive.EditPresentation(ctx, d.File.ID, func(p *slidesapi.Presentation) ([]*slidesapi.Request, error) {
			t.presentation = p
			return nil, nil
		})
	} else {
		_, err = drive.EditDocument(ctx, d.File.ID, func(read *docsapi.Document) ([]*docsapi.Request, error) {
			t.document = read
			return nil, nil
		})
	}
	if err != nil {
		return t, fmt.Errorf("read the template of %s: %w", d.ID, err)
	}
	return t, nil
}

func (t template) checked() *check.Template {
	if t.presentation != nil {
		return check.OfPresentation(t.presentation)
	}
	return check.OfDocument(t.document)
}

// addTexts puts what of a document has tags beside its template to what is
// checked. Only those who may change the document may see the password's.
func addTexts(t *check.Template, d platen.Document, password bool) {
	t.Add("outputName", d.OutputName)
	if password && d.EnablePDFPassword {
		t.Add("pdfPassword", d.PDFPassword)
	}
}

func told(found []check.Finding) []platen.TemplateFinding {
	all := make([]platen.TemplateFinding, len(found))
	for i, f := range found {
		all[i] = platen.TemplateFinding{Where: f.Where, Around: f.Around, Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest}
	}
	return all
}

// CheckTemplate finds the mistakes of a document. fields are those of the
// source, nil when nothing is known of them. With data, a JSON object, what
// cannot be worked out with it is found, too, and what a run would fail by; its
// fields stand for those that are not known.
func (p *Previewer) CheckTemplate(ctx context.Context, ownerID string, d platen.Document, fields []string, data []byte) (platen.TemplateCheck, error) {
	drive, err := p.Drives(ctx, ownerID)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	read, err := readTemplate(ctx, drive, d)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	t := read.checked()
	out := platen.TemplateCheck{Texts: t.Texts()}
	addTexts(t, d, true)
	found, err := t.Findings(fields, data)
	if err != nil {
		return out, err
	}
	out.Findings = told(found)
	if data != nil {
		parsed, err := lang.ParseData(data)
		if err != nil {
			return out, fmt.Errorf("read the data: %w", err)
		}
		refused, err := p.refusals(read, d, parsed, found)
		if err != nil {
			return out, err
		}
		out.Findings = append(out.Findings, refused...)
	}
	out.Schema, err = t.Schema()
	return out, err
}

func (t template) plan(e *lang.Evaluator) error {
	var err error
	if t.presentation != nil {
		_, err = fill.Presentation(t.presentation, e, platen.NewKey())
	} else {
		_, err = fill.Document(t.document, e, platen.NewKey())
	}
	return err
}

// unlessFaulty is nil where the template cannot be filled with the data: what e
// found says so.
func unlessFaulty(err error, e *lang.Evaluator) error {
	if err == nil || platen.KindOf(err) == platen.KindInvalid && len(e.Faults()) > 0 {
		return nil
	}
	return fmt.Errorf("plan the filling: %w", err)
}
