package activities_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A stalled harness is the harness of an execution that stands still for ten seconds
// just before one of its calls, while meanwhile happens.
type stalled struct {
	*harness
	call      string
	meanwhile func()
}

func (s *stalled) documents() *activities.Documents {
	d := s.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return s, nil }
	return d
}

func (s *stalled) stall(call string) {
	if s.call == call {
		s.call = ""
		s.meanwhile()
		s.passed += 10 * time.Second
	}
}

func (s *stalled) Copy(ctx context.Context, fileID, name, key string) (platen.File, error) {
	s.stall("copy")
	return s.harness.Copy(ctx, fileID, name, key)
}

func (s *stalled) CopyProtected(ctx context.Context, fileID, name, key string) (platen.File, error) {
	s.stall("copy")
	return s.harness.CopyProtected(ctx, fileID, name, key)
}

func (s *stalled) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	return s.harness.EditDocument(ctx, fileID, read, func(d *docs.Document) ([]*docs.Request, error) {
		requests, err := compose(d)
		if err == nil {
			s.stall("edit")
		}
		return requests, err
	})
}

func (s *stalled) Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error) {
	s.stall("upload")
	return s.harness.Upload(ctx, file, data)
}

func TestACopyThatComesAfterTheOutputHasEndedIsRemoved(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	late := stalled{harness: w, call: "copy", meanwhile: func() { run(t, w, false) }}
	if _, err := late.documents().CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	checkOneOutput(t, w)
}

func TestAFillWhoseCopyWasThrownAwayIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	late := stalled{harness: w, call: "edit", meanwhile: func() {
		if _, err := w.documents().FillTags(t.Context(), step); err != nil {
			t.Error(err)
		}
	}}
	_, err := late.documents().FillTags(t.Context(), step)
	if !activities.Retryable(platen.KindOf(err)) {
		t.Fatalf("got %v, want an error that is tried again: the document is well", err)
	}
	run(t, w, false)
	checkOneOutput(t, w)
}

func TestACopyThatSomebodyElseRemovesWhileItIsFilledIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	late := stalled{harness: w, call: "edit", meanwhile: func() {
		if err := w.Delete(t.Context(), w.known().Copy.ID); err != nil {
			t.Error(err)
		}
	}}
	if _, err := late.documents().FillTags(t.Context(), step); !activities.Retryable(platen.KindOf(err)) {
		t.Fatalf("got %v, want an error that is tried again", err)
	}
	run(t, w, false)
	checkOneOutput(t, w)
}

func TestAPDFThatComesAfterTheOutputHasFailedIsRemoved(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	for i, s := range steps(w.documents())[:2] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	late := stalled{harness: w, call: "upload", meanwhile: func() {
		d := w.documents()
		if _, err := d.RecordFailure(t.Context(), activities.FailureInput{Step: step, Code: "gave_up"}); err != nil {
			t.Error(err)
		}
		if _, err := d.TrashLeftovers(t.Context(), step); err != nil {
			t.Error(err)
		}
	}}
	if _, err := late.documents().MakePDF(t.Context(), step); platen.KindOf(err) != platen.KindConflict {
		t.Errorf("got %v, want KindConflict", err)
	}
	if len(w.files) != 1 {
		t.Errorf("files: got %v, want the template alone", w.files)
	}
}

func TestAnEventStaysSmallWhateverIsMissing(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "{{%s%d}}", strings.Repeat("<", 490), i)
	}
	template := w.files["template"]
	template.content = text.String()
	w.files["template"] = template
	run(t, w, false)
	if n := len(w.known().MissingFields); n != 60 {
		t.Errorf("the output lists %d missing fields, want all 60", n)
	}
	if n := len(w.events["out_1"].Payload); n > 20<<10 {
		t.Errorf("the event has %d bytes, want at most 20 KiB", n)
	}
}

