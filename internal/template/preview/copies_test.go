package preview_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/preview"
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
		var left []platen.PreviewCopy
		for key, owner := range s.noted {
			left = append(left, platen.PreviewCopy{Key: key, OwnerID: owner})
		}
		if kept := call == "copy before" || call == "copy" || call == "delete"; kept != (len(left) == 1) {
			t.Errorf("%s: remembered %v", call, left)
		}
		sweep := func() (err error) {
			for _, l := range left {
				err = errors.Join(err, p.RemoveOrphan(t.Context(), l))
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

func asItWas(context.Context) (platen.DocumentType, []byte, error) {
	return platen.TypeDocs, []byte("as it was"), nil
}

func TestAVersionIsReadOnceItsTurnHasCome(t *testing.T) {
	t.Parallel()
	p := newShelf("Dear {{Name}}").previewer(func(o *preview.Options) { o.AtOnce = 1 })
	_, err := p.PagesOf(t.Context(), workflow.Owner.ID, func(ctx context.Context) (platen.DocumentType, []byte, error) {
		hurried, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err := p.PagesOf(hurried, workflow.Owner.ID, func(ctx context.Context) (platen.DocumentType, []byte, error) {
			t.Error("it was read before its turn")
			return asItWas(ctx)
		})
		if platen.KindOf(err) != platen.KindRateLimited {
			t.Errorf("beside another: got %v, want KindRateLimited", err)
		}
		return asItWas(ctx)
	})
	if err != nil {
		t.Errorf("got %v, want pages", err)
	}
}

func TestThePagesOfAVersionLeaveNothingInTheDrive(t *testing.T) {
	t.Parallel()
	away := &platen.Error{Kind: platen.KindUnavailable, Message: "away"}
	for _, call := range []string{"", "create", "export", "delete"} {
		s := newShelf("Dear {{Name}}")
		s.fails, s.failed = call, away
		p := s.previewer()
		pdf, err := p.PagesOf(t.Context(), workflow.Owner.ID, asItWas)
		if fails := call != ""; fails != errors.Is(err, away) || fails != (pdf == nil) || !fails && string(pdf) != "PDF of as it was" {
			t.Errorf("%q: got %q, %v", call, pdf, err)
		}
		s.fails = ""
		for key, owner := range s.noted {
			if err := p.RemoveOrphan(t.Context(), platen.PreviewCopy{Key: key, OwnerID: owner}); err != nil {
				t.Errorf("%q: sweep: %v", call, err)
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

func TestACopyThatHasToStayIsAFindingAndForgotten(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	s.fails, s.failed = "delete", platen.Errorf(platen.KindForbidden, platen.CodeFileKept, "It stays.")
	p := s.previewer()
	got, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada", "No": 7}`))
	if err != nil || got.PDF == nil {
		t.Fatalf("SampleOf = %q, %v; want the sample", got.PDF, err)
	}
	if n := len(got.PDFFindings); n != 2 || got.PDFFindings[n-1].Code != platen.CodeFileKept {
		t.Errorf("findings %+v, want that of the PDF and one that the copy stays", got.PDFFindings)
	}
	if len(s.noted) != 0 {
		t.Errorf("remembered %v: the sweep would try for ever", s.noted)
	}
	s.noted["prv_left"], s.keys["prv_left"] = "usr_1", "copy of prv_left"
	if err := p.RemoveOrphan(t.Context(), platen.PreviewCopy{Key: "prv_left", OwnerID: "usr_1"}); err != nil || len(s.noted) != 0 {
		t.Errorf("RemoveOrphan: %v, remembered %v", err, s.noted)
	}
}
