package run_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestOwnersTakeTurnsWhateverTheyQueued(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	rich, poor, late := f.User(nil), f.User(nil), f.User(nil)
	f.Accept(f.Workflow(rich), 40)
	f.Accept(f.Workflow(poor), 5)
	per := map[string]int{}
	for _, a := range f.Claim(10, 100) {
		per[a.OwnerID]++
	}
	if per[rich.ID] != 5 || per[poor.ID] != 5 {
		t.Errorf("10 claims gave %v, want 5 each", per)
	}
	f.Accept(f.Workflow(late), 3)
	for _, a := range f.Claim(3, 100) {
		if a.OwnerID != late.ID {
			t.Errorf("an owner with 5 open got a turn before one with none")
		}
	}
	if got := f.Claim(30, 100); len(got) != 30 {
		t.Errorf("got %d, want the rest of the room for whoever waits", len(got))
	}
}

func TestWithOneSlotOwnersStillAlternate(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	one, two := f.User(nil), f.User(nil)
	first := f.Accept(f.Workflow(one), 4)
	second := f.Accept(f.Workflow(two), 4)
	want := []string{first[0], second[0], first[1], second[1], first[2], second[2], first[3], second[3]}
	for i, id := range want {
		got := f.Claim(5, 1)
		if len(got) != 1 || got[0].ID != id {
			t.Fatalf("turn %d: got %v, want %s", i, storetest.IDs(got), id)
		}
		_, err := f.Automations.FailAutomation(t.Context(), id, 1, "c", "m")
		f.Must(err)
		f.noPause()
	}
	if got := f.Claim(5, 1); len(got) != 0 {
		t.Errorf("an empty queue gave %v", storetest.IDs(got))
	}
}

func TestConcurrentClaimersNeverGetTheSameNorTooMany(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for range 5 {
		f.Accept(f.Workflow(f.User(nil)), 12)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var claiming sync.WaitGroup
	for range 6 {
		claiming.Go(func() {
			for range 10 {
				claimed, _, err := f.Queue.Claim(t.Context(), 3, storetest.AnyOwner(40), time.Minute)
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				mu.Lock()
				for _, a := range claimed {
					seen[a.ID]++
				}
				mu.Unlock()
			}
		})
	}
	claiming.Wait()
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
	if open := f.Open(); len(seen) != 40 || open != 40 {
		t.Errorf("%d claimed, %d open; want the limit of 40", len(seen), open)
	}
}

func TestClaimSaysHowManyAreOpen(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Accept(f.Workflow(f.User(nil)), 4)
	for i, want := range []struct{ n, open int }{{2, 2}, {1, 3}, {0, 3}} {
		claimed, seen, err := f.Queue.Claim(t.Context(), 2, storetest.AnyOwner(3), time.Minute)
		f.Must(err)
		if len(claimed) != want.n || seen.Open != want.open || seen.Own != want.open {
			t.Errorf("claim %d: %d, %d open, %d of them own; want %d, %d, all own", i, len(claimed), seen.Open, seen.Own, want.n, want.open)
		}
	}
}

func TestALeaseThatRunsOutFreesTheAutomation(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Accept(f.Workflow(f.User(nil)), 1)[0]
	claimed, _, err := f.Queue.Claim(t.Context(), 1, storetest.AnyOwner(1), time.Hour)
	f.Must(err)
	if got := f.Claim(1, 1); len(claimed) != 1 || len(got) != 0 {
		t.Fatalf("claimed %v, then %v; want it once", storetest.IDs(claimed), storetest.IDs(got))
	}
	f.Exec(`UPDATE automations SET leased_until = now() - interval '1 second'`)
	if open := f.Open(); open != 0 {
		t.Errorf("%d open; a lease that ran out counts no more", open)
	}
	if got := f.Claim(1, 1); len(got) != 1 || got[0].ID != id {
		t.Errorf("got %v, want %s again", storetest.IDs(got), id)
	}
}

func TestReleasedAutomationsWaitForTheirDelay(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	all := f.Accept(f.Workflow(f.User(nil)), 2)
	f.Claim(2, 10)
	f.Must(f.Queue.Release(t.Context(), all[:1], time.Hour))
	f.Must(f.Queue.Release(t.Context(), all[1:], 0))
	if got := f.Claim(2, 10); len(got) != 1 || got[0].ID != all[1] {
		t.Errorf("got %v, want %s alone", storetest.IDs(got), all[1])
	}
	f.Exec(`UPDATE automations SET not_before = now() WHERE id = $1`, all[0])
	if got := f.Claim(2, 10); len(got) != 1 || got[0].ID != all[0] {
		t.Errorf("got %v, want %s after its delay", storetest.IDs(got), all[0])
	}
}

func TestMarkStartedDoesNotReviveWhatHasEnded(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	all := f.Accept(f.Workflow(f.User(nil)), 2)
	f.Claim(2, 10)
	_, err := f.Automations.FailAutomation(t.Context(), all[0], 1, "c", "m")
	f.Must(err)
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(all...)))
	f.Must(f.Queue.Release(t.Context(), all, 0))
	if one, two := f.State(all[0]), f.State(all[1]); one != platen.AutomationFailed || two != platen.AutomationRunning {
		t.Errorf("got %s and %s, want FAILED and RUNNING", one, two)
	}
	if open := f.Open(); open != 1 {
		t.Errorf("%d open; want 1", open)
	}
}

