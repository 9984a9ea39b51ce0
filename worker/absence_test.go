package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
)

// A cluster is a Temporal with the builds of one deployment. Its pollers are
// forgotten when it goes away, as those of Temporal's matching are.
type cluster struct {
	behind time.Duration // its clock, behind the workers'

	mu       sync.Mutex
	away     chan struct{} // closed when it is back; nil: it is there
	hangs    bool          // while it is away calls wait until it is back; else they fail
	states   map[string]BuildState
	polls    map[string]time.Time
	promoted []string
	retired  []string
}

// reach waits for a cluster that hangs, and fails while it is away.
func (c *cluster) reach(ctx context.Context) error {
	c.mu.Lock()
	away, hangs := c.away, c.hangs
	c.mu.Unlock()
	if away == nil {
		return nil
	}
	if hangs {
		select {
		case <-away:
			return nil
		case <-ctx.Done():
		}
	}
	return serviceerror.NewUnavailable("away")
}

func (c *cluster) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away, c.polls = make(chan struct{}), map[string]time.Time{}
}

func (c *cluster) comeBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.away)
	c.away = nil
}

// poll has a worker of a build poll once.
func (c *cluster) poll(build string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away == nil {
		c.polls[build] = time.Now().Add(-c.behind)
	}
}

// work has an idle worker of a build poll until stop is called.
func (c *cluster) work(build string) (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for c.poll(build); sleep(ctx, 61*time.Second); {
			c.poll(build)
		}
	}()
	return stop
}

func (c *cluster) Look(ctx context.Context) ([]Build, error) {
	if err := c.reach(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var builds []Build
	for id, state := range c.states {
		// The build that was first is the older one.
		builds = append(builds, Build{ID: id, State: state, FirstSeen: time.Unix(int64(id[1]), 0), LastSeen: c.polls[id]})
	}
	return builds, nil
}

func (c *cluster) Polling(ctx context.Context) (Polling, error) {
	builds, err := c.Look(ctx)
	p := Polling{LastSeen: map[string]time.Time{}}
	p.Current, p.Ramping = findCurrent(builds)
	for _, b := range builds {
		p.LastSeen[b.ID] = b.LastSeen
	}
	return p, err
}

func (c *cluster) Promote(ctx context.Context, build string) error {
	if err := c.reach(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, state := range c.states {
		if state == BuildCurrent {
			c.states[id] = BuildDraining
		}
	}
	c.states[build] = BuildCurrent
	c.promoted = append(c.promoted, build)
	return nil
}

func (c *cluster) Retire(ctx context.Context, build string) (int, error) {
	if err := c.reach(ctx); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = append(c.retired, build)
	return 1, nil
}

// happened is what workers did so far.
func (c *cluster) happened() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("promoted %v, retired %v", c.promoted, slices.Compact(slices.Clone(c.retired)))
}

const nothing = "promoted [], retired []"

// during runs a test on a cluster on which v2 is current and v1 draining, with
// the rollout of one of the two; other is the worker of the other.
func during(t *testing.T, own string, c *cluster, test func(t *testing.T, stopOther func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.states, c.polls = map[string]BuildState{"v1": BuildDraining, "v2": BuildCurrent}, map[string]time.Time{}
		other := map[string]string{"v1": "v2", "v2": "v1"}[own]
		stopOther := c.work(other)
		defer stopOther()
		stopOwn := c.work(own)
		defer stopOwn()
		synctest.Wait()
		r := &Rollout{Deployment: c, Build: own, Log: slog.New(slog.DiscardHandler)}
		leave, err := r.join(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		test(t, stopOther)
	})
}

func TestAClockThatDiffersFromTemporalsMakesNoBuildGone(t *testing.T) {
	t.Parallel()
	for _, behind := range []time.Duration{-120 * time.Second, 30 * time.Second, 60 * time.Second, 120 * time.Second} {
		t.Run(fmt.Sprint("Temporal's clock is behind by ", behind), func(t *testing.T) {
			t.Parallel()
			c := &cluster{behind: behind}
			during(t, "v1", c, func(t *testing.T, _ func()) {
				time.Sleep(10 * time.Minute)
				if got := c.happened(); got != nothing {
					t.Errorf("v1 beside v2, which is current and polls: got %s, want %s", got, nothing)
				}
			})
		})
	}
}

func TestNoBuildIsPromotedWhileWorkersComeBackToTemporal(t *testing.T) {
	t.Parallel()
	for _, away := range []time.Duration{3 * time.Second, 80 * time.Second, 150 * time.Second, time.Hour} {
		for _, late := range []time.Duration{0, time.Minute, 170 * time.Second} {
			if away < lookEvery && late > absence {
				continue // no look failed: the build is as good as gone
			}
			for _, hangs := range []bool{false, true} {
				t.Run(fmt.Sprintf("away %v, the other build %v later, calls hang %t", away, late, hangs), func(t *testing.T) {
					t.Parallel()
					c := &cluster{hangs: hangs}
					during(t, "v1", c, func(t *testing.T, stopOther func()) {
						time.Sleep(5*time.Minute + time.Second) // between two looks
						stopOther()
						c.leave()
						time.Sleep(away)
						c.comeBack()
						time.Sleep(late)
						stopOther = c.work("v2")
						defer stopOther()
						time.Sleep(10 * time.Minute)
						if got := c.happened(); got != nothing {
							t.Errorf("v1 reconnected first: got %s, want %s", got, nothing)
						}
					})
				})
			}
		}
	}
}

// Platen's workers wait for Temporal when they start, so that none of their looks fails.
func TestNoBuildIsPromotedByAWorkerThatStartsWhenTemporalIsBack(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{0, absence + 2*lookEvery, 170 * time.Second} {
		t.Run(fmt.Sprintf("the other build connects %v later", late), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &cluster{states: map[string]BuildState{"v1": BuildDraining, "v2": BuildCurrent}, polls: map[string]time.Time{}}
				stopOwn := c.work("v1")
				defer stopOwn()
				synctest.Wait()
				r := &Rollout{Deployment: c, Build: "v1", Log: slog.New(slog.DiscardHandler)}
				leave, err := r.join(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer leave()
				time.Sleep(late)
				stopOther := c.work("v2")
				defer stopOther()
				time.Sleep(10 * time.Minute)
				if got := c.happened(); got != nothing {
					t.Errorf("v1 started first: got %s, want %s", got, nothing)
				}
			})
		})
	}
}

