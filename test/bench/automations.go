package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/platenhq/platen/examples"
)

const (
	// inFlight automations keep the worker busy without a long queue.
	inFlight = 64
	// loopParallel straight loops at a time: as many as gain anything.
	loopParallel = 8
	// noopParallel starts of empty runs at a time.
	noopParallel = 16
)

// A harness is an instance at work on one job.
type harness struct {
	*instance
	job      job
	receiver *receiver
	sender   *sender
}

func (b *bench) startHarness(ctx context.Context) (*harness, error) { return b.startWatched(ctx, nil) }

func (b *bench) startWatched(ctx context.Context, w *watch) (*harness, error) {
	g, err := b.idleWatched(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := g.startWorker(ctx); err != nil {
		return nil, errors.Join(err, g.close(context.WithoutCancel(ctx)))
	}
	return g, nil
}

// idle is a harness whose worker is not started.
func (b *bench) idle(ctx context.Context) (*harness, error) { return b.idleWatched(ctx, nil) }

func (b *bench) idleWatched(ctx context.Context, w *watch) (_ *harness, err error) {
	i, err := b.openWatched(ctx, w)
	if err != nil {
		return nil, err
	}
	g := &harness{instance: i}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close(context.WithoutCancel(ctx)))
		}
	}()
	if g.receiver, err = newReceiver(); err != nil {
		return nil, err
	}
	if g.job, err = i.newJob(ctx, g.receiver.url); err != nil {
		return nil, err
	}
	g.sender = &sender{client: newClient(), receiver: g.receiver, source: g.job.source}
	return g, nil
}

func (g *harness) close(ctx context.Context) error {
	if g.receiver != nil {
		g.receiver.close()
	}
	return g.instance.close(ctx)
}

