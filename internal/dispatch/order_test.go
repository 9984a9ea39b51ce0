package dispatch_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// A notification of the accepted event has its key worked out at once, and the end of a run
// starts the next: the polls of this test would come too late.
func TestAutomationsOfAKeyAreStartedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.db.Order.Key = func(string, platen.OrderedEvent) (string, error) { return "one", nil }
	_, err := f.db.Workflows.UpdateWorkflow(t.Context(), f.w.Owner, f.w.ID, func(w *platen.Workflow) error { w.OrderedBy = "Key"; return nil })
	f.must(err)
	var mu sync.Mutex
	var started []string
	begun := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(started)
	}
	f.run(dispatch.Options{Order: f.db.Order, Poll: time.Minute, Starter: starter{start: func(_ context.Context, a platen.Automation) error {
		mu.Lock()
		defer mu.Unlock()
		started = append(started, a.ID)
		return nil
	}}})
	ids := f.accept(3)
	for i, id := range ids {
		f.eventually("the next has begun", func() bool { return len(begun()) == i+1 })
		f.eventually("it runs", func() bool { return f.count(platen.AutomationRunning) == 1 })
		_, err := f.db.Automations.CancelAutomation(t.Context(), f.w.Owner, f.w.ID, id) // a failure would pause the workflow
		f.must(err)
		_, err = f.db.Automations.EndAutomation(t.Context(), id, 1)
		f.must(err)
	}
	if got := begun(); !slices.Equal(got, ids) {
		t.Errorf("started %v, want %v", got, ids)
	}
}
