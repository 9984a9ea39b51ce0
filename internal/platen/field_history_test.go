package platen

import (
	"slices"
	"testing"
	"time"
)

func TestANameIsKnownAMonthAfterTheLastEventThatHadIt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	seen := []SeenField{{Name: "Now"}, {Name: "Given"}, {Name: "Lately", SeenAt: now.Add(-SeenFieldAge + time.Second)}, {Name: "Long ago", SeenAt: now.Add(-SeenFieldAge)}}
	fields := []string{"Given", "Other"}
	if got := KnownFields(fields, seen, now); !slices.Equal(got, []string{"Given", "Other", "Now", "Lately"}) {
		t.Errorf("got %q", got)
	}
	if got := KnownFields(nil, nil, now); got != nil {
		t.Errorf("of a new source: got %q, want nil, which knows of no name", got)
	}
}
