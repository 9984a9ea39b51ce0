package postgres_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func TestARotatedSourceHasAnotherAddressAndTheOldOneIsUnknown(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	before := f.accept(w, 1)
	f.must(f.Sources.RotateSource(t.Context(), w.Source.ID, 0))
	rotated, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.must(err)
	if rotated.Source.Key == w.Source.Key || len(rotated.Source.Key) != len(w.Source.Key) || rotated.Source.ID != w.Source.ID || !rotated.UpdatedAt.After(w.UpdatedAt) {
		t.Errorf("got %+v, updated at %v; want another key of the same source", rotated.Source, rotated.UpdatedAt)
	}
	b := f.batcher(postgres.BatcherOptions{})
	wantKind(t, "the old address", b.Accept(t.Context(), event(w)), platen.KindNotFound, "source_not_found")
	f.must(b.Accept(t.Context(), event(rotated)))
	if got := f.state(before[0]); got != platen.AutomationAccepted {
		t.Errorf("what was accepted before: got %s, want it to stay ACCEPTED", got)
	}
	wantKind(t, "no source", f.Sources.RotateSource(t.Context(), "src_none", 0), platen.KindNotFound, "source_not_found")
}
