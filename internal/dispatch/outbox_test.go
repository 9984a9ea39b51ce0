package dispatch_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// temporal stands in for Temporal: it is away a few times, then answers.
type temporal struct {
	mu      sync.Mutex
	away    int
	known   bool // it has a run, open or closed
	cancels []string
	woken   []string
}

func (r *temporal) Cancel(_ context.Context, id string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away > 0 {
		r.away--
		return false, platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
	}
	r.cancels = append(r.cancels, id)
	return r.known, nil
}

func (r *temporal) Deliver(context.Context, platen.OutboxCommand) error { return nil }

func (r *temporal) Mail(context.Context, platen.OutboxCommand) error   { return nil }
func (r *temporal) Review(context.Context, platen.OutboxCommand) error { return nil }
func (r *temporal) Store(context.Context, platen.OutboxCommand) error  { return nil }

func (r *temporal) Wake(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away > 0 {
		r.away--
		return platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
	}
	r.woken = append(r.woken, id)
	return nil
}

func (r *temporal) wokenRuns() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.woken)
}

func (r *temporal) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.cancels)
}

// passOnWith dispatches with this Temporal.
func (f *harness) passOnWith(r *temporal) {
	f.run(dispatch.Options{
		Outbox: f.db.Outbox, Endpoints: f.db.Endpoints, Runs: r, Poll: 10 * time.Millisecond, Lease: 50 * time.Millisecond,
		Starter: starter{
			start: func(context.Context, platen.Automation) error { return nil },
			look:  func(string) (dispatch.Run, error) { return dispatch.Run{}, nil },
		},
	})
}

func (f *harness) commandsLeft() int {
	var n int
	f.must(f.pool.QueryRow(f.t.Context(), `SELECT count(*) FROM errands`).Scan(&n))
	return n
}

func TestACancelledRunIsToldAndEndsItself(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.accept(1)[0]
	f.must(f.db.Queue.MarkStarted(t.Context(), firsts(id)))
	_, err := f.db.Automations.CancelAutomation(t.Context(), f.w.Owner, f.w.ID, id)
	f.must(err)
	r := &temporal{away: 3, known: true}
	f.passOnWith(r)
	f.eventually("the command done", func() bool { return f.commandsLeft() == 0 })
	if r.asked() == 0 || f.count(platen.AutomationRunning) != 1 {
		t.Errorf("asked %d times, %d RUNNING; want the run asked and left to end itself", r.asked(), f.count(platen.AutomationRunning))
	}
}

func TestWithoutARunTheCancelledAutomationIsEnded(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.accept(1)[0]
	f.must(f.db.Queue.MarkStarted(t.Context(), firsts(id)))
	_, err := f.db.Automations.CancelAutomation(t.Context(), f.w.Owner, f.w.ID, id)
	f.must(err)
	f.passOnWith(&temporal{})
	f.eventually("CANCELLED", func() bool { return f.count(platen.AutomationCancelled) == 1 })
	f.eventually("the command done", func() bool { return f.commandsLeft() == 0 })
}

// A receiver is refused by its breaker until it was put off three times.
type receiver struct {
	temporal
	mu        sync.Mutex
	full      bool // its breaker is not open, but has no place
	wait      time.Duration
	delivered []string
	putOff    int
}

func (r *receiver) Deliver(_ context.Context, e platen.OutboxCommand) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delivered = append(r.delivered, e.ID)
	return nil
}

// ClaimCommands gives out the same three events until each is delivered.
func (r *receiver) ClaimCommands(context.Context, int, time.Duration) ([]platen.OutboxCommand, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var due []platen.OutboxCommand
	for _, e := range []platen.OutboxCommand{
		{Kind: platen.CommandDeliver, ID: "evt_1", Endpoint: platen.EndpointKey{OwnerID: "usr_1", URL: "https://failing.example"}},
		{Kind: platen.CommandDeliver, ID: "evt_2", Endpoint: platen.EndpointKey{OwnerID: "usr_1", URL: "https://failing.example"}},
		{Kind: platen.CommandDeliver, ID: "evt_3", Endpoint: platen.EndpointKey{OwnerID: "usr_2", URL: "https://well.example"}},
	} {
		if !slices.Contains(r.delivered, e.ID) {
			due = append(due, e)
		}
	}
	return due, nil
}

