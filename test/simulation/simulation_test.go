// Package simulation plays what the product does around its runs – dispatch,
// parking, breakers, the activities, reconciling, sweeps, deliveries – against
// simulated parts that fail: a seed says what happens, and the same seed is the
// same every time. The product's own code runs, in a bubble of synctest with its
// clock; each of its calls to Postgres, Temporal, a drive or a receiver waits
// until a scheduler lets it go on, one at a time. A failure prints its seed and
// the shortest way to it.
package simulation

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain keeps a simulation to one thread: what does not wait for the scheduler
// goes on in the same order every time. Several processes use several cores.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

func number(variable string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(variable), 10, 64); err == nil {
		return n
	}
	return otherwise
}

func TestASeedIsTheSameEveryTime(t *testing.T) {
	for seed := uint64(1); seed <= 100; seed++ {
		first := try{seed: seed, traced: true}.simulate(t)
		again := try{seed: seed, traced: true}.simulate(t)
		if diff := cmp.Diff(first.trace, again.trace); diff != "" {
			t.Fatalf("seed %d, two traces (-first +again):\n%s", seed, diff)
		}
		only := slices.Concat(first.happened, first.struck)
		given := try{seed: seed, traced: true, only: setOf(only)}.simulate(t)
		if diff := cmp.Diff(first.trace, given.trace); diff != "" {
			t.Fatalf("seed %d, the same faults given (-first +given):\n%s", seed, diff)
		}
	}
}

// TestSeed plays one seed, or those of a part of many, and says what broke.
func TestSeed(t *testing.T) {
	first, n := number("PLATEN_SIMULATION_SEED", 1), number("PLATEN_SIMULATION_NEXT", 1)
	traced := os.Getenv("PLATEN_SIMULATION_TRACE") != ""
	failures := 0
	for seed := first; seed < first+n && failures < maxReports; seed++ {
		one := try{seed: seed, traced: traced}
		v := one.simulate(t)
		for _, line := range v.trace {
			t.Log(line)
		}
		if len(v.violations) > 0 {
			t.Error(one.report(t, v))
			failures++
		}
	}
}
