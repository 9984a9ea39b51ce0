package activities_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// including makes documents of a template that includes a clause.
func including() *harness {
	w := newHarness(platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs}, OutputName: "Bill"}, `{"Name": "Ada {{include \"x\"}}"}`)
	w.alter("template", func(f *stored) { f.content = `{{include "Law"}}` })
	return w
}

func (w *harness) includingDocuments() *activities.Documents {
	d := w.documents()
	d.Include = func(string, string) fill.Include {
		return func(_ context.Context, copied platen.File, choose fill.Choose) (func(context.Context) error, error) {
			content := ""
			if err := w.call(func() error { content = w.files[copied.ID].content; return nil }); err != nil {
				return nil, err
			}
			if _, ok, err := choose(content); err != nil || !ok {
				return nil, fmt.Errorf("%q includes nothing: %w", content, err)
			}
			return func(context.Context) error {
				return w.call(func() error {
					f := w.files[copied.ID]
					f.content = "Law of {{Name}}"
					w.files[copied.ID] = f
					return nil
				})
			}, nil
		}
	}
	return d
}

// A document has what its template includes, once, wherever the worker dies: a copy in
// which documents may have been included is filled or thrown away.
func TestADocumentHasWhatItsTemplateIncludesWhereverTheWorkerDies(t *testing.T) {
	t.Parallel()
	run := func(w *harness) error {
		d := w.includingDocuments()
		if _, err := d.CopyTemplate(t.Context(), step); err != nil {
			return err
		}
		_, err := d.FillTags(t.Context(), step)
		return err
	}
	check := func(t *testing.T, w *harness) {
		t.Helper()
		o := w.known()
		if got, want := w.files[o.Copy.ID].content, `Law of Ada {{include "x"}}`; got != want || !o.FillEnded {
			t.Errorf("got %q, ended %t; want %q", got, o.FillEnded, want)
		}
		if w.fills[o.Copy.ID] != 1 {
			t.Errorf("the copy was filled %d times", w.fills[o.Copy.ID])
		}
		for id, f := range w.files {
			if id != "template" && id != o.Copy.ID && strings.Contains(f.content, "Law") {
				t.Errorf("another copy is left: %q", f.content)
			}
		}
	}
	undisturbed := including()
	if err := run(undisturbed); err != nil {
		t.Fatal(err)
	}
	check(t, undisturbed)
	for dieAt := 1; dieAt <= undisturbed.calls; dieAt++ {
		for _, after := range []bool{false, true} {
			w := including()
			w.dieAt, w.dieAfter = dieAt, after
			err := run(w)
			for tries := 0; err != nil && tries < 5; tries++ {
				err = run(w)
			}
			if err != nil {
				t.Fatalf("call %d: %v", dieAt, err)
			}
			check(t, w)
		}
	}
}
