// Package dispatch starts a Temporal run for every accepted automation, with a limit on
// open runs, and reconciles those whose runs were lost.
//
// Runs that wait for something outside are parked: they take no place. No owner has
// more than three quarters of the places, so that an owner without a run finds a free
// one (platen.Places).
//
// The queue is the table of automations. A notification of Postgres or a one-second
// poll wakes the dispatcher; it leases an automation, starts its run, and marks it
// started. No transaction spans the call to Temporal, so a process that dies in between
// leaves a lease that expires. The automation is then started again, which does nothing
// if its run exists. Any number of workers may share a queue: each registers the number
// of open runs that it carries, and claims up to that number.
//
// While Temporal does not answer, claimed automations go back into the queue and one of
// them is retried now and then; events are still accepted.
//
// The reconciler compares automations that have been RUNNING for more than a minute
// with Temporal, a hundred at a time in turns. It compares all of them at a start, when
// one run was gone, when Temporal is back, and when nothing could be claimed for half a
// minute. A run that is open is left alone, however old. A run that is gone (lost with
// Temporal's database, or past its retention) is started again as the next attempt: its
// outputs that are done are kept. A run that closed without a recorded outcome
// (terminated, or failed in recording) is not started again, because it was ended on
// purpose or would fail again. The automation ends by the states of its outputs, FAILED
// if one is missing, and can be retried by hand.
//
// A closed run with an outcome that the store lacks, or a run of a later attempt, means
// that the database was restored from a backup. Temporal is right then: files that the
// owner's drive holds are recorded, and missing ones are made again (forgotten.go).
// Such an automation never fails by that, however long the drive refuses, and none of
// its files is removed.
//
// It also looks for PENDING events that nobody delivers. Their next attempt was due a
// quarter of an hour ago, and their automation has ended. The run of the event is gone,
// terminated or complete. An outbox command resumes their schedule. A run that waits for
// its first task on a build whose workers may be gone goes to the current build.
//
// Requests of /v0 to Temporal (cancel a run, redeliver an event) wait in the store as
// outbox commands, which the dispatcher carries out at least once.
//
// The package knows the domain and the interfaces below: no SQL, no Temporal,
// and nothing of what a run does.
package dispatch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Queue is the queue of accepted automations.
type Queue interface {
	// Claim leases up to limit waiting automations, owners in turn, to a worker
	// that has room for them; seen is how many take a place then.
	Claim(ctx context.Context, limit int, by platen.Claimer, lease time.Duration) (claimed []platen.Automation, seen platen.Occupancy, err error)
	// MarkStarted says that runs exist for these attempts.
	MarkStarted(ctx context.Context, started []platen.Automation) error
	// Release gives claimed ones back, to be claimed again after delay.
	Release(ctx context.Context, automationIDs []string, delay time.Duration) error
	// Listen calls wake when there may be something to claim, or to arrange, until ctx ends.
	Listen(ctx context.Context, wake func(platen.Waking)) error
}

// Running is what the reconciler compares with Temporal.
type Running interface {
	// OverdueAutomations returns automations that have been RUNNING for longer than
	// age, oldest first, one page at a time; after is the last one of the page before.
	// An empty page is the end.
	OverdueAutomations(ctx context.Context, age time.Duration, after platen.Automation) ([]platen.Automation, error)
	// Requeue puts one that is RUNNING in this attempt back as the next attempt.
	Requeue(ctx context.Context, automationID string, attempt int) error
}

// Automations ends automations.
type Automations interface {
	// EndAbandonedAutomation ends one whose run is gone by what its outputs say;
	// those that it left pending end with an event. Attempt 0 is whichever is the
	// latest; one that a retry has superseded changes nothing: platen.IsSuperseded.
	EndAbandonedAutomation(ctx context.Context, automationID string, attempt int, event func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error)
}

// RunState is how Temporal sees the latest run of an automation, or of an event.
type RunState int

const (
	RunUnknown RunState = iota // Temporal has no such run
	RunOpen
	RunCompleted
	RunFailed
	RunCancelled
	RunClosed // terminated, …
)

// A Run is what Temporal knows of the latest run of an automation, or of an event.
type Run struct {
	State   RunState
	Attempt int // at the automation
	// Told: it is closed and had said before how it ends. A store that lacks this was
	// restored from a backup.
	Told bool
	// Pinned: it is open, and goes on nowhere but on one build. A delivery is pinned
	// before its first task, by a Temporal before 1.32.
	Pinned bool
}

func (r Run) latest() platen.LatestRun {
	return platen.LatestRun{Attempt: r.Attempt, Open: r.State == RunOpen, Completed: r.State == RunCompleted, Cancelled: r.State == RunCancelled}
}

// ErrEnded is the error of a Start whose run has ended before.
var ErrEnded = errors.New("the run of this attempt has ended")

