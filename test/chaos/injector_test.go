package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// An injector runs faults one after the other, and lets some overlap.
// The seed decides their order, their lengths and the pauses between them.
type injector struct {
	t *testing.T
	*harness
	only string // a regular expression of the kinds of faults that are injected

	mu     sync.Mutex
	counts map[string]int  // faults that met somebody, by kind
	busy   map[string]bool // places where a fault is under way
	active int             // faults under way
}

// run injects this many faults. A fault that met nobody is replaced by another one.
// A fault whose place still suffers from another one lets those behind it go
// first.
func (c *injector) run(cycles int) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	random := rand.New(rand.NewPCG(c.seed, 1))
	pick := c.picker(random)
	var waiting []pickedFault
	for picked := 0; ; {
		for len(waiting) < cycles-c.total() {
			if picked == 5*cycles {
				c.t.Errorf("only %d of %d faults met anybody", c.total(), cycles)
				return
			}
			waiting = append(waiting, pick())
			picked++
		}
		if len(waiting) == 0 && c.idle(nil) {
			return
		}
		i := slices.IndexFunc(waiting, func(next pickedFault) bool { return len(next.places) == 0 || c.idle(next.places) })
		if i < 0 || len(waiting[i].places) == 0 && !c.idle(nil) {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		next := waiting[i]
		waiting = slices.Delete(waiting, i, i+1)
		c.begin(next.places)
		if len(next.places) == 0 {
			c.inject(ctx, next)
		} else {
			go c.inject(ctx, next)
		}
		// Work goes on between two faults, and some of them overlap.
		time.Sleep(100*time.Millisecond + time.Duration(random.Int64N(int64(time.Second))))
	}
}

// A pickedFault is a fault and the one run of it that is to come.
type pickedFault struct {
	fault
	run *faultRun
}

// picker picks every fault once before any comes again.
func (c *injector) picker(random *rand.Rand) func() pickedFault {
	c.t.Helper()
	var left []fault
	n := uint64(0)
	return func() pickedFault {
		if len(left) == 0 {
			left = c.chosen()
			random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		}
		n++
		next := pickedFault{left[0], &faultRun{harness: c.harness, random: rand.New(rand.NewPCG(c.seed, 10+n))}}
		left = left[1:]
		return next
	}
}

// chosen are all faults, or those that are asked for.
func (c *injector) chosen() []fault {
	c.t.Helper()
	only, err := regexp.Compile(c.only)
	if err != nil {
		c.t.Fatalf("%s: %v", onlyVariable, err)
	}
	all := slices.DeleteFunc(allFaults(), func(f fault) bool { return !only.MatchString(f.kind) })
	if len(all) == 0 {
		c.t.Fatalf("no fault is called like %s", only)
	}
	return all
}

func (c *injector) inject(ctx context.Context, next pickedFault) {
	at, one := time.Now(), next.run
	one.from = at
	err := next.inject(ctx, one)
	c.timeline.note(span{kind: next.kind, from: one.from, to: time.Now(), cutsOff: next.cutsOff && !one.elsewhere})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended(next.places)
	outcome := "over"
	if err != nil {
		outcome = err.Error()
	} else {
		c.counts[next.kind]++
	}
	if !errors.Is(err, errMissed) {
		c.t.Logf("%s  %-34s %.1f s, %s", at.Format("15:04:05.000"), next.kind, time.Since(at).Seconds(), outcome)
	}
}

// total counts faults that are under way as well.
func (c *injector) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.active
	for _, count := range c.counts {
		n += count
	}
	return n
}

func (c *injector) begin(places []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active++
	for _, place := range places {
		c.busy[place] = true
	}
}

// ended is called with the lock.
func (c *injector) ended(places []string) {
	c.active--
	for _, place := range places {
		c.busy[place] = false
	}
}

// idle tells whether nothing is under way at the places; none is everywhere.
func (c *injector) idle(places []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(places) == 0 {
		return c.active == 0
	}
	return !slices.ContainsFunc(places, func(place string) bool { return c.busy[place] })
}
