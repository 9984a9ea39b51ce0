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

// A course brings one fault after the other, often before the last is over.
// The seed decides their order, their lengths and the pauses between them.
type course struct {
	t *testing.T
	*universe
	only string // a regular expression of the kinds of faults that are brought

	mu     sync.Mutex
	counts map[string]int  // faults that met somebody, by kind
	busy   map[string]bool // places where a fault is under way
	active int             // faults under way
}

// run brings so many faults; others take the places of those that met nobody.
// A fault whose place still suffers from another one lets those behind it go
// first.
func (c *course) run(cycles int) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	random := rand.New(rand.NewPCG(c.seed, 1))
	deal := c.dealer(random)
	var hand []card
	for dealt := 0; ; {
		for len(hand) < cycles-c.total() {
			if dealt == 5*cycles {
				c.t.Errorf("only %d of %d faults met anybody", c.total(), cycles)
				return
			}
			hand = append(hand, deal())
			dealt++
		}
		if len(hand) == 0 && c.idle(nil) {
			return
		}
		i := slices.IndexFunc(hand, func(next card) bool { return len(next.places) == 0 || c.idle(next.places) })
		if i < 0 || len(hand[i].places) == 0 && !c.idle(nil) {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		next := hand[i]
		hand = slices.Delete(hand, i, i+1)
		c.begin(next.places)
		if len(next.places) == 0 {
			c.bring(ctx, next)
		} else {
			go c.bring(ctx, next)
		}
		// Work goes on between two faults, and some of them overlap.
		time.Sleep(100*time.Millisecond + time.Duration(random.Int64N(int64(time.Second))))
	}
}

// A card is a fault with what it is brought with.
type card struct {
	fault
	fate *fate
}

// dealer deals every fault once before any comes again.
func (c *course) dealer(random *rand.Rand) func() card {
	c.t.Helper()
	var left []fault
	n := uint64(0)
	return func() card {
		if len(left) == 0 {
			left = c.chosen()
			random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		}
		n++
		next := card{left[0], &fate{universe: c.universe, random: rand.New(rand.NewPCG(c.seed, 10+n))}}
		left = left[1:]
		return next
	}
}

// chosen is the deck, or what is asked for of it.
func (c *course) chosen() []fault {
	c.t.Helper()
	only, err := regexp.Compile(c.only)
	if err != nil {
		c.t.Fatalf("%s: %v", onlyVariable, err)
	}
	all := slices.DeleteFunc(deck(), func(f fault) bool { return !only.MatchString(f.kind) })
	if len(all) == 0 {
		c.t.Fatalf("no fault is called like %s", only)
	}
	return all
}

func (c *course) bring(ctx context.Context, next card) {
	at, one := time.Now(), next.fate
	one.from = at
	err := next.bring(ctx, one)
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
func (c *course) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.active
	for _, count := range c.counts {
		n += count
	}
	return n
}

func (c *course) begin(places []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active++
	for _, place := range places {
		c.busy[place] = true
	}
}

// ended is called with the lock.
func (c *course) ended(places []string) {
	c.active--
	for _, place := range places {
		c.busy[place] = false
	}
}

// idle tells whether nothing is under way at the places; none is everywhere.
func (c *course) idle(places []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(places) == 0 {
		return c.active == 0
	}
	return !slices.ContainsFunc(places, func(place string) bool { return c.busy[place] })
}