// A Starter starts runs and looks at them.
type Starter interface {
	// Start starts the run of an automation and answers nil also when it
	// exists already and is open. ErrEnded: it exists and is closed.
	// KindUnavailable: Temporal does not answer; any other error does not pass by
	// itself.
	Start(ctx context.Context, a platen.Automation) error
	// Look looks at the run of an automation, or at that of an event's delivery.
	Look(ctx context.Context, id string) (Run, error)
	// Unpin has the delivery of an event go on on the current build. One that has
	// ended is no error.
	Unpin(ctx context.Context, eventID string) error
}

// A Rebuilder recovers automations whose state in the store is older than Temporal's.
type Rebuilder interface {
	// Rebuild returns the state of the automation then: ACCEPTED, it is made again;
	// RUNNING, its run goes on; "", there was nothing to recover. After an error its
	// state is unchanged, and another call resumes: a *platen.DriveWaitError says that
	// its owner's drive does not answer or refuses.
	Rebuild(ctx context.Context, automationID string, run platen.LatestRun) (platen.AutomationState, error)
	// Postpone is Rebuild without asking the drive, which was away just now (why)
	// for another automation of the owner.
	Postpone(ctx context.Context, automationID string, run platen.LatestRun, why *platen.DriveWaitError) (platen.AutomationState, error)
}

