package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestACopyOfAPreviewIsFoundUntilItIsForgotten(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for range 2 {
		f.Must(f.Previews.NotePreviewCopy(t.Context(), "prv_1", owner.ID))
	}
	if young, err := f.Previews.PreviewCopies(t.Context(), time.Hour, platen.PreviewCopy{}); err != nil || len(young) != 0 {
		t.Errorf("a young copy: got %v, %v; want none", young, err)
	}
	left, err := f.Previews.PreviewCopies(t.Context(), -time.Hour, platen.PreviewCopy{})
	if err != nil || len(left) != 1 || left[0].Key != "prv_1" || left[0].OwnerID != owner.ID {
		t.Errorf("got %v, %v; want prv_1 of %s", left, err, owner.ID)
	}
	for range 2 {
		f.Must(f.Previews.ForgetPreviewCopy(t.Context(), "prv_1"))
	}
	if left, err := f.Previews.PreviewCopies(t.Context(), -time.Hour, platen.PreviewCopy{}); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v after it is forgotten", left, err)
	}
}

func TestCopiesOfPreviewsHaveTheirTurnBehindThoseThatStay(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	const n = 101
	for i := range n {
		f.Must(f.Previews.NotePreviewCopy(t.Context(), fmt.Sprintf("prv_%03d", i), owner.ID))
	}
	f.Exec(`UPDATE preview_copies SET created_at = now() - interval '2 hours'`)
	seen, last := map[string]bool{}, platen.PreviewCopy{}
	for {
		left, err := f.Previews.PreviewCopies(t.Context(), time.Hour, last)
		f.Must(err)
		if len(left) == 0 {
			break
		}
		for _, l := range left {
			seen[l.Key] = true
		}
		last = left[len(left)-1]
	}
	if len(seen) != n {
		t.Errorf("found %d copies, want all %d", len(seen), n)
	}
}

func TestACopyOfAPreviewIsGivenUpAfterThirtyDays(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for key, age := range map[string]string{"prv_old": "31 days", "prv_young": "29 days"} {
		f.Must(f.Previews.NotePreviewCopy(t.Context(), key, owner.ID))
		f.Exec(`UPDATE preview_copies SET created_at = now() - $2::interval WHERE key = $1`, key, age)
	}
	given, err := f.Previews.GiveUpPreviewCopies(t.Context())
	if err != nil || len(given) != 1 || given[0].Key != "prv_old" || given[0].OwnerID != owner.ID {
		t.Errorf("got %v, %v; want the old one", given, err)
	}
	if left, err := f.Previews.PreviewCopies(t.Context(), time.Hour, platen.PreviewCopy{}); err != nil || len(left) != 1 || left[0].Key != "prv_young" {
		t.Errorf("left: got %v, %v; want the young one", left, err)
	}
}
