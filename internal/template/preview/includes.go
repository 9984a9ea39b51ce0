package preview

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
)

// codeNotIncluded is that of a document that a template names and that is not there.
const codeNotIncluded = "include_not_found"

// includes puts documents into a sample. They are read with the access of the caller: the template
// is shared with the team, other files of its owner's drive are not. Somebody without an account
// gets those alone that the template names itself. Nil: the drive takes none.
func (p *Previewer) includes(ctx context.Context, wf platen.Workflow, d platen.Document, how sampling) fill.Include {
	if p.Include == nil {
		return nil
	}
	reader := readerOf(ctx, wf, how.isForm)
	include := p.Include(wf.Owner.ID, reader, d.File.ID)
	return func(ctx context.Context, copied platen.File, choose fill.Choose) (func(context.Context) error, error) {
		if how.isForm {
			choose = onlyFixed(choose)
		}
		store, err := include(ctx, copied, choose)
		return store, unread(err, reader, wf)
	}
}

// readerOf is who reads what is included: the caller, and for a form the owner.
func readerOf(ctx context.Context, wf platen.Workflow, isForm bool) string {
	if caller, ok := platen.CallerOf(ctx); ok && !isForm {
		return caller.ID
	}
	return wf.Owner.ID
}

// unread says of a document that is not there that somebody else may be able to read it.
func unread(err error, reader string, wf platen.Workflow) error {
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Code != codeNotIncluded || reader == wf.Owner.ID {
		return err
	}
	return &platen.Error{Kind: e.Kind, Code: e.Code, Err: err,
		Message: e.Message + " A preview and a check read documents with your own access. Share them with yourself, or ask the owner of the workflow."}
}

// onlyFixed refuses documents that the data names.
func onlyFixed(choose fill.Choose) fill.Choose {
	return func(text string) (fill.Choice, bool, error) {
		c, ok, err := choose(text)
		if err == nil && !c.IsFixed && len(c.Names) > 0 {
			return c, false, platen.Errorf(platen.KindInvalid, codeNotIncluded, "%.120s names documents by its data. They are not shown here.", c.Tag)
		}
		return c, ok, err
	}
}

// A whole is a template with what it includes, as a check sees it.
type whole struct {
	template *check.Template // nil: it includes nothing, or what it includes cannot be read
	refused  []platen.TemplateFinding
}

// wholeOf reads what a template includes, and has it ask for what that asks for. Without data, and
// in forms, these are the documents that the template names itself.
func (p *Previewer) wholeOf(ctx context.Context, wf platen.Workflow, d platen.Document, t *check.Template, data []byte, isForm bool) (w whole, err error) {
	choose := fill.ChooseFixed()
	if data != nil {
		filling, err := p.filling(wf, d, data)
		if err != nil {
			return w, fmt.Errorf("read the data: %w", err)
		}
		choose = filling.Chooser()
	}
	names := func(text string) bool { c, ok, err := choose(text); return ok && err == nil && len(c.Names) > 0 }
	if p.Whole == nil || d.Type != platen.TypeDocs || !slices.ContainsFunc(t.Texts(), names) {
		return w, nil
	}
	reader := readerOf(ctx, wf, isForm)
	content, err := p.Whole(wf.Owner.ID, reader, d.File.ID)(ctx, choose)
	if e, ok := errors.AsType[*platen.Error](unread(err, reader, wf)); ok && e.Kind == platen.KindInvalid {
		w.refused = []platen.TemplateFinding{{Where: "template", Code: e.Code, Message: e.Message}}
		return w, nil
	}
	if err != nil {
		return w, fmt.Errorf("read what the template includes: %w", err)
	}
	if w.template, err = check.ReadFile(content); err != nil {
		return w, fmt.Errorf("read what the template includes: %w", err)
	}
	w.template.Number = d.Sample
	t.Append(w.template)
	return w, nil
}

// findings are the mistakes of what is included, without those that were found in the template.
func (w whole) findings(before []check.Finding, fields []string) []platen.TemplateFinding {
	if w.template == nil {
		return w.refused
	}
	return beyond(before, w.template.Findings(fields))
}

// findingsWith are findings with data, and the fields that it lacks.
func (w whole) findingsWith(before []check.Finding, f *fill.Filling, fields []string) ([]platen.TemplateFinding, []string, error) {
	if w.template == nil {
		return w.refused, nil, nil
	}
	found, out, err := w.template.FindingsWith(f, fields)
	return beyond(before, found), out.Missing, err
}

func beyond(before, found []check.Finding) []platen.TemplateFinding {
	known := map[string]bool{}
	for _, f := range before {
		known[f.Code+" "+f.Tag] = true
	}
	found = slices.DeleteFunc(found, func(f check.Finding) bool { return known[f.Code+" "+f.Tag] })
	all := tell(found)
	for i := range all {
		if all[i].Where != "" {
			all[i].Where += " with what is included"
		}
	}
	return all
}