// Options of New. Queue, Running, Automations, Starter and Rebuilder are required.
type Options struct {
	Queue       Queue
	Running     Running
	Automations Automations
	Starter     Starter
	// Rebuilder recovers automations whose state is older than Temporal's.
	Rebuilder Rebuilder
	// Outbox and Runs carry out the outbox commands of /v0. Default: none are.
	Outbox Outbox
	Runs   Runs
	// Batches are files whose rows are moved into the queue. Default: there are none.
	Batches Batches
	// Order has the places of automations whose workflows have an order. Default: none has.
	Order Order
	// Refuses returns for how long an endpoint's breaker will surely refuse attempts;
	// deliveries that were asked for wait in the store meanwhile. Default: unknown.
	Endpoints Endpoints
	Refuses   func(s platen.EndpointState, now time.Time) time.Duration
	// Workers is where this worker registers. Default: it is the only one.
	Workers Workers
	// Worker is the id of this one. Default: a new one.
	Worker string
	// Takes reports whether this worker receives new runs. A worker that receives none
	// claims nothing and adds no capacity. Default: it receives them.
	Takes func() bool
	// Carries is how many open runs this worker takes itself; a third as many while
	// ingest is loaded, because accepting events comes first. Default: Places.Open, or
	// 32.
	Carries int
	// Places bound the runs of all workers together. Open 0: what they carry.
	// Default: that, and the parked ones of package platen.
	Places platen.Places
	// Concurrency is how many starts are under way at once. Temporal gets
	// slower, not faster, with more than 16. Default: 12.
	Concurrency int
	// Poll is how often the queue is looked at without a notification.
	// Default: 1 s.
	Poll time.Duration
	// FullPoll is how often it is looked at while runs are open: one that ends
	// or parks lets another start, and sends no notification, because those of
	// Postgres would make all ends wait for each other. Default: 50 ms.
	FullPoll time.Duration
	// Lease is how long a claim holds, and what the death of a dispatcher in
	// the middle of a start costs; StartTimeout must be well below. A lease
	// that ends too early costs one more start that starts nothing.
	// Default: 10 s.
	Lease time.Duration
	// StartTimeout bounds one start. Default: 4 s.
	StartTimeout time.Duration
	// Pause is the wait after a start that failed; it doubles up to MaxPause
	// while starts fail. Defaults: 250 ms, 5 s.
	Pause, MaxPause time.Duration
	// ReconcileEvery is how often some of the automations RUNNING for longer
	// than OverdueAfter are compared with Temporal. Defaults: 30 s, 1 min.
	ReconcileEvery, OverdueAfter time.Duration
	// Deliveries are looked after so that each has a run which delivers it, when
	// its next attempt was due longer than EventOverdueAfter ago.
	// Defaults: nobody does, 15 min.
	Deliveries        Deliveries
	EventOverdueAfter time.Duration
	// Turned is called each time when dispatch looks for something to do, once a
	// second at least. Default: nobody is.
	Turned func()
	// Log. Default: slog.Default().
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	number := func(n *int, otherwise int) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	duration := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	if o.Places == (platen.Places{}) {
		o.Places = platen.Places{Parked: platen.DefaultParked, OwnerParked: platen.DefaultOwnerParked}
	}
	if o.Worker == "" {
		o.Worker = platen.NewID(platen.PrefixWorker)
	}
	if o.Turned == nil {
		o.Turned = func() {}
	}
	if o.Takes == nil {
		o.Takes = func() bool { return true }
	}
	number(&o.Carries, cmp.Or(o.Places.Open, 32))
	number(&o.Concurrency, 12)
	duration(&o.Poll, time.Second)
	duration(&o.FullPoll, 50*time.Millisecond)
	duration(&o.Lease, 10*time.Second)
	duration(&o.StartTimeout, 4*time.Second)
	duration(&o.Pause, 250*time.Millisecond)
	duration(&o.MaxPause, 5*time.Second)
	duration(&o.ReconcileEvery, 30*time.Second)
	duration(&o.OverdueAfter, time.Minute)
	duration(&o.EventOverdueAfter, 15*time.Minute)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// A Dispatcher moves automations from the queue to Temporal.
type Dispatcher struct {
	options Options
	woken   chan struct{}          // there may be something to claim
	ready   chan struct{}          // Takes may have changed
	crowded atomic.Int64           // until when events are taken to crowd in, in Unix nanoseconds
	ended   chan result            // how each start went
	started chan platen.Automation // to be marked
	doubted chan struct{}          // runs may be lost
	// unarranged: automations wait for their places in an order.
	unarranged chan struct{}
	full       fullness
	carried    int // open runs that all workers take together, as of the last claim
	ceiling    ceiling
	// forgotten are to be compared with Temporal at once: it knows more of them.
	forgotten  chan platen.Automation
	rebuilds   rebuildQueue
	comparison comparison
}

// New makes a dispatcher; Run works.
func New(options Options) *Dispatcher {
	o := options.withDefaults()
	return &Dispatcher{
		options: o,
		woken:   make(chan struct{}, 1),
		ready:   make(chan struct{}, 1),
		ended:   make(chan result, o.Concurrency),
		started: make(chan platen.Automation, 4*o.Concurrency),
		doubted: make(chan struct{}, 1),

		unarranged: make(chan struct{}, 1),

		forgotten: make(chan platen.Automation, 4*o.Concurrency),
	}
}

// Run dispatches until ctx ends; then it claims nothing more, waits for the
// starts under way, marks them, and returns nil. It may be called once.
func (d *Dispatcher) Run(ctx context.Context) error {
	var beside, marking sync.WaitGroup
	beside.Go(func() {
		if err := d.options.Queue.Listen(ctx, d.wake); err != nil && ctx.Err() == nil {
			d.options.Log.Warn("dispatch gets no notifications and polls only", "error", err)
		}
	})
	beside.Go(func() { d.reconcile(ctx) })
	if d.options.Workers != nil {
		beside.Go(func() { d.register(ctx) })
	}
	if d.options.Outbox != nil {
		beside.Go(func() { d.passOn(ctx) })
	}
	if d.options.Batches != nil {
		beside.Go(func() { d.moveRows(ctx) })
	}
	if d.options.Order != nil {
		beside.Go(func() { d.arrange(ctx) })
	}
	// What was started must be marked although ctx is over.
	marking.Go(func() { d.mark(context.WithoutCancel(ctx)) })
	d.dispatch(ctx)
	close(d.started)
	marking.Wait()
	beside.Wait()
	return nil
}

// crowdedFor is how long one notification that events crowd in holds.
const crowdedFor = 250 * time.Millisecond

func (d *Dispatcher) wake(why platen.Waking) {
	if why.Crowded {
		d.crowded.Store(time.Now().Add(crowdedFor).UnixNano())
	}
	if why.Ordered {
		select {
		case d.unarranged <- struct{}{}:
		default:
		}
	}
	select {
	case d.woken <- struct{}{}:
	default: // it is awake already
	}
}

func (d *Dispatcher) isCrowded() bool { return time.Now().UnixNano() < d.crowded.Load() }

// claimer is what this worker may claim now.
func (d *Dispatcher) claimer() platen.Claimer {
	return platen.Claimer{Worker: d.options.Worker, Carries: d.options.Carries, Most: d.options.Places, Crowded: d.isCrowded()}
}

// note says in the log when workers have come or gone, and when the ceiling bounds
// nothing after the start.
func (d *Dispatcher) note(seen platen.Occupancy) {
	most := d.options.Places.Open
	if d.ceiling.isTooHigh(most > seen.Carried, time.Now()) {
		d.options.Log.Warn("PLATEN_MAX_OPEN is above what all workers carry and bounds nothing: PLATEN_WORKER_OPEN raises what a worker takes", "most", most, "workers", seen.Workers, "carried", seen.Carried)
	}
	if seen.Carried != d.carried {
		d.options.Log.Info("what all workers carry has changed", "workers", seen.Workers, "carried", seen.Carried, "before", d.carried, "most", seen.Most.Open)
		d.carried = seen.Carried
	}
}

// ceilingFor is how long the ceiling is above what all workers carry before a worker
// warns of it: workers that start together need some seconds to register.
const ceilingFor = 5 * registerEvery

// A ceiling remembers since when the ceiling is above what all workers carry. It is
// the dispatch loop's.
type ceiling struct {
	since  time.Time
	judged bool // once for a start: workers that leave later need no warning
}

// isTooHigh tells, once, whether the ceiling has stayed above since the start.
func (c *ceiling) isTooHigh(above bool, now time.Time) bool {
	switch {
	case c.judged:
		return false
	case !above:
		c.judged = true
	case c.since.IsZero():
		c.since = now
	case now.Sub(c.since) >= ceilingFor:
		c.judged = true
		return true
	}
	return false
}
