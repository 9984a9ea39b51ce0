// Package preview looks at the templates of documents in the drive: it finds
// their mistakes, and fills a copy with sample data for somebody to look at.
//
// Nothing of a preview is kept: the copy is noted before it is made and removed
// when its PDF is there, and one that a process died with is found by its key
// (see Sweep). What mistakes are is package check's, what tags mean package
// merge's; credentials, addresses and pages belong to those who call.
package preview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/check"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
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
	// Delete removes a file for good; a file that is not there is no error.
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
	Obtain(ctx context.Context, p merge.Picture, download func(ctx context.Context, fileID string) ([]byte, error)) (merge.Obtained, error)
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
	// AtOnce is how many copies are filled at once. Default: 4.
	AtOnce int
	// Location is the zone of {{Timestamp}}; nil is UTC.
	Location *time.Location
	// Now is the clock of {{Timestamp}}. Default: time.Now.
	Now func() time.Time
}

// A Previewer checks and previews. It is safe for concurrent use.
type Previewer struct {
	Options
	turns chan struct{}
}

// New returns a Previewer.
func New(o Options) *Previewer {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Previewer{Options: o, turns: make(chan struct{}, cmp.Or(o.AtOnce, defaultAtOnce))}
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

// findings are the mistakes of everything of a document that has tags.
func findings(t *check.Template, d platen.Document, fields []string, data []byte) ([]platen.TemplateFinding, error) {
	t.Add("outputName", d.OutputName)
	if d.EnablePDFPassword {
		t.Add("pdfPassword", d.PDFPassword)
	}
	found, err := t.Findings(fields, data)
	if err != nil {
		return nil, err
	}
	all := make([]platen.TemplateFinding, len(found))
	for i, f := range found {
		all[i] = platen.TemplateFinding{Where: f.Where, Around: f.Around, Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest}
	}
	return all, nil
}

// CheckTemplate finds the mistakes of a document. fields are those of the
// source, nil when nothing is known of them. With data, a JSON object, what
// cannot be worked out with it is found, too, and its fields stand for those
// that are not known.
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
	if out.Findings, err = findings(t, d, fields, data); err != nil {
		return out, err
	}
	out.Schema, err = t.Schema()
	return out, err
}

// SampleOf fills a copy of a document's template with sample data, and removes
// it again. A template that cannot be filled with the data has no PDF; its
// findings say why. KindRateLimited with code "preview_busy": too many are being
// filled.
func (p *Previewer) SampleOf(ctx context.Context, wf platen.Workflow, d platen.Document, data []byte) (platen.Sample, error) {
	return p.sample(ctx, wf, d, sampling{
		data:     func(*check.Template) ([]byte, error) { return data, nil },
		download: Drive.Download,
	})
}

// SampleOfForm is SampleOf for somebody without an account, who types in a text
// for each source field; a list has a line for each item. No file of the owner's
// drive is read as a picture, whatever id is typed in.
func (p *Previewer) SampleOfForm(ctx context.Context, wf platen.Workflow, d platen.Document, texts map[string]string) (platen.Sample, error) {
	return p.sample(ctx, wf, d, sampling{
		// A field that was left empty is one of the source all the same.
		fields: wf.Source.Fields,
		data:   func(t *check.Template) ([]byte, error) { return dataOf(wf.Source.Fields, texts, t.Lists()) },
		download: func(Drive, context.Context, string) ([]byte, error) {
			return nil, platen.Errorf(platen.KindInvalid, "picture_unusable", "Pictures of the drive are not shown here.")
		},
	})
}

// sampling is how samples differ by who asks.
type sampling struct {
	fields []string // of the source; nil: those of the data
	data   func(*check.Template) ([]byte, error)
	// download reads a file that a tag names as a picture.
	download func(drive Drive, ctx context.Context, fileID string) ([]byte, error)
}

func (p *Previewer) sample(ctx context.Context, wf platen.Workflow, d platen.Document, how sampling) (platen.Sample, error) {
	var out platen.Sample
	if err := p.turn(ctx); err != nil {
		return out, err
	}
	defer func() { <-p.turns }()
	drive, err := p.Drives(ctx, wf.Owner.ID)
	if err != nil {
		return out, err
	}
	template, err := readTemplate(ctx, drive, d)
	if err != nil {
		return out, err
	}
	checked := template.checked()
	data, err := how.data(checked)
	if err != nil {
		return out, err
	}
	parsed, err := merge.ParseData(data)
	if err != nil {
		return out, fmt.Errorf("read the sample data: %w", err)
	}
	if out.Findings, err = findings(checked, d, how.fields, data); err != nil {
		return out, err
	}
	builtins := merge.Builtins{AcceptedAt: p.Now(), Zone: p.Location, AutomationID: "aut_sample", WorkflowName: wf.Name}
	e := merge.NewEvaluator(parsed, builtins)
	var unnamed []string
	out.Name, unnamed = merge.ExpandName(d.OutputName, parsed, builtins)
	// Planned before anything is copied: most samples that cannot be made end here.
	if err := template.plan(e); err != nil {
		out.MissingFields = union(e.Missing(), unnamed)
		return out, unlessFaulty(err)
	}
	out.MissingFields = union(e.Missing(), unnamed)
	if e = e.Anew(); p.Pictures != nil {
		e.ObtainWith(func(picture merge.Picture) (merge.Obtained, error) {
			return p.Pictures.Obtain(ctx, picture, func(ctx context.Context, fileID string) ([]byte, error) { return how.download(drive, ctx, fileID) })
		})
	}
	pdf, drawn, err := p.filled(ctx, drive, wf.Owner.ID, d, e, copyName+out.Name)
	if err != nil {
		return out, err
	}
	if pdf == nil { // pictures are looked at when they are put in
		out.Findings = append(out.Findings, faults(e)...)
		return out, nil
	}
	out.PDFFindings = drawn
	marked, err := p.Marker.Mark(pdf, mark)
	if err != nil {
		return out, fmt.Errorf("mark the sample: %w", err)
	}
	out.PDF = marked
	return out, nil
}

// turn waits for one of the places.
func (p *Previewer) turn(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case p.turns <- struct{}{}:
		return nil
	case <-wait.Done():
		return &platen.Error{Kind: platen.KindRateLimited, Code: "preview_busy", RetryAfter: patience,
			Message: "As many previews are being made as this service makes at once. Try again in a moment."}
	}
}

func (t template) plan(e *merge.Evaluator) error {
	var err error
	if t.presentation != nil {
		_, err = plan.Presentation(t.presentation, e, platen.NewKey())
	} else {
		_, err = plan.Document(t.document, e, platen.NewKey())
	}
	return err
}

// unlessFaulty is nil for a template that cannot be filled: the findings say so.
func unlessFaulty(err error) error {
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == "template_faulty" {
		return nil
	}
	return fmt.Errorf("plan the sample: %w", err)
}

func faults(e *merge.Evaluator) []platen.TemplateFinding {
	var all []platen.TemplateFinding
	for _, f := range e.Faults() {
		all = append(all, platen.TemplateFinding{Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest})
	}
	return all
}

func union(a, b []string) []string {
	all := append([]string{}, a...)
	seen := map[string]bool{}
	for _, name := range a {
		seen[name] = true
	}
	for _, name := range b {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
}
