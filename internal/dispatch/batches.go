package dispatch

import (
	"context"
	"time"
)

// Batches are files whose rows become automations.
type Batches interface {
	// MoveRows moves rows of batches into the queue, so that about ahead of each workflow
	// wait there. busy: others wait to be moved, or some have just ended.
	MoveRows(ctx context.Context, ahead int) (busy bool, err error)
}

const (
	// rowsAhead is how many rows of a workflow's batches wait in the queue: enough for the
	// workers until rows are moved again, and few enough for an event of the same workflow
	// that comes meanwhile, for it waits behind them.
	rowsAhead = 48
	// movedApart is how often rows are moved while some wait for that, or end.
	movedApart = 250 * time.Millisecond
	// moveTimeout bounds one move.
	moveTimeout = 30 * time.Second
)

// moveRows moves rows of batches into the queue until ctx ends.
func (d *Dispatcher) moveRows(ctx context.Context) {
	for ctx.Err() == nil {
		moving, cancel := context.WithTimeout(ctx, moveTimeout)
		busy, err := d.options.Batches.MoveRows(moving, rowsAhead)
		cancel()
		if err != nil && ctx.Err() == nil {
			d.options.Log.Warn("rows of batches cannot be moved into the queue; it is tried again", "error", err)
		}
		next := d.options.Poll
		if busy && err == nil {
			next = min(next, movedApart)
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
}
