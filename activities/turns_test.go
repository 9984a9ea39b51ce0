package activities

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestTargetsThatFailLeavePlacesToOthersOfTheirOwner(t *testing.T) {
	t.Parallel()
	var steps lanes
	for _, id := range []string{"a", "b", "c"} {
		steps.breakers.note(id, time.Time{}, platen.Errorf(platen.KindUnavailable, platen.CodeTargetUnavailable, "away"), time.Now())
	}
	for _, of := range []struct {
		target string
		ok     bool
	}{{"a", true}, {"b", true}, {"c", false}, {"healthy", true}, {"healthy", true}, {"another", false}} {
		if _, ok := steps.take("usr_1", of.target, storedAtOnce, time.Now()); ok != of.ok {
			t.Errorf("a place for %s: got %v, want %v", of.target, ok, of.ok)
		}
	}
	giveBack, ok := steps.take("usr_2", "c", storedAtOnce, time.Now())
	if !ok {
		t.Error("another owner has no place")
	}
	giveBack()
	if len(steps.failing.underWay) != 1 {
		t.Errorf("places of failing targets: %v, want those of one owner", steps.failing.underWay)
	}
}

// Servers of many owners that hang leave places of the worker to mails of others.
func TestSendersThatFailLeavePlacesToOtherOwners(t *testing.T) {
	t.Parallel()
	var l lanes
	take := func(owner, id string) bool {
		_, ok := l.take(owner, id, bySender, time.Now())
		return ok
	}
	for i := range 9 {
		id := fmt.Sprint("snd_", i)
		l.breakers.note(id, time.Time{}, platen.Errorf(platen.KindUnavailable, platen.CodeSenderUnavailable, "away"), time.Now())
		if got, want := take("usr_"+id, id), i < 8; got != want {
			t.Errorf("a place for number %d: got %v, want %v", i, got, want)
		}
	}
	if !take("usr_1", "healthy") {
		t.Error("a server that takes mails has no place")
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

// A sender whose server hangs leaves a place to another one of its owner before it has failed.
func TestASenderThatHangsLeavesAPlaceToAnotherOfItsOwner(t *testing.T) {
	t.Parallel()
	var senders lanes
	for i, id := range []string{"hangs", "hangs", "hangs", "hangs", "other"} {
		if _, ok := senders.take("usr_1", id, bySender, time.Now()); ok != (i != 3) {
			t.Errorf("place %d, for %s: got %v", i, id, ok)
		}
	}
}
