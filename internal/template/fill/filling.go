package fill

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/accessible"
	"github.com/platenhq/platen/internal/template/lang"
)

// What built-in tags show where there is no run: in previews and checks.
const (
	SampleAutomationID = "aut_sample"
	SampleWorkflowName = "Workflow"
)

// A Filling is a document with the data that fills it. Runs, previews and
// checks each make one, so that all of them ask the same of a template and fail
// by the same rules. It keeps nothing of what it was asked before.
type Filling struct {
	document platen.Document
	event    []byte
	data     *lang.Data
	builtins lang.Builtins
	// Obtain gets the pictures that tags ask for. Without it they are looked at,
	// and leave nothing.
	Obtain lang.Obtain
	// Include puts other documents into copies, where tags ask for them. Without it such
	// a tag is a mistake of the template.
	Include Include
	// LacksIncludes says that the drive puts no document into another: Try finds tags that
	// ask for it.
	LacksIncludes bool
	// Readings spares a reading of documents that were filled before. Default: none.
	Readings *Readings
}

// New returns the filling of a document with an event, a JSON object. The error
// is that of lang.ParseData.
func New(d platen.Document, event []byte, builtins lang.Builtins) (*Filling, error) {
	data, err := lang.ParseData(event)
	if err != nil {
		return nil, err
	}
	return &Filling{document: d, event: event, data: data, builtins: builtins}, nil
}

// Evaluator returns one that has noted nothing.
func (f *Filling) Evaluator() *lang.Evaluator { return lang.NewEvaluator(f.data, f.builtins) }

// Fields are the source fields of the event.
func (f *Filling) Fields() ([]string, error) { return platen.SourceFields(f.event) }

// Empty are the fields of the event that have nothing in them, as lang.Data.Empty has them.
func (f *Filling) Empty() []string { return f.data.Empty() }

// Name is what the output is called.
func (f *Filling) Name() string {
	name, _ := lang.ExpandName(f.document.OutputName, f.data, f.builtins)
	return name
}

// CheckName says what is wrong with the output's name. Nothing fails by it.
func (f *Filling) CheckName() []platen.Finding {
	const most = 5
	var all []platen.Finding
	for _, found := range lang.CheckName(f.document.OutputName, f.data, f.builtins) {
		switch {
		case len(all) == most:
			return all
		case found.Code == platen.CodeNameEmpty:
			all = append(all, platen.Finding{Code: found.Code, Message: found.Message})
		default:
			all = append(all, platen.Finding{Code: platen.CodeNameFaulty, Message: fmt.Sprintf("The output's name has a tag that cannot be worked out, %.120s: %s", found.Tag, found.Message)})
		}
	}
	return all
}

// An Outcome is the result of filling a template with the data.
type Outcome struct {
	// Requests is how many were carried out.
	Requests int
	// hasIncludes says that tags name other documents.
	hasIncludes bool
	// Missing are what tags of the template, and then of the output's name, name
	// and the data does not have, each once.
	Missing []string
	// Alts is what is known of the alternative texts of tags.
	Alts accessible.Texts
	// Findings say why the template cannot be filled with the data.
	Findings []lang.Finding
	// Noted are notes about tags of the template; Notes has them, too.
	Noted []lang.Finding
	// Notes say what is wrong with the output's name, and that the data has no field of
	// the template. They fail nothing.
	Notes []platen.Finding
}

// Explains tells of an error that the findings say more of: the template cannot
// be filled with the data.
func (o Outcome) Explains(err error) bool {
	return platen.KindOf(err) == platen.KindInvalid && len(o.Findings) > 0
}

// Try works a template out and changes nothing. The outcome says what is known
// also with an error, which is never one that its findings explain.
func (f *Filling) Try(t Template) (Outcome, error) {
	_, out, err := f.compose(t)
	if out.hasIncludes && f.LacksIncludes {
		out.Findings = append(out.Findings, unfit)
	}
	if err != nil && !out.Explains(err) {
		return out, err
	}
	return out, nil
}

