package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// A course brings one fault after the other, often before the last is over.
// The seed decides their order, their lengths and the pauses between them.
type course struct {
	t        *testing.T
	seed     uint64
	service  *service
	receiver *receiver
	load     *load

	mu     sync.Mutex
	counts map[string]int // faults that met somebody, by kind
	busy   map[string]int // faults under way by place
}

// run brings so many faults; those that met nobody do not count.
func (c *course) run(cycles int) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	random := rand.New(rand.NewPCG(c.seed, 1))
	var left []fault
	for tries := uint64(0); ; tries++ {
		if missing := cycles - c.total(); missing == 0 {
			if c.idle("") {
				return
			}
			time.Sleep(20 * time.Millisecond)
			tries--
			continue
		}
		if tries > uint64(5*cycles) {
			c.t.Errorf("only %d of %d faults met anybody", c.total(), cycles)
			return
		}
		if len(left) == 0 {
			left = deck()
			random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		}
		next := left[0]
		left = left[1:]
		c.await(next.place)
		one := &fate{service: c.service, receiver: c.receiver, load: c.load, random: rand.New(rand.NewPCG(c.seed, 10+tries))}
		c.begin(next.place)
		if next.place == "" {
			c.bring(ctx, next, one)
		} else {
			go c.bring(ctx, next, one)
		}
		time.Sleep(200*time.Millisecond + time.Duration(random.Int64N(int64(2*time.Second))))
	}
}

func (c *course) bring(ctx context.Context, next fault, one *fate) {
	at := time.Now()
	err := next.bring(ctx, one)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[next.place]--
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
	n := 0
	for _, count := range c.counts {
		n += count
	}
	for _, count := range c.busy {
		n += count
	}
	return n
}

func (c *course) begin(place string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[place]++
}

// idle tells whether nothing is under way at the place; "" is everywhere.
func (c *course) idle(place string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place != "" {
		return c.busy[place] == 0
	}
	for _, n := range c.busy {
		if n > 0 {
			return false
		}
	}
	return true
}

func (c *course) await(place string) {
	for !c.idle(place) {
		time.Sleep(20 * time.Millisecond)
	}
}
