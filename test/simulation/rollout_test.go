package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/worker"
)

// Some simulations are about builds: workers of two builds of the program share a
// deployment, and each decides by what it sees of the others whether its own build
// becomes current, and whether the runs of another build are taken from it.

// rollsOut tells whether the simulation of a seed is about builds.
func rollsOut(seed uint64) bool { return seed%32 == 0 }

// pins tells whether each life of a process in the simulation of a seed is a build of its
// own, on a Temporal before 1.32. That pins a run to the build of the run that started it,
// until its first task is done. Nobody retires builds there: dispatch and redeliveries alone
// free such runs.
func pins(seed uint64) bool { return seed%4 == 1 }

const (
	// absence is how long nothing must be seen of a build that is taken for gone.
	absence = 90 * time.Second
	// unseen is how long a look may take, and how long it is until the next one: a poll
	// of that moment is not known yet.
	unseen = 20 * time.Second
	// lookLate is how far apart looks may be that follow each other. An outage that is
	// longer cannot fall between two of them.
	lookLate = 30 * time.Second
	// idlePoll is how often a worker polls that has nothing to do.
	idlePoll = 61 * time.Second
	// draining is how long runs of a build go on that is not current any more.
	draining = 5 * time.Minute
)

// A deployment is what Temporal knows of builds and of those who poll.
type deployment struct {
	current   string
	firstSeen map[string]time.Time
	before    map[string]time.Time // builds that were current, and until when
	polls     map[string]time.Time // by Temporal's clock, which forgets them when it goes away
	polled    map[string]time.Time // when they were
}

func newDeployment() *deployment {
	return &deployment{firstSeen: map[string]time.Time{}, before: map[string]time.Time{}, polls: map[string]time.Time{}, polled: map[string]time.Time{}}
}

func (d *deployment) poll(build string, ahead time.Duration) {
	now := time.Now()
	if _, known := d.firstSeen[build]; !known {
		d.firstSeen[build] = now
	}
	d.polls[build], d.polled[build] = now.Add(ahead), now
}

func (d *deployment) builds() []worker.Build {
	var all []worker.Build
	for _, id := range sorted(d.firstSeen) {
		b := worker.Build{ID: id, State: worker.BuildNew, FirstSeen: d.firstSeen[id], LastSeen: d.polls[id]}
		switch until, was := d.before[id]; {
		case id == d.current:
			b.State = worker.BuildCurrent
		case was && time.Since(until) > draining:
			b.State = worker.BuildDrained
		case was:
			b.State = worker.BuildDraining
		}
		all = append(all, b)
	}
	return all
}

func (d *deployment) promote(build string) error {
	if _, known := d.firstSeen[build]; !known {
		return worker.ErrUnknownBuild
	}
	if d.current != "" && d.current != build {
		d.before[d.current] = time.Now()
	}
	d.current = build
	return nil
}

// A deploymentClient is the deployment as a worker sees it. It keeps what the worker
// could know, to judge what it does.
type deploymentClient struct {
	w     *harness
	p     *process
	build string

	since, latest time.Time // of looks that succeeded one after the other; zero: the last failed
}

func (c *deploymentClient) do(ctx context.Context, what, of string, effect func(d *deployment) error) error {
	return c.w.do(ctx, c.p, partTemporal, what, of, func() error { return effect(c.w.deployment) })
}

// seen keeps how a look went.
func (c *deploymentClient) seen(err error) error {
	now := time.Now()
	switch late := !c.since.IsZero() && now.Sub(c.latest) > lookLate; {
	case err != nil:
		c.since = time.Time{}
	case late:
		c.since = now
	case c.since.IsZero():
		c.since = now
	}
	c.latest = now
	return err
}

func (c *deploymentClient) Look(ctx context.Context) (builds []worker.Build, err error) {
	err = c.do(ctx, "looks at", "the builds", func(d *deployment) error {
		builds = d.builds()
		return nil
	})
	if c.seen(err) != nil {
		return nil, err
	}
	return builds, nil
}

func (c *deploymentClient) Polling(ctx context.Context) (p worker.Polling, err error) {
	err = c.do(ctx, "looks at", "who polls", func(d *deployment) error {
		p = worker.Polling{Current: d.current, LastSeen: map[string]time.Time{}}
		for build, at := range d.polls {
			p.LastSeen[build] = at
		}
		return nil
	})
	if c.seen(err) != nil {
		return worker.Polling{}, err
	}
	return p, nil
}

func (c *deploymentClient) Promote(ctx context.Context, build string) error {
	c.judge("promoted", func(d *deployment) string {
		own, current := d.firstSeen[build], d.firstSeen[d.current]
		if _, was := d.before[build]; d.current == "" || d.current == build || !was && (own.IsZero() || own.After(current)) {
			return "" // a release
		}
		return d.current
	})
	return c.do(ctx, "promotes", build, func(d *deployment) error { return d.promote(build) })
}

func (c *deploymentClient) Retire(ctx context.Context, build string) (int, error) {
	c.judge("retired", func(*deployment) string { return build })
	err := c.do(ctx, "retires", build, func(*deployment) error { return nil })
	return 0, err
}

