package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func codeOf(err error) string {
	var e *platen.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func (f *harness) fields(w platen.Workflow) []string {
	f.t.Helper()
	stored, err := f.Workflows.Workflow(f.t.Context(), w.Owner, w.ID)
	f.must(err)
	return stored.Source.Fields
}

func TestAnAcceptedEventIsStoredAsItCame(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(f.team("Sales")))
	e := event(w, "Name")
	e.Body = []byte("{\"a\":\"\\u0000\", \"b\": \"\xff\"}")
	f.must(f.batcher(postgres.BatcherOptions{}).Accept(t.Context(), e))

	got, err := f.Automations.Automation(t.Context(), e.AutomationID)
	f.must(err)
	want := platen.Automation{
		ID: e.AutomationID, WorkflowID: w.ID, SourceID: w.Source.ID, OwnerID: w.Owner.ID, TeamID: w.Team.ID,
		State: platen.AutomationAccepted, Attempt: 1, AcceptedAt: e.ReceivedAt, RequestID: e.RequestID,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	body, err := f.Automations.SourceData(t.Context(), e.AutomationID)
	f.must(err)
	if string(body) != string(e.Body) {
		t.Errorf("body: got %q, want %q", body, e.Body)
	}
}

func TestAnEventThatCannotRunIsKeptWithTheReason(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	b := f.batcher(postgres.BatcherOptions{})
	for reason, w := range map[string]platen.Workflow{
		platen.ReasonIncomplete:    f.workflow(owner, incomplete),
		platen.ReasonAutoCreateOff: f.workflow(owner, func(w *platen.Workflow) { w.AutoCreate = false }),
	} {
		e := event(w, "Name")
		f.must(b.Accept(t.Context(), e))
		a, err := f.Automations.Automation(t.Context(), e.AutomationID)
		f.must(err)
		if a.State != platen.AutomationSkipped || a.Reason != reason || a.FinishedAt == nil {
			t.Errorf("got %+v, want SKIPPED for %s", a, reason)
		}
		if got := f.fields(w); !slices.Equal(got, []string{"Name"}) {
			t.Errorf("%s: fields %q, want the event's", reason, got)
		}
	}
}

func TestUnknownAndArchivedSourcesStoreNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	f.must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	b := f.batcher(postgres.BatcherOptions{})
	wantKind(t, "archived", b.Accept(t.Context(), event(w, "x")), platen.KindGone, "workflow_archived")
	unknown := event(w)
	unknown.SourceKey = platen.NewKey()
	wantKind(t, "unknown", b.Accept(t.Context(), unknown), platen.KindNotFound, "source_not_found")
	if n := f.count(`SELECT count(*) FROM automations`); n != 0 {
		t.Errorf("%d automations stored, want none", n)
	}
	if got := f.fields(w); len(got) != 0 {
		t.Errorf("fields of an archived workflow became %q", got)
	}
}

func TestTheSameEventTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{})
	first, second := event(w, "First"), event(w, "Second")
	for _, e := range []platen.SourceEvent{first, second, first} {
		f.must(b.Accept(t.Context(), e))
	}
	var repeats sync.WaitGroup
	for range 50 {
		repeats.Go(func() {
			if err := b.Accept(t.Context(), second); err != nil {
				t.Errorf("repeat: %v", err)
			}
		})
	}
	repeats.Wait()
	if n := f.count(`SELECT count(*) FROM automations`); n != 2 {
		t.Errorf("%d automations, want 2", n)
	}
	if got := f.fields(w); !slices.Equal(got, []string{"Second"}) {
		t.Errorf("fields %q: a repeat of an old event must not bring its fields back", got)
	}
}

