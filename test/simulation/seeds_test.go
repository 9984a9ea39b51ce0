package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	// maxReports is how many failures are made short; each takes some seconds.
	maxReports = 3
	// partSize is how many seeds one process plays.
	partSize = 500
)

// A campaign plays many seeds in several processes at once. It may be stopped
// at any time, and goes on where it was.
type campaign struct {
	file  string // keeps it; empty: nothing does
	until uint64

	mu       sync.Mutex
	started  uint64 // the first seed that nobody plays
	underWay map[uint64]bool
	failed   bool
	Next     uint64   `json:"next"` // all before have been played
	Failures []uint64 `json:"failures"`
}

// TestManySeedsKeepEveryPromise plays 20,000 seeds, or as many as
// PLATEN_SIMULATION_SEEDS says.
func TestManySeedsKeepEveryPromise(t *testing.T) {
	c := &campaign{file: os.Getenv("PLATEN_SIMULATION_STATE"), until: number("PLATEN_SIMULATION_SEEDS", defaultSeeds), underWay: map[uint64]bool{}}
	c.load(t)
	began, first := time.Now(), c.Next
	var playing sync.WaitGroup
	for range runtime.NumCPU() {
		playing.Go(func() {
			for !c.failed || c.file != "" {
				from, n := c.take()
				if n == 0 {
					return
				}
				c.play(t, from, n)
				if rate := float64(c.Next-first) / time.Since(began).Seconds(); c.file != "" {
					fmt.Printf("%d of %d seeds, %.0f a second, %d failed\n", c.Next, c.until, rate, len(c.Failures))
				}
			}
		})
	}
	playing.Wait()
	t.Logf("%d seeds in %v: %.0f a second", c.Next-first, time.Since(began).Round(time.Second), float64(c.Next-first)/time.Since(began).Seconds())
	if len(c.Failures) > 0 {
		t.Errorf("seeds that failed, now or before: %v", c.Failures)
	}
}

func (c *campaign) load(t *testing.T) {
	t.Helper()
	if kept, err := os.ReadFile(c.file); err == nil {
		if err := json.Unmarshal(kept, c); err != nil {
			t.Fatalf("read %s: %v", c.file, err)
		}
	}
	c.Next = max(c.Next, 1)
	c.started = c.Next
}

// take returns the next part of the seeds; none is left when n is 0.
func (c *campaign) take() (from, n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from = c.started
	n = min(partSize, c.until+1-min(from, c.until+1))
	c.started += n
	if n > 0 {
		c.underWay[from] = true
	}
	return from, n
}

// failure finds the seeds that a process says have failed.
var failure = regexp.MustCompile(`(?m)seed (\d+): `)

// play has a process of its own play a part of the seeds.
func (c *campaign) play(t *testing.T, from, n uint64) {
	played := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "-test.run=^TestSeed$", "-test.timeout=30m")
	played.Env = append(os.Environ(), fmt.Sprint("PLATEN_SIMULATION_SEED=", from), fmt.Sprint("PLATEN_SIMULATION_NEXT=", n))
	said, err := played.CombinedOutput()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failed = true
		for _, found := range failure.FindAllSubmatch(said, -1) {
			seed, _ := strconv.ParseUint(string(found[1]), 10, 64)
			c.Failures = append(c.Failures, seed)
		}
		t.Errorf("seeds %d to %d: %v\n%s", from, from+n-1, err, said)
	}
	delete(c.underWay, from)
	c.Next = c.started
	for from := range c.underWay {
		c.Next = min(c.Next, from)
	}
	slices.Sort(c.Failures)
	c.Failures = slices.Compact(c.Failures)
	if c.file == "" {
		return
	}
	kept, err := json.Marshal(c)
	err = cmp.Or(err, os.MkdirAll(filepath.Dir(c.file), 0o755), os.WriteFile(c.file+".new", kept, 0o644), os.Rename(c.file+".new", c.file))
	if err != nil && !errors.Is(err, os.ErrExist) {
		t.Errorf("keep what was played: %v", err)
	}
}