// judge sees that a build which is taken for gone was not seen by one look after the
// other for long enough, and that it is replaced only when Temporal has been back for
// twice as long.
func (c *deploymentClient) judge(what string, gone func(d *deployment) string) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	build := gone(c.w.deployment)
	if build == "" || c.p.dead || c.w.over {
		return
	}
	now := time.Now()
	switch looked := now.Sub(c.since); {
	case c.since.IsZero():
		c.w.violate("a build was %s by %s in place of %s after a look that failed", what, c.p.name, build)
	case looked <= absence:
		c.w.violate("a build was %s by %s in place of %s after %v of looks, not %v", what, c.p.name, build, looked, absence)
	}
	if back := c.backFor(); what == "promoted" && back <= 2*absence {
		c.w.violate("a build was promoted by %s in place of %s %v after Temporal's return, not %v", c.p.name, build, back, 2*absence)
	}
	if ago := now.Sub(c.w.deployment.polled[build]); ago <= absence-unseen {
		c.w.violate("a build was %s by %s in place of %s, which polled %v ago", what, c.p.name, build, ago)
	}
}

// backFor is since when Temporal has answered, whether the worker was there to see it
// or not. Outages so short that no look has to see them do not count.
func (c *deploymentClient) backFor() time.Duration {
	now, back := c.w.scheduler.since(), time.Duration(1<<63-1)
	for _, o := range c.w.config.outages {
		if o.of == partTemporal && o.concerns(c.p.name) && o.to <= now && o.to-o.from > lookLate && c.w.scheduler.faults.keeps(o.name) {
			back = min(back, now-o.to)
		}
	}
	return back
}

// beginWorker starts a worker of a build that polls, looks and decides.
func (w *harness) beginWorker(name string) {
	p := &process{w: w, name: name, attempts: map[int]context.CancelFunc{}}
	p.ctx, p.stop = context.WithCancel(w.ctx)
	c := &deploymentClient{w: w, p: p, build: "v" + name[1:2]}
	versions := worker.Versions(c)
	if w.planted.versions != nil {
		versions = w.planted.versions(c)
	}
	r := &worker.Rollout{Deployment: versions, Build: c.build, Log: silent}
	w.processes = append(w.processes, p)
	w.trace.say(w.scheduler, name+" starts")
	w.spawn(func() { c.poll() })
	w.spawn(func() { p.look(r) })
}

// poll has a worker that has nothing to do poll until it ends.
func (c *deploymentClient) poll() {
	for c.p.ctx.Err() == nil {
		wait := idlePoll
		if err := c.do(c.p.ctx, "polls", "as "+c.build, func(d *deployment) error {
			d.poll(c.build, c.w.config.clockAhead)
			return nil
		}); err != nil {
			wait = 5 * time.Second
		}
		pause(c.p.ctx, wait)
	}
}

// look has a worker look and decide until it ends, as package worker does.
func (p *process) look(r *worker.Rollout) {
	var tidied time.Time
	for p.ctx.Err() == nil {
		_ = r.Look(p.ctx)
		if r.Current() && time.Since(tidied) >= time.Minute {
			_ = r.Tidy(p.ctx)
			tidied = time.Now()
		}
		pause(p.ctx, 5*time.Second)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// rollOut draws what happens to workers of two builds.
func (c *config) rollOut(d *generator) {
	c.lasts = 15 * time.Minute
	c.act(d, 0, 0, "w1 of v1 starts", func(w *harness) { w.beginWorker("w1") })
	c.act(d, 10*time.Second, 5*time.Minute, "w2 of v2 starts", func(w *harness) { w.beginWorker("w2") })
	for i := range c.acts {
		c.acts[i].always = true
	}
	for range d.below(3) {
		name := fmt.Sprint("w", 1+d.below(2))
		from := d.duration(time.Minute, c.lasts*2/3)
		lasts := d.duration(time.Second, 4*time.Minute)
		c.actAt(from, fmt.Sprintf("%s stops for %v", name, lasts), func(w *harness) { w.stopWorker(name, lasts) })
	}
	for range 1 + d.below(3) {
		from := d.duration(30*time.Second, c.lasts*2/3)
		o := outage{of: partTemporal, from: from, to: from + d.duration(time.Second, 4*time.Minute)}
		if d.below(3) == 0 {
			o.for_ = fmt.Sprint("w", 1+d.below(2))
		} else {
			c.actAt(from, "Temporal forgets who polls", func(w *harness) { clear(w.deployment.polls) })
		}
		o.name = fmt.Sprintf("Temporal is away for %s from %v to %v", o.for_, o.from, o.to)
		c.outages = append(c.outages, o)
	}
	c.profile.parts[partTemporal] = []float64{0, 0, 0.01, 0.05}[d.below(4)]
	c.profile.crashes = min(c.profile.crashes, 0.003)
}

// stopWorker has a worker be gone for a time.
func (w *harness) stopWorker(name string, lasts time.Duration) {
	i := slices.IndexFunc(w.processes, func(p *process) bool { return !p.dead && p.name[:2] == name })
	if i < 0 {
		return // it has crashed, and starts again by itself
	}
	p := w.processes[i]
	p.dead = true
	p.stop()
	w.later(lasts, "start", func() { w.beginWorker(p.name + "'") })
}

// playRollout has everything happen, and then nothing more go wrong for long enough.
func (w *harness) playRollout() {
	w.run(w.config.lasts, func() bool { return false })
	w.settle()
	w.sleep(10 * time.Minute)
}

// checkRollout sees that the build which is current has workers.
func (w *harness) checkRollout() {
	d := w.deployment
	if ago := time.Since(d.polled[d.current]); d.current == "" || ago > 2*absence {
		w.violate("the build %s is current and polled %v ago", d.current, ago)
	}
}
