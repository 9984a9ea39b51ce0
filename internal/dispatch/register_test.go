package dispatch_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// A registry notes what workers say of themselves. Others came after a minute.
type registry struct {
	queue
	begun time.Time

	slow time.Duration // that the database takes to register

	mu      sync.Mutex
	said    []string
	claimed time.Duration // after which the first claim came
}

// Register is carried out although nobody waits for its answer any more, as Postgres may.
func (r *registry) Register(ctx context.Context, worker string, carries int) error {
	done := make(chan error, 1)
	time.AfterFunc(r.slow, func() { done <- r.register(worker, carries) })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *registry) register(worker string, carries int) error {
	return r.note(fmt.Sprintf("%s carries %d after %v", worker, carries, time.Since(r.begun)))
}

func (r *registry) Unregister(_ context.Context, worker string) error {
	return r.note(fmt.Sprintf("%s leaves after %v", worker, time.Since(r.begun)))
}

func (r *registry) note(what string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, what)
	return nil
}

func (r *registry) Claim(_ context.Context, _ int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	r.mu.Lock()
	r.claimed = cmp.Or(r.claimed, time.Since(r.begun))
	r.mu.Unlock()
	others := platen.Others{}
	if time.Since(r.begun) > 3*time.Second {
		others = platen.Others{Workers: 2, Carried: 24}
	}
	return nil, by.Occupancy(0, 0, others), nil
}

func TestAWorkerSaysThatItIsThereAndWhenItLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var log bytes.Buffer
		r := &registry{begun: time.Now()}
		d := dispatch.New(dispatch.Options{Queue: r, Running: r, Starter: starter{}, Workers: r, Worker: "wrk_1", Carries: 12, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err := d.Run(ctx); err != nil {
			t.Fatal(err)
		}
		want := []string{"wrk_1 carries 12 after 0s", "wrk_1 carries 12 after 2s", "wrk_1 carries 12 after 4s", "wrk_1 leaves after 5s"}
		if !slices.Equal(r.said, want) {
			t.Errorf("got %q, want %q", r.said, want)
		}
		for _, want := range []string{"worker=wrk_1 carries=12", "workers=1 carried=12 before=0", "workers=3 carried=36 before=12"} {
			if strings.Count(log.String(), want) != 1 {
				t.Errorf("the log: got %s, want %s once in it", log.String(), want)
			}
		}
	})
}

func TestAWorkerRegistersAndClaimsWhenItIsReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := &registry{begun: time.Now()}
		var takes atomic.Bool
		d := dispatch.New(dispatch.Options{Queue: r, Running: r, Starter: starter{}, Workers: r, Worker: "wrk_1", Carries: 12, Takes: takes.Load, Log: slog.New(slog.DiscardHandler)})
		time.AfterFunc(300*time.Millisecond, func() {
			takes.Store(true)
			d.Ready()
		})
		if err := d.Run(ctx); err != nil {
			t.Fatal(err)
		}
		want := []string{"wrk_1 carries 0 after 0s", "wrk_1 carries 12 after 300ms", "wrk_1 leaves after 1s"}
		if !slices.Equal(r.said, want) || r.claimed != 300*time.Millisecond {
			t.Errorf("got %q, and a claim after %v; want %q, and one after 300ms", r.said, r.claimed, want)
		}
	})
}

func TestAWorkerWarnsOnceOfACeilingThatStaysAboveWhatAllWorkersCarry(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]int{0: 0, 12: 0, 13: 0, 36: 0, 37: 1} { // it carries 12, and with those that come 36
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var log bytes.Buffer
			r := &registry{begun: time.Now()}
			d := dispatch.New(dispatch.Options{
				Queue: r, Running: r, Starter: starter{}, Workers: r, Worker: "wrk_1", Carries: 12, Places: platen.Places{Open: most, OwnerOpen: most, Parked: 10, OwnerParked: 10},
				Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err := d.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(log.String(), "PLATEN_MAX_OPEN"); got != want {
				t.Errorf("a ceiling of %d: %d warnings, want %d: %s", most, got, want, log.String())
			}
		})
	}
}

