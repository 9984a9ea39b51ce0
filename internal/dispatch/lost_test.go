package dispatch_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

func TestRunsThatTemporalLostAreStartedAgainAtOnceWhenTheyHoldEveryPlace(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	lost := f.accept(4)
	f.must(f.db.Queue.MarkStarted(t.Context(), firsts(lost...)))
	_, err := f.pool.Exec(t.Context(), `UPDATE automations SET started_at = now() - interval '61 seconds'`)
	f.must(err)
	waiting := f.accept(1)[0]
	started := make(chan platen.Automation, 10)
	f.run(dispatch.Options{Places: platen.Places{Open: 4, OwnerOpen: 4, Parked: 10, OwnerParked: 10}, Starter: starter{
		start: func(_ context.Context, a platen.Automation) error { started <- a; return nil },
		state: func(string) (dispatch.RunState, error) { return dispatch.RunUnknown, nil },
	}})
	attempts := map[string]int{}
	for len(attempts) < 5 {
		select {
		case a := <-started:
			attempts[a.ID] = a.Attempt
			_, err := f.db.Automations.FailAutomation(t.Context(), a.ID, a.Attempt, "c", "m")
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
	delivered chan platen.OutboxCommand
}

func (d *deliverer) Deliver(_ context.Context, e platen.OutboxCommand) error {
	d.delivered <- e
	return nil
}

// pending stores a PENDING event of an automation, ended or not, that was due
// for its second attempt so long ago.
func (f *harness) pending(due string, ended bool) string {
	f.t.Helper()
	ctx := f.t.Context()
	automation, id := f.accept(1)[0], platen.NewID(platen.PrefixEvent)
	f.must(f.db.Queue.MarkStarted(ctx, firsts(automation)))
	f.must(pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`SET LOCAL session_replication_role = replica`, // the output does not matter
			`UPDATE automations SET state = CASE WHEN @ended THEN 'COMPLETED' ELSE state END, finished_at = CASE WHEN @ended THEN now() END WHERE id = @automation`,
			`INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, test, payload, state, created_at)
				VALUES (@id, @workflow, @automation, @id, 1, 'DOCUMENTS_CREATED', false, '', 'PENDING', now() - @due::interval)`,
			`INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, retry_after)
				VALUES (@id, 1, now(), '0', 500, 'no', '0')`,
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
	f := newHarness(t)
	states := map[string]dispatch.RunState{
		f.pending("16 minutes", true):  dispatch.RunUnknown,
		f.pending("17 minutes", true):  dispatch.RunClosed,
		f.pending("18 minutes", false): dispatch.RunClosed,
	}
	want := len(states)
	states[f.pending("19 minutes", true)] = dispatch.RunOpen
	states[f.pending("20 minutes", false)] = dispatch.RunUnknown // its automation's run is about to deliver it
	states[f.pending("14 minutes", true)] = dispatch.RunUnknown  // it may be about to begin
	r := &deliverer{delivered: make(chan platen.OutboxCommand, 10)}
	f.run(dispatch.Options{
		Outbox: f.db.Outbox, Deliveries: f.db.Deliveries, Runs: r, Poll: 10 * time.Millisecond, OverdueAfter: time.Hour,
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

// Its run was begun by one of a build whose last worker stopped before its first task.
func TestADeliveryThatWaitsForABuildGoesToTheCurrentOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.pending("16 minutes", true)
	unpinned := make(chan string, 10)
	f.run(dispatch.Options{Deliveries: f.db.Deliveries, OverdueAfter: time.Hour, Starter: starter{
		look: func(string) (dispatch.Run, error) {
			return dispatch.Run{State: dispatch.RunOpen, Attempt: 1, Pinned: true}, nil
		},
		unpin: func(id string) error { unpinned <- id; return nil },
	}})
	select {
	case got := <-unpinned:
		if got != id {
			t.Errorf("got %s, want %s", got, id)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("the delivery of %s was left to its build", id)
	}
}

// Its receiver had refused it to the end; the store was put back to before that.
func TestADeliveryWhoseEndWasForgottenGoesOn(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.pending("16 minutes", true)
	r := &deliverer{delivered: make(chan platen.OutboxCommand, 10)}
	f.run(dispatch.Options{
		Outbox: f.db.Outbox, Deliveries: f.db.Deliveries, Runs: r, Poll: 10 * time.Millisecond, OverdueAfter: time.Hour,
		Starter: starter{look: func(string) (dispatch.Run, error) {
			return dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}, nil
		}},
	})
	select {
	case e := <-r.delivered:
		if e.ID != id || e.Attempt != 2 {
			t.Errorf("got %+v, want attempt 2 of %s", e, id)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("%s was not delivered", id)
	}
}

func TestADeliveryThatFailedForAFaultOfOursHoldsItsEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.pending("16 minutes", true)
	f.run(dispatch.Options{Deliveries: f.db.Deliveries, OverdueAfter: time.Hour, Starter: starter{
		state: func(string) (dispatch.RunState, error) { return dispatch.RunFailed, nil },
	}})
	f.eventually("the event HELD", func() bool {
		var reason string
		f.must(f.pool.QueryRow(t.Context(), `SELECT reason FROM events WHERE id = $1 AND (state = 'HELD' OR reason = '')`, id).Scan(&reason))
		return reason == platen.CodeInternal
	})
}

// slowly moves the clock only while everybody waits.
func slowly(t *testing.T, q fake, o dispatch.Options, minutes int) {
	t.Helper()
	o.Queue, o.Running, o.Automations = q, q, q
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(minutes)*time.Minute)
	defer cancel()
	o.Log = slog.New(slog.DiscardHandler)
	if err := dispatch.New(o).Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
}

// stuckQueue is full, and has automations whose runs are to be looked at.
type stuckQueue struct {
	queue
	full     bool
	running  []platen.Automation
	requeued int
}

func (q *stuckQueue) Claim(_ context.Context, _ int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	open := 0
	if q.full {
		open = by.Carries
	}
	return nil, by.Occupancy(open, open, platen.Others{}), nil
}

func (q *stuckQueue) OverdueAutomations(_ context.Context, _ time.Duration, after platen.Automation) ([]platen.Automation, error) {
	for i, a := range q.running {
		if a.ID == after.ID {
			return q.running[i+1:], nil
		}
	}
	return q.running, nil
}

func (q *stuckQueue) Requeue(context.Context, string, int) error { q.requeued++; return nil }

func (q *stuckQueue) EndAbandonedAutomation(context.Context, string, int, func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	q.requeued++
	return platen.AutomationFailed, nil
}

func many(n int) []platen.Automation {
	all := make([]platen.Automation, n)
	for i := range all {
		all[i] = platen.Automation{ID: fmt.Sprintf("aut_%04d", i), Attempt: 1}
	}
	return all
}

func TestLongRunsAreLookedAtInTurnsAndAllOfThemWhenTheQueueIsStuck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		full bool
		want int // looks in ten minutes, at a thousand runs
	}{
		"not full":                       {false, 1000 + 19*100},
		"full, nothing ends for minutes": {true, 1000 + 2*1000 + 19*100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				looks := 0
				q := &stuckQueue{full: c.full, running: many(1000)}
				slowly(t, q, dispatch.Options{Starter: starter{state: func(string) (dispatch.RunState, error) {
					looks++
					return dispatch.RunOpen, nil
				}}}, 10)
				if looks < c.want-300 || looks > c.want+300 {
					t.Errorf("looked at %d runs, want about %d", looks, c.want)
				}
			})
		})
	}
}

func TestOneRunThatIsGoneHasAllLookedAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &stuckQueue{running: many(1000)}
		began, looks := time.Now(), 0
		slowly(t, q, dispatch.Options{Starter: starter{state: func(id string) (dispatch.RunState, error) {
			looks++
			// Temporal loses the last half of them after a minute and a half.
			if time.Since(began) > 90*time.Second && id >= "aut_0500" {
				return dispatch.RunUnknown, nil
			}
			return dispatch.RunOpen, nil
		}}}, 5)
		if q.requeued < 500 {
			t.Errorf("%d of 500 are started again within five minutes, after %d looks", q.requeued, looks)
		}
	})
}

func TestTemporalThatComesBackIsAskedAboutEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &stuckQueue{running: many(500)}
		began, looks := time.Now(), 0
		slowly(t, q, dispatch.Options{Starter: starter{state: func(string) (dispatch.RunState, error) {
			if time.Since(began) < 80*time.Second {
				return dispatch.RunUnknown, platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
			}
			looks++
			return dispatch.RunOpen, nil
		}}}, 2)
		if looks < 500 {
			t.Errorf("looked at %d of 500 runs within 40 s of its return", looks)
		}
	})
}
