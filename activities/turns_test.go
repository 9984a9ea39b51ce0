package activities

import (
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestTargetsThatFailLeavePlacesToOthersOfTheirOwner(t *testing.T) {
	t.Parallel()
	steps := &Targets{}
	for _, id := range []string{"a", "b", "c"} {
		steps.breakers.note(platen.Target{ID: id}, platen.Errorf(platen.KindUnavailable, platen.CodeTargetUnavailable, "away"), time.Now())
	}
	for _, of := range []struct {
		target string
		ok     bool
	}{{"a", true}, {"b", true}, {"c", false}, {"healthy", true}, {"healthy", true}, {"another", false}} {
		if _, ok := steps.takeTurns("usr_1", of.target); ok != of.ok {
			t.Errorf("a place for %s: got %v, want %v", of.target, ok, of.ok)
		}
	}
	giveBack, ok := steps.takeTurns("usr_2", "c")
	if !ok {
		t.Error("another owner has no place")
	}
	giveBack()
	if len(steps.failing.underWay) != 1 {
		t.Errorf("places of failing targets: %v, want those of one owner", steps.failing.underWay)
	}
}

func TestWhatWaitsForATargetComesBackOneAfterTheOther(t *testing.T) {
	t.Parallel()
	var q queues
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	after := func(targetID string) time.Duration {
		e, ok := errors.AsType[*platen.Error](q.refuse(errTargetTurn, targetID, now))
		if !ok || e.Code != platen.CodeTargetTurn {
			t.Fatalf("got %v, want the refusal", e)
		}
		return e.RetryAfter
	}
	for i := range 100 {
		if got, want := after("slow"), 2*time.Second+time.Duration(i)*queueStep; got != want {
			t.Fatalf("number %d comes back after %v, want %v", i, got, want)
		}
	}
	if got := after("another"); got != 2*time.Second {
		t.Errorf("at another target: got %v, want no wait for the first", got)
	}
	now = now.Add(time.Hour)
	if got := after("slow"); got != 2*time.Second {
		t.Errorf("an hour later: got %v", got)
	}
}
