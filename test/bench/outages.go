package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// calmRate is that of the tenant whose latency is measured, per second: a
	// third of what two processors make.
	calmRate = 10
	// onset is the time in which the others' first tries fail.
	onset = 10 * time.Second
	// What a tenant may feel of owners whose drive or picture host is broken.
	outageP50, outageP99 = 1.3, 2
)

// An outage is one measurement: owners in trouble beside a tenant who is not.
type outage struct {
	name  string // of what is broken
	crowd func(*harness, context.Context) (*crowd, error)
	// first: all the others' events are accepted before the tenant's first one.
	// Otherwise the tenant's come in groups, and each time some of theirs after
	// them, while these are still waiting or being made.
	first bool
	// size is how many of the tenant's events come at a time.
	size int
	// own: the others are workflows of the tenant.
	own bool
	// parked bounds the parked runs of one owner; 0: as by default.
	parked int
}

func outages() []outage {
	return []outage{
		{name: "drives", crowd: (*harness).crowdOfDrives, first: true, size: 1},
		{name: "drives", crowd: (*harness).crowdOfDrives, size: 6},
		{name: "picture hosts", crowd: (*harness).crowdOfPictures, first: true, size: 1},
		{name: "picture hosts", crowd: (*harness).crowdOfPictures, size: 6},
		{name: "a picture host that answers 500", crowd: (*harness).workflowOfPictures, first: true, size: 1, own: true},
		{name: "broken picture hosts, and as many parked as may be", crowd: (*harness).workflowsOfPictures, first: true, size: 1, own: true, parked: 5},
	}
}

// An extent is how much is measured.
type extent struct {
	theirs int // events of each owner in trouble
	ours   int // of the tenant
	judged bool
}

// extent is short in a run of everything, where too few events are measured to
// judge one in a hundred.
func (b *bench) extent() extent {
	if b.options.Full || len(b.options.Only) > 0 {
		return extent{theirs: 1000, ours: 300, judged: true}
	}
	return extent{theirs: 200, ours: 120}
}

// measureOutages: what one tenant feels of five owners whose drives, or whose
// pictures' hosts, hang, trickle, or answer 500, 429 and 403, and one workflow of others
// of its owner.
func measureOutages(ctx context.Context, b *bench) error {
	for _, o := range outages() {
		if err := o.measure(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", o.label(), err)
		}
	}
	return nil
}

func (o outage) label() string {
	if o.own {
		return "after events of the owner's other workflows with " + o.name
	}
	if o.first {
		return "after events of owners with broken " + o.name
	}
	return "before events of owners with broken " + o.name
}

