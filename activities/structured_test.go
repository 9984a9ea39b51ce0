package activities_test

import (
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/activities"
)

func structured(t *testing.T, content string) (*world, activities.FillResult, error) {
	t.Helper()
	w := newWorld(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "O"}, `{"Name":"{{Secret}}","Items":[{"A":1},{"A":2}],"Secret":"s"}`)
	f := w.files["template"]
	f.content = content
	w.files["template"] = f
	in := activities.Step{AutomationID: "aut_1", OutputID: "out_1"}
	if _, err := w.documents().CopyTemplate(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	result, err := w.documents().FillTags(t.Context(), in)
	return w, result, err
}

func TestTemplatesWithBlocksAreFilledInOneChange(t *testing.T) {
	t.Parallel()
	w, result, err := structured(t, "{{Name}}: {{#each Items}}{{A}};{{/each}}{{#if Gone}}x{{/if}} {{Secret}}{{Nowhere}}")
	if err != nil {
		t.Fatal(err)
	}
	o := w.outputs["out_1"]
	if got, want := w.files[o.Copy.ID].content, "{{Secret}}: 1;2; s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !o.FillEnded || w.fills[o.Copy.ID] != 1 || result.Missing != 1 || len(o.MissingFields) != 1 || o.MissingFields[0] != "Nowhere" {
		t.Errorf("got %+v, filled %d times, %+v", o, w.fills[o.Copy.ID], result)
	}
}

func TestTemplatesWithMistakesAreNotFilled(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"{{= SUMM(1)}}", "{{#if Name}} never closed", "{{Name}} {{= Name * 2}}"} {
		w, _, err := structured(t, content)
		o := w.outputs["out_1"]
		if platen.KindOf(err) != platen.KindInvalid || o.FillBegun || w.files[o.Copy.ID].content != content {
			t.Errorf("%s: got %v, begun %v, content %q", content, err, o.FillBegun, w.files[o.Copy.ID].content)
		}
	}
}
