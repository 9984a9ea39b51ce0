package dispatch_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/dispatch"
)

func TestRunsThatTemporalLostAreStartedAgainAtOnceWhenTheyHoldEveryPlace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lost := f.accept(4)
	f.must(f.store.Started(t.Context(), firsts(lost...)))
	_, err := f.pool.Exec(t.Context(), `UPDATE automations SET started_at = now() - interval '61 seconds'`)
	f.must(err)
	waiting := f.accept(1)[0]
	started := make(chan platen.Automation, 10)
	f.run(dispatch.Options{MaxOpen: 4, Starter: starter{
		start: func(_ context.Context, a platen.Automation) error { started <- a; return nil },
		state: func(string) (dispatch.RunState, error) { return dispatch.RunUnknown, nil },
	}})
	attempts := map[string]int{}
	for len(attempts) < 5 {
		select {
		case a := <-started:
			attempts[a.ID] = a.Attempt
			_, err := f.store.FinishAutomation(t.Context(), a.ID, a.Attempt)
			f.must(err)
		case <-time.After(30 * time.Second):
			t.Fatalf("started %v, want four as attempt 2 and one as its first", attempts)
		}
	}
	for _, id := range lost {
		if attempts[id] != 2 {
			t.Errorf("%s: attempt %d, want 2", id, attempts[id])
		}
	}
	if attempts[waiting] != 1 {
		t.Errorf("the one that waited: attempt %d, want 1", attempts[waiting])
	}
}

// deliverer notes what is to be delivered.
type deliverer struct {
	temporal
	delivered chan platen.Errand
}

func (d *deliverer) Deliver(_ context.Context, e platen.Errand) error { d.delivered <- e; return nil }

// pending stores a PENDING event of an automation, ended or not, that was due
// for its second attempt so long ago.
func (f *fixture) pending(due string, ended bool) string {
	f.t.Helper()
	ctx := f.t.Context()
	automation, id := f.accept(1)[0], platen.NewID(platen.PrefixEvent)
	f.must(f.store.Started(ctx, firsts(automation)))
	f.must(pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`SET LOCAL session_replication_role = replica`, // the output does not matter
			`UPDATE automations SET state = CASE WHEN @ended THEN 'COMPLETED' ELSE state END, finished_at = CASE WHEN @ended THEN now() END WHERE id = @automation`,
			`INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, payload, state, created_at)
				VALUES (@id, @workflow, @automation, @id, 1, 'DOCUMENTS_CREATED', '{}', 'PENDING', now() - @due::interval)`,
			`INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, answer, retry_after)
				VALUES (@id, 1, now(), '0', 500, 'no', '', '0')`,
		} {
			if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id, "workflow": f.w.ID, "automation": automation, "due": due, "ended": ended}); err != nil {
				return err
			}
		}
		return nil
	}))
	return id
}

func TestAnEventThatNobodyDeliversIsDeliveredFromItsAttemptOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	states := map[string]dispatch.RunState{
		f.pending("16 minutes", true):  dispatch.RunUnknown,
		f.pending("17 minutes", true):  dispatch.RunClosed,
		f.pending("18 minutes", false): dispatch.RunClosed,
	}
	want := len(states)
	states[f.pending("19 minutes", true)] = dispatch.RunOpen
	states[f.pending("20 minutes", false)] = dispatch.RunUnknown // its automation's run is about to deliver it
	states[f.pending("14 minutes", true)] = dispatch.RunUnknown  // it may be about to begin
	r := &deliverer{delivered: make(chan platen.Errand, 10)}
	f.run(dispatch.Options{
		Errands: f.store, Events: f.store, Runs: r, Poll: 10 * time.Millisecond, OverdueAfter: time.Hour,
		Starter: starter{state: func(id string) (dispatch.RunState, error) {
			return states[id], nil
		}},
	})
	got := map[string]bool{}
	for len(got) < want {
		select {
		case e := <-r.delivered:
			if s := states[e.ID]; s == dispatch.RunOpen || got[e.ID] || e.Before != 0 || e.Attempt != 2 {
				t.Errorf("got %+v, want each that has no run once, with its schedule as it is", e)
			}
			got[e.ID] = true
		case <-time.After(30 * time.Second):
			t.Fatalf("%d events were delivered, want %d", len(got), want)
		}
	}
}
