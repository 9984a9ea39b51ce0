package activities_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// The database was restored to the moment at which the copy began, the drive was not:
// the file under the copy's key is filled, and a receiver may know it.
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

// A worker died before it noted the copy, or before it filled it, and nobody put
// anything back.
func TestACopyOfACrashIsTakenOverWhateverBecameOfItsTemplate(t *testing.T) {
	t.Parallel()
	for name, template := range map[string]string{"edited": "Dear {{FirstName}} {{Name}}, {{Unknown}}!", "gone": "", "without tags": "Dear all!"} {
		for _, noted := range []bool{false, true} {
			w := newHarness(document(), `{"Name":"Ada"}`)
			original := w.files["template"]
			content := original.content
			switch name {
			case "gone":
				delete(w.files, "template")
			case "without tags":
				content = template
				fallthrough
			default:
				original.content = template
				w.files["template"] = original
			}
			back(w, false, content)
			if !noted {
				o := w.known()
				o.Copy = nil
				w.set(o)
			}
			for i, s := range steps(w.documents())[:2] {
				if err := s(t.Context()); err != nil {
					t.Fatalf("template %s, copy noted %t: step %d: %v", name, noted, i, err)
				}
			}
			want := strings.NewReplacer("{{Name}}", "Ada", "{{Unknown}}", "").Replace(content)
			if o := w.known(); o.Copy == nil || o.Copy.ID != "told" || o.Generation != 0 || w.files["told"].content != want {
				t.Errorf("template %s, copy noted %t: got %+v, and the copy says %q; want it in use, filled once: %q", name, noted, o, w.files["told"].content, want)
			}
		}
	}
}

// The fill began after the moment to which the database was put back, and nobody can
// tell from the template any more that it did.
func TestACopyThatMayBeFilledIsNotFilledAgainWhenItsTemplateIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, content string }{
		"a value with a tag": {`{"Name":"Ada {{Name}}"}`, "Dear Ada {{Name}}, !"},
		"no tag is left":     {`{"Name":"Ada"}`, "Dear Ada, !"},
	} {
		for _, noted := range []bool{false, true} {
			w := newHarness(document(), c.data)
			delete(w.files, "template")
			back(w, false, c.content)
			if !noted {
				o := w.known()
				o.Copy = nil
				w.set(o)
			}
			for i, s := range steps(w.documents())[:3] {
				if err := s(t.Context()); err != nil {
					t.Fatalf("%s, copy noted %t: step %d: %v", name, noted, i, err)
				}
			}
			if o := w.known(); o.Copy == nil || o.Copy.ID != "told" || o.Generation != 0 || !o.FillEnded || w.files["told"].content != c.content {
				t.Errorf("%s, copy noted %t: got %+v, and the copy says %q; want it in use, as it was: %q", name, noted, o, w.files["told"].content, c.content)
			}
		}
	}
}

func TestOfTwoCopiesWhoseTemplateIsGoneTheFilledOneIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending, CopyBegun: true})
	for id, content := range map[string]string{"first": "Dear {{Name}}, {{Unknown}}!", "told": "Dear Ada, !"} {
		w.files[id] = stored{File: platen.File{ID: id, MIMEType: platen.MIMEDocs, Properties: map[string]string{platen.PropertyKey: "out_1.0"}}, content: content}
	}
	delete(w.files, "template")
	for i, s := range steps(w.documents())[:2] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if o := w.known(); o.Copy == nil || o.Copy.ID != "told" || !o.FillEnded || w.fills["told"]+w.fills["first"] != 0 {
		t.Errorf("got %+v, with %v filled; want the filled copy in use, and none filled", o, w.fills)
	}
}

// back is the output as it was at the moment to which the database was put back, when
// its copy "told" was not known to be filled; the drive has it as it became since.
func back(w *harness, begun bool, content string) {
	told := platen.File{ID: "told", Name: "Letter", Parent: "folder", MIMEType: platen.MIMEDocs, Properties: map[string]string{
		platen.PropertyKey: "out_1.0", platen.PropertyProtection: string(platen.ProtectionCredentials),
	}}
	w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending, CopyBegun: true, Copy: &told, FillBegun: begun})
	w.files["told"] = stored{File: told, content: content}
}

