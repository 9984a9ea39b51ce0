package preview_test

import (
	"context"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/preview"
)

func TestMorePreviewsThanAtOnceAreRefused(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 1 })
	var busy error
	s.during = func() {
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, busy = p.SampleOf(short, workflow, document, []byte(`{}`))
	}
	if _, err := p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada"}`)); err != nil {
		t.Fatal(err)
	}
	if platen.KindOf(busy) != platen.KindRateLimited {
		t.Errorf("got %v, want KindRateLimited", busy)
	}
}

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
		_, _, again = p.SampleOfForm(short, workflow, document, nil, platen.FormInput{})
		s.during = func() { // of the second, with which all turns of forms are taken
			s.during = nil
			_, api = p.SampleOf(t.Context(), workflow, document, []byte(`{"Name": "Ada"}`))
		}
		_, _, elsewhere = p.SampleOfForm(t.Context(), workflow, other, nil, platen.FormInput{})
	}
	if _, _, err := p.SampleOfForm(t.Context(), workflow, document, nil, platen.FormInput{}); err != nil || platen.KindOf(again) != platen.KindRateLimited || elsewhere != nil || api != nil {
		t.Errorf("got %v, the same document %v, another %v, the API %v; want the same one alone refused", err, again, elsewhere, api)
	}
}

func TestOneOwnerTakesHalfOfTheTurns(t *testing.T) {
	t.Parallel()
	s := newShelf("Dear {{Name}}")
	p := s.previewer(func(o *preview.Options) { o.AtOnce = 2 })
	others := workflow
	others.Owner.ID = "usr_2"
	var again, other error
	s.during = func() {
		s.during = nil
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, again = p.SampleOf(short, workflow, document, []byte(`{}`))
		_, other = p.SampleOf(t.Context(), others, document, []byte(`{}`))
	}
	if _, err := p.SampleOf(t.Context(), workflow, document, []byte(`{}`)); err != nil || platen.KindOf(again) != platen.KindRateLimited || other != nil {
		t.Errorf("got %v, the same owner %v, another %v; want the same one alone refused", err, again, other)
	}
}