func TestFieldsFollowTheLastEventUnlessGiven(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	free := f.workflow(owner)
	given := f.workflow(owner, func(w *platen.Workflow) {
		w.Source.Fields, w.Source.FieldsGiven = []string{"Given"}, true
	})
	b := f.batcher(postgres.BatcherOptions{})
	for i := range 20 {
		f.must(b.Accept(t.Context(), event(free, "A", fmt.Sprint(i))))
		f.must(b.Accept(t.Context(), event(given, "A", fmt.Sprint(i))))
	}
	if got := f.fields(free); !slices.Equal(got, []string{"A", "19"}) {
		t.Errorf("got %q, want those of the last event", got)
	}
	if got := f.fields(given); !slices.Equal(got, []string{"Given"}) {
		t.Errorf("got %q, want those given at creation", got)
	}
	f.must(b.Accept(t.Context(), event(free, "nul\x00", "bad\xff", "Ünï.cödé \"quoted\"")))
	if got := f.fields(free); !slices.Equal(got, []string{"nul\uFFFD", "bad\uFFFD", "Ünï.cödé \"quoted\""}) {
		t.Errorf("got %q: text that Postgres refuses must not lose the event", got)
	}
	stored, err := f.Workflows.Workflow(t.Context(), owner, free.ID)
	f.must(err)
	if !stored.UpdatedAt.Equal(free.UpdatedAt) {
		t.Errorf("updatedAt moved from %v to %v by an event", free.UpdatedAt, stored.UpdatedAt)
	}
}

// stall keeps every flusher busy until the returned function is called, so
// that what is accepted meanwhile goes into one batch.
func (f *harness) stall(b *postgres.Batcher, w platen.Workflow) (release func()) {
	f.t.Helper()
	tx, err := f.pool.Begin(f.t.Context())
	f.must(err)
	_, err = tx.Exec(f.t.Context(), `LOCK TABLE automations IN EXCLUSIVE MODE`)
	f.must(err)
	f.t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // where a test fails before release
	stalled := make(chan error, 1)
	go func() { stalled <- b.Accept(context.Background(), event(w)) }()
	f.waitFor(`SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, 1)
	return func() {
		f.must(tx.Rollback(context.Background()))
		f.must(<-stalled)
	}
}

// waitFor polls until the query answers n.
func (f *harness) waitFor(sql string, n int) {
	f.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for got := -1; got != n; {
		if time.Now().After(deadline) {
			f.t.Fatalf("%s answered %d, want %d", sql, got, n)
		}
		got = f.count(sql)
	}
}

func TestOneBadRowDoesNotFailItsBatch(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w, archived := f.workflow(owner), f.workflow(owner)
	f.must(f.Workflows.ArchiveWorkflow(t.Context(), owner, archived.ID, nil))
	b := f.batcher(postgres.BatcherOptions{Flushers: 1, Patience: time.Minute})
	release := f.stall(b, w)

	const n = 100
	events := make([]platen.SourceEvent, n)
	errs := make([]error, n)
	var accepting sync.WaitGroup
	for i := range events {
		events[i] = event(w)
		switch i {
		case 13, 77:
			events[i].RequestID = "bad\x00"
		case 20:
			events[i].SourceKey = "unknown"
		case 30:
			events[i].SourceKey = archived.Source.Key
		case 40:
			events[i] = events[39]
		}
		accepting.Go(func() { errs[i] = b.Accept(t.Context(), events[i]) })
	}
	release()
	accepting.Wait()
	for i, err := range errs {
		switch i {
		case 13, 77:
			wantKind(t, "poison", err, platen.KindInvalid, "invalid_text")
		case 20:
			wantKind(t, "unknown", err, platen.KindNotFound, "source_not_found")
		case 30:
			wantKind(t, "archived", err, platen.KindGone, "workflow_archived")
		default:
			if err != nil {
				t.Errorf("event %d: %v", i, err)
			}
		}
	}
	if got, want := f.count(`SELECT count(*) FROM automations`), 1+n-5; got != want {
		t.Errorf("%d automations, want %d", got, want)
	}
}

// crowd has a hundred events accepted that wait for release together.
func (f *harness) crowd(b *postgres.Batcher, w platen.Workflow, release func()) {
	f.t.Helper()
	var accepting, queued sync.WaitGroup
	for range 100 {
		queued.Add(1)
		accepting.Go(func() {
			queued.Done()
			if err := b.Accept(f.t.Context(), event(w)); err != nil {
				f.t.Errorf("accept: %v", err)
			}
		})
	}
	queued.Wait()
	release()
	accepting.Wait()
}

func TestWhatIsQueuedGoesInAsOneStatement(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{Flushers: 1, Patience: time.Minute, MaxEvents: 60})
	f.crowd(b, w, f.stall(b, w))
	// Rows of one statement share the transaction that inserted them.
	batches := f.count(`SELECT count(DISTINCT xmin::text) FROM automations`)
	largest := f.count(`SELECT max(n) FROM (SELECT count(*) AS n FROM automations GROUP BY xmin::text) b`)
	if batches > 20 || largest > 60 {
		t.Errorf("101 events came in %d batches, the largest of %d; want few, none over 60", batches, largest)
	}
}

func TestWithoutADatabaseAcceptEndsInTimeAndStoresNothingTwice(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{Flushers: 1, Patience: 200 * time.Millisecond})
	tx, err := f.pool.Begin(t.Context())
	f.must(err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE automations IN EXCLUSIVE MODE`)
	f.must(err)
	e := event(w)
	err = b.Accept(t.Context(), e)
	wantKind(t, "away", err, platen.KindUnavailable, "")
	f.must(tx.Rollback(t.Context()))
	f.must(b.Accept(t.Context(), e))
	if n := f.count(`SELECT count(*) FROM automations`); n != 1 {
		t.Errorf("%d automations, want 1", n)
	}
}