// errTexts says that the texts of a template are not enough to fill it.
var errTexts = errors.New("the template is to be read as a whole")

// Fill fills a file of the drive in one atomic change. Before it, when all is
// worked out, it calls begin, whose error is returned and leaves the file as it
// was; nil: there is nothing to begin. A template that cannot be filled with
// the data is an error of KindInvalid; it names the findings of the outcome.
func (f *Filling) Fill(ctx context.Context, drive Drive, file platen.File, begin func(Outcome) error) (out Outcome, err error) {
	fill := func(read platen.Reading, with *Filling) (int, error) {
		return edit(ctx, drive, file, read, func(t Template) (b batch, err error) {
			b, out, err = with.compose(t)
			whole := err != nil || !b.replacesOnly()
			f.Readings.note(f.document.ID, whole)
			switch barred := RefuseBarriers(f.document, t, out.Alts); {
			case read == platen.ReadTexts && whole:
				return batch{}, errTexts
			case err == nil && barred != nil:
				return batch{}, barred.Err(nil)
			case err == nil && out.hasIncludes:
				return batch{}, errIncludes
			case err != nil || begin == nil:
				return b, err
			}
			return b, begin(out)
		})
	}
	// Its texts are enough for a template without blocks, rows, pictures and
	// links; pictures are not asked for twice.
	unpictured := *f
	unpictured.Obtain = nil
	requests, err := 0, errTexts
	if !f.document.RequiresAccessibility() && !f.Readings.needsWhole(f.document.ID) {
		requests, err = fill(platen.ReadTexts, &unpictured)
	}
	if errors.Is(err, errTexts) {
		out = Outcome{} // a file that cannot be read a second time has no findings
		requests, err = fill(platen.ReadWhole, f)
	}
	if errors.Is(err, errIncludes) && f.Include != nil {
		unnamed := out.Missing // names of documents too, whose tags are gone then
		if err = f.include(ctx, file, &out, begin); err == nil {
			requests, err = fill(platen.ReadWhole, f)
			out.Missing = platen.UnionOfFields(unnamed, out.Missing)
		}
	}
	if errors.Is(err, errIncludes) {
		out.Findings = append(out.Findings, unfit)
		err = FindingsError(out.Findings, nil)
	}
	out.Requests = requests
	if left, ok := errors.AsType[*platen.Error](err); ok && left.Code == platen.CodeTagLeft {
		out.Findings = append(out.Findings, lang.Finding{Code: platen.CodeTagLeft, Message: left.Message})
	}
	return out, err
}

// compose works out the requests that fill a template.
func (f *Filling) compose(t Template) (b batch, out Outcome, err error) {
	e, nonce := f.Evaluator(), platen.NewKey()
	e.ObtainWith(f.Obtain)
	t.Show(
		func(d *docs.Document) { b.document, err = ComposeDocument(d, e, nonce) },
		func(p *slides.Presentation) { b.presentation, err = ComposePresentation(p, e, nonce) },
	)
	b.beside = t.hasTitles()
	if err != nil {
		err = fmt.Errorf("work the template out: %w", err)
	}
	_, unnamed := lang.ExpandName(f.document.OutputName, f.data, f.builtins)
	out.Missing, out.Findings = platen.UnionOfFields(e.Missing(), unnamed), e.Findings()
	out.Alts = accessible.Texts{Empty: e.Silent(), OnGoogle: e.IsAddressed()}
	out.Notes = f.CheckName()
	out.Noted, out.hasIncludes = e.Notes(), e.HasIncludes()
	for _, n := range out.Noted {
		out.Notes = append(out.Notes, platen.Finding{Code: n.Code, Message: n.Message})
	}
	if e.FoundNothing() {
		out.Notes = append(out.Notes, noField)
	}
	return b, out, err
}

// noField says that an event was made for other templates.
var noField = platen.Finding{Code: platen.CodeNoField, Message: "The event has no field that the template names, so that each of its tags was left empty. Send the fields, or set onMissing of the document to fail."}
