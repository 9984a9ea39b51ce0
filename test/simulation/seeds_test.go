package simulation

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	play  func(seeds) (failed []uint64, said string, err error)

	mu     sync.Mutex
	parts  []seeds // to be played before new ones
	failed bool
	kept
}

// kept is what a campaign remembers while it is stopped.
type kept struct {
	Program  string   `json:"program"` // which one played; another begins again
	Next     uint64   `json:"next"`    // all before were handed out
	Unplayed []seeds  `json:"unplayed"`
	Failures []uint64 `json:"failures"`
}

// seeds are n of them, from the first on.
type seeds struct {
	First uint64 `json:"first"`
	N     uint64 `json:"n"`
}

// TestManySeedsKeepEveryPromise plays 6,000 seeds, or as many as
// PLATEN_SIMULATION_SEEDS says.
func TestManySeedsKeepEveryPromise(t *testing.T) {
	c := &campaign{file: os.Getenv("PLATEN_SIMULATION_STATE"), until: number("PLATEN_SIMULATION_SEEDS", defaultSeeds), play: playElsewhere}
	c.run(t, thisProgram(t))
}

// thisProgram names what is compiled into this test, the product included.
func thisProgram(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatalf("read the program that plays: %v", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(program))
}

func (c *campaign) run(t testing.TB, program string) {
	t.Helper()
	if err := c.load(program); err != nil {
		t.Fatalf("read %s: %v", c.file, err)
	}
	began, before := time.Now(), c.played()
	rate := func() float64 { return float64(c.played()-before) / time.Since(began).Seconds() }
	var playing sync.WaitGroup
	for range runtime.NumCPU() {
		playing.Go(func() {
			for {
				part, ok := c.take()
				if !ok {
					return
				}
				failed, said, err := c.play(part)
				if err != nil {
					t.Errorf("%d seeds from %d on: %v\n%s", part.N, part.First, err, said)
				}
				if err := c.done(part, failed, err == nil); err != nil {
					t.Errorf("keep what was played: %v", err)
				}
				if c.file != "" {
					fmt.Printf("%d of %d seeds, %.0f a second, %d failed\n", c.played(), c.until, rate(), len(c.failures()))
				}
			}
		})
	}
	playing.Wait()
	t.Logf("%d seeds in %v: %.0f a second", c.played()-before, time.Since(began).Round(time.Second), rate())
	if failed := c.failures(); len(failed) > 0 {
		t.Errorf("seeds that failed, now or before: %v", failed)
	}
	if n := c.played(); n < c.until {
		t.Errorf("%d of %d seeds were played", n, c.until)
	}
}

// load reads what an earlier campaign of the same program has played.
func (c *campaign) load(program string) error {
	state, err := os.ReadFile(c.file)
	switch {
	case err == nil:
		if err := json.Unmarshal(state, &c.kept); err != nil {
			return err
		}
	case c.file != "" && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if c.Program != program {
		c.kept = kept{Program: program, Next: 1}
	}
	c.parts = slices.Clone(c.Unplayed)
	return nil
}

// played is how many seeds were played to their end.
func (c *campaign) played() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.Next - 1
	for _, part := range c.Unplayed {
		n -= part.N
	}
	return n
}

func (c *campaign) failures() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.Failures)
}

// take returns the next part of the seeds, and notes it as not played. It returns
// none after a failure that no file would remember.
func (c *campaign) take() (part seeds, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed && c.file == "" {
		return part, false
	}
	if len(c.parts) > 0 {
		part, c.parts = c.parts[0], c.parts[1:]
		return part, true
	}
	part = seeds{First: c.Next, N: min(partSize, c.until+1-min(c.Next, c.until+1))}
	if part.N == 0 {
		return part, false
	}
	c.Next += part.N
	c.Unplayed = append(c.Unplayed, part)
	return part, true
}

// done notes what became of a part. One with failures stays among the unplayed:
// it may have ended early.
func (c *campaign) done(part seeds, failed []uint64, ok bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.Unplayed = slices.DeleteFunc(c.Unplayed, func(p seeds) bool { return p == part })
		c.Failures = slices.DeleteFunc(c.Failures, part.has)
	}
	c.failed = c.failed || !ok
	c.Failures = append(c.Failures, failed...)
	slices.Sort(c.Failures)
	c.Failures = slices.Compact(c.Failures)
	if c.file == "" {
		return nil
	}
	state, err := json.Marshal(c.kept)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(c.file+".new", state, 0o644); err != nil {
		return err
	}
	return os.Rename(c.file+".new", c.file)
}

func (p seeds) has(seed uint64) bool { return seed >= p.First && seed < p.First+p.N }

// failure finds the seeds that a process says have failed.
var failure = regexp.MustCompile(`(?m)seed (\d+): `)

// playElsewhere has a process of its own play a part of the seeds.
func playElsewhere(part seeds) (failed []uint64, said string, err error) {
	played := exec.Command(os.Args[0], "-test.run=^TestSeed$", "-test.timeout=30m")
	played.Env = append(os.Environ(), fmt.Sprint("PLATEN_SIMULATION_SEED=", part.First), fmt.Sprint("PLATEN_SIMULATION_NEXT=", part.N))
	out, err := played.CombinedOutput()
	for _, found := range failure.FindAllSubmatch(out, -1) {
		seed, parseErr := strconv.ParseUint(string(found[1]), 10, 64)
		if parseErr == nil && err != nil {
			failed = append(failed, seed)
		}
	}
	return failed, string(out), err
}