func TestAnEventOutlivesABrokenConnection(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{Patience: time.Minute})
	release := f.stall(b, w)
	errs := make(chan error, 20)
	for range 20 {
		go func() { errs <- b.Accept(context.Background(), event(w)) }()
	}
	f.waitFor(`SELECT least(count(*), 2) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, 2)
	f.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO automations%'`)
	release()
	for range 20 {
		f.must(<-errs)
	}
	if n := f.count(`SELECT count(*) FROM automations`); n != 21 {
		t.Errorf("%d automations, want 21", n)
	}
}

func TestACallerThatLeavesGetsItsContextsError(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{Flushers: 1, QueueSize: 1, Patience: time.Minute})
	release := f.stall(b, w)
	ctx, cancel := context.WithCancel(t.Context())
	queued := make(chan error, 2)
	for range 2 { // one in the queue, one waiting for room
		go func() { queued <- b.Accept(ctx, event(w)) }()
	}
	cancel()
	for range 2 {
		if err := <-queued; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
	release()
	f.must(b.Accept(t.Context(), event(w)))
	if n := f.count(`SELECT count(*) FROM automations`); n != 2 {
		t.Errorf("%d automations, want 2: an event whose caller left before it was tried must be dropped", n)
	}
}

func TestCloseStoresWhatWasTaken(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := postgres.NewBatcher(f.DB, postgres.BatcherOptions{})
	const n = 200
	results := make(chan error, n)
	for range n {
		go func() { results <- b.Accept(context.Background(), event(w)) }()
	}
	f.must(<-results)
	f.must(b.Close(t.Context()))
	accepted := 1
	for range n - 1 {
		switch err := <-results; {
		case err == nil:
			accepted++
		case codeOf(err) != "shutting_down":
			t.Errorf("got %v, want code shutting_down", err)
		}
	}
	if got := f.count(`SELECT count(*) FROM automations`); got != accepted {
		t.Errorf("%d automations for %d events that were acknowledged", got, accepted)
	}
	wantKind(t, "after close", b.Accept(t.Context(), event(w)), platen.KindUnavailable, "shutting_down")
	f.must(b.Close(t.Context()))
}

func TestBatchesSideBySideDoNotDeadlockOnFields(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	workflows := make([]platen.Workflow, 8)
	for i := range workflows {
		workflows[i] = f.workflow(owner)
	}
	b := f.batcher(postgres.BatcherOptions{MaxEvents: 16, Patience: time.Minute})
	var accepting sync.WaitGroup
	for i := range 64 {
		accepting.Go(func() {
			for j := range 10 {
				w := workflows[(i*7+j*3)%len(workflows)]
				if err := b.Accept(t.Context(), event(w, fmt.Sprint(i, j))); err != nil {
					t.Errorf("accept: %v", err)
				}
			}
		})
	}
	accepting.Wait()
	if n := f.count(`SELECT count(*) FROM automations`); n != 640 {
		t.Errorf("%d automations, want 640", n)
	}
	if n := f.count(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
		t.Errorf("%d deadlocks, want none", n)
	}
}

func TestAnEventLargerThanTheRoomForAllIsAcceptedAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{QueueBytes: 64})
	for range 2 { // the first one gives its room back
		e := event(w)
		e.Body = []byte(`{"text":"` + strings.Repeat("x", 200) + `"}`)
		f.must(b.Accept(t.Context(), e))
	}
}
