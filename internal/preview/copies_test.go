package preview_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/preview"
)

func TestWhateverFailsLeavesNothingInTheDriveOrIsSwept(t *testing.T) {
	t.Parallel()
	away := &platen.Error{Kind: platen.KindUnavailable, Message: "away"}
	for _, call := range []string{"copy before", "copy", "edit", "export", "mark", "delete"} {
		s := newShelf("Dear {{Name}}")
		s.fails, s.failed = call, away
		p := s.previewer()
		got, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada", "No": 7}`))
		if !errors.Is(err, away) || got.PDF != nil {
			t.Errorf("%s: got %q, %v", call, got.PDF, err)
		}
		var left []preview.Left
		for key, owner := range s.noted {
			left = append(left, preview.Left{Key: key, OwnerID: owner})
		}
		if kept := call == "copy before" || call == "copy" || call == "delete"; kept != (len(left) == 1) {
			t.Errorf("%s: remembered %v", call, left)
		}
		s.fails = "find"
		if err := p.Sweep(t.Context(), left); len(left) > 0 && !errors.Is(err, away) {
			t.Errorf("%s: sweeping a drive that is away: %v", call, err)
		}
		s.fails = ""
		for range 2 {
			if err := p.Sweep(t.Context(), left); err != nil {
				t.Errorf("%s: sweep: %v", call, err)
			}
		}
		s.leavesNothing(t)
	}
}

func TestTheCopyGoesThoughWhoeverAskedHasLeft(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	ctx, leave := context.WithCancel(t.Context())
	s.during = leave
	_, _ = s.previewer().SampleOf(ctx, workflow, document, []byte(`{"Name": "Ada"}`))
	s.leavesNothing(t)
}

// hanging is a drive that answers when nobody waits any more.
type hanging struct{ *shelf }

func (hanging) FindByKey(ctx context.Context, _ string) ([]platen.File, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTheSweepWaitsForNoDriveForEver(t *testing.T) {
	t.Parallel()
	s := newShelf("")
	s.keys["prv_2"], s.noted["prv_1"], s.noted["prv_2"] = "left", "usr_1", "usr_2"
	p := s.previewer(func(o *preview.Options) {
		o.SweepTimeout = 10 * time.Millisecond
		o.Drives = func(_ context.Context, owner string) (preview.Drive, error) {
			if owner == "usr_1" {
				return hanging{s}, nil
			}
			return s, nil
		}
	})
	err := p.Sweep(t.Context(), []preview.Left{{Key: "prv_1", OwnerID: "usr_1"}, {Key: "prv_2", OwnerID: "usr_2"}})
	if !errors.Is(err, context.DeadlineExceeded) || s.noted["prv_1"] == "" || s.noted["prv_2"] != "" {
		t.Errorf("got %v, noted %v; want the second one gone", err, s.noted)
	}
}
