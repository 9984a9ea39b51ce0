package dispatch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/platenhq/platen"
)

// errandBatch is how many errands are passed on side by side.
const errandBatch = 8

// Errands is what /v0 asked Temporal for, kept in the store until Temporal was
// told. Each may be told twice.
type Errands interface {
	// ClaimErrands leases up to limit errands; one that is not done when its
	// lease ends is claimed again.
	ClaimErrands(ctx context.Context, limit int, lease time.Duration) ([]platen.Errand, error)
	ErrandDone(ctx context.Context, e platen.Errand) error
	// FinishAutomation with attempt 0 ends whichever attempt is the latest.
	FinishAutomation(ctx context.Context, automationID string, attempt int) (platen.AutomationState, error)
}

// Runs passes errands on. KindUnavailable: Temporal does not answer.
type Runs interface {
	// Cancel asks the open run of an automation to end, and tells whether
	// there is one.
	Cancel(ctx context.Context, automationID string) (open bool, err error)
	// Deliver begins to deliver an event anew, in place of deliveries under way.
	Deliver(ctx context.Context, e platen.Errand) error
}

// errands passes on what was asked for until ctx ends. It looks every Poll and
// hears no notes: those of accepted events come a hundred times as often.
func (d *Dispatcher) errands(ctx context.Context) {
	ticker := time.NewTicker(d.options.Poll)
	defer ticker.Stop()
	for ctx.Err() == nil {
		n, err := d.passOn(ctx)
		if err != nil && ctx.Err() == nil {
			d.options.Log.Warn("errands cannot be claimed", "error", err)
		}
		if n == errandBatch {
			continue
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// passOn passes on one batch and returns how many it claimed.
func (d *Dispatcher) passOn(ctx context.Context) (int, error) {
	claimed, err := d.options.Errands.ClaimErrands(ctx, errandBatch, d.options.Lease)
	if err != nil {
		return 0, err
	}
	var all sync.WaitGroup
	for _, e := range claimed {
		all.Go(func() {
			// What began ends, though ctx does; it has its own time limit.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.options.StartTimeout)
			defer cancel()
			if err := d.errand(ctx, e); err != nil {
				d.options.Log.Warn("errand was not passed on; it is tried again", "kind", string(e.Kind), "id", e.ID, "error", err)
			}
		})
	}
	all.Wait()
	return len(claimed), nil
}

func (d *Dispatcher) errand(ctx context.Context, e platen.Errand) error {
	switch e.Kind {
	case platen.ErrandCancel:
		open, err := d.options.Runs.Cancel(ctx, e.ID)
		if err != nil {
			return fmt.Errorf("cancel the run of %s: %w", e.ID, err)
		}
		if !open {
			// Nobody is left to end the automation; all of it was to be
			// cancelled, so none of its attempts is to go on.
			if _, err := d.options.Errands.FinishAutomation(ctx, e.ID, 0); err != nil {
				return fmt.Errorf("finish %s: %w", e.ID, err)
			}
		}
	case platen.ErrandDeliver:
		if err := d.options.Runs.Deliver(ctx, e); err != nil {
			return fmt.Errorf("deliver %s anew: %w", e.ID, err)
		}
	default:
		return fmt.Errorf("a kind of errand that this release does not know")
	}
	if err := d.options.Errands.ErrandDone(ctx, e); err != nil {
		return fmt.Errorf("note that it is done: %w", err)
	}
	return nil
}
