package accept_test

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
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAnAcceptedEventIsStoredAsItCame(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(f.Team("Sales")))
	e := storetest.Event(w, "Name")
	e.Body = []byte("{\"a\":\"\\u0000\", \"b\": \"\xff\"}")
	f.Must(f.Batcher(accept.BatcherOptions{}).Accept(t.Context(), e))

	got := f.Automation(w, e.AutomationID)
	want := platen.Automation{
		ID: e.AutomationID, WorkflowID: w.ID, SourceID: w.Source.ID, OwnerID: w.Owner.ID, TeamID: w.Team.ID,
		State: platen.AutomationAccepted, Attempt: 1, AcceptedAt: e.ReceivedAt, RequestID: e.RequestID,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	body, err := f.Automations.SourceData(t.Context(), e.AutomationID)
	f.Must(err)
	if string(body) != string(e.Body) {
		t.Errorf("body: got %q, want %q", body, e.Body)
	}
}

func TestAnEventThatCannotRunIsKeptWithTheReason(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	b := f.Batcher(accept.BatcherOptions{})
	for reason, w := range map[string]platen.Workflow{
		platen.ReasonIncomplete:    f.Workflow(owner, storetest.Incomplete),
		platen.ReasonAutoCreateOff: f.Workflow(owner, func(w *platen.Workflow) { w.AutoCreate = false }),
	} {
		e := storetest.Event(w, "Name")
		f.Must(b.Accept(t.Context(), e))
		a := f.Automation(w, e.AutomationID)
		if a.State != platen.AutomationSkipped || a.Reason != reason || a.FinishedAt == nil {
			t.Errorf("got %+v, want SKIPPED for %s", a, reason)
		}
		if got := f.Fields(w); !slices.Equal(got, []string{"Name"}) {
			t.Errorf("%s: fields %q, want the event's", reason, got)
		}
	}
}

func TestUnknownAndArchivedSourcesStoreNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	b := f.Batcher(accept.BatcherOptions{})
	storetest.WantKind(t, "archived", b.Accept(t.Context(), storetest.Event(w, "x")), platen.KindGone, "workflow_archived")
	unknown := storetest.Event(w)
	unknown.SourceKey = platen.NewKey()
	storetest.WantKind(t, "unknown", b.Accept(t.Context(), unknown), platen.KindNotFound, "source_not_found")
	if n := f.Count(`SELECT count(*) FROM automations`); n != 0 {
		t.Errorf("%d automations stored, want none", n)
	}
	if got := f.Fields(w); len(got) != 0 {
		t.Errorf("fields of an archived workflow became %q", got)
	}
}

func TestTheSameEventTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{})
	first, second := storetest.Event(w, "First"), storetest.Event(w, "Second")
	for _, e := range []platen.SourceEvent{first, second, first} {
		f.Must(b.Accept(t.Context(), e))
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
	if n := f.Count(`SELECT count(*) FROM automations`); n != 2 {
		t.Errorf("%d automations, want 2", n)
	}
	if got := f.Fields(w); !slices.Equal(got, []string{"Second"}) {
		t.Errorf("fields %q: a repeat of an old event must not bring its fields back", got)
	}
}

func TestFieldsFollowTheLastEventUnlessGiven(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	free := f.Workflow(owner)
	given := f.Workflow(owner, func(w *platen.Workflow) {
		w.Source.Fields, w.Source.FieldsGiven = []string{"Given"}, true
	})
	b := f.Batcher(accept.BatcherOptions{})
	for i := range 20 {
		f.Must(b.Accept(t.Context(), storetest.Event(free, "A", fmt.Sprint(i))))
		f.Must(b.Accept(t.Context(), storetest.Event(given, "A", fmt.Sprint(i))))
	}
	if got := f.Fields(free); !slices.Equal(got, []string{"A", "19"}) {
		t.Errorf("got %q, want those of the last event", got)
	}
	if got := f.Fields(given); !slices.Equal(got, []string{"Given"}) {
		t.Errorf("got %q, want those given at creation", got)
	}
	f.Must(b.Accept(t.Context(), storetest.Event(free, "nul\x00", "bad\xff", "Ünï.cödé \"quoted\"")))
	if got := f.Fields(free); !slices.Equal(got, []string{"nul\uFFFD", "bad\uFFFD", "Ünï.cödé \"quoted\""}) {
		t.Errorf("got %q: text that Postgres refuses must not lose the event", got)
	}
	stored, err := f.Workflows.Workflow(t.Context(), owner, free.ID)
	f.Must(err)
	if !stored.UpdatedAt.Equal(free.UpdatedAt) {
		t.Errorf("updatedAt moved from %v to %v by an event", free.UpdatedAt, stored.UpdatedAt)
	}
}

func TestOneBadRowDoesNotFailItsBatch(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, archived := f.Workflow(owner), f.Workflow(owner)
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), owner, archived.ID, nil))
	b := f.Batcher(accept.BatcherOptions{Flushers: 1, Patience: time.Minute})
	release := f.Stall(b, w)

	const n = 100
	events := make([]platen.SourceEvent, n)
	errs := make([]error, n)
	var accepting sync.WaitGroup
	for i := range events {
		events[i] = storetest.Event(w)
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
			storetest.WantKind(t, "poison", err, platen.KindInvalid, "invalid_text")
		case 20:
			storetest.WantKind(t, "unknown", err, platen.KindNotFound, "source_not_found")
		case 30:
			storetest.WantKind(t, "archived", err, platen.KindGone, "workflow_archived")
		default:
			if err != nil {
				t.Errorf("event %d: %v", i, err)
			}
		}
	}
	if got, want := f.Count(`SELECT count(*) FROM automations`), 1+n-5; got != want {
		t.Errorf("%d automations, want %d", got, want)
	}
}

