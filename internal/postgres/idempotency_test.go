package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheFirstRequestWithAKeyGetsTheClaimAndTheOthersItsAnswer(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u, other := f.User(nil), f.User(nil)
	claim := func(u platen.User, fingerprint string) platen.Claim {
		t.Helper()
		c, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, "key", []byte(fingerprint), time.Minute)
		f.Must(err)
		return c
	}
	first := claim(u, "a")
	if first.ID == "" {
		t.Fatalf("got %+v, want a claim", first)
	}
	if got := claim(u, "a"); got.ID != "" || !got.Same || got.Answer != nil {
		t.Errorf("while it is under way: got %+v", got)
	}
	if got := claim(u, "b"); got.ID != "" || got.Same {
		t.Errorf("another request: got %+v", got)
	}
	if got := claim(other, "b"); got.ID == "" {
		t.Error("another user's key is not this one's")
	}
	f.Must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "key", "not the claim", []byte("forged")))
	f.Must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "key", first.ID, []byte("the secret answer")))
	f.Must(f.Idempotency.ReleaseRequest(t.Context(), u.ID, "key", first.ID)) // has no effect any more
	if got := claim(u, "a"); !got.Same || string(got.Answer) != "the secret answer" {
		t.Errorf("afterwards: got %+v", got)
	}
	if n := f.Count(`SELECT count(*) FROM idempotency_keys WHERE position('secret'::bytea IN answer) > 0`); n != 0 {
		t.Error("an answer is stored in the clear")
	}
}

func TestAKeyIsFreeAgainAfterARelease24HoursOrItsHoldersDeath(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	claim := func(key string) platen.Claim {
		t.Helper()
		c, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, key, []byte("f"), time.Minute)
		f.Must(err)
		return c
	}
	f.Must(f.Idempotency.ReleaseRequest(t.Context(), u.ID, "released", claim("released").ID))
	f.Must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "old", claim("old").ID, []byte("x")))
	f.Must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "young", claim("young").ID, []byte("x")))
	dead := claim("dead")
	f.Exec(`UPDATE idempotency_keys SET created_at = now() - interval '24 hours' WHERE key = 'old'`)
	f.Exec(`UPDATE idempotency_keys SET claimed_until = now() WHERE key = 'dead'`)
	for key, free := range map[string]bool{"released": true, "old": true, "young": false, "dead": true} {
		if got := claim(key); (got.ID != "") != free {
			t.Errorf("%s: got %+v, want it free: %v", key, got, free)
		}
	}
	f.Must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "dead", dead.ID, []byte("late"))) // lost its claim
	if got := claim("dead"); got.Answer != nil {
		t.Error("an answer was kept under a lost claim")
	}
}

func TestOneOfManyClaimsSideBySideSucceeds(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	var side sync.WaitGroup
	claims := make(chan string, 16)
	for range cap(claims) {
		side.Go(func() {
			c, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, "key", []byte("f"), time.Minute)
			if err != nil {
				t.Error(err)
			}
			claims <- c.ID
		})
	}
	side.Wait()
	close(claims)
	got := 0
	for id := range claims {
		if id != "" {
			got++
		}
	}
	if got != 1 {
		t.Errorf("claims: got %d, want 1", got)
	}
}

func TestTheSweepForgetsOldAnswersOnly(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	for _, key := range []string{"old", "young"} {
		_, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, key, []byte("f"), time.Minute)
		f.Must(err)
	}
	f.Exec(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'old'`)
	f.Must(f.Idempotency.SweepExpired(t.Context()))
	if got := f.Count(`SELECT count(*) FROM idempotency_keys`); got != 1 {
		t.Errorf("keys: got %d, want the young one", got)
	}
}
