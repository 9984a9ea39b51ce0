package postgres_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func check(t *testing.T, keys *postgres.SourceKeys, key string) error {
	_, err := keys.SourceGate(t.Context(), key)
	return err
}

func TestSourceKeysKnowsWhichSourcesThereAre(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	usual, archived := f.workflow(owner), f.workflow(owner)
	f.exec(`UPDATE workflows SET status = 'ARCHIVED' WHERE id = $1`, archived.ID)
	keys := postgres.NewSourceKeys(f.DB)
	for range 2 { // found, and remembered
		f.must(check(t, keys, usual.Source.Key))
		f.must(check(t, keys, archived.Source.Key)) // which Accept tells to be gone
		if err := check(t, keys, platen.NewKey()); platen.KindOf(err) != platen.KindNotFound {
			t.Errorf("unknown key: got %v, want KindNotFound", err)
		}
	}
	f.must(f.Sources.RotateSource(t.Context(), usual.Source.ID, 0))
	f.must(check(t, keys, usual.Source.Key))
	late := event(usual, "A")
	if err := f.batcher(postgres.BatcherOptions{}).Accept(t.Context(), late); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("event to an address that was rotated: got %v, want KindNotFound", err)
	}
	if err := check(t, postgres.NewSourceKeys(f.DB), usual.Source.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("address that was rotated: got %v, want KindNotFound", err)
	}
}

func TestSourceKeysAreNotAskedForAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, unknown := f.workflow(f.user(nil)), platen.NewKey()
	keys := postgres.NewSourceKeys(f.DB)
	f.must(check(t, keys, w.Source.Key))
	_ = check(t, keys, unknown)
	f.exec(`ALTER TABLE sources RENAME TO elsewhere`)
	f.must(check(t, keys, w.Source.Key))
	if err := check(t, keys, unknown); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("unknown key: got %v, want KindNotFound", err)
	}
	if err := check(t, keys, platen.NewKey()); err == nil || platen.KindOf(err) == platen.KindNotFound {
		t.Errorf("key that nobody can look up: got %v, want an error that is not KindNotFound", err)
	}
	postgres.LetSourceKeysExpire(keys)
	f.must(check(t, keys, w.Source.Key))
}

func TestSourceKeysThatComeTogetherAreAllAnswered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	keys := postgres.NewSourceKeys(f.DB)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if i%2 == 0 {
				if err := check(t, keys, w.Source.Key); err != nil {
					t.Errorf("known key: %v", err)
				}
			} else if err := check(t, keys, fmt.Sprintf("unknown%d", i)); platen.KindOf(err) != platen.KindNotFound {
				t.Errorf("unknown key: got %v, want KindNotFound", err)
			}
		})
	}
	all.Wait()
}

func TestAnAddressTakesEventsAlongAfterARotationAndThenStops(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w, other := f.workflow(owner), f.workflow(owner)
	rotated, err := f.Sources.RotateWorkflowSource(t.Context(), owner, w.ID, time.Hour)
	f.must(err)
	if rotated.Source.Key == w.Source.Key || rotated.Source.ID != w.Source.ID {
		t.Fatalf("got %+v, want the same source with another key", rotated.Source)
	}
	keys, b := postgres.NewSourceKeys(f.DB), f.batcher(postgres.BatcherOptions{})
	stored := func(what string, of platen.Workflow) {
		t.Helper()
		f.must(check(t, keys, of.Source.Key))
		e := event(of, "A")
		f.must(b.Accept(t.Context(), e))
		if n := f.count(`SELECT count(*) FROM automations WHERE id = $1 AND workflow_id = $2`, e.AutomationID, of.ID); n != 1 {
			t.Errorf("%s: stored %d times, want once", what, n)
		}
	}
	stored("the previous address", w)
	stored("the present address", rotated)

	// Both and another source's in one batch.
	var side sync.WaitGroup
	for range 5 {
		for _, of := range []platen.Workflow{w, rotated, other} {
			side.Go(func() {
				e := event(of, "A", "B")
				e.EventKey = "Idempotency-Key:" + e.AutomationID
				if err := b.Accept(t.Context(), e); err != nil {
					t.Errorf("side by side: %v", err)
				}
			})
		}
	}
	side.Wait()
	if n := f.count(`SELECT count(*) FROM automations`); n != 17 {
		t.Errorf("stored %d events, want 17", n)
	}

	f.exec(`UPDATE sources SET previous_until = now() WHERE id = $1`, w.Source.ID)
	if err := b.Accept(t.Context(), event(w, "A")); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("after its end: got %v, want KindNotFound", err)
	}
	if err := check(t, postgres.NewSourceKeys(f.DB), w.Source.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("after its end: got %v, want KindNotFound", err)
	}
	if _, err := f.Sources.RotateWorkflowSource(t.Context(), f.user(nil), w.ID, 0); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("of a stranger: got %v, want KindNotFound", err)
	}
}

