package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/preview"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// leftDrive has a file for every key.
type leftDrive struct {
	preview.Drive
	deleted *[]string
}

func (leftDrive) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	return []platen.File{{ID: "copy of " + key}}, nil
}

func (d leftDrive) Delete(_ context.Context, id string) error {
	*d.deleted = append(*d.deleted, id)
	return nil
}

// leftStore is a store with a user, in whose drive copies of previews are left;
// since is for how long, by key.
func leftStore(t *testing.T, since map[string]string) *postgres.Store {
	t.Helper()
	pool := testkit.Database(t, "platen", postgres.Migrate)
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	store, err := postgres.Open(t.Context(), pool.Config().ConnString(), box, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	owner := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Ada", Email: "ada@example.org"}
	if err := store.CreateUser(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	for key, age := range since {
		if err := store.NotePreviewCopy(t.Context(), key, owner.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), `UPDATE preview_copies SET created_at = created_at - $2::interval WHERE key = $1`, key, age); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// A process that died between copying a template for a preview and removing the
// copy leaves its note behind, and nothing else.
func TestTheSweepRemovesCopiesOfPreviewsThatProcessesDiedWith(t *testing.T) {
	t.Parallel()
	store := leftStore(t, map[string]string{"prv_old": "2 hours", "prv_young": "0 hours"})
	var deleted []string
	previews := preview.New(preview.Options{
		Copies: store,
		Drives: func(context.Context, string) (preview.Drive, error) { return leftDrive{deleted: &deleted}, nil },
	})
	for range 2 {
		if err := sweepPreviews(t.Context(), store, previews, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(deleted, []string{"copy of prv_old"}) {
		t.Errorf("removed %q, want the old copy, once", deleted)
	}
}

func TestTheSweepGoesOnPastCopiesThatStayAndGivesThemUpInTheEnd(t *testing.T) {
	t.Parallel()
	since := map[string]string{"prv_last": "2 hours", "prv_ancient": "31 days"}
	for i := range 120 { // more than one page of them
		since[fmt.Sprintf("prv_stays_%d", i)] = "3 hours"
	}
	store := leftStore(t, since)
	var deleted []string
	away := errors.New("away")
	previews := preview.New(preview.Options{
		Copies: store,
		Drives: func(context.Context, string) (preview.Drive, error) {
			return stayingDrive{leftDrive{deleted: &deleted}, away}, nil
		},
	})
	var log bytes.Buffer
	if err := sweepPreviews(t.Context(), store, previews, slog.New(slog.NewTextHandler(&log, nil))); !errors.Is(err, away) {
		t.Errorf("got %v, want it to tell of a drive that is away", err)
	}
	if !slices.Equal(deleted, []string{"copy of prv_last"}) {
		t.Errorf("removed %q, want the one behind those that stay", deleted)
	}
	if got := log.String(); strings.Count(got, "given up") != 1 || !strings.Contains(got, "copy=prv_ancient") {
		t.Errorf("log: got %s, want prv_ancient given up", got)
	}
}

// stayingDrive does not answer for any copy but the last.
type stayingDrive struct {
	leftDrive
	away error
}

func (d stayingDrive) FindByKey(ctx context.Context, key string) ([]platen.File, error) {
	if key != "prv_last" {
		return nil, d.away
	}
	return d.leftDrive.FindByKey(ctx, key)
}