// measureAutomations: how long one takes, how many are completed, what each
// costs, and what the same work costs without Platen around it.
func measureAutomations(ctx context.Context, b *bench) (err error) {
	g, err := b.startHarness(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	if err := measureOneByOne(ctx, g); err != nil {
		return err
	}
	perSecond, err := measureSustained(ctx, g)
	if err != nil {
		return err
	}
	if err := measureHalf(ctx, g, perSecond/2); err != nil {
		return err
	}
	return g.failures(ctx)
}

// measureOneByOne: each event is sent when the one before was received.
func measureOneByOne(ctx context.Context, g *harness) error {
	g.bench.say("event to event, one at a time")
	if _, err := g.sender.oneByOne(ctx, 10); err != nil { // connections and caches
		return err
	}
	var s series
	for range g.bench.rounds {
		l, err := g.sender.oneByOne(ctx, 50)
		if err != nil {
			return err
		}
		s.add(l)
	}
	g.bench.report.add("event to event, one at a time, p50", "ms", s.p50, atMost(45))
	g.bench.report.add("event to event, one at a time, p99", "ms", s.p99, atMost(100), note("of 50 in each round"))
	return nil
}

// measureSustained returns the median of automations completed per second. The
// straight loop and Temporal alone take turns with the service.
func measureSustained(ctx context.Context, g *harness) (perSecond float64, err error) {
	b := g.bench
	loop, err := g.startLoop(ctx)
	if err != nil {
		return 0, err
	}
	defer loop.stop()
	b.say("sustained automations, the same calls in a straight loop, and Temporal alone")
	if _, _, err := g.sender.saturate(ctx, inFlight, 2*b.round, b.round); err != nil { // connections and caches
		return 0, err
	}
	alone, err := startTemporalAlone(ctx, g)
	if err != nil {
		return 0, err
	}
	defer alone.part.stop()
	var sustained, straight, single, costRatios []float64
	var costs bill
	for range b.rounds {
		rate, each, err := costs.run(ctx, g)
		if err != nil {
			return 0, err
		}
		sustained = append(sustained, rate)
		if err := pause(ctx, b.round); err != nil { // what the last ones left to Temporal
			return 0, err
		}
		nothing, err := alone.run(ctx, g)
		if err != nil {
			return 0, err
		}
		costRatios = append(costRatios, each/nothing)
		for parallel, rates := range map[int]*[]float64{1: &single, loopParallel: &straight} {
			t, err := repeat(ctx, loop, 2*b.round, parallel)
			if err != nil {
				return 0, err
			}
			*rates = append(*rates, t.rate())
		}
	}
	r := b.report
	r.add("completed automations", "/s", sustained, atLeast(40), note("%d in flight", inFlight))
	r.add("same calls in a straight loop", "/s", straight, note("%d side by side", loopParallel))
	r.add("same calls in one straight loop", "/s", single, note("one after the other"))
	r.add("automations ÷ straight loop", "×", ratios(sustained, straight), atLeast(0.5))
	costs.report(g)
	alone.report(g)
	if costs.used.total() > 0 { // this machine tells
		r.add("CPU per automation ÷ Temporal alone", "×", costRatios, atMost(3.5), note("Temporal and its Postgres, per run that does nothing"))
	}
	memory(r, g.serve, "sustained automations")
	memory(r, g.worker, "sustained automations")
	if mb, ok := peakMemory(g.drive); ok {
		r.one("peak memory of drive", "MB", mb, note("sustained automations"))
	}
	return spreadOf(sustained).Median, nil
}

// startLoop starts the straight loop.
func (g *harness) startLoop(ctx context.Context) (*part, error) {
	template, err := g.upload(ctx, examples.Letter)
	if err != nil {
		return nil, err
	}
	settings := g.settings()
	maps.Copy(settings, map[string]string{templateVariable: template, driveTokenVariable: g.driveToken, receiverVariable: g.receiver.url})
	return g.bench.start(ctx, partLoop, settings)
}

func measureHalf(ctx context.Context, g *harness, perSecond float64) error {
	g.bench.say("event to event, %.0f events per second", perSecond)
	var s series
	for range g.bench.rounds {
		l, err := g.sender.openLoop(ctx, perSecond, 3*g.bench.round)
		if err != nil {
			return err
		}
		s.add(l)
	}
	remark := note("%.0f/s, arriving at random", perSecond)
	g.bench.report.add("event to event, half of capacity, p50", "ms", s.p50, remark)
	g.bench.report.add("event to event, half of capacity, p99", "ms", s.p99, remark)
	return nil
}

// A temporalAlone runs as many steps as an automation has, which do nothing.
type temporalAlone struct {
	part  *part
	steps int
	used  ledger
	done  int
	rates []float64
}

// kindNoop is the client of runs that do nothing.
const kindNoop = "the client"

// startTemporalAlone wants an automation to have been completed: it has as many steps.
func startTemporalAlone(ctx context.Context, g *harness) (*temporalAlone, error) {
	steps, err := g.histories(ctx)
	if err != nil {
		return nil, err
	}
	settings := g.settings()
	settings[stepsVariable] = strconv.Itoa(steps)
	noop, err := g.bench.start(ctx, partNoop, settings)
	if err != nil {
		return nil, err
	}
	if _, err := repeat(ctx, noop, g.bench.round, noopParallel); err != nil { // connections and caches
		noop.stop()
		return nil, err
	}
	return &temporalAlone{part: noop, steps: steps, used: ledger{}}, nil
}

// run adds one round, and returns the processor time of Temporal and its Postgres for
// each run in milliseconds.
func (a *temporalAlone) run(ctx context.Context, g *harness) (each float64, err error) {
	account := func() (ledger, error) {
		l, err := g.account(ctx)
		l[kindNoop] = processorTime(a.part.cmd.Process.Pid).own
		return l, err
	}
	before, err := account()
	if err != nil {
		return 0, err
	}
	t, err := repeat(ctx, a.part, 2*g.bench.round, noopParallel)
	if err != nil {
		return 0, err
	}
	after, err := account()
	if err != nil {
		return 0, err
	}
	used := after.since(before)
	for kind, spent := range used {
		a.used[kind] += spent
	}
	a.done += t.Done
	a.rates = append(a.rates, t.rate())
	return milliseconds(used[kindTemporal]+used[kindTemporalPostgres]) / float64(t.Done), nil
}

func (a *temporalAlone) report(g *harness) {
	r := g.bench.report
	r.add("Temporal alone, runs that do nothing", "/s", a.rates, note("%d local activities, eager start", a.steps))
	for _, kind := range []string{kindTemporal, kindTemporalPostgres, kindNoop} {
		if a.used[kind] > 0 {
			r.one("Temporal alone, CPU per run, "+kind, "ms", milliseconds(a.used[kind])/float64(a.done))
		}
	}
}

// A bill is what sustained automations used.
type bill struct {
	used      ledger
	bytes     sizes
	completed int
}

// run adds one round to the bill, and returns its rate and the processor time of each
// automation in milliseconds.
func (c *bill) run(ctx context.Context, g *harness) (perSecond, each float64, err error) {
	before, err := g.account(ctx)
	if err != nil {
		return 0, 0, err
	}
	sizeBefore, err := g.sizes(ctx)
	if err != nil {
		return 0, 0, err
	}
	perSecond, completed, err := g.sender.saturate(ctx, inFlight, g.bench.round, 3*g.bench.round)
	if err != nil {
		return 0, 0, err
	}
	after, err := g.account(ctx)
	if err != nil {
		return 0, 0, err
	}
	sizeAfter, err := g.sizes(ctx)
	if err != nil {
		return 0, 0, err
	}
	if c.used == nil {
		c.used, c.bytes = ledger{}, sizes{}
	}
	used := after.since(before)
	for kind, spent := range used {
		c.used[kind] += spent
	}
	for name, size := range sizeAfter {
		c.bytes[name] += size - sizeBefore[name]
	}
	c.completed += completed
	return perSecond, milliseconds(used.total()) / float64(completed), nil
}

// report shows the processor time of each part for each automation, in milliseconds.
func (c *bill) report(g *harness) {
	r, n := g.bench.report, float64(c.completed)
	for _, kind := range slices.Sorted(maps.Keys(c.used)) {
		r.one("CPU per automation, "+kind, "ms", milliseconds(c.used[kind])/n)
	}
	if total := c.used.total(); total > 0 {
		r.one("CPU per automation, all of the above", "ms", milliseconds(total)/n)
	}
	if used, ok := c.used[kindTemporal]; ok {
		r.one("CPU per automation, Temporal and its Postgres", "ms", milliseconds(used+c.used[kindTemporalPostgres])/n, atMost(20))
	}
	for _, name := range slices.Sorted(maps.Keys(c.bytes)) {
		r.one("bytes per automation, "+name, "KB", float64(c.bytes[name])/n/1000)
	}
}