// open counts the runs that are open by the worker that claimed them.
func (f *harness) open() map[string]int {
	f.t.Helper()
	rows, err := f.pool.Query(f.t.Context(), `SELECT claimed_by FROM automations WHERE state = 'RUNNING'`)
	f.must(err)
	claimed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	f.must(err)
	open := map[string]int{}
	for _, worker := range claimed {
		open[worker]++
	}
	return open
}

func TestWorkersShareAQueueByWhatEachCarries(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.accept(40)
	work := func(id string, carries int) (stop func()) {
		return f.run(dispatch.Options{Workers: f.db.Queue, Worker: id, Carries: carries, Poll: 20 * time.Millisecond, Starter: starter{
			start: func(context.Context, platen.Automation) error { return nil },
		}})
	}
	all := func() int { open := f.open(); return open["wrk_large"] + open["wrk_small"] }
	work("wrk_large", 8)
	f.eventually("one owner has three quarters of what one worker carries", func() bool { return all() == 6 })
	stop := work("wrk_small", 4)
	f.eventually("one owner has three quarters of what two workers carry", func() bool { return all() == 9 })
	if open := f.open(); open["wrk_large"] > 8 || open["wrk_small"] > 4 {
		t.Errorf("got %v, want 8 and 4 at most", open)
	}

	stop()
	// A worker that does not get through when it leaves is gone some seconds later.
	f.eventually("the small worker is gone", func() bool {
		var there bool
		f.must(f.pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM workers WHERE id = 'wrk_small' AND seen_at > now() - interval '10 seconds')`).Scan(&there))
		return !there
	})
	finish := func() {
		_, err := f.pool.Exec(t.Context(), `UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
		f.must(err)
	}
	finish()
	f.eventually("the worker that stays goes on alone", func() bool {
		large := f.open()["wrk_large"]
		if large > 6 {
			finish() // its claim had begun while the small one was still there
		}
		return large == 6
	})
	if open := f.open(); open["wrk_small"] != 0 || all() != 6 {
		t.Errorf("got %v, want 6 runs of the worker that stays", open)
	}
}

// Others would take it to be there for ten seconds more.
func TestAWorkerThatLeavesWhileItRegistersIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := &registry{begun: time.Now(), slow: 2 * time.Second}
		d := dispatch.New(dispatch.Options{Queue: r, Running: r, Starter: starter{}, Workers: r, Worker: "wrk_1", Carries: 12, Log: slog.New(slog.DiscardHandler)})
		if err := d.Run(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second) // of a bubble
		synctest.Wait()
		if want := []string{"wrk_1 carries 12 after 2s", "wrk_1 leaves after 2s"}; !slices.Equal(r.said, want) {
			t.Errorf("got %q, want %q", r.said, want)
		}
	})
}

func TestAWorkerThatGetsNoNewRunsClaimsNothingAndIsNotCounted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	var takes atomic.Bool
	var started atomic.Int32
	takes.Store(true)
	f.run(dispatch.Options{Workers: f.db.Queue, Worker: "wrk_old", Carries: 4, Poll: 20 * time.Millisecond, Takes: takes.Load, Starter: starter{
		start: func(context.Context, platen.Automation) error { started.Add(1); return nil },
	}})
	registered := func() (n int) {
		f.must(f.pool.QueryRow(t.Context(), `SELECT count(*) FROM workers WHERE seen_at > '-infinity'`).Scan(&n))
		return n
	}
	f.accept(1)
	f.eventually("it starts what there is", func() bool { return started.Load() == 1 && registered() == 1 })
	takes.Store(false)
	f.eventually("it leaves", func() bool { return registered() == 0 })
	f.accept(1)
	f.run(dispatch.Options{Workers: f.db.Queue, Worker: "wrk_new", Carries: 4, Poll: 20 * time.Millisecond, Starter: starter{
		start: func(context.Context, platen.Automation) error { return nil },
	}})
	f.eventually("the other starts what came then", func() bool { return f.open()["wrk_new"] == 1 })
	if n := started.Load(); n != 1 {
		t.Errorf("it started %d, want none after the first", n)
	}
	takes.Store(true)
	f.eventually("it is back", func() bool { return registered() == 2 })
}
