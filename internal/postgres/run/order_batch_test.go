package run_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// storeKeyed stores a batch with a row of each key.
func (f *harness) storeKeyed(w platen.Workflow, keys []string) platen.Batch {
	f.T.Helper()
	batch := platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), RequestID: "req_1", CreatedAt: storetest.Now()}
	b, _, err := f.Batches.StoreBatch(f.T.Context(), w.Owner, w.ID, batch, func(yield func(platen.BatchRow, error) bool) {
		for i, key := range keys {
			if !yield(platen.BatchRow{Number: i + 1, Body: fmt.Appendf(nil, `{"k": %q}`, key)}, nil) {
				return
			}
		}
	})
	f.Must(err)
	return b
}

func (f *harness) move(ahead int) {
	f.T.Helper()
	_, err := f.Batches.MoveRows(f.T.Context(), ahead)
	f.Must(err)
}

func TestRowsOfAKeyKeepTheirOrder(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	var keys []string
	for i := range 60 {
		keys = append(keys, fmt.Sprint("key ", i%3))
	}
	b := f.storeKeyed(w, keys)
	var began []int
	for range 100 {
		f.move(20)
		f.arrange()
		started := f.start()
		for _, id := range started {
			began = append(began, f.Count(`SELECT number FROM batch_rows WHERE automation_id = $1`, id))
			f.fail(id)
		}
		if len(started) > 3 {
			t.Fatalf("%d rows run at once, of three keys", len(started))
		}
		if len(began) == 60 {
			break
		}
	}
	for key := range 3 {
		of := slices.DeleteFunc(slices.Clone(began), func(n int) bool { return (n-1)%3 != key })
		if len(of) != 20 || !slices.IsSorted(of) {
			t.Errorf("rows of key %d began as %v, want all in their order", key, of)
		}
	}
	f.move(20)
	if got, err := f.Batches.Batch(t.Context(), w.Owner, w.ID, b.ID); err != nil || got.State != platen.BatchCompleted {
		t.Errorf("the batch is %s (%v), want COMPLETED", got.State, err)
	}
}

// Rows of a key that stands still leave room for those of others.
func TestRowsBehindAreNoBacklog(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	keys := slices.Repeat([]string{"one"}, 1200)
	keys[100] = "two"
	f.storeKeyed(w, keys)
	started := 0
	for range 10 {
		f.move(48)
		f.arrange()
		started += len(f.start())
	}
	if started != 2 {
		t.Errorf("%d rows run, want the first of each key", started)
	}
	for range 30 {
		f.move(48)
		f.arrange()
	}
	if n := f.Count(`SELECT count(*) FROM automations WHERE state = 'BEHIND'`); n < 900 || n > 1000 {
		t.Errorf("%d rows are behind, want them bounded by 1,000", n)
	}
}
