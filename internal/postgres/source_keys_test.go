package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func TestSourceKeysKnowsWhichSourcesThereAre(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	usual, archived := f.workflow(owner), f.workflow(owner)
	f.exec(`UPDATE workflows SET status = 'ARCHIVED' WHERE id = $1`, archived.ID)
	keys := postgres.NewSourceKeys(f.DB)
	for range 2 { // found, and remembered
		f.must(keys.CheckKey(t.Context(), usual.Source.Key))
		f.must(keys.CheckKey(t.Context(), archived.Source.Key)) // which Accept tells to be gone
		if err := keys.CheckKey(t.Context(), platen.NewKey()); platen.KindOf(err) != platen.KindNotFound {
			t.Errorf("unknown key: got %v, want KindNotFound", err)
		}
	}
	f.must(f.Sources.RotateSource(t.Context(), usual.Source.ID))
	f.must(keys.CheckKey(t.Context(), usual.Source.Key))
	late := event(usual, "A")
	if err := f.batcher(postgres.BatcherOptions{}).Accept(t.Context(), late); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("event to an address that was rotated: got %v, want KindNotFound", err)
	}
	if err := postgres.NewSourceKeys(f.DB).CheckKey(t.Context(), usual.Source.Key); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("address that was rotated: got %v, want KindNotFound", err)
	}
}

func TestSourceKeysAreNotAskedForAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, unknown := f.workflow(f.user(nil)), platen.NewKey()
	keys := postgres.NewSourceKeys(f.DB)
	f.must(keys.CheckKey(t.Context(), w.Source.Key))
	_ = keys.CheckKey(t.Context(), unknown)
	f.exec(`ALTER TABLE sources RENAME TO elsewhere`)
	f.must(keys.CheckKey(t.Context(), w.Source.Key))
	if err := keys.CheckKey(t.Context(), unknown); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("unknown key: got %v, want KindNotFound", err)
	}
	if err := keys.CheckKey(t.Context(), platen.NewKey()); err == nil || platen.KindOf(err) == platen.KindNotFound {
		t.Errorf("key that nobody can look up: got %v, want an error that is not KindNotFound", err)
	}
	postgres.LetSourceKeysExpire(keys)
	f.must(keys.CheckKey(t.Context(), w.Source.Key))
}

func TestSourceKeysThatComeTogetherAreAllAnswered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	keys := postgres.NewSourceKeys(f.DB)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if i%2 == 0 {
				if err := keys.CheckKey(t.Context(), w.Source.Key); err != nil {
					t.Errorf("known key: %v", err)
				}
			} else if err := keys.CheckKey(t.Context(), fmt.Sprintf("unknown%d", i)); platen.KindOf(err) != platen.KindNotFound {
				t.Errorf("unknown key: got %v, want KindNotFound", err)
			}
		})
	}
	all.Wait()
}
