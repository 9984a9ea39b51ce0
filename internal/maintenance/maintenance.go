// Package maintenance does what has to be done now and then beside requests and
// runs. It trashes orphans, which are files in the drives of users that no document
// and no output records. It forgets keys that are old enough.
//
// A job is a function, a name and an interval. To add one, write its constructor in
// a file of its own here. Add a line to the table of the program beside which it
// runs, in internal/app/maintenance.go: serve's, unless it needs what only a worker
// has. Over our own tables it is as in keys.go, with its statement in the store.
// Over the drives of users it is a sweepJob (pass.go), which asks a drive that
// hangs once a pass. Our own drive's jobs are functions of its store.
//
// What is compared with Temporal is the reconciler's, in package dispatch. No
// settings, connections and lifetimes belong here, and nothing that somebody
// waits for.
package maintenance

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// A Job is done over and over. It may run in any number of processes at once, and
// be cut off anywhere.
type Job struct {
	Name  string        // in the log
	Every time.Duration // from one pass to the next; the first begins at once
	// Do makes one pass. Its error is logged, and the next pass tries again.
	Do func(ctx context.Context, log *slog.Logger) error
}

// Start does jobs side by side until ctx ends or stop is called, which waits for
// passes under way.
func Start(ctx context.Context, log *slog.Logger, jobs ...Job) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, j := range jobs {
		running.Go(func() { j.repeat(ctx, log.With("job", j.Name)) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

func (j Job) repeat(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(j.Every)
	defer tick.Stop()
	for {
		j.once(ctx, log)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// once makes one pass. A panic ends this pass alone; its value stays out of the
// log, for it may quote what is stored.
func (j Job) once(ctx context.Context, log *slog.Logger) {
	defer func() {
		if value := recover(); value != nil {
			log.Error("a maintenance job panicked; its next pass tries again", "panic", fmt.Sprintf("%T", value), "stack", string(debug.Stack()))
		}
	}()
	if err := j.Do(ctx, log); err != nil && ctx.Err() == nil {
		log.Warn("a maintenance job failed; its next pass tries again", "error", err)
	}
}
