package preview

import (
	"cmp"
	"context"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/form"
)

// FormOf is the form of a document's template and of its output's name, for somebody
// without an account, and what is wrong with them before anything is typed in. known
// are the fields of the source; empty: nothing is known of them. in says what is a list.
func (p *Previewer) FormOf(ctx context.Context, wf platen.Workflow, d platen.Document, known []string, in platen.FormInput) (platen.TemplateForm, error) {
	release, err := take(ctx, p.reads, d.ID)
	if err != nil {
		return platen.TemplateForm{}, err
	}
	defer release()
	drive, err := p.Drives(ctx, wf.Owner.ID)
	if err != nil {
		return platen.TemplateForm{}, err
	}
	read, err := readTemplate(ctx, drive, d)
	if err != nil {
		return platen.TemplateForm{}, err
	}
	t := check.Read(read)
	if _, err := p.wholeOf(ctx, wf, d, t, nil, true); err != nil {
		return platen.TemplateForm{}, err
	}
	addTexts(t, d, false)
	out := formOf(t, known, wf.Locale, in)
	if len(known) == 0 {
		known = nil // no name is wrong
	}
	out.Findings = tell(t.Findings(known))
	return out, nil
}

// FormOfNames is the form for the fields of a source, and for what was typed in, where
// the template cannot be read.
func (p *Previewer) FormOfNames(names []string, in platen.FormInput) platen.Form {
	return form.OfNames(names, in)
}

// DataOf is the event of what was typed into a form, over the event that InputOf filled it
// with, or nil.
func (p *Previewer) DataOf(f platen.Form, in platen.FormInput, of []byte) ([]byte, error) {
	return form.Data(f, in, of)
}

// ListsOf says what of an event is a list, for FormOf.
func (p *Previewer) ListsOf(event []byte) map[string]bool { return form.Lists(event) }

// InputOf fills a form with an event; fits is false where it has more than forms take.
func (p *Previewer) InputOf(f platen.Form, event []byte) (in platen.FormInput, fits bool) {
	return form.Input(f, event)
}

// ExampleOf fills a form with values that fit it.
func (p *Previewer) ExampleOf(f platen.Form, in platen.FormInput) platen.FormInput {
	return form.Example(f, in)
}

func formOf(t *check.Template, known []string, locale string, in platen.FormInput) platen.TemplateForm {
	asks := t.Requirements()
	asks.Locale = cmp.Or(asks.Locale, locale)
	out := platen.TemplateForm{Form: form.Of(asks, known, in)}
	used := map[string]bool{}
	for _, name := range form.Names(out.Form) {
		used[strings.ToLower(name)] = true
	}
	for _, name := range known {
		if !used[strings.ToLower(name)] {
			out.Other = append(out.Other, name)
		}
	}
	return out
}

// fieldsOf are the fields that no tag is wrong to name: those of the source, and before
// its first event all of the form.
func fieldsOf(f platen.Form, known []string) []string {
	if len(known) > 0 {
		return known
	}
	return form.Names(f)
}
