package activities_test

import (
	"fmt"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// The database was put back to a moment before some of the steps, and Temporal goes
// on behind them. What the drive has of them may be filled: it is not filled again.
func TestAStepThatFindsLessThanTheStepsBeforeItDidMakesItFromTheTemplate(t *testing.T) {
	t.Parallel()
	names := []string{"copy", "fill", "PDF", "removal", "record"}
	for from := range 3 {
		for next := max(from+1, 2); next < len(names); next++ {
			t.Run(fmt.Sprintf("put back before the %s, next the %s", names[from], names[next]), func(t *testing.T) {
				t.Parallel()
				w := newHarness(document(), `{"Name":"{{Name}}"}`)
				var then platen.Output
				for i, s := range steps(w.documents())[:next] {
					if i == from {
						then = w.known()
					}
					if err := s(t.Context()); err != nil {
						t.Fatalf("%s: got %v, want no error", names[i], err)
					}
				}
				w.set(then)
				for i, s := range steps(w.documents())[next:] {
					err := s(t.Context())
					if err != nil && activities.MayPass(err) { // its copy is gone
						err = s(t.Context())
					}
					if err != nil {
						t.Fatalf("%s after it: got %v, want no error in two tries", names[next+i], err)
					}
				}
				o := w.known()
				if o.State != platen.OutputDone || !o.Removed || w.fills[o.Copy.ID] != 1 {
					t.Errorf("got %+v, its copy filled %d times; want it done, of a copy that was filled once", o, w.fills[o.Copy.ID])
				}
			})
		}
	}
}

func TestAStepOfAnOutputThatThePlanDoesNotNameAnyMoreWasForgotten(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada"}`)
	w.plan.Documents = nil
	for i, s := range steps(w.documents())[:5] {
		if err := s(t.Context()); !platen.IsForgotten(err) {
			t.Errorf("step %d: got %v, want that it was forgotten", i, err)
		}
	}
}