func TestACopyThatIsFilledIsTakenOverWhateverTheRowSays(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
		back(w, begun, "Dear Ada {{Name}}, !")
		for _, s := range steps(w.documents())[1:3] { // its original is not removed
			if err := s(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		o := w.known()
		if o.Generation != 0 || o.Copy == nil || o.Copy.ID != "told" || w.files["told"].content != "Dear Ada {{Name}}, !" {
			t.Errorf("filling begun %t: got generation %d, a copy that says %q; want the same copy, filled once", begun, o.Generation, w.files["told"].content)
		}
		if !slices.Equal(o.MissingFields, []string{"Unknown"}) {
			t.Errorf("filling begun %t: got missing fields %q, want those of the template", begun, o.MissingFields)
		}
	}
}

func TestACopyThatSaysSomethingElseThanItsTemplateIsLeftAloneAndAnotherMade(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	back(w, false, "Dear Ada {{Name}}, !, and more")
	runAgain(t, w)
	o := w.known()
	if o.State != platen.OutputDone || o.Generation != 1 || w.files["told"].content != "Dear Ada {{Name}}, !, and more" {
		t.Errorf("got %s of generation %d, and the copy that was there says %q; want it done, of the next, and that copy as it was", o.State, o.Generation, w.files["told"].content)
	}
}

func TestACopyIsNotFilledAgainWhereTheNameOfItsWorkflowHasATag(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	w.plan.WorkflowName = "Invoices {{Name}}"
	original := w.files["template"]
	original.content = "Dear {{Name}}, {{Workflow Name}}" // edited since
	w.files["template"] = original
	back(w, false, "Invoices {{Name}}")
	runAgain(t, w)
	if o := w.known(); o.State != platen.OutputDone || o.Generation != 1 || w.files["told"].content != "Invoices {{Name}}" {
		t.Errorf("got %s of generation %d, and the copy that was there says %q; want it done, of the next, and that copy as it was", o.State, o.Generation, w.files["told"].content)
	}
}

// broken is a drive whose connection breaks before the template is read.
type broken struct{ *harness }

func (b broken) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	if fileID == "template" {
		return 0, platen.Errorf(platen.KindForbidden, platen.CodeConnectionBroken, "The connection was withdrawn.")
	}
	return b.harness.EditDocument(ctx, fileID, read, compose)
}

func TestACopyIsNotThrownAwayWhenTheConnectionBreaksBeforeItsTemplateIsRead(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	back(w, true, "Dear Ada, !")
	d := w.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return broken{w}, nil }
	err := steps(d)[1](t.Context())
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeConnectionBroken {
		t.Errorf("got %v, want %s", err, platen.CodeConnectionBroken)
	}
	if o := w.known(); o.Generation != 0 || len(o.ThrownAway) != 0 || w.files["told"].content != "Dear Ada, !" {
		t.Errorf("got %+v, want the copy in use as it was", o)
	}
}

func TestACopyThatIsNotThereAnyMoreIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	back(w, false, "")
	delete(w.files, "told")
	runAgain(t, w)
	if o := w.known(); o.State != platen.OutputDone || o.Generation != 1 {
		t.Errorf("got %s of generation %d, want it done, of the next", o.State, o.Generation)
	}
}

// The row forgot the upload that came last: what lies under its id says whose it is.
func TestAPDFThatWasUploadedAfterTheMomentOfTheRowIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	all := steps(w.documents())
	for i, s := range all[:3] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	o := w.known()
	pdf := o.PDF.ID
	o.PDF, o.PDFHashes = nil, []string{"another"}
	w.set(o)
	for i, s := range steps(w.documents())[2:] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i+2, err)
		}
	}
	if o := w.known(); o.State != platen.OutputDone || o.PDF.ID != pdf || !o.Removed {
		t.Errorf("got %s with PDF %v, removed %t; want it done with %s", o.State, o.PDF, o.Removed, pdf)
	}
}

func TestFilesOfTheDriveThatTheRowForgotAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending, Generation: 1, Repeated: true})
	w.files["told pdf"] = stored{File: platen.File{ID: "told pdf", Properties: map[string]string{platen.PropertyKey: "out_1"}}, content: "%PDF"}
	for id, content := range map[string]string{"told": "Dear Ada {{Name}}, !", "untouched": w.files["template"].content} {
		w.files[id] = stored{File: platen.File{ID: id, MIMEType: platen.MIMEDocs, Properties: map[string]string{platen.PropertyKey: "out_1.0"}}, content: content}
	}
	runAgain(t, w)
	if _, err := w.documents().TrashLeftovers(t.Context(), activities.Step{AutomationID: "aut_1", OutputID: "out_1"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"told pdf": true, "told": true, "untouched": false} {
		if _, got := w.files[id]; got != want {
			t.Errorf("%s: there %t, want %t", id, got, want)
		}
	}
}

// reading counts how often files are read.
type reading struct {
	*harness
	reads map[string]int
}

func (r reading) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	r.reads[fileID]++
	return r.harness.EditDocument(ctx, fileID, read, compose)
}

func TestTheWorkerThatMadeACopyFillsItWithoutReadingItsTemplate(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	r := reading{w, map[string]int{}}
	d := w.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return r, nil }
	for i, s := range steps(d) {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if o := w.known(); len(r.reads) != 1 || r.reads[o.Copy.ID] != 1 {
		t.Errorf("read %v, want the copy %s once and nothing else", r.reads, o.Copy.ID)
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
