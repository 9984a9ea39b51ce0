// Package preview looks at the templates of documents in the drive: it finds
// their mistakes, and fills a copy with sample data for somebody to look at.
//
// Nothing of a preview is kept. The copy is noted before it is made and removed
// when its PDF is there. A copy that a process died with is found by its key (see
// RemoveOrphan). What mistakes are is package check's, and how templates are
// filled package fill's; credentials, addresses and pages belong to those who
// call.
package preview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

const (
	defaultAtOnce = 4
	// patience is how long a preview waits for its turn: somebody waits for it.
	patience = 3 * time.Second
	// removeTimeout bounds the removing of a copy, also when the rest failed.
	removeTimeout = 10 * time.Second
	// copyName begins the names of copies, for people who see one in the drive.
	copyName = "[Sample] "
	mark     = "SAMPLE"
)

// Drive is the drive of a workflow's owner. Errors carry a platen.Kind.
type Drive interface {
	fill.Drive
	File(ctx context.Context, fileID string) (platen.File, error)
	Copy(ctx context.Context, fileID, name, key string) (platen.File, error)
	// CreateFrom makes a file that carries key of an office file's content.
	CreateFrom(ctx context.Context, name, mimeType, key, contentType string, content []byte) (platen.File, error)
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
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

// Quotas shares among all who call a drive what it allows in a minute. Previews have
// a part of that.
type Quotas interface {
	// ReservePreview takes what a preview will use, before its first call: calls with
	// the context that it returns use that, and done gives back what is left.
	// KindRateLimited, and when to try again: there is nothing left for previews now.
	ReservePreview(ctx context.Context, ownerID string, asks platen.Usage) (_ context.Context, done func(), _ error)
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
	// Appendices looks at PDFs that are appended to outputs. Without it they are not read.
	Appendices Appendices
	// Pictures gets what the tags of pictures ask for. Without it they leave
	// nothing.
	Pictures Pictures
	// FormPictures is Pictures for forms, into which unauthenticated callers type
	// addresses: it must not reach where they could not. Without it they get no
	// pictures.
	FormPictures Pictures
	// Include puts documents that a reader may read into copies in an owner's drive. Nil: the
	// drive takes none.
	Include func(ownerID, readerID, templateID string) fill.Include
	// Whole reads a template with what it includes. Nil: a check knows the template alone.
	Whole func(ownerID, readerID, templateID string) fill.Whole
	// Quotas shares the calls that drives allow. Default: as many as previews make.
	Quotas Quotas
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
	// reads are the turns of those who want to see a form alone.
	turns, forms, reads, trials *admission.Keyed
}

// New returns a Previewer.
func New(o Options) *Previewer {
	if o.Now == nil {
		o.Now = time.Now
	}
	atOnce := cmp.Or(o.AtOnce, defaultAtOnce)
	turns := func(total, each int) *admission.Keyed {
		return admission.NewKeyed(admission.Places{Total: total, PerKey: each, Patience: patience})
	}
	return &Previewer{Options: o, turns: turns(atOnce, max(1, atOnce/2)), forms: turns(atOnce, 1), reads: turns(2*atOnce, max(1, atOnce/2)), trials: turns(trialsAtOnce, 1)}
}

// take waits for a turn of the key. KindRateLimited with code "preview_busy": it would
// take too long.
func take(ctx context.Context, turns *admission.Keyed, key string) (release func(), err error) {
	if release, err = turns.Take(ctx, key); err != nil {
		return nil, &platen.Error{Kind: platen.KindRateLimited, Code: "preview_busy", RetryAfter: patience,
			Message: "As many previews are being made, or files checked, as this service does at once. Try again in a moment."}
	}
	return release, nil
}

func readTemplate(ctx context.Context, drive Drive, d platen.Document) (fill.Template, error) {
	t, err := fill.Read(ctx, drive, platen.File{ID: d.File.ID, MIMEType: d.Type.MIMEType()})
	if err != nil {
		return t, fmt.Errorf("read the template of %s: %w", d.ID, err)
	}
	return t, nil
}

// CountConditions tells of how many events of a workflow each of these conditions is true.
func (p *Previewer) CountConditions(ctx context.Context, wf platen.Workflow, conditions []platen.Condition, events []platen.PastEvent) ([]platen.ConditionCount, error) {
	counts := []platen.ConditionCount{}
	for _, c := range conditions {
		counts = append(counts, platen.ConditionCount{Condition: c})
	}
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := lang.ParseData(e.Body)
		if err != nil {
			return nil, fmt.Errorf("parse the source data of %s: %w", e.AutomationID, err)
		}
		for i, c := range counts {
			holds, wrong := fill.Holds(c.Condition, data, lang.Builtins{AcceptedAt: e.AcceptedAt, Zone: p.Location, AutomationID: e.AutomationID, WorkflowName: wf.Name, Locale: wf.Locale})
			switch {
			case wrong != nil:
				counts[i].Faulty++
			case holds:
				counts[i].Made++
			default:
				counts[i].Skipped++
			}
		}
	}
	return counts, nil
}

