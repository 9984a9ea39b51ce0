package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

var step = activities.Step{AutomationID: "aut_1", OutputID: "out_1"}

func document() platen.Document {
	return platen.Document{
		ID: "doc_1", File: platen.File{ID: "template", MIMEType: platen.MIMEDocs},
		OutputName: "Letter {{Name}}", CreatePDFCopy: true, RemoveOutput: true,
		EnablePDFPassword: true, PDFPassword: "pw-{{Name}}",
	}
}

// steps are the activities of one output, in the order of the run.
func steps(d *activities.Documents) []func(context.Context) error {
	forget := func(_ any, err error) error { return err }
	return []func(context.Context) error{
		func(ctx context.Context) error { return forget(d.CopyTemplate(ctx, step)) },
		func(ctx context.Context) error { return forget(d.FillTags(ctx, step)) },
		func(ctx context.Context) error { return forget(d.MakePDF(ctx, step)) },
		func(ctx context.Context) error { return forget(d.RemoveOriginal(ctx, step)) },
		func(ctx context.Context) error { return forget(d.RecordOutput(ctx, step)) },
		func(ctx context.Context) error { return forget(d.TrashLeftovers(ctx, step)) },
	}
}

// run executes the steps as Temporal would: a failed step runs again, and with
// fromStart a crash loses every step since the beginning, as a crash before
// the workflow task's completion does.
func run(t *testing.T, w *harness, fromStart bool) {
	t.Helper()
	runAll(t, steps(w.documents()), fromStart)
}

func runAll(t *testing.T, all []func(context.Context) error, fromStart bool) {
	t.Helper()
	crashed := false
	for i := 0; i < len(all); i++ {
		err := all[i](t.Context())
		if err == nil {
			continue
		}
		if !errors.Is(err, errCrash) || crashed {
			t.Fatalf("step %d failed: %v", i, err)
		}
		crashed = true
		if fromStart {
			i = 0
		}
		i--
	}
}

func checkOneOutput(t *testing.T, w *harness) {
	t.Helper()
	o := w.known()
	if o.State != platen.OutputDone || o.PDF == nil || !o.Removed {
		t.Fatalf("output: got %+v, want it done, with a PDF, its original removed", o)
	}
	if len(w.files) != 2 { // the template and the PDF
		t.Errorf("files: got %d, want the template and one PDF: %v", len(w.files), w.files)
	}
	pdf := w.files[o.PDF.ID].content
	if err := w.Opens([]byte(pdf), "pw-Ada {{Name}}"); err != nil {
		t.Errorf("PDF: %v: %s", err, pdf)
	}
	// A value that looks like a tag stays as it is: nothing was filled twice.
	if want := "Dear Ada {{Name}}, !"; !strings.HasSuffix(pdf, want) {
		t.Errorf("PDF: got %q, want it to end in %q", pdf, want)
	}
	if got := fmt.Sprint(o.MissingFields); got != "[Unknown]" {
		t.Errorf("missing fields: got %s, want [Unknown]", got)
	}
	if len(w.events) != 1 {
		t.Errorf("events: got %d, want 1", len(w.events))
	}
}

func TestOneOutputWhereverTheWorkerDies(t *testing.T) {
	t.Parallel()
	const data = `{"Name":"Ada {{Name}}"}`
	undisturbed := newHarness(document(), data)
	run(t, undisturbed, false)
	checkOneOutput(t, undisturbed)
	for dieAt := 1; dieAt <= undisturbed.calls; dieAt++ {
		for _, after := range []bool{false, true} {
			for _, fromStart := range []bool{false, true} {
				t.Run(fmt.Sprintf("call %d, effect done %t, from start %t", dieAt, after, fromStart), func(t *testing.T) {
					t.Parallel()
					w := newHarness(document(), data)
					w.dieAt, w.dieAfter = dieAt, after
					run(t, w, fromStart)
					checkOneOutput(t, w)
				})
			}
		}
	}
}

