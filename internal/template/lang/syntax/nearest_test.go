package syntax

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/testkit/property"
)

// whole is the distance without any short cut.
func whole(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	change := whole(a[1:], b[1:])
	if a[0] == b[0] {
		return change
	}
	return 1 + min(change, whole(a[1:], b), whole(a, b[1:]))
}

func TestDistanceIsRightUpToItsLimit(t *testing.T) {
	t.Parallel()
	name := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 7)
	property.Check(t, func(t *rapid.T) {
		a, b, limit := name.Draw(t, "a"), name.Draw(t, "b"), rapid.IntRange(1, maxDifferent).Draw(t, "limit")
		got, want := Distance(a, b, limit), whole(a, b)
		if got != want && (want <= limit || got <= limit) {
			t.Fatalf("%q and %q within %d: got %d, want %d", string(a), string(b), limit, got, want)
		}
	})
}
