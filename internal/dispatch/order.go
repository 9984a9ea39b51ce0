package dispatch

import (
	"context"
	"time"
)

// Order has the places of automations among those of their key.
type Order interface {
	// Arrange works out the keys of automations that have none yet. more: there may be
	// others left.
	Arrange(ctx context.Context) (more bool, err error)
}

// arrangeTimeout bounds one call of Arrange.
const arrangeTimeout = 30 * time.Second

// arrange works out keys until ctx ends: when automations with an order were accepted, and
// with each poll.
func (d *Dispatcher) arrange(ctx context.Context) {
	for ctx.Err() == nil {
		arranging, cancel := context.WithTimeout(ctx, arrangeTimeout)
		more, err := d.options.Order.Arrange(arranging)
		cancel()
		if err != nil && ctx.Err() == nil {
			d.options.Log.Warn("automations with an order wait for their places; it is tried again", "error", err)
		}
		if more { // of workflows whose events can be read
			continue
		}
		timer := time.NewTimer(d.options.Poll)
		select {
		case <-ctx.Done():
		case <-timer.C:
			select {
			case <-d.unarranged: // the same look is for both
			default:
			}
		case <-d.unarranged:
		}
		timer.Stop()
	}
}
