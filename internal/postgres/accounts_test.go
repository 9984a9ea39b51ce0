package postgres_test

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/testkit"
)

func TestATokenIsGoodUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	u := f.user(f.team("Sales"))
	id, text, err := f.Tokens.CreateToken(t.Context(), u.ID, "laptop", time.Time{})
	f.must(err)
	_, expired, err := f.Tokens.CreateToken(t.Context(), u.ID, "old", time.Now().Add(-time.Second))
	f.must(err)
	byText := func(text string) (platen.User, error) {
		return f.Tokens.UserByToken(t.Context(), sha256.Sum256([]byte(text)))
	}

	for range 2 {
		got, err := byText(text)
		f.must(err)
		if got.ID != u.ID || got.Team == nil || *got.Team != *u.Team {
			t.Errorf("got %+v, want %+v", got, u)
		}
	}
	_, err = byText(expired)
	wantKind(t, "expired", err, platen.KindForbidden, "token_expired")
	_, err = byText(platen.NewToken())
	wantKind(t, "unknown", err, platen.KindForbidden, "token_unknown")
	f.must(f.Tokens.RevokeToken(t.Context(), id))
	f.must(f.Tokens.RevokeToken(t.Context(), id))
	_, err = byText(text)
	wantKind(t, "revoked", err, platen.KindForbidden, "token_revoked")
	wantKind(t, "revoke nothing", f.Tokens.RevokeToken(t.Context(), "tok_none"), platen.KindNotFound, "token_not_found")

	tokens, err := f.Tokens.Tokens(t.Context())
	f.must(err)
	for _, k := range tokens {
		if used := k.LastUsedAt != nil; used != (k.ID == id) || k.UserEmail != u.Email {
			t.Errorf("token %+v: want last use on %s only", k, id)
		}
	}
	_, _, err = f.Tokens.CreateToken(t.Context(), "usr_none", "x", time.Time{})
	wantKind(t, "token for nobody", err, platen.KindNotFound, "user_not_found")
}

func TestAUserHasTwoLiveTokensAtMost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	u := f.user(nil)
	first, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "laptop", time.Time{})
	f.must(err)
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
		wantKind(t, "third token", err, platen.KindInvalid, "too_many_tokens")
		if !strings.Contains(err.Error(), "token revoke "+first) {
			t.Errorf("got %v, want the cure with the oldest token", err)
		}
	}
	if refused != 2 {
		t.Errorf("refused: got %d of 3 creations side by side, want 2", refused)
	}
	f.must(f.Tokens.RevokeToken(t.Context(), first))
	if _, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "new", time.Time{}); err != nil {
		t.Errorf("after a revocation: %v", err)
	}
}

func TestUsersAreFoundByAddressWithoutRegardToCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	u := f.user(f.team("Sales"))
	got, err := f.Users.UserByEmail(t.Context(), strings.ToUpper(u.Email))
	if err != nil || got.ID != u.ID {
		t.Errorf("got %+v, %v", got, err)
	}
	again := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "x", Email: strings.ToUpper(u.Email)}
	wantKind(t, "same address", f.Users.CreateUser(t.Context(), again), platen.KindConflict, "email_taken")
	again.Email, again.Team = "new@example.org", &platen.Team{ID: "team_none"}
	wantKind(t, "no such team", f.Users.CreateUser(t.Context(), again), platen.KindNotFound, "team_not_found")
	f.exec(`UPDATE users SET team_id = NULL WHERE id = $1`, u.ID)
	all, err := f.Users.Users(t.Context())
	if err != nil || len(all) != 1 || all[0].Team != nil {
		t.Errorf("got %+v, %v; want one in no team", all, err)
	}
	_, err = f.Users.UserByEmail(t.Context(), "nobody@example.org")
	wantKind(t, "nobody", err, platen.KindNotFound, "user_not_found")
}

func TestADriveConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	u := f.user(nil)
	_, err := f.Connections.DriveConnection(t.Context(), u.ID)
	wantKind(t, "none", err, platen.KindForbidden, "drive_not_connected")
	for _, c := range []platen.DriveConnection{
		{Kind: platen.ConnectionToken, Secret: "drv_1"},
		{Kind: platen.ConnectionServiceAccount, Subject: "ada@example.org"},
	} {
		f.must(f.Connections.SaveDriveConnection(t.Context(), u.ID, c))
		if got, err := f.Connections.DriveConnection(t.Context(), u.ID); err != nil || got != c {
			t.Errorf("got %+v, %v; want %+v", got, err, c)
		}
	}
	wantKind(t, "nobody's", f.Connections.SaveDriveConnection(t.Context(), "usr_none", platen.DriveConnection{Kind: platen.ConnectionToken}), platen.KindNotFound, "user_not_found")
}

func TestMigrationsRunOnceHoweverManyStartThem(t *testing.T) {
	t.Parallel()
	pool := testkit.Database(t, "empty", func(context.Context, *pgxpool.Pool) error { return nil })
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			if err := postgres.Migrate(t.Context(), pool); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	running.Wait()
	if err := postgres.Migrate(t.Context(), pool); err != nil {
		t.Errorf("Migrate again: %v", err)
	}
	var applied, versions int
	err := pool.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT version_id) FROM migrations`).Scan(&applied, &versions)
	if err != nil || applied != versions || applied < 2 {
		t.Errorf("%d migrations of %d versions, %v; want each once", applied, versions, err)
	}
}

func TestAServerThatMayLoseWhatItAcknowledgedIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	url := f.pool.Config().ConnString() + "&synchronous_commit=off"
	_, err := postgres.Open(t.Context(), url, nil, postgres.Options{})
	wantKind(t, "unsafe", err, platen.KindInvalid, "unsafe_durability")
	store, err := postgres.Open(t.Context(), url, nil, postgres.Options{AllowUnsafeDurability: true})
	f.must(err)
	f.must(store.Ready(t.Context()))
	store.Close()
	wantKind(t, "closed", store.Ready(t.Context()), platen.KindInternal, "")
	_, err = postgres.Open(t.Context(), "postgres://postgres@127.0.0.1:1/x?sslmode=disable", nil, postgres.Options{})
	wantKind(t, "away", err, platen.KindUnavailable, "database_unavailable")
}
