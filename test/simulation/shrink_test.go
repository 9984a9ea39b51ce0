package simulation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// digits and ids are what differs between two violations of one promise.
var differs = regexp.MustCompile(`[a-z]+_[0-9A-Za-z-]+|copy-\S+|pdf-\S+|[0-9.]+[a-zµ]*`)

// kindOf is which promise a violation breaks.
func kindOf(violation string) string { return differs.ReplaceAllString(violation, "…") }

// breaks tells whether a try breaks a promise.
func (v verdict) breaks(kind string) bool {
	return slices.ContainsFunc(v.violations, func(one string) bool { return kindOf(one) == kind })
}

// shrink reduces a failed try to what its first broken promise needs, and returns
// the rest with its trace.
func (one try) shrink(t *testing.T, v verdict) (try, verdict) {
	t.Helper()
	kind := kindOf(v.violations[0])
	needed := slices.Concat(v.happened, v.struck)
	fails := func(only []string, inOrder bool) bool {
		next := one
		next.only, next.inOrder = setOf(only), inOrder
		return next.simulate(t).breaks(kind)
	}
	one.inOrder = fails(needed, true)
	for size := (len(needed) + 1) / 2; size > 0; {
		before := len(needed)
		for at := 0; at < len(needed); {
			left := slices.Concat(needed[:at], needed[min(at+size, len(needed)):])
			if fails(left, one.inOrder) {
				needed = left
			} else {
				at += size
			}
		}
		if size > 1 || len(needed) == before {
			size /= 2
		}
	}
	one.only, one.traced = setOf(needed), true
	return one, one.simulate(t)
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// report is what a failure says: its seed, what broke, and the shortest way there.
func (one try) report(t *testing.T, v verdict) string {
	t.Helper()
	_, short := one.shrink(t, v)
	if len(short.violations) == 0 {
		return fmt.Sprintf("seed %d: %s\n(it could not be made shorter)", one.seed, strings.Join(v.violations, "\n\t"))
	}
	return fmt.Sprintf("seed %d: %s\nThe shortest way there: %s\n%s", one.seed, strings.Join(v.violations, "\n\t"),
		strings.Join(short.struck, "; "), strings.Join(short.trace, "\n"))
}
