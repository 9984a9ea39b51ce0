// Package property checks properties on cases that rapid draws. They are the same cases in
// each run, so that a run fails by a change, and not by its luck. The flag -rapid.seed=N
// draws others, and make property draws many more.
//
// Nothing but tests may import it. What a case is belongs in its test.
package property

import (
	"flag"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// first is the seed of a run that names none. Rapid takes zero for none.
const first = 1

// Check is rapid.Check from the seed on that -rapid.seed names; 1 without it.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	if _, err := seed(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, property)
}

// Seed is the one from which Check begins.
func Seed(t *testing.T) uint64 {
	t.Helper()
	n, err := seed()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// seed sets the flag before anybody draws: tests go on beside each other.
var seed = sync.OnceValues(func() (uint64, error) {
	const name = "rapid.seed"
	n, err := strconv.ParseUint(flag.Lookup(name).Value.String(), 10, 64)
	if err == nil && n == 0 {
		n, err = first, flag.Set(name, fmt.Sprint(first))
	}
	return n, err
})