func TestACleanUpThatComesLateLeavesARetryAlone(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	d := w.documents()
	if _, err := d.CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	if _, err := d.TrashLeftovers(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.files[w.known().Copy.ID]; !ok {
		t.Error("the copy of an output under way was removed")
	}
}

func (s *stalled) FindByKey(ctx context.Context, key string) ([]platen.File, error) {
	found, err := s.harness.FindByKey(ctx, key)
	s.stall("found " + key)
	return found, err
}

func TestACleanUpThatARetrySupersedesRemovesNothing(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	for i, s := range steps(w.documents())[:3] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if _, err := w.documents().RecordFailure(t.Context(), activities.FailureInput{Step: step, Code: "gave_up"}); err != nil {
		t.Fatal(err)
	}
	files := len(w.files)
	late := stalled{harness: w, call: "found out_1.0", meanwhile: func() {
		o := w.known()
		o.State, o.Generation = platen.OutputPending, o.Generation+1
		w.set(o)
	}}
	if _, err := late.documents().TrashLeftovers(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	if len(w.files) != files {
		t.Errorf("files: got %d, want %d: the retry may have made one of them", len(w.files), files)
	}
}

// ofAttempt is the step of an attempt that is known.
func ofAttempt(attempt int) activities.Step {
	return activities.Step{AutomationID: step.AutomationID, OutputID: step.OutputID, Attempt: attempt}
}

// retry is what a retry does to the output that failed in attempt 1.
func (w *harness) retry() {
	o := w.known()
	w.set(platen.Output{
		ID: o.ID, AutomationID: o.AutomationID, DocumentID: o.DocumentID,
		State: platen.OutputPending, Attempt: 2, Generation: o.Generation + 1, Repeated: true,
	})
	w.plan.Attempt = 2
	delete(w.events, "out_1")
}

func TestAStepThatIsMadeAgainAfterARetryLeavesTheRetryAlone(t *testing.T) {
	t.Parallel()
	forget := func(_ any, err error) error { return err }
	steps := []struct {
		name string
		run  func(context.Context, *activities.Documents) error
		gone bool
	}{
		{"CopyTemplate", func(ctx context.Context, d *activities.Documents) error {
			return forget(d.CopyTemplate(ctx, ofAttempt(1)))
		}, true},
		{"FillTags", func(ctx context.Context, d *activities.Documents) error { return forget(d.FillTags(ctx, ofAttempt(1))) }, true},
		{"MakePDF", func(ctx context.Context, d *activities.Documents) error { return forget(d.MakePDF(ctx, ofAttempt(1))) }, true},
		{"RemoveOriginal", func(ctx context.Context, d *activities.Documents) error {
			return forget(d.RemoveOriginal(ctx, ofAttempt(1)))
		}, true},
		{"RecordOutput", func(ctx context.Context, d *activities.Documents) error {
			return nothingToTell(d.RecordOutput(ctx, ofAttempt(1)))
		}, false},
		{"RecordFailure", func(ctx context.Context, d *activities.Documents) error {
			return nothingToTell(d.RecordFailure(ctx, activities.FailureInput{Step: ofAttempt(1), Code: "gave_up"}))
		}, false},
		{"TrashLeftovers", func(ctx context.Context, d *activities.Documents) error {
			return forget(d.TrashLeftovers(ctx, ofAttempt(1)))
		}, false},
	}
	for _, s := range steps {
		for made := range 5 { // steps of the retry
			t.Run(fmt.Sprintf("%s after %d", s.name, made), func(t *testing.T) {
				t.Parallel()
				w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
				d := w.documents()
				if _, err := d.RecordFailure(t.Context(), activities.FailureInput{Step: ofAttempt(1), Code: "gave_up"}); err != nil {
					t.Fatal(err)
				}
				w.retry()
				retry := steps[:5]
				for i := range retry {
					if i == made {
						before := fmt.Sprint(w.outputs, w.files)
						err := s.run(t.Context(), d)
						if s.gone != platen.IsSuperseded(err) || err != nil && activities.Retryable(platen.KindOf(err)) {
							t.Errorf("got %v; want that it was superseded, for good: %t", err, s.gone)
						}
						if got := fmt.Sprint(w.outputs, w.files); got != before {
							t.Errorf("it changed\n%s\nto\n%s", before, got)
						}
					}
					if err := ofRetry(t.Context(), d, i); err != nil {
						t.Fatalf("step %d of the retry: %v", i, err)
					}
				}
				checkOneOutput(t, w)
			})
		}
	}
}

func nothingToTell(r activities.RecordResult, err error) error {
	if err == nil && !reflect.DeepEqual(r, activities.RecordResult{}) {
		return fmt.Errorf("got %+v, want nothing to tell or to clean up", r)
	}
	return err
}

// ofRetry makes a step of attempt 2.
func ofRetry(ctx context.Context, d *activities.Documents, i int) (err error) {
	switch i {
	case 0:
		_, err = d.CopyTemplate(ctx, ofAttempt(2))
	case 1:
		_, err = d.FillTags(ctx, ofAttempt(2))
	case 2:
		_, err = d.MakePDF(ctx, ofAttempt(2))
	case 3:
		_, err = d.RemoveOriginal(ctx, ofAttempt(2))
	case 4:
		_, err = d.RecordOutput(ctx, ofAttempt(2))
	}
	return err
}

func TestWhatTheRetryHasEndedIsNotToldOfByTheAttemptBefore(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	d := w.documents()
	w.retry()
	for i := range 5 {
		if err := ofRetry(t.Context(), d, i); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if err := nothingToTell(d.RecordFailure(t.Context(), activities.FailureInput{Step: ofAttempt(1), Code: "gave_up"})); err != nil {
		t.Error(err)
	}
	if err := nothingToTell(d.RecordOutput(t.Context(), ofAttempt(1))); err != nil {
		t.Error(err)
	}
}

func TestTheRunOfASupersededAttemptHasNothingToMakeAndFails(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	d := w.documents()
	w.retry()
	for attempt, want := range map[int]platen.AutomationState{0: platen.AutomationCompleted, 1: platen.AutomationFailed, 2: platen.AutomationCompleted} {
		plan, err := d.LoadPlan(t.Context(), activities.LoadPlanInput{AutomationID: "aut_1", Attempt: attempt})
		if err != nil || (len(plan.Documents) == 0) != (want == platen.AutomationFailed) {
			t.Errorf("attempt %d: got the plan %+v, %v", attempt, plan, err)
		}
		// A run that completed would keep the retry's from starting.
		finished, err := d.FinishAutomation(t.Context(), activities.FinishInput{AutomationID: "aut_1", Attempt: attempt})
		if err != nil || finished.State != want {
			t.Errorf("attempt %d: finished as %s, %v; want %s", attempt, finished.State, err, want)
		}
	}
	if failed, err := d.FailAutomation(t.Context(), activities.FailInput{AutomationID: "aut_1", Attempt: 1, Code: "workflow_incomplete"}); err != nil || failed.State != platen.AutomationFailed {
		t.Errorf("got %+v, %v; want FAILED", failed, err)
	}
}