func (r *receiver) AcknowledgeCommand(context.Context, platen.OutboxCommand) error { return nil }

func (r *receiver) EndpointNow(_ context.Context, key platen.EndpointKey) (platen.EndpointState, time.Time, error) {
	if key.URL == "https://well.example" {
		return platen.EndpointState{}, time.Now(), nil
	}
	s := platen.EndpointState{Failures: 5}
	if !r.full {
		s.OpenUntil = time.Now().Add(time.Hour)
	}
	return s, time.Now(), nil
}

func (r *receiver) PutOffDeliveries(_ context.Context, _ platen.EndpointKey, wait time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.putOff++
	r.wait = wait
	return nil
}

func (r *receiver) refusesFor(s platen.EndpointState, _ time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Failures == 0 || r.putOff >= 3 { // the cool-down is over
		return 0
	}
	return time.Hour
}

func (r *receiver) got() (delivered []string, putOff int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.delivered), r.putOff
}

func TestEventsForAnEndpointWhoseBreakerIsOpenWaitInTheStore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	var r receiver
	f.run(dispatch.Options{
		Outbox: &r, Endpoints: &r, Runs: &r, Refuses: r.refusesFor, Poll: time.Millisecond,
		Starter: starter{
			start: func(context.Context, platen.Automation) error { return nil },
			look:  func(string) (dispatch.Run, error) { return dispatch.Run{}, nil },
		},
	})
	f.eventually("all delivered", func() bool { d, _ := r.got(); return len(d) == 3 })
	delivered, putOff := r.got()
	if delivered[0] != "evt_3" || putOff != 3 || r.wait > 5*time.Minute {
		t.Errorf("delivered %v after the endpoint was put off %d times, for %v at most; want the well one's first, three, and minutes", delivered, putOff, r.wait)
	}
}

func TestOneEventAtATimeJoinsThoseThatWaitForAPlace(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	r := receiver{full: true}
	f.run(dispatch.Options{
		Outbox: &r, Endpoints: &r, Runs: &r, Refuses: r.refusesFor, Poll: time.Millisecond,
		Starter: starter{
			start: func(context.Context, platen.Automation) error { return nil },
			look:  func(string) (dispatch.Run, error) { return dispatch.Run{}, nil },
		},
	})
	f.eventually("all delivered", func() bool { d, _ := r.got(); return len(d) == 3 })
	// The first look lets one of two pass, and the second the other.
	if _, putOff := r.got(); putOff != 2 {
		t.Errorf("the endpoint was put off %d times before its two events had passed, want 2", putOff)
	}
}

func TestARunIsWokenWhenItsOwnerHasConnectedAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.accept(1)[0]
	f.must(f.db.Queue.MarkStarted(t.Context(), firsts(id)))
	_, err := f.db.Parking.Park(t.Context(), id, 1, platen.Wait{Subject: "out_1", Step: "CopyTemplate", Code: platen.CodeConnectionBroken})
	f.must(err)
	f.must(f.db.Connections.SaveDriveConnection(t.Context(), f.w.Owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "new"}))
	if n := f.commandsLeft(); n != 1 {
		t.Fatalf("%d commands in the outbox, want 1", n)
	}
	_, err = f.pool.Exec(t.Context(), `UPDATE errands SET requested_at = now()`) // workers remember no earlier connection
	f.must(err)
	r := &temporal{away: 3}
	f.passOnWith(r)
	f.eventually("the command done", func() bool { return f.commandsLeft() == 0 })
	if got := r.wokenRuns(); !slices.Contains(got, id) {
		t.Errorf("woke %v, want %s", got, id)
	}
}