// filling is a document of a workflow with an event, as a run of this moment
// would fill it.
func (p *Previewer) filling(wf platen.Workflow, d platen.Document, event []byte) (*fill.Filling, error) {
	f, err := fill.New(d, event, lang.Builtins{AcceptedAt: p.Now(), Zone: p.Location, AutomationID: fill.SampleAutomationID, WorkflowName: wf.Name, Locale: wf.Locale, Number: d.Sample})
	if err != nil {
		return nil, err
	}
	f.LacksIncludes = p.Include == nil
	return f, nil
}

// addTexts puts what of a document has tags beside its template to what is
// checked. Only those who may change the document may see the password's and the mail's.
func addTexts(t *check.Template, d platen.Document, password bool) {
	t.Number = d.Sample
	t.Add("outputName", d.OutputName)
	if d.OutputFolder != "" {
		t.Add(fill.FolderField, d.OutputFolder)
	}
	if password && d.EnablePDFPassword {
		t.Add(fill.PasswordField, d.PDFPassword)
	}
	t.AddPassages(invoicePassages(d))
	for _, c := range d.Conditions() {
		if c.Part != platen.PartEmail || password {
			t.Add(c.Setting, c.Tags())
		}
	}
}

func tell(found []check.Finding) []platen.TemplateFinding {
	all := make([]platen.TemplateFinding, len(found))
	for i, f := range found {
		all[i] = platen.TemplateFinding{Where: f.Where, Around: f.Around, Offset: f.Offset, Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest, Note: f.Severity == platen.SeverityNote}
	}
	return all
}

// CheckTemplate finds the mistakes of a document. fields are those of the
// source, nil when nothing is known of them. With data, a JSON object, what
// cannot be worked out with it is found, too, and what a run would fail by; its
// fields stand for those that are not known.
func (p *Previewer) CheckTemplate(ctx context.Context, wf platen.Workflow, d platen.Document, fields []string, data []byte) (platen.TemplateCheck, error) {
	release, err := take(ctx, p.turns, wf.Owner.ID)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	defer release()
	drive, err := p.Drives(ctx, wf.Owner.ID)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	read, err := readTemplate(ctx, drive, d)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	t := check.Read(read)
	behind, err := p.checkAppendices(ctx, drive, wf, d, t, fields, data)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	out := platen.TemplateCheck{Texts: t.Texts(), AppendedTexts: behind.texts}
	whole, err := p.wholeOf(ctx, wf, d, t, data, false)
	if err != nil {
		return out, err
	}
	if whole.template != nil {
		out.Texts = whole.template.Texts()
	}
	addTexts(t, d, true)
	var tried fill.Outcome
	if data == nil {
		if e := d.Email; e != nil { // with data, a mail is worked out as a run does it
			for _, text := range []string{e.To, e.Subject, e.Text} {
				t.Add(fill.EmailField, text)
			}
		}
		found := t.Findings(fields)
		out.Findings = append(tell(found), whole.findings(found, fields)...)
	} else {
		filling, err := p.filling(wf, d, data)
		if err != nil {
			return out, fmt.Errorf("read the data: %w", err)
		}
		var found []check.Finding
		if found, tried, err = t.FindingsWith(filling, fields); err != nil {
			return out, err
		}
		included, missing, err := whole.findingsWith(found, filling, fields)
		if err != nil {
			return out, err
		}
		out.Findings = slices.Concat(tell(found), included, foretell(filling, platen.UnionOfFields(platen.UnionOfFields(tried.Missing, missing), behind.missing), found, true))
	}
	out.Findings = slices.Concat(out.Findings, barriers(d, t, p.alts(tried)), behind.findings, uncompared(d))
	out.Schema, err = t.Schema()
	return out, err
}

// foretell says by which rules a run would make nothing of the document, unless
// what was found says so. Only those who may change the document may see what
// is wrong with its password and its mail.
func foretell(f *fill.Filling, missing []string, found []check.Finding, password bool) []platen.TemplateFinding {
	const codeUnknownField = "unknown_field" // the data may have a rule broken at such a place, too
	var all []platen.TemplateFinding
	for _, r := range f.Refusals(missing) {
		said := r.Where != "" && slices.ContainsFunc(found, func(f check.Finding) bool { return f.Where == r.Where })
		if !said && (password || r.Where != fill.PasswordField && r.Where != fill.EmailField) {
			all = append(all, r.Finding())
		}
	}
	for _, wrong := range f.InvoiceFindings(true) {
		said := slices.ContainsFunc(found, func(f check.Finding) bool { return f.Where == wrong.Where && f.Code != codeUnknownField })
		if !said {
			all = append(all, wrong)
		}
	}
	for _, odd := range f.CheckName() {
		if odd.Code == platen.CodeNameEmpty && len(all) == 0 { // its other mistakes were found
			all = append(all, platen.TemplateFinding{Where: "outputName", Code: odd.Code, Message: odd.Message})
		}
	}
	return all
}
