package preview_test

import (
	"context"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/preview"
)

func TestOneAddressTakesOneTurnAndNoneOfTheAPIs(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 2 })
	other := document
	other.ID = "doc_2"
	var again, elsewhere, api error
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	t.Cleanup(cancel)
	s.during = func() { // of the first form
		s.during = nil
		_, _, again = p.SampleOfForm(short, workflow, document, nil, platen.FormInput{}, nil)
		s.during = func() { // of the second, with which all turns of forms are taken
			s.during = nil
			_, api = p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada"}`))
		}
		_, _, elsewhere = p.SampleOfForm(t.Context(), workflow, other, nil, platen.FormInput{}, nil)
	}
	if _, _, err := p.SampleOfForm(t.Context(), workflow, document, nil, platen.FormInput{}, nil); err != nil || platen.KindOf(again) != platen.KindRateLimited || elsewhere != nil || api != nil {
		t.Errorf("got %v, the same document %v, another %v, the API %v; want the same one alone refused", err, again, elsewhere, api)
	}
}

func TestOneOwnerTakesHalfOfTheTurnsAndAllOwnersNoMoreThanThereAre(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 2 })
	sample := func(ctx context.Context, owner string) error {
		of := workflow
		of.Owner.ID = owner
		_, err := p.SampleOf(ctx, of, document, []byte(`{}`))
		return err
	}
	var again, other, third error
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	t.Cleanup(cancel)
	s.during = func() {
		s.during = func() { third = sample(short, "usr_3") }
		again, other = sample(short, "usr_1"), sample(t.Context(), "usr_2")
	}
	if err := sample(t.Context(), "usr_1"); err != nil || platen.KindOf(again) != platen.KindRateLimited || other != nil || platen.KindOf(third) != platen.KindRateLimited {
		t.Errorf("got %v, the same owner %v, another %v, a third %v; want the same and the third refused", err, again, other, third)
	}
}