func TestEveryStepTwiceIsAsOnce(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	for i, s := range steps(w.documents()) {
		for range 2 {
			if err := s(t.Context()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
	}
	checkOneOutput(t, w)
}

func TestOriginalStaysWhenThePDFIsNotAsUploaded(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		passed  time.Duration // since the upload
		another bool          // process
		tries   int
	}{
		"some seconds later":               {passed: 6 * time.Second, tries: 1},
		"another worker, at once":          {another: true, tries: 1},
		"when it is tried again, at once":  {tries: 2},
		"when it is tried again, by other": {another: true, tries: 2},
	} {
		w := newHarness(document(), `{"Name":"Ada"}`)
		d := &stubborn{harness: w, refusals: s.tries - 1}
		all := steps(d.documents())
		for i, step := range all[:3] {
			if err := step(t.Context()); err != nil {
				t.Fatalf("%s: step %d: %v", name, i, err)
			}
		}
		if s.another {
			w.set(w.known())
			all = steps(d.documents())
		}
		w.passed += s.passed
		for range s.tries - 1 {
			if err := all[3](t.Context()); platen.KindOf(err) != platen.KindUnavailable {
				t.Fatalf("%s: got %v, want the drive's refusal to delete", name, err)
			}
		}
		pdf := w.files[w.known().PDF.ID]
		pdf.SHA256, pdf.content = "", "something else"
		w.files[pdf.ID] = pdf
		if err := all[3](t.Context()); platen.KindOf(err) != platen.KindConflict {
			t.Fatalf("%s: got %v, want KindConflict", name, err)
		}
		if _, ok := w.files[w.known().Copy.ID]; !ok {
			t.Errorf("%s: the original was removed although the PDF is not as it was uploaded", name)
		}
	}
}

// A stubborn drive refuses to delete so many times.
type stubborn struct {
	*harness
	refusals int
}

func (s *stubborn) documents() *activities.Documents {
	d := s.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return s, nil }
	return d
}

func (s *stubborn) Delete(ctx context.Context, fileID string) error {
	if s.refusals > 0 {
		s.refusals--
		return platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive has a problem of its own: try again.")
	}
	return s.harness.Delete(ctx, fileID)
}

func TestNoPDFUnderAPasswordThatIsEmptyOrIncomplete(t *testing.T) {
	t.Parallel()
	for name, template := range map[string]string{"missing field": "pw-{{Birthday}}", "empty": "", "empty value": "{{Nothing}}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := document()
			d.PDFPassword = template
			w := newHarness(d, `{"Name":"Ada","Nothing":""}`)
			all := steps(w.documents())
			for i, s := range all[:2] {
				if err := s(t.Context()); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			err := all[2](t.Context())
			if activities.Retryable(platen.KindOf(err)) || err == nil {
				t.Fatalf("got %v, want an error that is not tried again", err)
			}
			if w.known().PDF != nil {
				t.Error("a PDF was made")
			}
		})
	}
}

func TestFailedOutputLeavesNoFilesAndAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	d := w.documents()
	for i, s := range steps(d)[:3] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	recorded, err := d.RecordFailure(t.Context(), activities.FailureInput{Step: step, Code: "drive_quota", Message: "The drive is full."})
	if err != nil || !recorded.Orphans {
		t.Fatalf("got %+v, %v; want orphans to be removed", recorded, err)
	}
	if _, err := d.TrashLeftovers(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	if len(w.files) != 1 {
		t.Errorf("files: got %v, want the template alone", w.files)
	}
	var body struct {
		Type string `json:"event_type"`
		Data struct {
			Documents []any `json:"documents"`
			Error     struct{ Code string }
		} `json:"data"`
	}
	if err := json.Unmarshal(w.events["out_1"].Payload, &body); err != nil {
		t.Fatal(err)
	}
	if body.Type != platen.EventDocumentFailed || body.Data.Documents == nil || len(body.Data.Documents) != 0 || body.Data.Error.Code != "drive_quota" {
		t.Errorf("event: got %s", w.events["out_1"].Payload)
	}
}

// A retry notes what an earlier attempt could not remove.
func TestPDFsOfEarlierAttemptsAreOrphans(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending, Repeated: true, ThrownAway: []string{"orphan"}})
	w.files["orphan"] = stored{File: platen.File{ID: "orphan", Properties: map[string]string{platen.PropertyKey: "out_1"}}}
	run(t, w, false)
	in := activities.Step{AutomationID: "aut_1", OutputID: "out_1"}
	if _, err := w.documents().TrashLeftovers(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	checkOneOutput(t, w)
}

func TestWhatThePDFDoesNotShowIsRecorded(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"日"}`)
	w.findings = []platen.Finding{{Code: "missing_glyph", Message: "日 (U+65E5)"}}
	run(t, w, false)
	if got := w.known(); got.State != platen.OutputDone || !slices.Equal(got.Findings, w.findings) {
		t.Errorf("got findings %+v of an output that is %s, want %+v", got.Findings, got.State, w.findings)
	}
}

func TestAFieldThatThePasswordAloneMissesIsToldToNoReceiver(t *testing.T) {
	t.Parallel()
	doc := document()
	doc.PDFPassword = "{{Pin}}"
	w := newHarness(doc, `{"Name":"Ada"}`)
	all := steps(w.documents())
	for range 2 { // steps may run twice
		for _, one := range all[:3] {
			_ = one(t.Context())
		}
	}
	if got := w.known().MissingFields; !slices.Equal(got, []string{"Unknown"}) {
		t.Errorf("got missing fields %q, want those of the template: events name them", got)
	}
}