func (o outage) measure(ctx context.Context, b *bench) (err error) {
	g, err := b.idle(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	c, err := o.crowd(g, ctx)
	if err != nil {
		return err
	}
	defer c.close()
	g.ownerParked = o.parked
	if err := g.startWorker(ctx); err != nil {
		return err
	}
	if _, err := g.sender.oneByOne(ctx, 20); err != nil { // connections and caches
		return err
	}
	f := experience{outage: o, extent: b.extent()}
	b.say("event to event of one tenant, undisturbed")
	if f.undisturbed, _, err = o.load(ctx, g, f.ours, nil); err != nil {
		return err
	}
	b.say("the same %s, %d of each", o.label(), f.theirs)
	if f.disturbed, f.places, err = o.load(ctx, g, f.ours, func(ctx context.Context, share, shares int) error {
		return c.send(ctx, f.theirs*(share+1)/shares-f.theirs*share/shares)
	}); err != nil {
		return err
	}
	if err := f.rest(ctx, c); err != nil {
		return err
	}
	if o.first || b.options.Full {
		b.say("the trouble is over, theirs are made")
		if f.caughtUp, f.ending, err = c.catchUp(ctx); err != nil {
			return err
		}
		b.say("undisturbed once more")
		after, _, err := o.load(ctx, g, f.ours/2, nil)
		if err != nil {
			return err
		}
		f.undisturbed.append(after)
	}
	f.report(b.report)
	return nil
}

// load is the tenant's. theirs sends one of several shares of the others' events.
func (o outage) load(ctx context.Context, g *harness, events int, theirs func(ctx context.Context, share, shares int) error) (sequence, places, error) {
	stop, err := g.watchPlaces(ctx)
	if err != nil {
		return sequence{}, nil, err
	}
	var accepted func(ctx context.Context, group int) error
	groups := events / o.size
	switch {
	case theirs != nil && o.first:
		err = theirs(ctx, 0, 1)
	case theirs != nil:
		accepted = func(ctx context.Context, group int) error { return theirs(ctx, group, groups) }
	}
	var measured sequence
	if err == nil {
		every := time.Duration(o.size) * time.Second / calmRate
		measured, err = g.sender.groups(ctx, groups, o.size, every, accepted)
	}
	seen, watching := stop()
	return measured, seen, errors.Join(err, watching)
}

// An experience is what one tenant had of an outage, and what became of the others.
type experience struct {
	outage
	extent
	undisturbed, disturbed sequence
	places                 places
	calls                  string        // that met each fault
	waiting                int           // automations, while nobody sends any
	worker, all            time.Duration // processor time for a second of that
	caughtUp               time.Duration // 0: it was not waited for
	ending                 ending
}

// rest measures what it costs that the others' automations wait.
func (f *experience) rest(ctx context.Context, c *crowd) error {
	const length = 10 * time.Second
	before, err := c.harness.account(ctx)
	if err != nil {
		return err
	}
	if err := pause(ctx, length); err != nil {
		return err
	}
	after, err := c.harness.account(ctx)
	if err != nil {
		return err
	}
	for kind, used := range after.since(before) {
		perSecond := used / time.Duration(length/time.Second)
		if f.all += perSecond; kind == partWorker {
			f.worker = perSecond
		}
	}
	var calls []string
	for _, owner := range c.owners {
		calls = append(calls, fmt.Sprintf("%s %d", owner.fault.name, owner.calls.Load()))
	}
	f.calls = strings.Join(calls, ", ")
	e, err := c.ending(ctx)
	f.waiting = e.left
	return err
}

func (f *experience) report(r *report) {
	r.about(f.label())
	defer r.about("")
	f.reportLatencies(r)
	open, parked := f.places.most()
	r.one("open at most", "", float64(open))
	r.one("begun and not open (parked) at most", "", float64(parked.parked), note("%.1f s after theirs began to come", parked.at.Seconds()))
	r.one("processor time of the worker while these wait", "ms/s", milliseconds(f.worker), note("%d automations wait, nobody sends any", f.waiting))
	r.one("processor time of all while these wait", "ms/s", milliseconds(f.all), note("calls until then: %s", f.calls))
	if f.caughtUp > 0 {
		r.one("all made and delivered after the trouble's end", "s", f.caughtUp.Seconds(), note("%d automations made", f.ending.completed))
		r.one("lost, or failed though the trouble passes", "", float64(f.ending.lost), mustBeAtMost(0))
	}
}

func (f *experience) reportLatencies(r *report) {
	for _, level := range []struct {
		name        string
		q, noSlower float64
	}{{"p50", 0.5, outageP50}, {"p99", 0.99, outageP99}} {
		judge := atMost
		if f.judged {
			judge = mustBeAtMost
		}
		r.one(level.name+", undisturbed", "ms", quantile(f.undisturbed.latencies, level.q), note("%d events", len(f.undisturbed.latencies)))
		r.one(level.name, "ms", quantile(f.disturbed.latencies, level.q), note("%d events, %d not received within %v", len(f.disturbed.latencies), f.disturbed.missing, groupPatience))
		r.interval(level.name+" ÷ undisturbed", "×", ratioOf(level.q, f.disturbed.latencies, f.undisturbed.latencies), judge(level.noSlower))
	}
	slow := 2 * quantile(f.undisturbed.latencies, 0.99)
	last := time.Duration(0)
	var early []time.Duration
	for n, at := range f.disturbed.at {
		if at < onset {
			early = append(early, f.disturbed.latencies[n])
		}
		if milliseconds(f.disturbed.latencies[n]) > slow {
			last = at
		}
	}
	r.one(fmt.Sprintf("p99 of the first %v", onset), "ms", quantile(early, 0.99), note("%d events", len(early)))
	r.one("last event slower than 2 × p99 undisturbed, sent after", "s", last.Seconds())
}
