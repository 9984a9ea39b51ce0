package dispatch

import (
	"context"
	"log/slog"
	"time"

	"github.com/platenhq/platen"
)

// After the store was put back to an earlier moment, Temporal knows of runs what
// the store has forgotten. Nothing that Temporal knows is begun again: a start finds
// the run (ErrEnded), and the reconciler hands the automation to the Rebuilder. So
// dispatch need not wait for a comparison; the sweep of outputs does, and asks.

// rebuildTimeout bounds what the drive of one automation's owner is asked.
const rebuildTimeout = time.Minute

// rebuilding is what became of forgotten automations between two looks.
type rebuilding struct {
	ended, again int
	waiting      map[string]int // of owners whose drives did not answer: asked once
}

// forget hands over an automation of which Temporal knows more than the store. One
// for which there is no room is found again: by its next start, or the next sweep.
func (d *Dispatcher) forget(a platen.Automation) {
	select {
	case d.forgotten <- a:
	default:
	}
}

// rebuild puts an automation right of which Temporal knows more than the store, and
// tells whether it did. One whose owner's drive does not answer waits, and nothing
// is said of it.
func (d *Dispatcher) rebuild(ctx context.Context, a platen.Automation, run Run, r *rebuilding) bool {
	if d.options.Rebuilder == nil {
		return false
	}
	if r.waiting[a.OwnerID] > 0 {
		r.wait(a)
		d.putOffStart(ctx, a)
		return false
	}
	within, cancel := context.WithTimeout(ctx, rebuildTimeout)
	defer cancel()
	log := d.options.Log.With("automation", a.ID, "attempt", run.Attempt)
	state, err := d.options.Rebuilder.Rebuild(within, a.ID, run.latest())
	switch {
	case err != nil && ctx.Err() != nil:
		return false
	case err != nil:
		r.wait(a)
		log.Warn("the database has forgotten how an automation ended, and its owner's drive cannot be asked yet", "error", err)
		return false
	case state == platen.AutomationAccepted:
		r.again++
		log.Warn("the database had forgotten how an automation ended; what the drive does not hold is made again")
		d.wake(false)
	case state == platen.AutomationRunning:
		log.Warn("the database had forgotten an attempt whose run goes on")
	case state != "":
		r.ended++
		log.Warn("the database had forgotten how an automation ended; its files were found", "state", string(state))
	}
	return state != ""
}

func (r *rebuilding) wait(a platen.Automation) {
	if r.waiting == nil {
		r.waiting = map[string]int{}
	}
	r.waiting[a.OwnerID]++
}

// putOffStart keeps an automation that waits in the queue from being claimed, and so
// handed over, all the time.
func (d *Dispatcher) putOffStart(ctx context.Context, a platen.Automation) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	if err := d.options.Queue.Release(ctx, []string{a.ID}, d.options.ReconcileEvery); err != nil && ctx.Err() == nil {
		d.options.Log.Warn("an automation stays claimed until its lease ends", "automation", a.ID, "error", err)
	}
}

// report sums up what was put right between two looks.
func (r *rebuilding) report(log *slog.Logger) {
	waiting := 0
	for _, n := range r.waiting {
		waiting += n
	}
	if r.ended+r.again+waiting > 0 {
		log.Warn("the database was put back to an earlier moment; its automations are compared with Temporal", "found", r.ended, "made again", r.again, "waiting for a drive", waiting)
	}
}

// MaySweep tells whether files of an automation that has ended may be removed: all
// that is unfinished was compared with Temporal since this process began, and
// Temporal knows no more of this one than the store. One of which it does is put
// right.
func (d *Dispatcher) MaySweep(ctx context.Context, a platen.Automation) (bool, error) {
	if !d.compared.Load() {
		return false, nil
	}
	run, err := d.look(ctx, a.ID)
	if err != nil || run.State == RunUnknown {
		return err == nil, err
	}
	if run.latest().IsAheadOf(a) {
		d.forget(a)
		return false, nil
	}
	return true, nil
}
