package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func TestACopyOfAPreviewIsFoundUntilItIsForgotten(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	owner := f.user(nil)
	for range 2 {
		f.must(f.NotePreviewCopy(t.Context(), "prv_1", owner.ID))
	}
	if young, err := f.PreviewCopies(t.Context(), time.Hour); err != nil || len(young) != 0 {
		t.Errorf("a young copy: got %v, %v; want none", young, err)
	}
	left, err := f.PreviewCopies(t.Context(), -time.Hour)
	if want := (postgres.PreviewCopy{Key: "prv_1", OwnerID: owner.ID}); err != nil || len(left) != 1 || left[0] != want {
		t.Errorf("got %v, %v; want %v", left, err, want)
	}
	for range 2 {
		f.must(f.ForgetPreviewCopy(t.Context(), "prv_1"))
	}
	if left, err := f.PreviewCopies(t.Context(), -time.Hour); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v after it is forgotten", left, err)
	}
}

func TestThePreviewVersionOfADocumentIsKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	raise := func(d *platen.Document) error { d.PreviewVersion++; return nil }
	for want := 1; want <= 2; want++ {
		d, err := f.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, raise)
		f.must(err)
		stored, _, err := f.DocumentByID(t.Context(), d.ID)
		f.must(err)
		if d.PreviewVersion != want || stored.PreviewVersion != want {
			t.Errorf("got %d, and %d stored, want %d", d.PreviewVersion, stored.PreviewVersion, want)
		}
	}
}
