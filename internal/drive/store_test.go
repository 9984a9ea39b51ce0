package drive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/testkit"
)

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
	if _, err := NewStore(pool).CreateUser(t.Context(), "Ada", "ada@example.com"); err != nil {
		t.Error(err)
	}
}

func TestAnAddressHasOneAccount(t *testing.T) {
	h := newHarness(t)
	ctx := t.Context()
	ada, err := h.store.CreateUser(ctx, "Ada", "Ada@Example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.CreateUser(ctx, "Ada", "ada@example.com"); !errors.Is(err, ErrExists) {
		t.Errorf("same address: got %v, want ErrExists", err)
	}
	for _, email := range []string{"", "ada", "Ada <ada@example.com>", "a\x00@example.com"} {
		if _, err := h.store.CreateUser(ctx, "Ada", email); !errors.Is(err, ErrInvalid) {
			t.Errorf("address %q: got %v, want ErrInvalid", email, err)
		}
	}
	if got, err := h.store.UserByEmail(ctx, "ADA@example.com"); err != nil || got.ID != ada.ID {
		t.Errorf("got %+v %v", got, err)
	}
	if _, err := h.store.UserByEmail(ctx, "eve@example.com"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, err := h.store.CreateToken(ctx, "usr_none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	token, err := h.store.CreateToken(ctx, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.store.RevokeTokens(ctx, ada.ID); n != 1 || err != nil {
		t.Errorf("revoked %d tokens (%v), want 1", n, err)
	}
	if _, err := h.store.UserByToken(ctx, token); !errors.Is(err, ErrNotFound) {
		t.Errorf("revoked token: got %v, want ErrNotFound", err)
	}
}

func TestSweepRemovesWhatNoFileHasAfterAWhile(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	ctx := t.Context()
	gone := a.text(&driveapi.File{Name: "gone"}, "gone")
	a.text(&driveapi.File{Name: "kept"}, "kept")
	back := a.text(&driveapi.File{Name: "back"}, "back")
	for _, f := range []*driveapi.File{gone, back} {
		if err := a.files.Delete(f.Id).Do(); err != nil {
			t.Fatal(err)
		}
	}
	trashed := a.text(&driveapi.File{Name: "trashed"}, "trashed")
	must[*driveapi.File](t)(a.files.Update(trashed.Id, &driveapi.File{Trashed: true}).Do())
	if _, err := h.store.beginUpload(ctx, upload{Owner: a.user.ID, Metadata: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	sweep := func(at time.Time, want Swept) {
		t.Helper()
		if got, err := h.store.sweep(ctx, at); err != nil || got != want {
			t.Errorf("got %+v (%v), want %+v", got, err, want)
		}
	}
	sweep(now, Swept{})
	sweep(now.Add(time.Minute), Swept{})
	a.text(&driveapi.File{Name: "again"}, "back") // the same bytes are wanted again
	sweep(now.Add(2*time.Hour), Swept{Contents: 1})
	sweep(now.Add(31*24*time.Hour), Swept{Files: 1, Uploads: 1})
	sweep(now.Add(32*24*time.Hour), Swept{Contents: 1})
}

func TestContentThatIsUploadedWhileItIsSweptStays(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	ctx := t.Context()
	for round := range 20 {
		body := fmt.Sprint("body ", round)
		first := a.text(&driveapi.File{Name: "first"}, body)
		if err := a.files.Delete(first.Id).Do(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.store.sweep(ctx, time.Now()); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := h.store.sweep(ctx, time.Now().Add(2*time.Hour)); err != nil {
				t.Errorf("sweep: %v", err)
			}
		})
		second := a.text(&driveapi.File{Name: "second"}, body)
		group.Wait()
		// Another process has nothing in memory.
		b := h.signIn(a.user, a.token, h.serve())
		response, err := b.files.Get(second.Id).Download()
		wantBody(t, response, err, body)
	}
}
