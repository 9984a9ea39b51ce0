package activities_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A document with a PDF whose original is removed has four intents: its copy, its
// fill, its upload and its end. Nothing else has to be stored by itself.
func TestAnOutputIsWrittenForEachIntentAlone(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]int{0: 4, 2 * quick: 7} {
		t.Run(fmt.Sprintf("calls of %v", took), func(t *testing.T) {
			t.Parallel()
			w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
			w.takes = took
			run(t, w, false)
			checkOneOutput(t, w)
			if got := w.versions["out_1"]; got != want {
				t.Errorf("the row was written %d times, want %d", got, want)
			}
		})
	}
}

// quick is how long a call may take whose outcome is only noted.
const quick = time.Second

func TestOneOutputWhicheverWorkerMakesEachStep(t *testing.T) {
	t.Parallel()
	for order := range 1 << 6 {
		t.Run(fmt.Sprintf("steps on workers %06b", order), func(t *testing.T) {
			t.Parallel()
			w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
			workers := [][]func(context.Context) error{steps(w.documents()), steps(w.documents())}
			for i := range workers[0] {
				runStep := workers[order>>i&1][i]
				err := runStep(t.Context())
				for tries := 0; platen.KindOf(err) == platen.KindConflict && err != nil && tries < 3; tries++ {
					err = runStep(t.Context()) // another execution was ahead
				}
				if err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			checkOneOutput(t, w)
		})
	}
}

// A worker that stood still remembers a copy that another one has removed since.
func TestAStepOfAWorkerThatStoodStillDoesNotEndTheDocument(t *testing.T) {
	t.Parallel()
	const all = 5                                         // steps before the automation's end
	for _, takes := range []time.Duration{0, 2 * quick} { // the fill is noted, or stored
		for made := 1; made < all; made++ {
			for again := made; again < all; again++ {
				t.Run(fmt.Sprintf("calls of %v, %d steps made, then step %d", takes, made, again), func(t *testing.T) {
					t.Parallel()
					w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
					w.takes = takes
					stood, other := steps(w.documents()), steps(w.documents())
					for i := range again + 1 {
						worker := other
						if i < made {
							worker = stood
						}
						if err := worker[i](t.Context()); err != nil {
							t.Fatalf("step %d: %v", i, err)
						}
					}
					err := stood[again](t.Context())
					if err != nil && platen.KindOf(err) != platen.KindConflict {
						t.Fatalf("step %d of the worker that stood still: got %v, want none or that another execution is ahead", again, err)
					}
					for i := again; i < all; i++ {
						if err := stood[i](t.Context()); err != nil {
							t.Fatalf("step %d, tried again: %v", i, err)
						}
					}
					checkOneOutput(t, w)
				})
			}
		}
	}
}

// A failing harness is one whose drive makes no PDFs.
type failing struct {
	*harness
	err error
}

func (f *failing) documents() *activities.Documents {
	d := f.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return f, nil }
	return d
}

func (f *failing) ExportPDFWithFindings(context.Context, string) ([]byte, []platen.Finding, error) {
	return nil, nil, f.err
}

func TestWhatAStepFoundOutOutlivesItsWorkerWhenTheNextStepFails(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	broken := &failing{harness: w, err: platen.Errorf(platen.KindUnavailable, "drive_unavailable", "away")}
	d := broken.documents()
	for i, s := range steps(d)[:2] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if _, err := d.MakePDF(t.Context(), step); platen.KindOf(err) != platen.KindUnavailable {
		t.Fatalf("got %v, want that the drive is away", err)
	}
	run(t, w, false) // elsewhere
	checkOneOutput(t, w)
	if o := w.known(); o.Generation != 0 {
		t.Errorf("the document was filled in generation %d, want 0: it was filled before", o.Generation)
	}
}

func TestAnAttemptBeginsWithItsOwnRowWhateverItsWorkerRemembers(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	d := w.documents()
	for i := range 3 {
		if err := ofRetry(t.Context(), d, i); err != nil { // in attempt 1 so far
			t.Fatalf("step %d: %v", i, err)
		}
	}
	w.retry() // elsewhere
	plan, err := d.LoadPlan(t.Context(), activities.LoadPlanInput{AutomationID: step.AutomationID, Attempt: 2})
	if err != nil || len(plan.Documents) != 1 || plan.Documents[0].Ended {
		t.Fatalf("got %+v, %v; want a document to make", plan, err)
	}
	if _, err := d.FillTags(t.Context(), ofAttempt(2)); err != nil {
		t.Fatal(err)
	}
	if o := w.known(); o.Generation != 1 || !o.FillEnded {
		t.Errorf("got generation %d, filled %t; want the second attempt's filled", o.Generation, o.FillEnded)
	}
}
