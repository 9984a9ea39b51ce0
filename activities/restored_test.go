package activities_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen"
)

// The database was put back to the moment at which the copy began, the drive was not:
// what lies under the copy's key is filled, and may be what a receiver was told of.
func TestACopyThatIsFoundFilledIsLeftAloneAndAnotherMade(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending, CopyBegun: true})
	w.files["told"] = stored{
		File:    platen.File{ID: "told", Name: "Letter", Parent: "folder", MIMEType: platen.MIMEDocs, Properties: map[string]string{platen.PropertyKey: "out_1.0"}},
		content: "Dear Ada {{Name}}, !",
	}
	runAgain(t, w)
	o := w.known()
	if o.State != platen.OutputDone || o.Generation != 1 || !o.KeepsFiles {
		t.Fatalf("got %s of generation %d, keeps files: %t; want it done, of the next generation, and the files kept", o.State, o.Generation, o.KeepsFiles)
	}
	if got := w.files["told"].content; got != "Dear Ada {{Name}}, !" {
		t.Errorf("the copy that was found: got %q, want it as it was", got)
	}
	if pdf := w.files[o.PDF.ID].content; !strings.HasSuffix(pdf, ": %PDF Dear Ada {{Name}}, !") {
		t.Errorf("PDF: got %q, want it filled once", pdf)
	}
}

func TestACopyThatIsFoundAsItsTemplateIsIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending, CopyBegun: true})
	w.files["copy"] = stored{
		File:    platen.File{ID: "copy", Name: "Letter", Parent: "folder", MIMEType: platen.MIMEDocs, Properties: map[string]string{platen.PropertyKey: "out_1.0"}},
		content: w.files["template"].content,
	}
	run(t, w, false)
	checkOneOutput(t, w)
	if o := w.known(); o.Copy.ID != "copy" {
		t.Errorf("got the copy %s, want the one that was there", o.Copy.ID)
	}
}

// runAgain makes the steps as Temporal does, which tries again what was superseded.
func runAgain(t *testing.T, w *harness) {
	t.Helper()
	for i, s := range steps(w.documents()) {
		err := s(t.Context())
		for tries := 0; err != nil && platen.KindOf(err) == platen.KindConflict && tries < 3; tries++ {
			err = s(t.Context())
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}
