package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// Claims take turns over all workers: each round trip within one is time that nobody
// else claims in, two milliseconds where the database is on another machine.
func TestAClaimIsTwoRoundTrips(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	db, trips := f.Counted()
	queue := run.New(db).Queue
	w := f.Workflow(f.User(nil))
	claim := func(want int) {
		t.Helper()
		f.Accept(w, 1)
		claimed, _, err := queue.Claim(t.Context(), 1, storetest.AnyOwner(10), time.Minute)
		if f.Must(err); len(claimed) != want {
			t.Fatalf("claimed %d, want %d", len(claimed), want)
		}
	}
	claim(1) // the statements are prepared
	before := trips.Load()
	claim(1)
	if got := trips.Load() - before; got != 2 {
		t.Errorf("got %d round trips of a claim, want 2", got)
	}
}

// A claim that ends early leaves neither its lock nor its transaction behind.
func TestAClaimThatIsGivenUpLeavesTheTurnToOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Accept(f.Workflow(f.User(nil)), 2)
	tx, err := f.Owner.Begin(t.Context())
	f.Must(err)
	_, err = tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock($1)`, int64(0x636c61696d))
	f.Must(err)
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() {
		_, _, err := f.Queue.Claim(ctx, 1, storetest.AnyOwner(10), time.Minute)
		given <- err
	}()
	f.WaitFor(storetest.WaitForLocks, 1)
	cancel()
	if err := <-given; err == nil {
		t.Error("got no error of a claim that was given up")
	}
	f.Must(tx.Rollback(t.Context()))
	if got := f.Claim(2, 10); len(got) != 2 {
		t.Errorf("claimed %d afterwards, want 2", len(got))
	}
}
