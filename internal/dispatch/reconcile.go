package dispatch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

const (
	// lookAtOnce is how many automations, and how many events, are compared
	// with Temporal at a time while nothing speaks for a loss: those that wait
	// for long are looked at in turns.
	lookAtOnce = 100
	// looksApart keeps Temporal from being asked more than a hundred times a second.
	looksApart = 10 * time.Millisecond
)

// A full queue from which nothing can be claimed for fullFor is a reason to
// look for lost runs, and again each doubtApart.
const (
	fullFor    = 30 * time.Second
	doubtApart = 5 * time.Minute
)

// fullness remembers for how long nothing could be claimed. It is the dispatch
// loop's.
type fullness struct{ doubtAt time.Time }

// isStuck tells whether it is time to look for lost runs.
func (f *fullness) isStuck(full bool, now time.Time) bool {
	switch {
	case !full:
		f.doubtAt = time.Time{}
	case f.doubtAt.IsZero():
		f.doubtAt = now.Add(fullFor)
	case !now.Before(f.doubtAt):
		f.doubtAt = now.Add(doubtApart)
		return true
	}
	return false
}

// doubt has all runs compared with Temporal now.
func (d *Dispatcher) doubt() {
	select {
	case d.doubted <- struct{}{}:
	default: // they will be
	}
}

// A comparison remembers which automations could not be compared with Temporal. A
// round begins with the oldest that is RUNNING and ends with the latest; it may take
// several looks.
type comparison struct {
	mu        sync.Mutex
	whole     bool            // a round has ended
	missed    map[string]bool // by automation id, of the round before and this one
	missedNow map[string]bool // of this round
}

// begin begins a round.
func (c *comparison) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missedNow = map[string]bool{}
}

// miss notes that an automation could not be compared in this round.
func (c *comparison) miss(automationID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missed == nil {
		c.missed = map[string]bool{}
	}
	c.missed[automationID], c.missedNow[automationID] = true, true
}

// end ends a round: what it did not miss was compared, or is not RUNNING any more.
func (c *comparison) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole, c.missed = true, c.missedNow
}

// covers tells whether a round has ended, and none missed this automation since.
func (c *comparison) covers(automationID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole && !c.missed[automationID]
}

// A look is what the reconciler remembers between two looks at runs.
type look struct {
	all  bool              // nothing is left out: runs may be lost
	last platen.Automation // where the next look goes on
}

// reconcile compares automations and events with Temporal until ctx ends. It
// looks at all at once when it begins, for a process that is started after a
// disaster, after a look that was broken off, and whenever there is doubt; else at
// some in turns.
func (d *Dispatcher) reconcile(ctx context.Context) {
	ticker := time.NewTicker(d.options.ReconcileEvery)
	defer ticker.Stop()
	defer func() {
		d.rebuilds.turns.Wait()
		d.rebuilds.report(d.options.Log)
	}()
	l := look{all: true}
	for {
		d.rebuilds.beginLook()
		brokenOff, err := d.reconcileRuns(ctx, &l)
		if err = errors.Join(err, d.reconcileEvents(ctx)); err != nil && ctx.Err() == nil {
			d.options.Log.Warn("not everything was compared with Temporal", "error", err)
		}
		l.all = brokenOff
		d.await(ctx, &l, ticker.C)
		if ctx.Err() != nil {
			return
		}
		d.rebuilds.report(d.options.Log)
	}
}

// await recovers automations that are handed over, until it is time for the next look.
func (d *Dispatcher) await(ctx context.Context, l *look, next <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-d.forgotten:
			if _, err := d.reconcileRun(ctx, a, true); err != nil && ctx.Err() == nil {
				d.options.Log.Warn("an automation was not compared with Temporal", "automation", a.ID, "error", err)
			}
		case <-d.doubted:
			l.all = true
			return
		case <-next:
			return
		}
	}
}

// isUnavailable tells whether a part does not answer.
func isUnavailable(err error) bool {
	return err != nil && platen.KindOf(err) == platen.KindUnavailable
}

