package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen"
)

// reconcile compares long-running automations with Temporal until ctx ends;
// at once when it begins, for a process that is started after a disaster.
func (d *Dispatcher) reconcile(ctx context.Context) {
	ticker := time.NewTicker(d.options.ReconcileEvery)
	defer ticker.Stop()
	for {
		if err := d.reconcileAll(ctx); err != nil && ctx.Err() == nil {
			d.options.Log.Warn("long-running automations were not compared with Temporal", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// reconcileAll goes through all of them, however many are open. It stops when a
// part does not answer, which is true of the rest, too; any other error is that
// of one automation and keeps none from its turn.
func (d *Dispatcher) reconcileAll(ctx context.Context) error {
	var all error
	var last platen.Automation
	for {
		overdue, err := d.overdue(ctx, last)
		if err != nil || len(overdue) == 0 {
			return errors.Join(all, err)
		}
		for _, a := range overdue {
			err := d.reconcileOne(ctx, a)
			all = errors.Join(all, err)
			if platen.KindOf(err) == platen.KindUnavailable || ctx.Err() != nil {
				return all
			}
		}
		last = overdue[len(overdue)-1]
	}
}

func (d *Dispatcher) overdue(ctx context.Context, after platen.Automation) ([]platen.Automation, error) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	found, err := d.options.Queue.Overdue(ctx, d.options.OverdueAfter, after)
	if err != nil {
		return nil, fmt.Errorf("list automations: %w", err)
	}
	return found, nil
}

func (d *Dispatcher) reconcileOne(ctx context.Context, a platen.Automation) error {
	ctx, cancel := context.WithTimeout(ctx, d.options.StartTimeout)
	defer cancel()
	state, err := d.options.Starter.State(ctx, a.ID)
	if err != nil {
		return fmt.Errorf("look at the run of %s: %w", a.ID, err)
	}
	switch state {
	case RunOpen:
	case RunUnknown:
		if err := d.options.Queue.Requeue(ctx, a.ID, a.Attempt); err != nil {
			return fmt.Errorf("queue %s again: %w", a.ID, err)
		}
		d.options.Log.Warn("a run was gone; its automation is started again", "automation", a.ID, "attempt", a.Attempt+1)
		d.wake(false)
	case RunClosed:
		final, err := d.options.Queue.FinishAutomation(ctx, a.ID, a.Attempt)
		if platen.IsOvertaken(err) {
			return nil // the run that ended had said so, and a retry waits for its own
		}
		if err != nil {
			return fmt.Errorf("finish %s: %w", a.ID, err)
		}
		d.options.Log.Warn("a run had ended without saying so; its automation is finished", "automation", a.ID, "state", string(final))
	}
	return nil
}