func TestWhatASourceAsksOfSendersIsSealedAndKnownAtItsGate(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w := f.workflow(owner)
	asked := platen.Verification{
		Scheme: platen.SchemeHMAC, Secrets: []platen.Secret{"canary-1", "canary-2"}, Header: "X-Signature", Encoding: "hex", Prefix: "sha256=",
		Tolerance: time.Minute, Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")},
	}
	keys := postgres.NewSourceKeys(f.DB)
	f.must(check(t, keys, w.Source.Key))
	f.must(f.Sources.SetSourceVerification(t.Context(), owner, w.ID, asked))
	got, err := f.Sources.SourceVerification(t.Context(), owner, w.ID)
	f.must(err)
	gate, err := postgres.NewSourceKeys(f.DB).SourceGate(t.Context(), w.Source.Key)
	f.must(err)
	if !reflect.DeepEqual(got, asked) || !reflect.DeepEqual(gate.Verification, asked) || gate.SourceID != w.Source.ID {
		t.Errorf("got %+v and at the gate %+v, want %+v", got, gate, asked)
	}
	if n := f.count(`SELECT count(*) FROM sources WHERE position(convert_to('canary', 'UTF8') IN verification) > 0`); n != 0 {
		t.Error("the secrets are in the database as they are")
	}
	postgres.LetSourceKeysAge(keys, 3*time.Second)
	gate, err = keys.SourceGate(t.Context(), w.Source.Key)
	f.must(err)
	if gate.Verification.Asks() {
		t.Error("it was asked for again, want what is remembered")
	}
	if gate, err = keys.FreshGate(t.Context(), w.Source.Key); err != nil || !gate.Verification.Asks() {
		t.Errorf("fresh: got %+v and %v, want what the source asks now", gate, err)
	}
	f.must(f.Sources.SetSourceVerification(t.Context(), owner, w.ID, platen.Verification{}))
	if n := f.count(`SELECT count(*) FROM sources WHERE verification IS NOT NULL`); n != 0 {
		t.Error("it is still there after it was removed")
	}
	if _, err := f.Sources.SourceVerification(t.Context(), f.user(nil), w.ID); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("of a stranger: got %v, want KindNotFound", err)
	}
}

func TestTheAddressOfADeletedUserIsGone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	f.must(f.Users.DeleteUser(t.Context(), u.ID))
	gate, err := postgres.NewSourceKeys(f.DB).SourceGate(t.Context(), w.Source.Key)
	if err != nil || gate.Disabled {
		t.Errorf("got %+v and %v, want that senders do not wait for a user who does not come back", gate, err)
	}
}

func TestASourceWhoseVerificationCannotBeReadKeepsNoOtherFromAnswering(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	broken, whole := f.workflow(u), f.workflow(u)
	f.exec(`UPDATE sources SET verification = 'not sealed' WHERE id = $1`, broken.Source.ID)
	keys := postgres.NewSourceKeys(f.DB)
	for range 2 {
		if _, err := keys.SourceGate(t.Context(), broken.Source.Key); err == nil {
			t.Error("nothing is asked of senders where it is not known what is")
		}
	}
	var both sync.WaitGroup
	for _, key := range []string{broken.Source.Key, whole.Source.Key} {
		both.Go(func() {
			if gate, err := keys.SourceGate(t.Context(), key); key == whole.Source.Key && (err != nil || gate.SourceID != whole.Source.ID) {
				t.Errorf("beside it: got %+v and %v, want the source", gate, err)
			}
		})
	}
	both.Wait()
}
