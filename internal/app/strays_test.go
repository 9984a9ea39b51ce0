package app

import (
	"context"
	"slices"
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

// A process that died between copying a template for a preview and removing the
// copy leaves its note behind, and nothing else.
func TestTheSweepRemovesCopiesOfPreviewsThatProcessesDiedWith(t *testing.T) {
	t.Parallel()
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
	for _, key := range []string{"prv_old", "prv_young"} {
		if err := store.NotePreviewCopy(t.Context(), key, owner.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(t.Context(), `UPDATE preview_copies SET created_at = created_at - interval '2 hours' WHERE key = 'prv_old'`); err != nil {
		t.Fatal(err)
	}
	var deleted []string
	previews := preview.New(preview.Options{
		Copies: store,
		Drives: func(context.Context, string) (preview.Drive, error) { return leftDrive{deleted: &deleted}, nil },
	})
	for range 2 {
		if err := sweepStrays(t.Context(), store, nil, previews); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(deleted, []string{"copy of prv_old"}) {
		t.Errorf("removed %q, want the old copy, once", deleted)
	}
}
