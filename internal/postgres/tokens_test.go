package postgres_test

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestATokenIsGoodUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	id, text, err := f.Tokens.CreateToken(t.Context(), u.ID, "laptop", time.Time{})
	f.Must(err)
	_, expired, err := f.Tokens.CreateToken(t.Context(), u.ID, "old", time.Now().Add(-time.Second))
	f.Must(err)
	byText := func(text string) (platen.User, error) {
		token, err := f.Tokens.TokenByHash(t.Context(), sha256.Sum256([]byte(text)))
		return token.User, err
	}

	for range 2 {
		got, err := byText(text)
		f.Must(err)
		if got.ID != u.ID || got.Team == nil || *got.Team != *u.Team {
			t.Errorf("got %+v, want %+v", got, u)
		}
	}
	_, err = byText(expired)
	storetest.WantKind(t, "expired", err, platen.KindForbidden, "token_expired")
	_, err = byText(platen.NewToken())
	storetest.WantKind(t, "unknown", err, platen.KindForbidden, "token_unknown")
	f.Must(f.Tokens.RevokeToken(t.Context(), id))
	f.Must(f.Tokens.RevokeToken(t.Context(), id))
	_, err = byText(text)
	storetest.WantKind(t, "revoked", err, platen.KindForbidden, "token_revoked")
	storetest.WantKind(t, "revoke nothing", f.Tokens.RevokeToken(t.Context(), "tok_none"), platen.KindNotFound, "token_not_found")

	tokens, err := f.Tokens.All(t.Context())
	f.Must(err)
	for _, k := range tokens {
		if used := k.LastUsedAt != nil; used != (k.ID == id) || k.UserEmail != u.Email {
			t.Errorf("token %+v: want last use on %s only", k, id)
		}
	}
	_, _, err = f.Tokens.CreateToken(t.Context(), "usr_none", "x", time.Time{})
	storetest.WantKind(t, "token for nobody", err, platen.KindNotFound, "user_not_found")
}

func TestAUserHas20LiveTokensAtMost(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	first, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "laptop", time.Time{})
	f.Must(err)
	for range 18 {
		_, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "server", time.Time{})
		f.Must(err)
	}
	var side sync.WaitGroup
	made := make(chan error, 3)
	for range cap(made) {
		side.Go(func() {
			_, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "server", time.Now().Add(time.Hour))
			made <- err
		})
	}
	side.Wait()
	close(made)
	refused := 0
	for err := range made {
		if err == nil {
			continue
		}
		refused++
		storetest.WantKind(t, "one too many", err, platen.KindInvalid, "too_many_tokens")
		if !strings.Contains(err.Error(), "revoke one first, the oldest is "+first) {
			t.Errorf("got %v, want the cure with the oldest token", err)
		}
	}
	if refused != 2 {
		t.Errorf("refused: got %d of 3 creations side by side, want 2", refused)
	}
	f.Must(f.Tokens.RevokeToken(t.Context(), first))
	if _, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "new", time.Time{}); err != nil {
		t.Errorf("after a revocation: %v", err)
	}
}

func TestATokenKeepsItsScopesAndItsEnd(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u, stranger := f.User(nil), f.User(nil)
	w, others := f.Workflow(u), f.Workflow(stranger)
	end := storetest.Now().Add(time.Hour)
	scopes := platen.Scopes{platen.ScopeRead, platen.Scope("workflow:" + w.ID)}
	id, text, err := f.Tokens.CreateToken(t.Context(), u.ID, "reader", end, scopes...)
	f.Must(err)
	got, err := f.Tokens.TokenByHash(t.Context(), sha256.Sum256([]byte(text)))
	f.Must(err)
	if got.ID != id || got.User.ID != u.ID || got.Scopes.String() != scopes.String() || !got.ExpiresAt.Equal(end) {
		t.Errorf("got %+v, want token %s with scopes %s until %s", got, id, scopes, end)
	}
	for _, workflowID := range []string{others.ID, "wkf_0000000000000000"} {
		_, _, err = f.Tokens.CreateToken(t.Context(), u.ID, "reader", end, platen.Scope("workflow:"+workflowID))
		storetest.WantKind(t, "scope of "+workflowID, err, platen.KindNotFound, "workflow_not_found")
	}
	_, _, err = f.Tokens.CreateToken(t.Context(), u.ID, "for ever", time.Time{})
	f.Must(err)
	for within, want := range map[time.Duration]int{time.Minute: 0, 2 * time.Hour: 1} {
		soon, err := f.Tokens.TokensEndingSoon(t.Context(), within)
		if err != nil || len(soon) != want || want == 1 && soon[0].ID != id {
			t.Errorf("within %s: got %+v and %v, want %d", within, soon, err, want)
		}
	}
}

func TestTheUseOfATokenIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	id, text, err := f.Tokens.CreateToken(t.Context(), u.ID, "x", time.Time{})
	f.Must(err)
	for _, c := range []struct {
		ago     time.Duration
		written bool
	}{{30 * time.Second, false}, {90 * time.Second, true}} {
		before := storetest.Now().Add(-c.ago)
		f.Exec(`UPDATE tokens SET last_used_at = $2 WHERE id = $1`, id, before)
		_, err := f.Tokens.TokenByHash(t.Context(), sha256.Sum256([]byte(text)))
		f.Must(err)
		tokens, err := f.Tokens.All(t.Context())
		f.Must(err)
		if written := !tokens[0].LastUsedAt.Equal(before); written != c.written {
			t.Errorf("last use %s ago: written %v, want %v", c.ago, written, c.written)
		}
	}
}

func TestWhoSignedInWithoutATokenIsOutOnceDisabled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	got, err := f.Tokens.SignedInUser(t.Context(), u.ID)
	f.Must(err)
	if got.ID != "" || got.User.ID != u.ID || got.User.Team == nil || *got.User.Team != *u.Team || len(got.Scopes) != 0 {
		t.Errorf("got %+v, want %+v without a token and its scopes", got, u)
	}
	_, err = f.Tokens.SignedInUser(t.Context(), "usr_nobody")
	storetest.WantKind(t, "unknown", err, platen.KindForbidden, "token_unknown")
	f.Exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, u.ID)
	_, err = f.Tokens.SignedInUser(t.Context(), u.ID)
	storetest.WantKind(t, "disabled", err, platen.KindForbidden, "user_disabled")
}
