package activities_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

var missingTemplates = map[string]string{
	"plain":      "Dear {{Name}}, {{Gone}}",
	"structured": "Dear {{Name}}, {{#each Items}}{{A}}{{/each}}{{Gone}}",
}

func copied(t *testing.T, onMissing platen.OnMissing, content string) *harness {
	t.Helper()
	w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "Bill {{No}}", OnMissing: onMissing},
		`{"Name":"Ada","Items":[{"A":1}]}`)
	f := w.files["template"]
	f.content = content
	w.files["template"] = f
	if _, err := w.documents().CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestADocumentThatMustNotMissFieldsFailsBeforeItIsFilled(t *testing.T) {
	t.Parallel()
	for name, content := range missingTemplates {
		w := copied(t, platen.MissingFail, content)
		d := w.documents()
		for range 2 { // steps may run twice
			_, err := d.FillTags(t.Context(), step)
			if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), `"Gone", "No"`) {
				t.Errorf("%s: got %v, want a failure that names the fields", name, err)
			}
		}
		o := w.known()
		if o.FillBegun || w.files[o.Copy.ID].content != content || !slices.Equal(o.MissingFields, []string{"Gone", "No"}) {
			t.Errorf("%s: got %+v of %q", name, o, w.files[o.Copy.ID].content)
		}
		if _, err := d.RecordFailure(t.Context(), activities.FailureInput{Step: step, Code: "fields_missing", Message: "x"}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.TrashLeftovers(t.Context(), step); err != nil || len(w.files) != 1 {
			t.Errorf("%s: %v, files: got %v, want the template alone", name, err, w.files)
		}
	}
}

func TestADocumentThatMayMissFieldsIsMadeAndNotesThem(t *testing.T) {
	t.Parallel()
	for name, content := range missingTemplates {
		w := copied(t, platen.MissingBlank, content)
		if _, err := w.documents().FillTags(t.Context(), step); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if o := w.known(); !o.FillEnded || !slices.Equal(o.MissingFields, []string{"Gone", "No"}) {
			t.Errorf("%s: got %+v", name, o)
		}
	}
}

func TestAnOutputSaysWhatIsWrongWithItsName(t *testing.T) {
	t.Parallel()
	for template, want := range map[string][]string{
		"{{Gone}}":                    {platen.CodeNameEmpty},
		"{{#if Gone}}":                {platen.CodeNameFaulty, platen.CodeNameEmpty},
		"Bill {{/if}}":                {platen.CodeNameFaulty},
		"Bill {{= SUMM(Items.A)}}":    {platen.CodeNameFaulty},
		"Bill {{Gone}}":               nil,
		"{{#if Gone}}{{/if}}{{Name}}": nil,
	} {
		w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: template, CreatePDFCopy: true},
			`{"Name":"Ada","Items":[{"A":1}]}`)
		d := w.documents()
		if _, err := d.CopyTemplate(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		for n, do := range []func() error{
			func() error { _, err := d.FillTags(t.Context(), step); return err },
			func() error { _, err := d.MakePDF(t.Context(), step); return err },
			func() error { _, err := d.MakePDF(t.Context(), step); return err }, // steps may run twice
		} {
			if err := do(); err != nil {
				t.Fatalf("%s: step %d: %v", template, n, err)
			}
			var got []string
			for _, f := range w.known().Findings {
				got = append(got, f.Code)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: after step %d: got %q, want %q", template, n, got, want)
			}
		}
	}
}

func TestAnEventWithoutAnyFieldOfTheTemplateIsAFinding(t *testing.T) {
	t.Parallel()
	for event, want := range map[string][]string{
		`{}`:                        {platen.CodeNoField},
		`{"Nmae":"Ada","No":1}`:     {platen.CodeNoField},
		`{"Name":""}`:               nil, // it is there, and empty
		`{"name":"Ada"}`:            nil, // in another case
		`{"Customer":{"Town":"x"}}`: nil,
	} {
		for _, content := range []string{"Dear {{Name}} of {{Customer.Town}}, {{Timestamp}}", "Dear {{Name}}{{#if Customer.Town}} of {{Customer.Town}}{{/if}}, {{Timestamp}}"} {
			w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "Bill", CreatePDFCopy: true}, event)
			f := w.files["template"]
			f.content = content
			w.files["template"] = f
			d := w.documents()
			for n, do := range []func() error{
				func() error { _, err := d.CopyTemplate(t.Context(), step); return err },
				func() error { _, err := d.FillTags(t.Context(), step); return err },
				func() error { _, err := d.MakePDF(t.Context(), step); return err },
			} {
				if err := do(); err != nil {
					t.Fatalf("%s: step %d: %v", event, n, err)
				}
			}
			var got []string
			for _, f := range w.known().Findings {
				got = append(got, f.Code)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s into %q: got %q, want %q", event, content, got, want)
			}
		}
	}
	w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "Bill"}, `{}`)
	f := w.files["template"]
	f.content = "Nothing to fill, but {{Timestamp}}"
	w.files["template"] = f
	if _, err := w.documents().CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	if _, err := w.documents().FillTags(t.Context(), step); err != nil || len(w.known().Findings) > 0 {
		t.Errorf("a template without fields: %v, %v", w.known().Findings, err)
	}
}

// A formula that cannot be worked out because a field is missing names the field, too.
func TestAFormulaThatFailsForWhatIsMissingNotesTheField(t *testing.T) {
	t.Parallel()
	w := copied(t, platen.MissingBlank, "{{= 1 / COUNT(Bags.Weight)}}{{Gone}}")
	_, err := w.documents().FillTags(t.Context(), step)
	if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), `this data. It does not have "Bags", "Gone". `) {
		t.Errorf("got %v, want a failure that begins with what is missing", err)
	}
	if o := w.known(); !slices.Equal(o.MissingFields, []string{"Bags.Weight", "Gone", "No"}) {
		t.Errorf("got the missing fields %q", o.MissingFields)
	}
}
