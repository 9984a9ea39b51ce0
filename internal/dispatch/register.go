package dispatch

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Workers is the register of workers that claim from one queue.
type Workers interface {
	// Register says that a worker is there and takes so many open runs itself; 0: it
	// only goes on with those that it has. One that has not said so for some seconds is gone.
	Register(ctx context.Context, workerID string, carries int) error
	// Unregister says that it has stopped.
	Unregister(ctx context.Context, workerID string) error
}

// registerEvery is the heartbeat of a worker. Four may be missed.
const registerEvery = 2 * time.Second

// Ready has Takes asked at once, and not within seconds: this worker may receive new runs
// from now on.
func (d *Dispatcher) Ready() {
	select {
	case d.ready <- struct{}{}:
	default: // it is asked anyway
	}
	d.wake(platen.Waking{})
}

// register keeps this worker registered until ctx ends.
func (d *Dispatcher) register(ctx context.Context) {
	o := d.options
	takes := false
	for {
		before := takes
		takes = o.Takes()
		switch {
		case takes && !before:
			o.Log.Info("this worker takes new runs", "worker", o.Worker, "carries", o.Carries, "most", o.Places.Open)
		case before && !takes:
			o.Log.Info("this worker takes no new runs", "worker", o.Worker)
		}
		carries := 0
		if takes {
			carries = o.Carries
		}
		d.registerOnce(ctx, carries)
		select {
		case <-ctx.Done():
			d.unregister(context.WithoutCancel(ctx))
			return
		case <-d.ready:
		case <-time.After(registerEvery):
		}
	}
}

// registerOnce sends one heartbeat of this worker. It is not given up when the worker
// leaves: Postgres may carry out a statement that nobody waits for, after unregister's.
func (d *Dispatcher) registerOnce(ctx context.Context, carries int) {
	o := d.options
	registering, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueTimeout)
	defer cancel()
	if err := o.Workers.Register(registering, o.Worker, carries); err != nil && ctx.Err() == nil {
		o.Log.Warn("the worker is not registered; others take it to be gone", "worker", o.Worker, "error", err)
	}
}

// unregister is brief: a worker that does not get through is gone in seconds.
func (d *Dispatcher) unregister(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := d.options.Workers.Unregister(ctx, d.options.Worker); err != nil {
		d.options.Log.Debug("the worker stays registered for some seconds", "worker", d.options.Worker, "error", err)
	}
}
