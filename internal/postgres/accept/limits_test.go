package accept_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func (f *harness) limited() *accept.Limited {
	return &accept.Limited{Accepting: f.Batcher(accept.BatcherOptions{}), Keys: accept.NewSourceKeys(f.DB.DB), DB: f.DB.DB}
}

// limitTo lets an owner have so many documents in a month.
func (f *harness) limitTo(u platen.User, most int64) {
	f.T.Helper()
	f.Limit(u.ID, &most)
}

func TestEventsAboveTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada, bea := f.User(nil), f.User(nil)
	w, other := f.Workflow(ada), f.Workflow(bea)
	f.limitTo(ada, 3)
	l := f.limited()
	first := storetest.Event(w, "Name")
	first.EventKey = "order 1"
	f.Must(l.Accept(t.Context(), first))
	for range 2 {
		f.Must(l.Accept(t.Context(), storetest.Event(w, "Name")))
	}
	err := l.Accept(t.Context(), storetest.Event(w, "Name"))
	storetest.WantKind(t, "the fourth", err, platen.KindRateLimited, "usage_limit_reached")
	again := storetest.Event(w, "Name")
	again.EventKey, again.Body = first.EventKey, first.Body
	f.Must(l.Accept(t.Context(), again)) // it was accepted before
	test := storetest.Event(w, "Name")
	test.Test = true
	f.Must(l.Accept(t.Context(), test))
	f.Must(l.Accept(t.Context(), storetest.Event(other, "Name"))) // another owner notices nothing
	if n := f.Count(`SELECT count(*) FROM automations WHERE owner_id = $1 AND NOT test`, ada.ID); n != 3 {
		t.Errorf("got %d automations, want 3", n)
	}
	f.limitTo(ada, 4)
	f.Must(f.limited().Accept(t.Context(), storetest.Event(w, "Name")))
	f.Limit(ada.ID, nil)
	for range 2 {
		f.Must(f.limited().Accept(t.Context(), storetest.Event(w, "Name")))
	}
}

func TestAnEventTakesRoomForEachDocumentOfItsWorkflow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	one := f.Workflow(ada)
	two := f.Workflow(ada, func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, w.CreatedAt))
	})
	f.limitTo(ada, 3)
	l := f.limited()
	f.Must(l.Accept(t.Context(), storetest.Event(two, "Name")))
	err := l.Accept(t.Context(), storetest.Event(two, "Name"))
	storetest.WantKind(t, "two documents with room for one", err, platen.KindRateLimited, "usage_limit_reached")
	if want := "leaves room for 1 documents, and this makes 2. The limit is 3 in a month, and 2 are made or wait"; err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	f.Must(l.Accept(t.Context(), storetest.Event(one, "Name")))
	storetest.WantKind(t, "the fourth", l.Accept(t.Context(), storetest.Event(one, "Name")), platen.KindRateLimited, "usage_limit_reached")
}

func TestAtTheSameMomentEachProcessGoesOverTheLimitByItsRoomAtMost(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	w := f.Workflow(ada)
	const most = 5
	f.limitTo(ada, most)
	var accepted atomic.Int64
	var all sync.WaitGroup
	for _, l := range []*accept.Limited{f.limited(), f.limited()} {
		for range 2 * most {
			all.Go(func() {
				switch err := l.Accept(context.WithoutCancel(t.Context()), storetest.Event(w, "Name")); {
				case err == nil:
					accepted.Add(1)
				case platen.KindOf(err) != platen.KindRateLimited:
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if n := accepted.Load(); n < most || n > 2*most {
		t.Errorf("got %d accepted, want %d, and %d more of the other process at most", n, most, most)
	}
}
