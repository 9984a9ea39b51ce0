package preview_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/preview"
)

// Whoever has the address of a form could read any document of the owner's drive otherwise.
func TestUnauthenticatedCallersIncludeNoDocumentsThatTheyName(t *testing.T) {
	t.Parallel()
	wf := workflow
	wf.Source.Fields = []string{"Clause", "No"}
	for template, want := range map[string]string{"{{include Clause}}": "", `{{include "Terms"}}`: "Terms as usr_1 reads it"} {
		s := newShelf(template)
		p := s.previewer(func(o *preview.Options) { o.Include = s.include })
		got, _, err := p.SampleOfForm(t.Context(), wf, document, wf.Source.Fields, typed("Clause", "Salaries", "No", "1"), nil)
		if err != nil || want != "" && !strings.Contains(string(got.PDF), want) {
			t.Errorf("%s: got %s, %+v, %v; want %s", template, got.PDF, got.Findings, err, want)
		}
		if want == "" && (got.PDF != nil || len(got.Findings) != 1 || got.Findings[0].Code != "include_not_found") {
			t.Errorf("%s: got %s, %+v; want a finding and no PDF", template, got.PDF, got.Findings)
		}
		s.leavesNothing(t)
	}
}

// The template is shared with the team, other files of its owner's drive are not.
func TestAPreviewIncludesWhatItsCallerMayRead(t *testing.T) {
	t.Parallel()
	s := newShelf("{{include Clause}}")
	p := s.previewer(func(o *preview.Options) { o.Include = s.include })
	for caller, want := range map[string]string{"usr_1": "Terms as usr_1 reads it", "usr_2": "Terms as usr_2 reads it"} {
		ctx := platen.WithCaller(t.Context(), platen.User{ID: caller})
		if got, err := p.SampleOf(ctx, workflow, document, []byte(`{"Clause": "Terms", "No": 1}`)); err != nil || !strings.Contains(string(got.PDF), want) {
			t.Errorf("%s: got %s, %+v, %v; want %s", caller, got.PDF, got.Findings, err, want)
		}
	}
	ctx := platen.WithCaller(t.Context(), platen.User{ID: "usr_2"})
	got, err := p.SampleOf(ctx, workflow, document, []byte(`{"Clause": "nowhere", "No": 1}`))
	if err != nil || got.PDF != nil || len(got.Findings) != 1 || !strings.Contains(got.Findings[0].Message, "with your own access") {
		t.Errorf("a document that is not there: got %+v, %v", got, err)
	}
	s.leavesNothing(t)
}

// included is a template with what it includes, where that can be read.
func included(t *testing.T, names map[string]string) func(*preview.Options) {
	return func(o *preview.Options) {
		o.Whole = func(_, readerID, _ string) fill.Whole {
			return func(_ context.Context, choose fill.Choose) ([]byte, error) {
				body := "Dear {{Nam}}"
				for _, text := range []string{`{{include "Terms"}}`, "{{include Clause}}"} {
					c, ok, err := choose(text)
					if err != nil {
						return nil, err
					}
					for _, name := range c.Names {
						if names[name] == "" {
							return nil, platen.Errorf(platen.KindInvalid, "include_not_found", "There is no such document.")
						}
						body += "</w:t></w:r></w:p><w:p><w:r><w:t>" + names[name]
					}
					if !ok {
						body += text
					}
				}
				return officetest.Zip(t, officetest.WordParts("<w:p><w:r><w:t>"+body+"</w:t></w:r></w:p>", nil)), nil
			}
		}
	}
}

// A check knows what a template includes: its fields, and its mistakes.
func TestACheckKnowsWhatATemplateIncludes(t *testing.T) {
	t.Parallel()
	s := newShelf(`{{include "Terms"}}`)
	names := map[string]string{"Terms": "Pay {{Amount}} {{= SUMM(1)}}", "Late": "{{Fee}}"}
	p := s.previewer(included(t, names))
	got, err := p.CheckTemplate(t.Context(), workflow, document, []string{"Amount", "No"}, nil)
	if err != nil || !strings.Contains(string(got.Schema), `"Amount"`) {
		t.Errorf("got %s, %v; want the field of the included document", got.Schema, err)
	}
	if i := slices.IndexFunc(got.Findings, func(f platen.TemplateFinding) bool { return f.Tag == "{{= SUMM(1)}}" }); i < 0 || !strings.Contains(got.Findings[i].Where, "with what is included") {
		t.Errorf("got %+v, want the mistake of the included document", got.Findings)
	}
	form, err := p.FormOf(t.Context(), workflow, document, nil, typed())
	if err != nil || !slices.ContainsFunc(form.Fields, func(f platen.FormField) bool { return f.Name == "Amount" }) {
		t.Errorf("got %+v, %v; want the field of the included document", form.Fields, err)
	}
	s.files["template"] = "{{include Clause}}"
	got, err = p.CheckTemplate(t.Context(), workflow, document, nil, []byte(`{"Clause": "Late", "No": 1}`))
	if err != nil || !slices.ContainsFunc(got.Findings, func(f platen.TemplateFinding) bool { return f.Tag == "{{Fee}}" && f.Code == "unknown_field" }) {
		t.Errorf("with data: got %+v, %v; want the field that it lacks", got.Findings, err)
	}
	got, err = p.CheckTemplate(t.Context(), workflow, document, nil, []byte(`{"Clause": "nowhere", "No": 1}`))
	if err != nil || !slices.ContainsFunc(got.Findings, func(f platen.TemplateFinding) bool { return f.Code == "include_not_found" }) {
		t.Errorf("a document that is not there: got %+v, %v", got.Findings, err)
	}
}
