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

// reconcileAll stops when a part does not answer, which is true of the rest,
// too; any other error is that of one automation and keeps none from its turn.
func (d *Dispatcher) reconcileAll(ctx context.Context) error {
	listing, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	overdue, err := d.options.Queue.Overdue(listing, d.options.OverdueAfter)
	if err != nil {
		return fmt.Errorf("list automations: %w", err)
	}
	var all error
	for _, a := range overdue {
		err := d.reconcileOne(ctx, a)
		all = errors.Join(all, err)
		if platen.KindOf(err) == platen.KindUnavailable || ctx.Err() != nil {
			break
		}
	}
	return all
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
		d.wake()
	case RunClosed:
		final, err := d.options.Queue.FinishAutomation(ctx, a.ID)
		if err != nil {
			return fmt.Errorf("finish %s: %w", a.ID, err)
		}
		d.options.Log.Warn("a run had ended without saying so; its automation is finished", "automation", a.ID, "state", string(final))
	}
	return nil
}
