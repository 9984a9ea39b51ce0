package simulation

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recorder stands in for the test that runs a campaign: its errors are what is
// tested.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors int
}

func (r *recorder) Errorf(string, ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors++
}

// A campaign that is stopped, or whose part ends early, is clean only after the
// same program has played every seed.
func TestACampaignIsCleanOnlyWhenEverySeedWasPlayedByOneProgram(t *testing.T) {
	const all = 4 * partSize
	state := filepath.Join(t.TempDir(), "kept", "state.json")
	for _, step := range []struct {
		what    string
		program string
		breaks  func(seeds) ([]uint64, error)
		want    uint64 // seeds played by this run
		fails   bool
	}{
		{"a part panics", "one", func(p seeds) ([]uint64, error) {
			if p.has(700) {
				return nil, errors.New("panic")
			}
			return nil, nil
		}, all, true},
		{"and fails when it is played again", "one", func(p seeds) ([]uint64, error) {
			return []uint64{700, 701}, errors.New("seeds failed")
		}, partSize, true},
		{"and is cured by a flake", "one", func(seeds) ([]uint64, error) { return nil, nil }, partSize, false},
		{"nothing is left", "one", func(seeds) ([]uint64, error) { return nil, errors.New("played") }, 0, false},
		{"another program", "two", func(seeds) ([]uint64, error) { return nil, nil }, all, false},
	} {
		var mu sync.Mutex
		var played []seeds
		c := &campaign{file: state, until: all, play: func(p seeds) ([]uint64, string, error) {
			mu.Lock()
			defer mu.Unlock()
			played = append(played, p)
			failed, err := step.breaks(p)
			return failed, "", err
		}}
		r := &recorder{TB: t}
		c.run(r, step.program)
		var n uint64
		for _, p := range played {
			n += p.N
		}
		if n != step.want || (r.errors > 0) != step.fails {
			t.Errorf("%s: got %d seeds played and %d errors, want %d and errors: %t", step.what, n, r.errors, step.want, step.fails)
		}
	}
}

func TestACampaignNamesTheSeedsThatFailed(t *testing.T) {
	c := &campaign{file: filepath.Join(t.TempDir(), "state.json"), until: partSize, play: func(seeds) ([]uint64, string, error) {
		return []uint64{9, 3, 9}, "", errors.New("seeds failed")
	}}
	c.run(&recorder{TB: t}, "one")
	again := &campaign{file: c.file}
	if err := again.load("one"); err != nil {
		t.Fatalf("load: %v", err)
	}
	if diff := cmp.Diff([]uint64{3, 9}, slices.Clone(again.failures())); diff != "" {
		t.Errorf("seeds that are kept (-want +got):\n%s", diff)
	}
}
