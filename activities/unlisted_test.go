package activities_test

import (
	"context"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// An unlisted world has a drive that refuses to trash so many times, and
// whose list shows nothing from then on.
type unlisted struct {
	*harness
	refusals int
}

func (u *unlisted) documents() *activities.Documents {
	d := u.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return u, nil }
	return d
}

func (u *unlisted) FindByKey(context.Context, string) ([]platen.File, error) { return nil, nil }

func (u *unlisted) Trash(ctx context.Context, fileID string) error {
	if u.refusals > 0 {
		u.refusals--
		return platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive has a problem of its own: try again.")
	}
	return u.harness.Trash(ctx, fileID)
}

func TestACopyThatWasThrownAwayGoesThoughTheDriveListsNothing(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	if _, err := w.documents().CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	o := w.known()
	o.FillBegun = true // and the worker died
	w.set(o)

	d := (&unlisted{harness: w, refusals: 1}).documents()
	if _, err := d.FillTags(t.Context(), step); platen.KindOf(err) != platen.KindUnavailable {
		t.Fatalf("got %v, want the refusal to trash the copy", err)
	}
	for i, s := range steps(d) {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if _, err := d.TrashLeftovers(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	checkOneOutput(t, w)
}
