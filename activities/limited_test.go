package activities_test

import (
	"context"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A limited harness has a drive that takes no changes for so many calls.
type limited struct {
	*harness
	refusals int
}

func (l *limited) documents() *activities.Documents {
	d := l.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return l, nil }
	return d
}

func (l *limited) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	return l.harness.EditDocument(ctx, fileID, read, func(d *docs.Document) ([]*docs.Request, error) {
		requests, err := compose(d)
		if err == nil && l.refusals > 0 {
			l.refusals--
			err = platen.Errorf(platen.KindRateLimited, "drive_rate_limited", "The drive takes no more calls for now: try again later.")
		}
		return requests, err
	})
}

func TestAFillThatTheDrivePutsOffGoesOnWithTheSameCopy(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	d := (&limited{harness: w, refusals: 2}).documents()
	if _, err := d.CopyTemplate(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := d.FillTags(t.Context(), step); platen.KindOf(err) != platen.KindRateLimited {
			t.Fatalf("got %v, want KindRateLimited", err)
		}
	}
	for i, s := range steps(d) {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if o := w.known(); o.Generation != 0 || o.Repeated {
		t.Errorf("got generation %d, repeated %v; want the first copy, made once", o.Generation, o.Repeated)
	}
	checkOneOutput(t, w)
}

func TestOneExecutionAloneBeginsToFillACopy(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	// The other one is refused while this one stands before its change.
	late := stalled{harness: w, call: "edit", meanwhile: func() {
		before := w.known()
		if _, err := (&limited{harness: w, refusals: 1}).documents().FillTags(t.Context(), step); !activities.Retryable(platen.KindOf(err)) {
			t.Errorf("got %v, want an error that is tried again", err)
		}
		if now := w.known(); now.Generation == before.Generation && !now.FillBegun {
			t.Error("a copy that may be filled counts as one that is not")
		}
	}}
	_, err := late.documents().FillTags(t.Context(), step)
	if !activities.Retryable(platen.KindOf(err)) {
		t.Fatalf("got %v, want an error that is tried again", err)
	}
	run(t, w, false)
	checkOneOutput(t, w)
}
