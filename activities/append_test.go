package activities_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// newAppending is a harness of a document with a PDF, a template and an office file that
// are appended.
func newAppending() *harness {
	d := document()
	d.Appendices = []string{"sheet", "terms", "office"}
	w := newHarness(d, `{"Name":"Ada {{Name}}"}`)
	w.files["sheet"] = stored{File: platen.File{ID: "sheet", Name: "Sheet", Parent: "elsewhere", MIMEType: platen.MIMEDocs}, content: "Hours of {{Name}}{{Rate}}"}
	w.files["terms"] = stored{File: platen.File{ID: "terms", Name: "Terms.pdf", MIMEType: platen.MIMEPDF}, content: "%PDF Terms"}
	w.files["office"] = stored{File: platen.File{ID: "office", Name: "Office.docx", MIMEType: platen.MIMEDocx}, content: "As agreed with {{Name}}"}
	return w
}

// appending are the steps of a document with appendices. As in a run, the orphan sweep
// is skipped unless RecordOutput reports that there may be orphans.
func appending(d *activities.Documents) []func(context.Context) error {
	all := slices.Insert(steps(d), 2, func(ctx context.Context) error { _, err := d.FillAppendices(ctx, step); return err })
	var recorded activities.RecordResult
	all[5] = func(ctx context.Context) (err error) { recorded, err = d.RecordOutput(ctx, step); return err }
	trash := all[6]
	all[6] = func(ctx context.Context) error {
		if !recorded.Orphans {
			return nil
		}
		return trash(ctx)
	}
	return all
}

const appended = "%PDF Dear Ada {{Name}}, ! + Sheet: %PDF Hours of Ada {{Name}} + Terms.pdf: %PDF Terms + Office.docx: %PDF As agreed with Ada {{Name}}"

func checkAppended(t *testing.T, w *harness) {
	t.Helper()
	o := w.known()
	if o.State != platen.OutputDone || o.PDF == nil || !o.Removed || len(o.Appendices) > 0 || o.AppendixBegun {
		t.Fatalf("output: got %+v, want it done, with a PDF alone", o)
	}
	if pdf := w.files[o.PDF.ID].content; !strings.HasPrefix(pdf, "locked with pw-Ada {{Name}},") || !strings.HasSuffix(pdf, ": "+appended) {
		t.Errorf("PDF: got %q, want all of %q locked", pdf, appended)
	}
	if len(w.files) != 5 {
		t.Errorf("files: got %v, want the template, what is appended, and one PDF", w.files)
	}
	if got := fmt.Sprint(o.MissingFields); got != "[Unknown Rate]" {
		t.Errorf("missing fields: got %s, want those of all templates", got)
	}
	if len(w.events) != 1 {
		t.Errorf("events: got %d, want 1", len(w.events))
	}
}

func TestAnOutputHasItsAppendicesWhereverTheWorkerDies(t *testing.T) {
	t.Parallel()
	undisturbed := newAppending()
	runAll(t, appending(undisturbed.documents()), false)
	checkAppended(t, undisturbed)
	if got := strings.Join(undisturbed.copiedAs, ","); got != ","+platen.MIMEDocs {
		t.Errorf("copies: got types %q, want the one of the office file alone changed", got)
	}
	for dieAt := 1; dieAt <= undisturbed.calls; dieAt++ {
		for _, after := range []bool{false, true} {
			for _, fromStart := range []bool{false, true} {
				t.Run(fmt.Sprintf("call %d, effect done %t, from start %t", dieAt, after, fromStart), func(t *testing.T) {
					t.Parallel()
					w := newAppending()
					w.dieAt, w.dieAfter = dieAt, after
					runAll(t, appending(w.documents()), fromStart)
					checkAppended(t, w)
				})
			}
		}
	}
}

func TestEveryStepTwiceAppendsAsOnce(t *testing.T) {
	t.Parallel()
	w := newAppending()
	for i, s := range appending(w.documents()) {
		for range 2 {
			if err := s(t.Context()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
	}
	checkAppended(t, w)
}

// Two workers make every other step, each without what the other notes.
func TestWorkersThatTakeTurnsAppendAsOne(t *testing.T) {
	t.Parallel()
	w := newAppending()
	one, other := appending(w.documents()), appending(w.documents())
	for i := range one {
		all := one
		if i%2 == 1 {
			all = other
		}
		err := all[i](t.Context())
		for tries := 1; platen.KindOf(err) == platen.KindConflict && tries < 3; tries++ {
			err = all[i](t.Context())
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	checkAppended(t, w)
}

func TestACopyOfAnAppendixThatIsGoneIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newAppending()
	all := appending(w.documents())
	for i, s := range all[:3] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	delete(w.files, w.known().AppendixCopies()[0])
	if err := all[3](t.Context()); platen.KindOf(err) != platen.KindConflict {
		t.Fatalf("got %v, want a conflict, which is tried again", err)
	}
	for i, s := range all[3:] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i+3, err)
		}
	}
	checkAppended(t, w)
}

