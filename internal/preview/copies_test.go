package preview_test

import (
	"context"
	"errors"
	"testing"

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
		sweep := func() (err error) {
			for _, l := range left {
				err = errors.Join(err, p.Sweep(t.Context(), l))
			}
			return err
		}
		s.fails = "find"
		if err := sweep(); len(left) > 0 && !errors.Is(err, away) {
			t.Errorf("%s: sweeping a drive that is away: %v", call, err)
		}
		s.fails = ""
		for range 2 {
			if err := sweep(); err != nil {
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
