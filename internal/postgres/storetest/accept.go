package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
)

// Fields are the field names of the source of a workflow.
func (f *Harness) Fields(w platen.Workflow) []string {
	f.T.Helper()
	stored, err := f.Workflows.Workflow(f.T.Context(), w.Owner, w.ID)
	f.Must(err)
	return stored.Source.Fields
}

// Stall keeps every flusher busy until the returned function is called, so
// that what is accepted meanwhile goes into one batch.
func (f *Harness) Stall(b *accept.Batcher, w platen.Workflow) (release func()) {
	f.T.Helper()
	tx, err := f.Owner.Begin(f.T.Context())
	f.Must(err)
	_, err = tx.Exec(f.T.Context(), `LOCK TABLE automations IN EXCLUSIVE MODE`)
	f.Must(err)
	f.T.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // where a test fails before release
	stalled := make(chan error, 1)
	go func() { stalled <- b.Accept(context.Background(), Event(w)) }()
	f.WaitFor(`SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, 1)
	return func() {
		f.Must(tx.Rollback(context.Background()))
		f.Must(<-stalled)
	}
}

const WaitForLocks = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

// WaitFor polls until the query answers n.
func (f *Harness) WaitFor(sql string, n int) {
	f.T.Helper()
	deadline := time.Now().Add(time.Minute)
	for got := -1; got != n; {
		if time.Now().After(deadline) {
			f.T.Fatalf("%s answered %d, want %d", sql, got, n)
		}
		got = f.Count(sql)
	}
}

// Crowd has a hundred events accepted that wait for release together.
func (f *Harness) Crowd(b *accept.Batcher, w platen.Workflow, release func()) {
	f.T.Helper()
	var accepting, queued sync.WaitGroup
	for range 100 {
		queued.Add(1)
		accepting.Go(func() {
			queued.Done()
			if err := b.Accept(f.T.Context(), Event(w)); err != nil {
				f.T.Errorf("accept: %v", err)
			}
		})
	}
	queued.Wait()
	release()
	accepting.Wait()
}
