package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Deliveries is what is needed to find events that nobody delivers.
type Deliveries interface {
	// ClaimOverdueEvents returns up to limit PENDING events whose next attempt
	// was due longer than age ago, and that are not to be begun again anyway.
	// One that nothing is said of is returned again after lease, which is at
	// most age.
	ClaimOverdueEvents(ctx context.Context, age, lease time.Duration, limit int) ([]platen.OverdueEvent, error)
	// MarkEventsUnderWay says that these wait in their runs.
	MarkEventsUnderWay(ctx context.Context, eventIDs []string) error
	// DeliverOverdue asks for an outbox command for each, which goes on with its
	// schedule.
	DeliverOverdue(ctx context.Context, eventIDs []string) error
	// HoldEvent makes a PENDING event HELD, unless its deliveries were begun
	// again since this attempt was due.
	HoldEvent(ctx context.Context, eventID string, attempt int, reason string) error
}

// overdueLease is how long a claim of an overdue event holds.
const overdueLease = time.Minute

// reconcileEvents looks for runs of overdue events: at some of the events, and
// at all when one of them has none.
func (d *Dispatcher) reconcileEvents(ctx context.Context) error {
	if d.options.Deliveries == nil {
		return nil
	}
	for ctx.Err() == nil {
		claimed, err := d.claimOverdue(ctx)
		if err != nil || len(claimed) == 0 {
			return err
		}
		found, err := d.lookAfter(ctx, claimed)
		if err := errors.Join(err, d.settle(ctx, found)); err != nil || len(found.left) == 0 {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) claimOverdue(ctx context.Context) ([]platen.OverdueEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	age := d.options.EventOverdueAfter
	claimed, err := d.options.Deliveries.ClaimOverdueEvents(ctx, age, min(overdueLease, age), lookAtOnce)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return claimed, nil
}

// verdicts are what was found out about overdue events, by what is to be done.
type verdicts struct {
	underWay []string              // somebody delivers them
	left     []string              // nobody does
	failed   []platen.OverdueEvent // nobody does, for a fault of ours
}

// lookAfter asks Temporal about each event. It stops when Temporal does not answer; the
// events that are left are claimed again.
func (d *Dispatcher) lookAfter(ctx context.Context, claimed []platen.OverdueEvent) (verdicts, error) {
	var found verdicts
	for _, e := range claimed {
		run, err := d.look(ctx, e.ID)
		if err != nil {
			return found, err
		}
		if run.Pinned {
			if err := d.unpin(ctx, e.ID); err != nil {
				return found, err
			}
		}
		switch {
		case run.State == RunOpen, run.State == RunUnknown && !e.RunEnded:
			found.underWay = append(found.underWay, e.ID)
		case run.State == RunFailed && !run.Told:
			// A delivery that fails by its receiver has ended its event before; where the
			// store has forgotten that, it goes on.
			found.failed = append(found.failed, e)
		default:
			found.left = append(found.left, e.ID)
		}
		rest(ctx)
	}
	return found, nil
}

// unpin has a delivery go to the current build: its event is overdue, so that no worker of
// its own one may be left.
func (d *Dispatcher) unpin(ctx context.Context, eventID string) error {
	ctx, cancel := context.WithTimeout(ctx, d.options.StartTimeout)
	defer cancel()
	if err := d.options.Starter.Unpin(ctx, eventID); err != nil {
		return fmt.Errorf("unpin the delivery of %s: %w", eventID, err)
	}
	d.options.Log.Warn("a delivery waited for another build; it goes to the current one", "event", eventID)
	return nil
}

// settle does what is to be done.
func (d *Dispatcher) settle(ctx context.Context, found verdicts) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueTimeout)
	defer cancel()
	var all error
	if len(found.underWay) > 0 {
		all = d.options.Deliveries.MarkEventsUnderWay(ctx, found.underWay)
	}
	if len(found.left) > 0 {
		d.options.Log.Warn("nobody delivered some events; their deliveries go on", "events", len(found.left))
		all = errors.Join(all, d.options.Deliveries.DeliverOverdue(ctx, found.left))
	}
	for _, e := range found.failed {
		d.options.Log.Error("a delivery failed for a fault of ours; its event is held", "event", e.ID, "attempt", e.Attempt)
		all = errors.Join(all, d.options.Deliveries.HoldEvent(ctx, e.ID, e.Attempt, platen.CodeInternal))
	}
	return all
}