func TestALateMarkOfAnEarlierAttemptDoesNotStartALaterOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Accept(f.Workflow(f.User(nil)), 1)[0]
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(id)))
	f.Must(f.Queue.Requeue(t.Context(), id, 1))
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(id)))
	if got := f.State(id); got != platen.AutomationAccepted {
		t.Errorf("got %s, want ACCEPTED: nobody has started the second attempt", got)
	}
}

func TestOverdueAutomationsAreFoundAndQueuedAgainOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	all := f.Accept(f.Workflow(f.User(nil)), 3)
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(all[:2]...)))
	f.Exec(`UPDATE automations SET started_at = now() - interval '2 hours' WHERE id = $1`, all[1])
	overdue, err := f.Queue.OverdueAutomations(t.Context(), time.Hour, platen.Automation{})
	f.Must(err)
	if len(overdue) != 1 || overdue[0].ID != all[1] {
		t.Fatalf("got %v, want %s", storetest.IDs(overdue), all[1])
	}
	more, err := f.Queue.OverdueAutomations(t.Context(), time.Hour, overdue[0])
	f.Must(err)
	if len(more) != 0 {
		t.Errorf("after the last one: got %v, want none", storetest.IDs(more))
	}
	for range 2 {
		f.Must(f.Queue.Requeue(t.Context(), all[1], 1))
	}
	a := f.stored(all[1])
	if a.State != platen.AutomationAccepted || a.Attempt != 2 {
		t.Errorf("got %+v, want ACCEPTED with attempt 2", a)
	}
}

func TestListenersHearOfAcceptedEventsAlsoAfterABrokenConnection(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	ctx, cancel := context.WithCancel(t.Context())
	woken := make(chan struct{}, 1000)
	ended := make(chan error, 1)
	go func() { ended <- f.Queue.Listen(ctx, func(platen.Waking) { woken <- struct{}{} }) }()
	<-woken // connected
	f.Accept(w, 1)
	<-woken
	f.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	<-woken // connected again, and what was missed is looked for
	f.Accept(w, 1)
	<-woken
	cancel()
	f.Must(<-ended)
}

func TestListenersHearWhetherEventsCrowdIn(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan bool, 1000)
	ended := make(chan error, 1)
	go func() { ended <- f.Queue.Listen(ctx, func(why platen.Waking) { heard <- why.Crowded }) }()
	<-heard // connected
	b := f.Batcher(accept.BatcherOptions{Flushers: 1, Patience: time.Minute})
	f.Must(b.Accept(t.Context(), storetest.Event(w)))
	if <-heard {
		t.Error("an event alone crowds in")
	}
	f.Crowd(b, w, f.Stall(b, w))
	for !<-heard { // the test runs out of time when none says so
	}
	cancel()
	f.Must(<-ended)
}

func TestALongQueueIsNotReadForAClaimOrAStart(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]string{ // what Postgres took the table for when it last looked
		"nothing is known of the table": ``,
		"the queue was empty":           `UPDATE automations SET state = 'COMPLETED', started_at = now(), finished_at = now(); ANALYZE automations`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			f.Exec(`ALTER TABLE automations SET (autovacuum_enabled = off)`)
			w := f.Workflow(f.User(nil))
			f.Accept(w, 500)
			for statement := range strings.SplitSeq(known, ";") {
				f.Exec(statement)
			}
			const queue = 20_000
			f.Exec(`
				INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at)
				SELECT 'aut_' || n, workflow_id, source_id, owner_id, 'ACCEPTED', body, request_id, accepted_at
				FROM (SELECT * FROM automations LIMIT 1) one, generate_series(1, ` + strconv.Itoa(queue) + `) n`)
			last := 0
			read := func() int {
				t.Helper()
				// A backend's counts are in the statistics when it has ended.
				f.Exec(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
				f.DB.Pool().Reset()
				f.Owner.Reset()
				// Before Postgres 15 that takes half a second more.
				for patience := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
					counted := f.Count(`
						SELECT CASE WHEN n_tup_ins > ` + strconv.Itoa(queue) + ` THEN seq_tup_read + coalesce(idx_tup_fetch, 0) ELSE 0 END
						FROM pg_stat_user_tables
						WHERE relname = 'automations'`)
					if counted > last || time.Now().After(patience) {
						last = counted
						return counted
					}
				}
			}
			before := read()
			claimed := f.Claim(10, 100)
			if len(claimed) != 10 {
				t.Fatalf("claimed %d, want 10", len(claimed))
			}
			between := read()
			f.Must(f.Queue.MarkStarted(t.Context(), claimed))
			for what, rows := range map[string]int{"a claim of 10": between - before, "their start": read() - between} {
				if rows < 10 || rows > 1000 {
					t.Errorf("%s read %d rows of a queue of %d", what, rows, queue)
				}
			}
		})
	}
}