func TestWhatCannotBeAppendedFailsTheOutputAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*harness)
		code   string
		says   string
	}{
		"a file that is gone":       {func(w *harness) { delete(w.files, "office") }, platen.CodeAppendixNotFound, "office"},
		"a file in the trash":       {func(w *harness) { w.alter("office", func(s *stored) { s.Trashed = true }) }, platen.CodeAppendixNotFound, "office"},
		"a picture":                 {func(w *harness) { w.alter("office", func(s *stored) { s.MIMEType = "image/png" }) }, platen.CodeAppendixType, "image/png"},
		"a PDF that is none":        {func(w *harness) { w.alter("terms", func(s *stored) { s.content = "text" }) }, platen.CodeAppendixDamaged, "Terms.pdf"},
		"a PDF that is too large":   {func(w *harness) { w.alter("terms", func(s *stored) { s.Size = platen.MaxAppendedSize + 1 }) }, platen.CodeAppendixTooLarge, "Terms.pdf"},
		"a template with a mistake": {func(w *harness) { w.alter("office", func(s *stored) { s.content = "{{#if A}}" }) }, "template_faulty", `"Office.docx"`},
		"a field that has to be there": {func(w *harness) {
			w.plan.Documents[0].Document.OnMissing = platen.MissingFail
			w.alter("template", func(s *stored) { s.content = "Dear {{Name}}" })
		}, "fields_missing", `"Sheet"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newAppending()
			c.change(w)
			sources := len(w.files)
			d := w.documents()
			var failed error
			for _, s := range appending(d)[:4] {
				if failed = s(t.Context()); failed != nil {
					break
				}
			}
			e, ok := errors.AsType[*platen.Error](failed)
			if !ok || e.Code != c.code || activities.MayPass(failed) || !strings.Contains(e.Message, c.says) {
				t.Fatalf("got %v, want %s for good, with %q", failed, c.code, c.says)
			}
			recorded, err := d.RecordFailure(t.Context(), activities.FailureInput{Step: step, Code: e.Code, Message: e.Message})
			if err != nil || !recorded.Orphans {
				t.Fatalf("got %+v, %v; want orphans to be removed", recorded, err)
			}
			if _, err := d.TrashLeftovers(t.Context(), step); err != nil {
				t.Fatal(err)
			}
			if len(w.files) != sources {
				t.Errorf("files: got %v, want those that were there before", w.files)
			}
		})
	}
}

// A drive that cannot fill for hours is asked again and again: there is one copy at most.
func TestTriesToFillAnAppendixPileUpNoCopies(t *testing.T) {
	t.Parallel()
	w := newAppending()
	d := w.documents()
	all := appending(d)
	for i, s := range all[:2] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	d.Drives = func(context.Context, string) (activities.Drive, error) { return unfilling{w}, nil }
	before := len(w.files)
	for range 5 {
		if err := all[2](t.Context()); platen.KindOf(err) != platen.KindUnavailable {
			t.Fatalf("got %v, want what the drive said", err)
		}
	}
	if len(w.files) > before {
		t.Errorf("files: got %v, want no copy of an appended template", w.files)
	}
}

// An unfilling drive changes no document.
type unfilling struct{ *harness }

func (unfilling) EditDocument(context.Context, string, platen.Reading, func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	return 0, platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive has a problem of its own: try again.")
}

func TestWithoutAPDFNothingIsAppended(t *testing.T) {
	t.Parallel()
	w := newAppending()
	w.plan.Documents[0].Document.CreatePDFCopy, w.plan.Documents[0].Document.RemoveOutput = false, false
	loaded, err := w.documents().LoadPlan(t.Context(), activities.LoadPlanInput{AutomationID: "aut_1"})
	if err != nil || loaded.Documents[0].Append {
		t.Errorf("got %+v, %v; want no step for what is appended", loaded, err)
	}
	if _, err := w.documents().FillAppendices(t.Context(), step); err != nil || len(w.copiedAs) != 0 {
		t.Errorf("got %v and %d copies, want none", err, len(w.copiedAs))
	}
}

func TestWhatThePDFOfAnAppendixDoesNotShowNamesTheAppendix(t *testing.T) {
	t.Parallel()
	w := newAppending()
	w.findings = []platen.Finding{{Code: "missing_glyph", Message: "日 (U+65E5)"}}
	runAll(t, appending(w.documents()), false)
	got := w.known().Findings
	if len(got) != 3 || got[0] != w.findings[0] || got[1].Message != `In the appended file "Sheet": 日 (U+65E5)` || got[2].Message != `In the appended file "Office.docx": 日 (U+65E5)` {
		t.Errorf("got %+v, want the findings of each, with its name", got)
	}
}

func (w *harness) alter(fileID string, change func(*stored)) {
	s := w.files[fileID]
	change(&s)
	w.files[fileID] = s
}
