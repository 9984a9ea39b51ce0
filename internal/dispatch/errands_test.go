package dispatch_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/dispatch"
)

// temporal stands in for Temporal: it is away a few times, then answers.
type temporal struct {
	mu      sync.Mutex
	away    int
	open    bool
	cancels []string
}

func (r *temporal) Cancel(_ context.Context, id string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away > 0 {
		r.away--
		return false, platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
	}
	r.cancels = append(r.cancels, id)
	return r.open, nil
}

func (r *temporal) Deliver(context.Context, platen.Errand) error { return nil }

func (r *temporal) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.cancels)
}

// errandsOf dispatches with this Temporal.
func (f *fixture) errandsOf(r *temporal) {
	f.run(dispatch.Options{
		Errands: f.store, Runs: r, Poll: 10 * time.Millisecond, Lease: 50 * time.Millisecond,
		Starter: starter{start: func(context.Context, platen.Automation) error { return nil }},
	})
}

func (f *fixture) errandsLeft() int {
	var n int
	f.must(f.pool.QueryRow(f.t.Context(), `SELECT count(*) FROM errands`).Scan(&n))
	return n
}

func TestACancelledRunIsToldAndEndsItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.accept(1)[0]
	f.must(f.store.Started(t.Context(), firsts(id)))
	_, err := f.store.CancelWorkflowAutomation(t.Context(), f.w.Owner, f.w.ID, id)
	f.must(err)
	r := &temporal{away: 3, open: true}
	f.errandsOf(r)
	f.eventually("the errand done", func() bool { return f.errandsLeft() == 0 })
	if r.asked() == 0 || f.count(platen.AutomationRunning) != 1 {
		t.Errorf("asked %d times, %d RUNNING; want the run asked and left to end itself", r.asked(), f.count(platen.AutomationRunning))
	}
}

func TestWithoutARunTheCancelledAutomationIsFinished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.accept(1)[0]
	f.must(f.store.Started(t.Context(), firsts(id)))
	_, err := f.store.CancelWorkflowAutomation(t.Context(), f.w.Owner, f.w.ID, id)
	f.must(err)
	f.errandsOf(&temporal{})
	f.eventually("CANCELLED", func() bool { return f.count(platen.AutomationCancelled) == 1 })
	f.eventually("the errand done", func() bool { return f.errandsLeft() == 0 })
}
