package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A part is what a call of the product goes to.
type part string

const (
	partStore    part = "store"
	partDrive    part = "drive"
	partTemporal part = "temporal"
	partReceiver part = "receiver"
)

// A call of the product waits until the scheduler lets it go on. Its effect is
// applied while nothing else moves.
type call struct {
	key     string // names the call among all of the seed: who, what, of what, which time
	arrived int    // in which round of the scheduler
	part    part
	caller  *process // nil: it goes on even if its process dies
	ctx     context.Context
	effect  func() error
	fault   fault
	delayed bool // by its fault
	left    bool // nobody waits for the answer any more
	answer  chan error
}

// A flight is a call that is on its way for a while.
type flight struct{ call *call }

// A scheduler lets one call go on at a time. It is the seed's choice which.
// Everything random is a function of the seed and of its purpose, so that leaving
// out one fault does not move the others.
type scheduler struct {
	seed    uint64
	faults  *faults
	trace   *trace
	started time.Time

	mu      sync.Mutex
	pending []*call
	flights []*flight
	over    []*call // to be used again
	round   int
	times   map[string]int // how often each call was made
	quiet   bool           // nothing fails any more, and calls go on in the order in which they came
	atOnce  bool           // calls happen without it: nothing is simulated but a part
	rests   bool           // until something is pending
	wake    chan struct{}  // it is
	alarms  alarms
	set     int         // how many alarms were
	timer   *time.Timer // of its rest
}

func newScheduler(seed uint64, f *faults, tr *trace) *scheduler {
	return &scheduler{
		seed: seed, faults: f, trace: tr, started: time.Now(), times: map[string]int{}, wake: make(chan struct{}, 1), timer: time.NewTimer(time.Hour),
	}
}

// since is the time of the simulation.
func (s *scheduler) since() time.Duration { return time.Since(s.started) }