func TestWhatIsQueuedGoesInAsOneStatement(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{Flushers: 1, Patience: time.Minute, MaxEvents: 60})
	f.Crowd(b, w, f.Stall(b, w))
	// Rows of one statement share the transaction that inserted them.
	batches := f.Count(`SELECT count(DISTINCT xmin::text) FROM automations`)
	largest := f.Count(`SELECT max(n) FROM (SELECT count(*) AS n FROM automations GROUP BY xmin::text) b`)
	if batches > 20 || largest > 60 {
		t.Errorf("101 events came in %d batches, the largest of %d; want few, none over 60", batches, largest)
	}
}

func TestWithoutADatabaseAcceptEndsInTimeAndStoresNothingTwice(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{Flushers: 1, Patience: 200 * time.Millisecond})
	tx, err := f.Owner.Begin(t.Context())
	f.Must(err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE automations IN EXCLUSIVE MODE`)
	f.Must(err)
	e := storetest.Event(w)
	err = b.Accept(t.Context(), e)
	storetest.WantKind(t, "away", err, platen.KindUnavailable, "")
	f.Must(tx.Rollback(t.Context()))
	f.Must(b.Accept(t.Context(), e))
	if n := f.Count(`SELECT count(*) FROM automations`); n != 1 {
		t.Errorf("%d automations, want 1", n)
	}
}

func TestAnEventOutlivesABrokenConnection(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{Patience: time.Minute})
	release := f.Stall(b, w)
	errs := make(chan error, 20)
	for range 20 {
		go func() { errs <- b.Accept(context.Background(), storetest.Event(w)) }()
	}
	f.WaitFor(`SELECT least(count(*), 2) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, 2)
	f.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO automations%'`)
	release()
	for range 20 {
		f.Must(<-errs)
	}
	if n := f.Count(`SELECT count(*) FROM automations`); n != 21 {
		t.Errorf("%d automations, want 21", n)
	}
}

func TestACallerThatLeavesGetsItsContextsError(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{Flushers: 1, QueueSize: 1, Patience: time.Minute})
	release := f.Stall(b, w)
	ctx, cancel := context.WithCancel(t.Context())
	queued := make(chan error, 2)
	for range 2 { // one in the queue, one waiting for room
		go func() { queued <- b.Accept(ctx, storetest.Event(w)) }()
	}
	cancel()
	for range 2 {
		if err := <-queued; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
	release()
	f.Must(b.Accept(t.Context(), storetest.Event(w)))
	if n := f.Count(`SELECT count(*) FROM automations`); n != 2 {
		t.Errorf("%d automations, want 2: an event whose caller left before it was tried must be dropped", n)
	}
}

func TestCloseStoresWhatWasTaken(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := accept.NewBatcher(f.DB.DB, accept.BatcherOptions{})
	const n = 200
	results := make(chan error, n)
	for range n {
		go func() { results <- b.Accept(context.Background(), storetest.Event(w)) }()
	}
	f.Must(<-results)
	f.Must(b.Close(t.Context()))
	accepted := 1
	for range n - 1 {
		switch err := <-results; {
		case err == nil:
			accepted++
		case storetest.CodeOf(err) != "shutting_down":
			t.Errorf("got %v, want code shutting_down", err)
		}
	}
	if got := f.Count(`SELECT count(*) FROM automations`); got != accepted {
		t.Errorf("%d automations for %d events that were acknowledged", got, accepted)
	}
	storetest.WantKind(t, "after close", b.Accept(t.Context(), storetest.Event(w)), platen.KindUnavailable, "shutting_down")
	f.Must(b.Close(t.Context()))
}

func TestBatchesSideBySideDoNotDeadlockOnFields(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	workflows := make([]platen.Workflow, 8)
	for i := range workflows {
		workflows[i] = f.Workflow(owner)
	}
	b := f.Batcher(accept.BatcherOptions{MaxEvents: 16, Patience: time.Minute})
	var accepting sync.WaitGroup
	for i := range 64 {
		accepting.Go(func() {
			for j := range 10 {
				w := workflows[(i*7+j*3)%len(workflows)]
				if err := b.Accept(t.Context(), storetest.Event(w, fmt.Sprint(i, j))); err != nil {
					t.Errorf("accept: %v", err)
				}
			}
		})
	}
	accepting.Wait()
	if n := f.Count(`SELECT count(*) FROM automations`); n != 640 {
		t.Errorf("%d automations, want 640", n)
	}
	if n := f.Count(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
		t.Errorf("%d deadlocks, want none", n)
	}
}

func TestAnEventLargerThanTheRoomForAllIsAcceptedAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{QueueBytes: 64})
	for range 2 { // the first one gives its room back
		e := storetest.Event(w)
		e.Body = []byte(`{"text":"` + strings.Repeat("x", 200) + `"}`)
		f.Must(b.Accept(t.Context(), e))
	}
}
