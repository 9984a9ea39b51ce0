package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/testkit"
)

// open seals nothing: these tests store no secrets.
type open struct{}

func (open) Seal(plaintext, _ []byte) ([]byte, error) { return plaintext, nil }
func (open) Open(sealed, _ []byte) ([]byte, error)    { return sealed, nil }

// starter answers by functions.
type starter struct {
	start func(context.Context, platen.Automation) error
	state func(string) (dispatch.RunState, error) // of first attempts that did not say how they end
	look  func(string) (dispatch.Run, error)
	unpin func(string) error
}

func (s starter) Start(ctx context.Context, a platen.Automation) error { return s.start(ctx, a) }
func (s starter) Look(_ context.Context, id string) (dispatch.Run, error) {
	if s.look != nil {
		return s.look(id)
	}
	state, err := s.state(id)
	return dispatch.Run{State: state, Attempt: 1}, err
}

func (s starter) Unpin(_ context.Context, id string) error { return s.unpin(id) }

type harness struct {
	t     *testing.T
	db    *run.DB
	pool  *pgxpool.Pool
	w     platen.Workflow
	batch *accept.Batcher
	leave func() // has what runs claim nothing more
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	pool := testkit.Database(t, "dispatch", postgres.Migrate)
	db, err := postgres.Open(t.Context(), pool.Config().ConnString(), open{}, postgres.Options{})
	f := &harness{t: t, db: run.New(db), pool: pool}
	f.must(err)
	t.Cleanup(db.Close)
	owner := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Ada", Email: "ada@example.org"}
	f.must(operate.New(db).Users.CreateUser(t.Context(), owner))
	at := time.Now()
	f.w = platen.Workflow{
		ID: platen.NewID(platen.PrefixWorkflow), Name: "w", Status: platen.StatusComplete, AutoCreate: true, Owner: owner,
		Source:    platen.Source{ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Key: platen.NewKey()},
		CreatedAt: at, UpdatedAt: at,
	}
	f.must(db.Workflows.CreateWorkflow(t.Context(), f.w))
	for _, served := range []string{ // nobody new
		`INSERT INTO turns (owner_id, served_at, served) SELECT owner_id, now(), 1000 FROM workflows`,
		`INSERT INTO workflow_turns (workflow_id, served_at, served) SELECT id, now(), 1000 FROM workflows`,
	} {
		_, err = pool.Exec(t.Context(), served)
		f.must(err)
	}
	f.batch = accept.NewBatcher(db, accept.BatcherOptions{})
	t.Cleanup(func() {
		if err := f.batch.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}

func (f *harness) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *harness) accept(n int) []string {
	f.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = platen.NewID(platen.PrefixAutomation)
		f.must(f.batch.Accept(f.t.Context(), platen.SourceEvent{AutomationID: ids[i], SourceKey: f.w.Source.Key, Body: []byte("{}"), ReceivedAt: time.Now()}))
	}
	return ids
}

// run dispatches in the background until the test ends, or the returned stop.
func (f *harness) run(o dispatch.Options) (stop func()) {
	f.t.Helper()
	o.Queue, o.Running, o.Automations, o.Log = f.db.Queue, f.db.Queue, f.db.Automations, slog.New(slog.NewTextHandler(f.t.Output(), nil))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	d := dispatch.New(o)
	go func() { done <- d.Run(ctx) }()
	f.leave = cancel
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			f.t.Errorf("Run: %v", err)
		}
	})
	f.t.Cleanup(stop)
	return stop
}

// firsts are the first attempts of automations.
func firsts(ids ...string) []platen.Automation {
	all := make([]platen.Automation, len(ids))
	for i, id := range ids {
		all[i] = platen.Automation{ID: id, Attempt: 1}
	}
	return all
}

func (f *harness) count(state platen.AutomationState) int {
	f.t.Helper()
	var n int
	f.must(f.pool.QueryRow(f.t.Context(), `SELECT count(*) FROM automations WHERE state = $1`, state).Scan(&n))
	return n
}

// eventually fails the test when ok stays false.
func (f *harness) eventually(what string, ok func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			f.t.Fatalf("waited in vain: %s", what)
		}
		<-time.After(2 * time.Millisecond) // leave the processor to what is waited for
	}
}

// counter counts starts by automation.
type counter struct {
	sync.Mutex
	starts   map[string]int
	now, max int
}