// A returning cluster is Temporal before its own worker of deployments is back.
type returning struct {
	*cluster
	until time.Time
}

func (r returning) Look(ctx context.Context) ([]Build, error) {
	if time.Now().Before(r.until) {
		return nil, fmt.Errorf("describe the deployment: %w", serviceerror.NewFailedPrecondition("no poller seen for task queue recently, worker may be down"))
	}
	return r.cluster.Look(ctx)
}

func TestAWorkerThatStartsWaitsUntilTemporalKnowsItsDeploymentsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{states: map[string]BuildState{"v1": BuildCurrent}, polls: map[string]time.Time{}}
		defer c.work("v1")()
		r := &Rollout{Deployment: returning{c, time.Now().Add(time.Minute)}, Build: "v1", Log: slog.New(slog.DiscardHandler)}
		leave, err := r.join(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		if !r.Current() {
			t.Error("the build is not current")
		}
	})
}

func TestABuildWhoseWorkersDoNotComeBackIsReplaced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		away            time.Duration
		earliest, after time.Duration
	}{
		"Temporal was there":    {0, absence - 61*time.Second, absence + lookEvery},
		"Temporal was away":     {150 * time.Second, 2 * absence, 2*absence + 2*lookEvery},
		"Temporal went briefly": {6 * time.Second, 2 * absence, 2*absence + 2*lookEvery},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl := &cluster{}
			during(t, "v1", cl, func(t *testing.T, stopOther func()) {
				time.Sleep(5*time.Minute + time.Second) // between two looks
				stopOther()
				if c.away > 0 {
					cl.leave()
					time.Sleep(c.away)
					cl.comeBack()
				}
				time.Sleep(c.earliest)
				if got := cl.happened(); got != nothing {
					t.Errorf("after %v: got %s, want %s", c.earliest, got, nothing)
				}
				time.Sleep(c.after - c.earliest)
				if got, want := cl.happened(), "promoted [v1], retired [v2]"; got != want {
					t.Errorf("after %v: got %s, want %s", c.after, got, want)
				}
			})
		})
	}
}

