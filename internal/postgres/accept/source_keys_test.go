package accept_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func check(t *testing.T, keys *accept.SourceKeys, key string) error {
	_, err := keys.SourceGate(t.Context(), key)
	return err
}

func TestSourceKeysKnowsWhichSourcesThereAre(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	usual, archived := f.Workflow(owner), f.Workflow(owner)
	f.Exec(`UPDATE workflows SET status = 'ARCHIVED' WHERE id = $1`, archived.ID)
	keys := accept.NewSourceKeys(f.DB.DB)
	for range 2 { // found, and remembered
		f.Must(check(t, keys, usual.Source.Key))
		f.Must(check(t, keys, archived.Source.Key)) // which Accept tells to be gone
		if err := check(t, keys, platen.NewKey()); platen.KindOf(err) != platen.KindNotFound {
			t.Errorf("unknown key: got %v, want KindNotFound", err)
		}
	}
	f.Must(f.Sources.RotateSource(t.Context(), usual.Source.ID, 0))
	f.Must(check(t, keys, usual.Source.Key))
	late := storetest.Event(usual, "A")
	if err := f.Batcher(accept.BatcherOptions{}).Accept(t.Context(), late); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("event to an address that was rotated: got %v, want KindNotFound", err)
	}
	if err := check(t, accept.NewSourceKeys(f.DB.DB), usual.Source.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("address that was rotated: got %v, want KindNotFound", err)
	}
}

func TestSourceKeysAreNotAskedForAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, unknown := f.Workflow(f.User(nil)), platen.NewKey()
	keys := accept.NewSourceKeys(f.DB.DB)
	f.Must(check(t, keys, w.Source.Key))
	_ = check(t, keys, unknown)
	f.Exec(`ALTER TABLE sources RENAME TO elsewhere`)
	f.Must(check(t, keys, w.Source.Key))
	if err := check(t, keys, unknown); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("unknown key: got %v, want KindNotFound", err)
	}
	if err := check(t, keys, platen.NewKey()); err == nil || platen.KindOf(err) == platen.KindNotFound {
		t.Errorf("key that nobody can look up: got %v, want an error that is not KindNotFound", err)
	}
	accept.LetSourceKeysExpire(keys)
	f.Must(check(t, keys, w.Source.Key))
}

func TestSourceKeysThatComeTogetherAreAllAnswered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	keys := accept.NewSourceKeys(f.DB.DB)
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
	owner := f.User(nil)
	w, other := f.Workflow(owner), f.Workflow(owner)
	rotated, err := f.Sources.RotateWorkflowSource(t.Context(), owner, w.ID, time.Hour)
	f.Must(err)
	if rotated.Source.Key == w.Source.Key || rotated.Source.ID != w.Source.ID {
		t.Fatalf("got %+v, want the same source with another key", rotated.Source)
	}
	keys, b := accept.NewSourceKeys(f.DB.DB), f.Batcher(accept.BatcherOptions{})
	stored := func(what string, of platen.Workflow) {
		t.Helper()
		f.Must(check(t, keys, of.Source.Key))
		e := storetest.Event(of, "A")
		f.Must(b.Accept(t.Context(), e))
		if n := f.Count(`SELECT count(*) FROM automations WHERE id = $1 AND workflow_id = $2`, e.AutomationID, of.ID); n != 1 {
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
				e := storetest.Event(of, "A", "B")
				e.EventKey = "Idempotency-Key:" + e.AutomationID
				if err := b.Accept(t.Context(), e); err != nil {
					t.Errorf("side by side: %v", err)
				}
			})
		}
	}
	side.Wait()
	if n := f.Count(`SELECT count(*) FROM automations`); n != 17 {
		t.Errorf("stored %d events, want 17", n)
	}

	f.Exec(`UPDATE sources SET previous_until = now() WHERE id = $1`, w.Source.ID)
	if err := b.Accept(t.Context(), storetest.Event(w, "A")); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("after its end: got %v, want KindNotFound", err)
	}
	if err := check(t, accept.NewSourceKeys(f.DB.DB), w.Source.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("after its end: got %v, want KindNotFound", err)
	}
	if _, err := f.Sources.RotateWorkflowSource(t.Context(), f.User(nil), w.ID, 0); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("of a stranger: got %v, want KindNotFound", err)
	}
}

func TestWhatASourceAsksOfSendersIsSealedAndKnownAtItsGate(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	asked := platen.Verification{
		Scheme: platen.SchemeHMAC, Secrets: []platen.Secret{"canary-1", "canary-2"}, Header: "X-Signature", Encoding: "hex", Prefix: "sha256=",
		Tolerance: time.Minute, Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")},
	}
	keys := accept.NewSourceKeys(f.DB.DB)
	f.Must(check(t, keys, w.Source.Key))
	f.Must(f.Sources.SetSourceVerification(t.Context(), owner, w.ID, asked))
	got, err := f.Sources.SourceVerification(t.Context(), owner, w.ID)
	f.Must(err)
	gate, err := accept.NewSourceKeys(f.DB.DB).SourceGate(t.Context(), w.Source.Key)
	f.Must(err)
	if !reflect.DeepEqual(got, asked) || !reflect.DeepEqual(gate.Verification, asked) || gate.SourceID != w.Source.ID {
		t.Errorf("got %+v and at the gate %+v, want %+v", got, gate, asked)
	}
	if n := f.Count(`SELECT count(*) FROM sources WHERE position(convert_to('canary', 'UTF8') IN verification) > 0`); n != 0 {
		t.Error("the secrets are in the database as they are")
	}
	accept.LetSourceKeysAge(keys, 3*time.Second)
	gate, err = keys.SourceGate(t.Context(), w.Source.Key)
	f.Must(err)
	if gate.Verification.Asks() {
		t.Error("it was asked for again, want what is remembered")
	}
	if gate, err = keys.FreshGate(t.Context(), w.Source.Key); err != nil || !gate.Verification.Asks() {
		t.Errorf("fresh: got %+v and %v, want what the source asks now", gate, err)
	}
	f.Must(f.Sources.SetSourceVerification(t.Context(), owner, w.ID, platen.Verification{}))
	if n := f.Count(`SELECT count(*) FROM sources WHERE verification IS NOT NULL`); n != 0 {
		t.Error("it is still there after it was removed")
	}
	if _, err := f.Sources.SourceVerification(t.Context(), f.User(nil), w.ID); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("of a stranger: got %v, want KindNotFound", err)
	}
}

func TestTheAddressOfADeletedUserIsGone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	f.Must(f.Users.DeleteUser(t.Context(), u.ID))
	gate, err := accept.NewSourceKeys(f.DB.DB).SourceGate(t.Context(), w.Source.Key)
	if err != nil || gate.Disabled {
		t.Errorf("got %+v and %v, want that senders do not wait for a user who does not come back", gate, err)
	}
}

func TestASourceWhoseVerificationCannotBeReadKeepsNoOtherFromAnswering(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	broken, whole := f.Workflow(u), f.Workflow(u)
	f.Exec(`UPDATE sources SET verification = 'not sealed' WHERE id = $1`, broken.Source.ID)
	keys := accept.NewSourceKeys(f.DB.DB)
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
