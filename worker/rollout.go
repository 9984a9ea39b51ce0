package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/platenhq/platen/internal/platen"
)

// Versions is a Deployment as a Rollout sees it.
type Versions interface {
	// Look returns the builds that Temporal knows, their open runs not counted.
	Look(ctx context.Context) ([]Build, error)
	// Polling returns which build is current, and when each last polled.
	Polling(ctx context.Context) (Polling, error)
	// Promote makes a build current. ErrUnknownBuild: none of its workers has
	// polled all queues yet. ErrManaged: only the deployment's manager may do it.
	Promote(ctx context.Context, build string) error
	// Retire resets the open runs of a build to their first task, on the current one, and tells
	// how many.
	Retire(ctx context.Context, build string) (int, error)
}

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
//
// A build is gone when looks at Temporal saw no poll of its workers for 90 s. A
// look that fails, and one that comes late, starts these 90 s again. No build is
// promoted for that reason before looks succeeded for 180 s: Temporal may have
// returned just before the first of them.
//
// A deployment with a manager in Temporal is left to the manager: the worker says so once,
// works, and gets what is new when its build is made current.
//
// One goroutine calls Look and Tidy; Current and TakesNew are for all.
type Rollout struct {
	Deployment Versions
	Build      string
	// Manual: the build becomes current by itself only where none is, else
	// when an operator says so.
	Manual bool
	// Alone: no other worker can be there, so every other build is gone.
	Alone bool
	Log   *slog.Logger
	// Now is the worker's clock. nil: time.Now.
	Now func() time.Time

	current  atomic.Bool
	takes    atomic.Bool
	managed  atomic.Bool // it was said that the deployment has a manager
	presence presence
}

const (
	// lookEvery is how often a worker looks at its deployment, and how long
	// after a promotion its build goes on to start runs on itself.
	lookEvery = 5 * time.Second
	// lookTimeout bounds what a look waits for Temporal. One that outlasted an
	// outage would not know of it.
	lookTimeout = 10 * time.Second
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

// TakesNew reports whether this build receives new runs: all of them, or a share while
// it or another build is ramping. It is false before the first look.
func (r *Rollout) TakesNew() bool { return r.takes.Load() }

func (r *Rollout) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// join returns when the build is current, or when it is another's turn, and
// goes on to look until leave is called. The worker must be polling.
func (r *Rollout) join(ctx context.Context) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, registration)
	defer cancel()
	for {
		err := r.Look(waiting)
		if err == nil {
			break
		}
		// Temporal keeps deployments by a worker of its own, which returns later than the rest
		// of it: until then a look is FailedPrecondition.
		if !errors.Is(err, ErrUnknownBuild) && !is[*serviceerror.FailedPrecondition](err) && platen.KindOf(failure(err)) != platen.KindUnavailable {
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
		if r.Current() && r.now().Sub(tidied) >= tidyEvery {
			if err := r.Tidy(ctx); err != nil {
				r.Log.Debug("runs of builds that are gone were not reset", "error", err)
			}
			tidied = r.now()
		}
		if !sleep(ctx, lookEvery) {
			return
		}
		if err := r.Look(ctx); err != nil {
			r.Log.Debug("the worker cannot see how its build stands", "error", err)
		}
	}
}

// Look sees how the builds stand, and makes this one current if its turn has
// come. It is called every few seconds.
// ErrUnknownBuild: Temporal does not know all queues of the worker yet.
func (r *Rollout) Look(ctx context.Context) error {
	if r.Current() {
		p, err := r.polling(ctx)
		if err != nil || p.Current == r.Build && p.Ramping == "" {
			return err
		}
	}
	builds, err := r.builds(ctx)
	if err != nil {
		return err
	}
	now, ramping := findCurrent(builds)
	if r.turn(builds, r.now()) {
		switch err := r.Deployment.Promote(ctx, r.Build); {
		case errors.Is(err, ErrManaged):
			if !r.managed.Swap(true) {
				r.Log.Warn("this build is not made current: the deployment has a manager in Temporal, who alone may do it", "build", r.Build, "current", now, "error", err)
			}
		case err != nil:
			return err
		default:
			r.Log.Info("this build is current now", "build", r.Build, "before", now)
			now = r.Build
		}
	}
	r.takes.Store(now == r.Build || ramping == r.Build)
	is := now == r.Build && ramping == ""
	if was := r.current.Swap(is); was && !is {
		r.Log.Info("another build gets what is new now", "build", r.Build, "current", now, "ramping", ramping)
	}
	return nil
}

// polling asks Temporal who polls, and notes it.
func (r *Rollout) polling(ctx context.Context) (Polling, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	p, err := r.Deployment.Polling(ctx)
	if err != nil {
		r.presence.interrupt()
		return Polling{}, err
	}
	r.presence.note(p.LastSeen, r.now())
	return p, nil
}

// builds asks Temporal for the builds and who of them polls, and notes it.
func (r *Rollout) builds(ctx context.Context) ([]Build, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	builds, err := r.Deployment.Look(ctx)
	if err != nil {
		r.presence.interrupt()
		return nil, err
	}
	lastSeen := map[string]time.Time{}
	for _, b := range builds {
		lastSeen[b.ID] = b.LastSeen
	}
	r.presence.note(lastSeen, r.now())
	return builds, nil
}

// isGone tells whether a build has no workers left.
func (r *Rollout) isGone(build string, at time.Time) bool {
	if r.Alone {
		return build != r.Build
	}
	return r.presence.isGone(build, at)
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
	case r.isGone(now, at) && (r.Alone || r.presence.isBack(at)):
		return true
	}
	own, ok := known[r.Build]
	if !ok {
		return true // not known yet: it is the latest
	}
	return own.State == BuildNew && own.FirstSeen.After(known[now].FirstSeen)
}

// Tidy resets the open runs of builds that are gone to their first task, on this one, which
// must be current. It looks again first.
func (r *Rollout) Tidy(ctx context.Context) error {
	builds, err := r.builds(ctx)
	if err != nil {
		return err
	}
	for _, b := range builds {
		if b.ID == r.Build || b.State == BuildDrained || b.State == BuildRamping || !r.isGone(b.ID, r.now()) {
			continue
		}
		n, err := r.Deployment.Retire(ctx, b.ID)
		if n > 0 {
			r.Log.Warn("runs of a build without workers were reset and start on this one", "build", b.ID, "runs", n)
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