func TestRunsOfABuildThatPollsAreLeftToIt(t *testing.T) {
	t.Parallel()
	c := &cluster{}
	during(t, "v2", c, func(t *testing.T, stopOther func()) {
		time.Sleep(30 * time.Minute)
		if got := c.happened(); got != nothing {
			t.Errorf("v1 drains and polls: got %s, want %s", got, nothing)
		}
		stopOther()
		time.Sleep(absence + tidyEvery + lookEvery)
		if got, want := c.happened(), "promoted [], retired [v1]"; got != want {
			t.Errorf("v1 polls no more: got %s, want %s", got, want)
		}
	})
}

func TestRunsOfABuildAreLeftToItWhileItComesBackToTemporal(t *testing.T) {
	t.Parallel()
	c := &cluster{}
	during(t, "v2", c, func(t *testing.T, stopOther func()) {
		time.Sleep(5*time.Minute + time.Second) // between two looks
		stopOther()
		c.leave()
		time.Sleep(150 * time.Second)
		c.comeBack()
		time.Sleep(80 * time.Second)
		stopOther = c.work("v1")
		defer stopOther()
		time.Sleep(10 * time.Minute)
		if got := c.happened(); got != nothing {
			t.Errorf("v2 reconnected first: got %s, want %s", got, nothing)
		}
	})
}

func TestAProcessThatWasStoppedLooksAgainBeforeABuildIsGone(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	seen := map[string]time.Time{"v2": start}
	var p presence
	p.note(seen, start)
	p.note(seen, start.Add(lookEvery))
	woken := start.Add(time.Hour)
	for at := time.Duration(0); at <= comeback; at += lookEvery {
		p.note(seen, woken.Add(at))
		if now := woken.Add(at); p.isGone("v2", now) && at <= absence || p.isBack(now) {
			t.Fatalf("%v after an hour without a look: gone %t, back %t, want neither", at, p.isGone("v2", now), p.isBack(now))
		}
	}
	now := woken.Add(comeback + lookEvery)
	p.note(seen, now)
	if !p.isGone("v2", now) || !p.isBack(now) {
		t.Errorf("%v after an hour without a look: gone %t, back %t, want both", comeback+lookEvery, p.isGone("v2", now), p.isBack(now))
	}
}

func TestABuildTakesNewRunsWhileTheyComeToIt(t *testing.T) {
	t.Parallel()
	c := &cluster{}
	during(t, "v1", c, func(t *testing.T, _ func()) {
		r := &Rollout{Deployment: c, Build: "v1", Log: slog.New(slog.DiscardHandler)}
		if r.TakesNew() {
			t.Error("before its first look: it takes new runs, want none")
		}
		for _, stand := range []struct {
			name           string
			v1, v2         BuildState
			takes, current bool
		}{
			{"draining", BuildDraining, BuildCurrent, false, false},
			{"ramping", BuildRamping, BuildCurrent, true, false},
			{"current", BuildCurrent, BuildDraining, true, true},
			{"current beside one that is ramping", BuildCurrent, BuildRamping, true, false},
			{"draining once more", BuildDraining, BuildCurrent, false, false},
		} {
			c.mu.Lock()
			c.states = map[string]BuildState{"v1": stand.v1, "v2": stand.v2}
			c.mu.Unlock()
			if err := r.Look(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r.TakesNew() != stand.takes || r.Current() != stand.current {
				t.Errorf("%s: takes new runs %t, current %t; want %t, %t", stand.name, r.TakesNew(), r.Current(), stand.takes, stand.current)
			}
		}
	})
}