// draw is a number that the seed gives to what it is for, and of what.
func draw(seed uint64, what, of string) uint64 {
	h := uint64(14695981039346656037) ^ seed*0x9e3779b97f4a7c15
	for i := range len(what) {
		h = (h ^ uint64(what[i])) * 1099511628211
	}
	for i := range len(of) {
		h = (h ^ uint64(of[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 29
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// below is a number below n.
func (s *scheduler) below(what, of string, n int) int { return int(draw(s.seed, what, of) % uint64(n)) }

// chance is true with the probability p.
func (s *scheduler) chance(what, of string, p float64) bool {
	return probability(draw(s.seed, what, of)) < p
}

func probability(drawn uint64) float64 { return float64(drawn>>11) / (1 << 53) }

// duration is one between least and most.
func (s *scheduler) duration(what, of string, least, most time.Duration) time.Duration {
	return least + time.Duration(draw(s.seed, what, of)%uint64(most-least+1))
}

// jitter is what the product takes for random: the same at the same moment.
func (s *scheduler) jitter(n time.Duration) time.Duration {
	if n <= 0 {
		return 0
	}
	return time.Duration(draw(s.seed, "jitter ", fmt.Sprint(int64(s.since()), int64(n))) % uint64(n))
}

// errCrashed is the error of all calls of a crashed process: they have no effect.
var errCrashed = errors.New("the process has crashed")

type stepKey struct{}

// withStep has the calls of a step be told apart from those of others.
func withStep(ctx context.Context, name, of string) context.Context {
	return context.WithValue(ctx, stepKey{}, name+" of "+of+": ")
}

func stepIn(ctx context.Context) string {
	step, _ := ctx.Value(stepKey{}).(string)
	return step
}

// do makes one call of a process: the effect happens when the scheduler says so,
// and the error may be another than the effect's.
func (s *scheduler) do(ctx context.Context, p *process, to part, what, of string, effect func() error) error {
	s.mu.Lock()
	if p.dead {
		s.mu.Unlock()
		return errCrashed
	}
	if s.atOnce {
		defer s.mu.Unlock()
		return effect()
	}
	c := s.call()
	c.part, c.caller, c.ctx, c.effect = to, p, ctx, effect
	s.add(c, p.name+" "+stepIn(ctx)+what+" "+of)
	s.mu.Unlock()
	err := <-c.answer
	if err == errDelayed {
		return s.wait(c)
	}
	s.mu.Lock()
	s.over = append(s.over, c)
	s.mu.Unlock()
	return err
}

// call is one that nobody uses; the caller holds mu.
func (s *scheduler) call() *call {
	n := len(s.over)
	if n == 0 {
		return &call{answer: make(chan error, 1)}
	}
	c := s.over[n-1]
	s.over = s.over[:n-1]
	*c = call{answer: c.answer}
	return c
}

// errDelayed says that the answer takes a while.
var errDelayed = errors.New("the call is delayed")

// wait waits for the answer of a call that is delayed, as long as its caller does.
func (s *scheduler) wait(c *call) error {
	select {
	case err := <-c.answer:
		return err
	case <-c.ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		c.left = true
		return c.given()
	}
}

// given is what the caller of a call that it has given up gets; the caller holds mu.
func (c *call) given() error {
	if c.caller.dead {
		return errCrashed
	}
	return unanswered(c.part, c.ctx.Err())
}

// later has something happen that no process waits for; the caller holds mu.
func (s *scheduler) later(after time.Duration, what string, effect func()) {
	s.after(after, func() {
		if s.quiet {
			effect()
			return
		}
		s.add(&call{effect: func() error { effect(); return nil }}, what)
	})
}

// add has a call wait for the scheduler; the caller holds mu.
func (s *scheduler) add(c *call, key string) {
	c.key, c.arrived = key, s.round
	if !s.quiet { // nothing is drawn for it otherwise
		s.times[key]++
		if n := s.times[key]; n > 1 {
			c.key = key + " #" + strconv.Itoa(n)
		}
	}
	s.pending = append(s.pending, c)
	s.signal()
}

// run lets calls go on, one at a time, until the simulation is so old, or nothing is
// left to do. It is called by the bubble's first goroutine.
func (s *scheduler) run(until time.Duration, nothingLeft func() bool) {
	for {
		synctest.Wait()
		s.mu.Lock()
		left := s.ring(until)
		c := s.next()
		switch {
		case c != nil:
			s.goOn(c)
		case left <= 0 || nothingLeft():
			s.mu.Unlock()
			return
		default:
			s.rest(left)
		}
		s.mu.Unlock()
	}
}

// sleep has so much time go by.
func (s *scheduler) sleep(d time.Duration) {
	s.run(s.since()+d, func() bool { return false })
}

// next takes one of the calls that wait: the first, or whichever the seed says.
func (s *scheduler) next() *call {
	if len(s.pending) == 0 {
		return nil
	}
	s.round++
	// Those that arrived at the same moment did so in an order that says nothing.
	slices.SortStableFunc(s.pending, func(a, b *call) int {
		return cmp.Or(cmp.Compare(a.arrived, b.arrived), cmp.Compare(a.key, b.key))
	})
	i := 0
	if len(s.pending) > 1 && !s.faults.inOrder && !s.quiet {
		i = s.below("next ", strconv.Itoa(s.round), len(s.pending))
	}
	c := s.pending[i]
	s.pending = slices.Delete(s.pending, i, i+1)
	return c
}

// goOn has a call happen, or go wrong.
func (s *scheduler) goOn(c *call) {
	switch {
	case c.caller == nil:
		s.trace.add(s, c, c.effect())
	case c.delayed:
		if !c.caller.dead || s.chance("lands ", c.key, 0.5) { // it is on its way
			s.strike(c)
		}
	case c.caller.dead:
		c.answer <- errCrashed
	case s.quiet:
		s.strike(c)
	case c.ctx.Err() != nil:
		c.left = true
		if s.chance("lands ", c.key, 0.5) { // it was given up when it had left
			s.strike(c)
		}
		c.answer <- c.given()
	default:
		c.fault = s.faults.of(s, c)
		if c.fault.delay > 0 {
			s.delay(c)
		} else {
			s.strike(c)
		}
	}
}

func (s *scheduler) delay(c *call) {
	c.delayed = true
	f := &flight{c}
	s.flights = append(s.flights, f)
	s.after(c.fault.delay, func() {
		i := slices.Index(s.flights, f)
		if i < 0 {
			return // it has landed
		}
		s.flights = slices.Delete(s.flights, i, i+1)
		s.pending = append(s.pending, c)
		c.arrived = s.round
		s.signal()
	})
	c.answer <- errDelayed
}

// land has what is on its way to a part happen now; the caller holds mu.
func (s *scheduler) land(p part) {
	var landing []*call
	s.flights = slices.DeleteFunc(s.flights, func(f *flight) bool {
		if f.call.part == p {
			landing = append(landing, f.call)
		}
		return f.call.part == p
	})
	s.pending = slices.DeleteFunc(s.pending, func(c *call) bool {
		isIt := c.caller != nil && c.part == p
		if isIt {
			landing = append(landing, c)
		}
		return isIt
	})
	slices.SortFunc(landing, func(a, b *call) int { return cmp.Compare(a.key, b.key) })
	for _, c := range landing {
		if !c.caller.dead || c.delayed && s.chance("lands ", c.key, 0.5) {
			s.strike(c)
		} else if !c.delayed {
			c.answer <- errCrashed
		}
	}
}

// strike has the effect of a call happen as its fault has it.
func (s *scheduler) strike(c *call) {
	var err error
	switch c.fault.kind {
	case refused, overloaded, crashBefore:
	default:
		err = c.effect()
	}
	s.trace.add(s, c, err)
	switch c.fault.kind {
	case crashBefore, crashAfter:
		c.caller.crash()
		err = errCrashed
	case refused, lost:
		err = unanswered(c.part, nil)
	case overloaded:
		err = &platen.Error{Kind: platen.KindRateLimited, Code: "drive_rate_limited", Message: "The drive takes no more calls for now."}
	case lands, none:
	}
	if !c.left {
		c.answer <- err
	}
}

// settle has everything happen that waits. Nothing fails after that but calls that
// are on their way.
func (s *scheduler) settle() {
	s.run(s.since(), func() bool { return false })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet = true
}
