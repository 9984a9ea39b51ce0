package activities_test

import (
	"context"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

func fillWith(t *testing.T, content string) (*harness, activities.FillResult, error) {
	t.Helper()
	w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "O"}, `{"Name":"{{Secret}}","Items":[{"A":1},{"A":2}],"Secret":"s"}`)
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
	w, result, err := fillWith(t, "{{Name}}: {{#each Items}}{{A}};{{/each}}{{#if Gone}}x{{/if}} {{Secret}}{{Nowhere}}")
	if err != nil {
		t.Fatal(err)
	}
	o := w.known()
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
		w, _, err := fillWith(t, content)
		o := w.known()
		if platen.KindOf(err) != platen.KindInvalid || o.FillBegun || w.files[o.Copy.ID].content != content {
			t.Errorf("%s: got %v, begun %v, content %q", content, err, o.FillBegun, w.files[o.Copy.ID].content)
		}
	}
}

// obtaining answers every picture with one of four pixels, or with an error.
type obtaining struct {
	asked []lang.Picture
	err   error
}

func (o *obtaining) Obtain(_ context.Context, p lang.Picture, _ func(context.Context, string) ([]byte, error)) (lang.Obtained, error) {
	o.asked = append(o.asked, p)
	return lang.Obtained{URI: "data:", Width: 2, Height: 2}, o.err
}

func TestPicturesAreObtainedBeforeFillingBegins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want platen.Kind
	}{
		"a picture that is none": {platen.Errorf(platen.KindInvalid, "picture_unusable", "It is none."), platen.KindInvalid},
		"a drive that is away":   {platen.Errorf(platen.KindUnavailable, "drive_unavailable", "It is away."), platen.KindUnavailable},
	} {
		w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "O"}, `{"Logo":"id","Twice":"id"}`)
		f := w.files["template"]
		f.content = "{{image Logo}} {{image Twice 10mm}} {{qr Logo}}"
		w.files["template"] = f
		in, pictures := activities.Step{AutomationID: "aut_1", OutputID: "out_1"}, &obtaining{err: c.err}
		d := w.documents()
		d.Pictures = pictures
		if _, err := d.CopyTemplate(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		_, err := d.FillTags(t.Context(), in)
		if o := w.known(); platen.KindOf(err) != c.want || o.FillBegun || o.FillEnded {
			t.Errorf("%s: got %v, begun %v", name, err, o.FillBegun)
		}
		if len(pictures.asked) == 0 || len(pictures.asked) > 2 {
			t.Errorf("%s: asked for %+v, want each picture once", name, pictures.asked)
		}
	}
}
