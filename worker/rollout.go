package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/platenhq/platen"
)

// A Rollout keeps one worker's place in its deployment: it makes the worker's
// build current when its turn comes, and takes over what builds without
// workers left behind. Without it nothing would run until somebody had made a
// build current, and runs of a build that is gone would wait for ever.
//
// The turn comes when no build is current; when the build is new to the
// deployment and later than the current one, which is how a release is rolled
// out; and when no worker of the current build is left. A build that was
// current once and is not any more was rolled back, and does not push itself
// forward again.
type Rollout struct {
	Deployment Deployment
	Build      string
	// Manual: the build becomes current by itself only where none is, else
	// when an operator says so.
	Manual bool
	// Alone: no other worker can be there, so builds that do not poll now
	// are gone. Else they are when none has polled for absence.
	Alone bool
	Log   *slog.Logger

	current atomic.Bool
	since   time.Time
	seen    map[string]time.Time
}

const (
	// absence is after how long without a poll a build counts as gone. Idle
	// workers poll again each minute.
	absence = 90 * time.Second
	// lookEvery is how often a worker looks at its deployment, and how long
	// after a promotion its build goes on to start runs on itself.
	lookEvery = 5 * time.Second
	// registration bounds how long Temporal may take to know the queues of a
	// worker that has just begun to poll. It takes less than a second, but for
	// a machine with far more to do than it can.
	registration = 2 * time.Minute
	// tidyEvery is how often the current build looks for runs of builds that
	// are gone.
	tidyEvery = time.Minute
)

// Current tells whether this build takes all that is new. Runs may then be
// started on this worker itself; else Temporal has to choose by whom.
func (r *Rollout) Current() bool { return r.current.Load() }

// join returns when the build is current, or when it is another's turn, and
// goes on to look until leave is called. The worker must be polling.
func (r *Rollout) join(ctx context.Context) (leave func(), err error) {
	r.since, r.seen = time.Now(), map[string]time.Time{}
	waiting, cancel := context.WithTimeout(ctx, registration)
	defer cancel()
	for {
		err := r.look(waiting)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrUnknownBuild) && platen.KindOf(failure(err)) != platen.KindUnavailable {
			return nil, err
		}
		if !sleep(waiting, 50*time.Millisecond) {
			return nil, fmt.Errorf("after %v: %w", registration, err)
		}
	}
	keeping, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		r.keep(keeping)
	}()
	return func() {
		stop()
		<-kept
	}, nil
}

// keep looks now and then until ctx ends. A Temporal that is away is looked at
// again later: as long as it is, nothing can be missed.
func (r *Rollout) keep(ctx context.Context) {
	tidied := time.Time{}
	for {
		if r.Current() && time.Since(tidied) >= tidyEvery {
			if err := r.tidy(ctx); err != nil {
				r.Log.Debug("runs of builds that are gone were not begun anew", "error", err)
			}
			tidied = time.Now()
		}
		if !sleep(ctx, lookEvery) {
			return
		}
		if err := r.look(ctx); err != nil {
			r.Log.Debug("the worker cannot see how its build stands", "error", err)
		}
	}
}

func (r *Rollout) look(ctx context.Context) error {
	if r.Current() {
		now, ramping, err := r.Deployment.routing(ctx)
		if err != nil || now == r.Build && ramping == "" {
			return err
		}
	}
	builds, err := r.Deployment.builds(ctx)
	if err != nil {
		return err
	}
	r.notice(builds)
	now, ramping := findCurrent(builds)
	if r.turn(builds, time.Now()) {
		if err := r.Deployment.Promote(ctx, r.Build); err != nil {
			return err
		}
		r.Log.Info("this build is current now", "build", r.Build, "before", now)
		now = r.Build
	}
	is := now == r.Build && ramping == ""
	if was := r.current.Swap(is); was && !is {
		r.Log.Info("another build gets what is new now", "build", r.Build, "current", now, "ramping", ramping)
	}
	return nil
}

// notice remembers when workers of each build were last seen; Temporal forgets
// that when it starts again.
func (r *Rollout) notice(builds []Build) {
	for _, b := range builds {
		if b.LastSeen.After(r.seen[b.ID]) {
			r.seen[b.ID] = b.LastSeen
		}
	}
}

// gone tells whether a build has no workers left.
func (r *Rollout) gone(build string, at time.Time) bool {
	if r.Alone {
		return build != r.Build
	}
	last := r.since
	if seen := r.seen[build]; seen.After(last) {
		last = seen
	}
	return at.Sub(last) > absence
}

// turn tells whether this build has to become current.
func (r *Rollout) turn(builds []Build, at time.Time) bool {
	now, _ := findCurrent(builds)
	known := byID(builds)
	switch {
	case now == r.Build:
		return false
	case now == "":
		return true
	case r.Manual:
		return false
	case r.gone(now, at):
		return true
	}
	own, ok := known[r.Build]
	if !ok {
		return true // not known yet: it is the latest
	}
	return own.State == BuildNew && own.FirstSeen.After(known[now].FirstSeen)
}

// tidy takes over the runs of builds that are gone.
func (r *Rollout) tidy(ctx context.Context) error {
	builds, err := r.Deployment.builds(ctx)
	if err != nil {
		return err
	}
	for _, b := range builds {
		if b.ID == r.Build || b.State == BuildDrained || b.State == BuildRamping || !r.gone(b.ID, time.Now()) {
			continue
		}
		n, err := r.Deployment.Retire(ctx, b.ID)
		if n > 0 {
			r.Log.Warn("runs of a build without workers begin anew on this one", "build", b.ID, "runs", n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sleep waits, and tells whether ctx is still on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
