package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/testkit"
)

// newStore is a store on tables of its own.
func newStore(t *testing.T) *Store {
	t.Helper()
	return New(testkit.Database(t, "drive", Migrate))
}

// newAccount makes an account and something that stores text files in it.
func newAccount(t *testing.T, s *Store) (User, func(name, body string) File) {
	t.Helper()
	user, err := s.CreateUser(t.Context(), "Ada", "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return user, func(name, body string) File {
		t.Helper()
		f, err := s.Create(t.Context(), File{OwnerID: user.ID, Name: name, MimeType: TextType}, NewBlob([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}

func TestMigrateMayRunInSeveralProcessesAtOnce(t *testing.T) {
	t.Parallel()
	pool := testkit.Database(t, "blank", func(context.Context, *pgxpool.Pool) error { return nil })
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := Migrate(t.Context(), pool); err != nil {
				t.Errorf("migrate: %v", err)
			}
		})
	}
	group.Wait()
	if _, err := New(pool).CreateUser(t.Context(), "Ada", "ada@example.com"); err != nil {
		t.Error(err)
	}
}

func TestAnAddressHasOneAccount(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	ada, err := s.CreateUser(ctx, "Ada", "Ada@Example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateUser(ctx, "Ada", "ada@example.com"); !errors.Is(err, ErrExists) {
		t.Errorf("same address: got %v, want ErrExists", err)
	}
	for _, email := range []string{"", "ada", "Ada <ada@example.com>", "a\x00@example.com"} {
		if _, err := s.CreateUser(ctx, "Ada", email); !errors.Is(err, ErrInvalid) {
			t.Errorf("address %q: got %v, want ErrInvalid", email, err)
		}
	}
	if got, err := s.UserByEmail(ctx, "ADA@example.com"); err != nil || got.ID != ada.ID {
		t.Errorf("got %+v %v", got, err)
	}
	if _, err := s.UserByEmail(ctx, "eve@example.com"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, err := s.CreateToken(ctx, "usr_none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	token, err := s.CreateToken(ctx, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.RevokeTokens(ctx, ada.ID); n != 1 || err != nil {
		t.Errorf("revoked %d tokens (%v), want 1", n, err)
	}
	if _, err := s.UserByToken(ctx, token); !errors.Is(err, ErrNotFound) {
		t.Errorf("revoked token: got %v, want ErrNotFound", err)
	}
}

func TestSweepRemovesWhatNoFileHasAfterAWhile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	ada, text := newAccount(t, s)
	gone := text("gone", "gone")
	text("kept", "kept")
	back := text("back", "back")
	for _, f := range []File{gone, back} {
		if err := s.Remove(ctx, ada.ID, f.ID); err != nil {
			t.Fatal(err)
		}
	}
	trashed := text("trashed", "trashed")
	if _, err := s.Change(ctx, ada.ID, trashed.ID, func(_ pgx.Tx, f *File) (*Blob, error) {
		f.ExplicitlyTrashed = true
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.BeginUpload(ctx, Upload{Owner: ada.ID, Metadata: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	sweep := func(at time.Time, want Swept) {
		t.Helper()
		if got, err := s.sweep(ctx, at); err != nil || got != want {
			t.Errorf("got %+v (%v), want %+v", got, err, want)
		}
	}
	sweep(now, Swept{})
	sweep(now.Add(time.Minute), Swept{})
	text("again", "back") // the same bytes are wanted again
	sweep(now.Add(2*time.Hour), Swept{Contents: 1})
	sweep(now.Add(31*24*time.Hour), Swept{Files: 1, Uploads: 1})
	sweep(now.Add(32*24*time.Hour), Swept{Contents: 1})
}

func TestContentThatIsUploadedWhileItIsSweptStays(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	ada, text := newAccount(t, s)
	for round := range 20 {
		body := fmt.Sprint("body ", round)
		first := text("first", body)
		if err := s.Remove(ctx, ada.ID, first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.sweep(ctx, time.Now()); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := s.sweep(ctx, time.Now().Add(2*time.Hour)); err != nil {
				t.Errorf("sweep: %v", err)
			}
		})
		second := text("second", body)
		group.Wait()
		// Another process has nothing in memory.
		if got, err := New(s.pool).Content(ctx, nil, second.SHA256); err != nil || string(got) != body {
			t.Errorf("got %q (%v), want %q", got, err, body)
		}
	}
}