// reconcileRuns goes through automations that have been RUNNING for long. It is broken
// off when a part does not answer; any other error is that of one automation and keeps
// none from its turn. A run that is gone is a reason to look at all.
func (d *Dispatcher) reconcileRuns(ctx context.Context, l *look) (brokenOff bool, all error) {
	if l.all {
		l.last = platen.Automation{}
	}
	if l.last.ID == "" {
		d.comparison.begin()
	}
	looked := 0
	for {
		overdue, err := d.listOverdue(ctx, l.last)
		if err != nil {
			return true, errors.Join(all, err)
		}
		if len(overdue) == 0 {
			l.last = platen.Automation{}
			d.comparison.end()
			return false, all
		}
		for _, a := range overdue {
			if looked++; !l.all && looked > lookAtOnce {
				return false, all
			}
			gone, err := d.reconcileRun(ctx, a, l.all)
			if err != nil {
				all = errors.Join(all, err)
				d.comparison.miss(a.ID)
			}
			if isUnavailable(err) || ctx.Err() != nil {
				return true, all
			}
			l.last = a
			if gone && !l.all {
				d.doubt()
				return false, all
			}
			rest(ctx)
		}
	}
}

// rest is taken after each look.
func rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(looksApart):
	}
}

func (d *Dispatcher) listOverdue(ctx context.Context, after platen.Automation) ([]platen.Automation, error) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	found, err := d.options.Running.OverdueAutomations(ctx, d.options.OverdueAfter, after)
	if err != nil {
		return nil, fmt.Errorf("list automations: %w", err)
	}
	return found, nil
}

// look asks Temporal. What keeps it from answering for one keeps it from
// answering for all.
func (d *Dispatcher) look(ctx context.Context, id string) (Run, error) {
	ctx, cancel := context.WithTimeout(ctx, d.options.StartTimeout)
	defer cancel()
	run, err := d.options.Starter.Look(ctx, id)
	if err != nil {
		return Run{}, fmt.Errorf("look at the run of %s: %w", id, err)
	}
	return run, nil
}

// reconcileRun reconciles one automation with the state of its run, and reports whether
// the run is gone. An automation whose state is older than its run's is queued for
// recovery, and triggers a look at all unless this is one.
func (d *Dispatcher) reconcileRun(ctx context.Context, a platen.Automation, all bool) (gone bool, err error) {
	run, err := d.look(ctx, a.ID)
	if err != nil {
		return false, err
	}
	switch closed := run.State != RunOpen; {
	case run.State == RunUnknown:
		return true, d.requeue(ctx, a)
	case closed && run.Attempt < a.Attempt && a.CancelRequestedAt != nil:
		return false, d.endAbandoned(ctx, a) // the wish met the run of the attempt before
	case closed && run.Attempt < a.Attempt:
		return true, d.requeue(ctx, a)
	case run.Attempt > a.Attempt, run.Told, run.latest().IsAheadOf(a):
		d.rebuild(ctx, forgottenRun{a, run.latest(), !all})
	case closed:
		return false, d.endAbandoned(ctx, a)
	}
	return false, nil
}

// requeue has an automation started again whose run is gone.
func (d *Dispatcher) requeue(ctx context.Context, a platen.Automation) error {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	if err := d.options.Running.Requeue(ctx, a.ID, a.Attempt); err != nil {
		return fmt.Errorf("queue %s again: %w", a.ID, err)
	}
	d.options.Log.Warn("a run was gone; its automation is started again", "automation", a.ID, "attempt", a.Attempt+1)
	d.wake(platen.Waking{})
	return nil
}

// endAbandoned ends an automation whose run has ended without saying so.
func (d *Dispatcher) endAbandoned(ctx context.Context, a platen.Automation) error {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	final, err := d.endAutomation(ctx, a.ID, a.Attempt)
	if platen.IsSuperseded(err) {
		return nil // the run that ended had said so, and a retry waits for its own
	}
	if err != nil {
		return fmt.Errorf("end %s: %w", a.ID, err)
	}
	d.options.Log.Warn("a run had ended without saying so; its automation is ended", "automation", a.ID, "state", string(final))
	return nil
}

// endAutomation ends an automation whose run is gone, with the events that the run
// would have sent.
func (d *Dispatcher) endAutomation(ctx context.Context, automationID string, attempt int) (platen.AutomationState, error) {
	return d.options.Automations.EndAbandonedAutomation(ctx, automationID, attempt, func(a platen.Automation, o platen.Output) (platen.Event, error) {
		return delivery.NewEvent(a.WorkflowID, o, time.Now())
	})
}
