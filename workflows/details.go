package workflows

import (
	"errors"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// waits are the steps of a run that wait for something outside, in the order in
// which they began to. Temporal's UI shows them on top of the run, as its current
// details, which are in no history.
type waits struct {
	lines []string
}

type waitsKey struct{}

// withWaits returns a context whose steps say what they wait for.
func withWaits(ctx workflow.Context) workflow.Context {
	return workflow.WithValue(ctx, waitsKey{}, &waits{})
}

// waitFor says that a step waits because its first attempt failed, until done.
func waitFor(ctx workflow.Context, summary string, failed error) (done func()) {
	w, ok := ctx.Value(waitsKey{}).(*waits)
	if !ok {
		return func() {}
	}
	line := "- " + summary + ": " + why(failed)
	w.lines = append(w.lines, line)
	w.show(ctx)
	return func() {
		if i := slices.Index(w.lines, line); i >= 0 {
			w.lines = slices.Delete(w.lines, i, i+1)
		}
		w.show(ctx)
	}
}

func (w *waits) show(ctx workflow.Context) {
	if len(w.lines) == 0 {
		workflow.SetCurrentDetails(ctx, "")
		return
	}
	workflow.SetCurrentDetails(ctx, "Waits for something outside; tries go on by themselves.\n\n"+strings.Join(w.lines, "\n"))
}

// why quotes no value: the words are the activity's own.
func why(failed error) string {
	var application *temporal.ApplicationError
	if errors.As(failed, &application) {
		return application.Message() + " (" + application.Type() + ")"
	}
	return "the first try took too long"
}
