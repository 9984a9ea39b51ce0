package postgres_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestARotatedSourceHasAnotherAddressAndTheOldOneIsUnknown(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	before := f.Accept(w, 1)
	f.Must(f.Sources.RotateSource(t.Context(), w.Source.ID, 0))
	rotated, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if rotated.Source.Key == w.Source.Key || len(rotated.Source.Key) != len(w.Source.Key) || rotated.Source.ID != w.Source.ID || !rotated.UpdatedAt.After(w.UpdatedAt) {
		t.Errorf("got %+v, updated at %v; want another key of the same source", rotated.Source, rotated.UpdatedAt)
	}
	b := f.Batcher(accept.BatcherOptions{})
	storetest.WantKind(t, "the old address", b.Accept(t.Context(), storetest.Event(w)), platen.KindNotFound, "source_not_found")
	f.Must(b.Accept(t.Context(), storetest.Event(rotated)))
	if got := f.State(before[0]); got != platen.AutomationAccepted {
		t.Errorf("what was accepted before: got %s, want it to stay ACCEPTED", got)
	}
	storetest.WantKind(t, "no source", f.Sources.RotateSource(t.Context(), "src_none", 0), platen.KindNotFound, "source_not_found")
}