func (c *counter) enter(id string) int {
	c.Lock()
	defer c.Unlock()
	if c.starts == nil {
		c.starts = map[string]int{}
	}
	c.starts[id]++
	c.now++
	c.max = max(c.max, c.now)
	return c.starts[id]
}

func (c *counter) leave() {
	c.Lock()
	defer c.Unlock()
	c.now--
}

func TestEveryAcceptedAutomationIsStartedOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	before := f.accept(30)
	var c counter
	s := starter{start: func(_ context.Context, a platen.Automation) error {
		defer c.leave()
		c.enter(a.ID)
		return nil
	}}
	f.run(dispatch.Options{Places: platen.PlacesFor(200, 1000, 200), Starter: s, Concurrency: 4})
	f.run(dispatch.Options{Places: platen.PlacesFor(200, 1000, 200), Starter: s, Concurrency: 4})
	after := f.accept(30)
	f.eventually("all RUNNING", func() bool { return f.count(platen.AutomationRunning) == 60 })
	c.Lock()
	defer c.Unlock()
	for _, id := range append(before, after...) {
		if c.starts[id] != 1 {
			t.Errorf("%s was started %d times, want once", id, c.starts[id])
		}
	}
	if c.max > 8 {
		t.Errorf("%d starts at once by two dispatchers of 4", c.max)
	}
}

func TestANotificationWakesTheDispatcherWithoutThePoll(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	started := make(chan string, 1)
	f.run(dispatch.Options{Poll: time.Hour, Starter: starter{start: func(_ context.Context, a platen.Automation) error {
		started <- a.ID
		return nil
	}}})
	for range 3 {
		id := f.accept(1)[0]
		select {
		case got := <-started:
			if got != id {
				t.Errorf("started %s, want %s", got, id)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing was started")
		}
	}
}

func TestNoMoreRunsAreOpenThanPlacesAndEndsMakeRoom(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.accept(12)
	started := make(chan string, 12)
	f.run(dispatch.Options{Places: platen.Places{Open: 5, OwnerOpen: 5, Parked: 10, OwnerParked: 10}, Poll: time.Hour, Starter: starter{start: func(_ context.Context, a platen.Automation) error {
		started <- a.ID
		return nil
	}}})
	for i := range 12 {
		f.eventually("room used", func() bool { return f.count(platen.AutomationRunning) == min(5, 12-i) })
		if n, want := f.count(platen.AutomationAccepted), max(0, 7-i); n != want {
			t.Errorf("after %d ends %d wait, want %d", i, n, want)
		}
		_, err := f.pool.Exec(t.Context(), `UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = $1`, <-started)
		f.must(err)
	}
}

func TestStartsThatFailAreTriedAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ids := f.accept(20)
	away := platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
	var c counter
	f.run(dispatch.Options{Pause: time.Millisecond, MaxPause: 10 * time.Millisecond, Poll: 10 * time.Millisecond, Concurrency: 4,
		Starter: starter{start: func(_ context.Context, a platen.Automation) error {
			defer c.leave()
			if n := c.enter(a.ID); n < 3 {
				return fmt.Errorf("try %d: %w", n, away)
			}
			return nil
		}}})
	f.eventually("all RUNNING", func() bool { return f.count(platen.AutomationRunning) == 20 })
	c.Lock()
	defer c.Unlock()
	for _, id := range ids {
		if c.starts[id] != 3 {
			t.Errorf("%s: %d tries, want 3", id, c.starts[id])
		}
	}
}

func TestWhileStartsFailOneAtATimeIsTried(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.accept(30)
	var c counter
	tries := make(chan struct{}, 1000)
	f.run(dispatch.Options{Pause: time.Millisecond, MaxPause: 5 * time.Millisecond, Poll: 5 * time.Millisecond, Concurrency: 8,
		Starter: starter{start: func(_ context.Context, a platen.Automation) error {
			defer c.leave()
			c.enter(a.ID)
			tries <- struct{}{}
			return platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
		}}})
	for range 8 { // the first lot, while nothing was known
		<-tries
	}
	c.Lock()
	c.max = 0
	c.Unlock()
	for range 20 {
		<-tries
	}
	c.Lock()
	defer c.Unlock()
	if c.max > 1 {
		t.Errorf("%d starts at once against a Temporal that does not answer, want 1", c.max)
	}
	if n := f.count(platen.AutomationAccepted); n != 30 {
		t.Errorf("%d wait, want all 30", n)
	}
}

func TestAnAutomationThatNeverStartsDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	bad := f.accept(1)[0]
	f.run(dispatch.Options{Places: platen.PlacesFor(40, 1000, 100), Pause: time.Millisecond, MaxPause: 20 * time.Millisecond, Poll: 10 * time.Millisecond,
		Starter: starter{start: func(_ context.Context, a platen.Automation) error {
			if a.ID == bad {
				return errors.New("refused")
			}
			return nil
		}}})
	f.accept(25)
	f.eventually("the others RUNNING", func() bool { return f.count(platen.AutomationRunning) == 25 })
}

func TestStopWaitsForStartsUnderWayAndMarksThem(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.accept(1)
	begun, goOn := make(chan struct{}), make(chan struct{})
	stop := f.run(dispatch.Options{Starter: starter{start: func(ctx context.Context, _ platen.Automation) error {
		close(begun)
		<-goOn
		return ctx.Err()
	}}})
	<-begun
	f.leave()
	f.accept(1) // nobody claims it any more
	close(goOn)
	stop()
	if running := f.count(platen.AutomationRunning); running != 1 {
		t.Errorf("%d RUNNING, want the one that was under way", running)
	}
}

func TestAutomationsLeftBehindAreReconciled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ids := f.accept(4)
	opened, gone, closed, young := ids[0], ids[1], ids[2], ids[3]
	f.must(f.db.Queue.MarkStarted(t.Context(), firsts(ids...)))
	_, err := f.pool.Exec(t.Context(), `UPDATE automations SET started_at = now() - interval '2 hours' WHERE id <> $1`, young)
	f.must(err)
	restarted := make(chan platen.Automation, 4)
	f.run(dispatch.Options{Starter: starter{
		start: func(_ context.Context, a platen.Automation) error { restarted <- a; return nil },
		state: func(id string) (dispatch.RunState, error) {
			return map[string]dispatch.RunState{opened: dispatch.RunOpen, gone: dispatch.RunUnknown, closed: dispatch.RunClosed}[id], nil
		},
	}})
	if a := <-restarted; a.ID != gone || a.Attempt != 2 {
		t.Errorf("restarted %s with attempt %d, want %s with 2", a.ID, a.Attempt, gone)
	}
	f.eventually("the closed one FAILED", func() bool { return f.count(platen.AutomationFailed) == 1 })
	f.eventually("the others RUNNING", func() bool { return f.count(platen.AutomationRunning) == 3 })
	if state := f.automation(closed).State; state != platen.AutomationFailed {
		t.Errorf("the automation of the closed run is %s, want FAILED", state)
	}
	if a := f.automation(young); a.Attempt != 1 {
		t.Errorf("a young one was touched: %+v", a)
	}
}

func TestARetryBetweenTheTwoLooksOfTheReconcilerIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ids := f.accept(2)
	retried, last := ids[0], ids[1]
	f.must(f.db.Queue.MarkStarted(t.Context(), firsts(ids...)))
	_, err := f.pool.Exec(t.Context(), `
		UPDATE automations
		SET started_at = now() - CASE WHEN id = $1 THEN interval '3 hours' ELSE interval '2 hours' END`, retried)
	f.must(err)
	f.run(dispatch.Options{Starter: starter{
		start: func(context.Context, platen.Automation) error { return nil },
		state: func(id string) (dispatch.RunState, error) {
			if id == retried { // its run ends now, and somebody is quick
				_, err := f.db.Automations.FailAutomation(t.Context(), id, 1, "c", "m")
				f.must(err)
				_, err = f.db.Automations.RetryAutomation(t.Context(), f.w.Owner, f.w.ID, id)
				f.must(err)
			}
			return dispatch.RunClosed, nil
		},
	}})
	f.eventually("the next is finished", func() bool { return f.state(last) == platen.AutomationFailed })
	f.eventually("the retry is started", func() bool { return f.state(retried) == platen.AutomationRunning })
}

func (f *harness) automation(id string) platen.Automation {
	f.t.Helper()
	a, err := f.db.Automations.WorkflowAutomation(f.t.Context(), f.w.Owner, f.w.ID, id)
	f.must(err)
	return a
}

func (f *harness) state(id string) platen.AutomationState {
	f.t.Helper()
	return f.automation(id).State
}
