// Package worker runs automations. It registers workflows and activities with
// Temporal, and sets task queues and limits. It keeps dispatch beside them, on
// the same client, because eager starts work only there. What a step does is in
// package activities, in which order in package workflows.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc/codes"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/workflows"
)

// DefaultQueue is the task queue that runs are started on; the queues beside
// it carry its name and a suffix.
const DefaultQueue = "platen"

// Options are what a worker is made of.
type Options struct {
	Client     client.Client
	Queue      string // empty: DefaultQueue
	Documents  *activities.Documents
	Deliveries *activities.Deliveries
	Mails      *activities.Mails
	Reviews    *activities.Reviews
	Targets    *activities.Targets
	// FirstTries bounds steps that run at the same time as local activities.
	// A first attempt to deliver may take its whole 15 s, so it should not be
	// below the number of open runs. 0: 256.
	FirstTries int
	// Retries bounds steps that are tried again at the same time; of one owner
	// there are 4 at most, and one from half of them on. 0: 64.
	Retries int
	// Parking keeps which runs wait. nil: none is parked.
	Parking Parking
	// Slow is after how long a first attempt is a wait. 0: DefaultSlow.
	Slow time.Duration
	// Trace begins the span of an attempt of a step, which the function that it
	// returns ends. nil: none does.
	Trace func(ctx context.Context, automationID, step string) (context.Context, func(error))
	// MaxDeliveries bounds attempts to deliver that run at the same time on
	// this worker, apart from first attempts. 0: 100.
	MaxDeliveries int
	// MaxMails bounds mails that are tried again at the same time. 0: 16.
	MaxMails int
	// MaxTargets bounds outputs that are stored at targets at the same time. 0: 16.
	MaxTargets int
	// Rollout makes this worker one of a build in a deployment. nil: it takes the tasks
	// of no deployment.
	Rollout *Rollout
	// Jitter returns a random duration below n. nil: rand.N.
	Jitter func(n time.Duration) time.Duration
	Log    *slog.Logger // nil: slog.Default()
}

func (o Options) withDefaults() Options {
	o.Queue = cmp.Or(o.Queue, DefaultQueue)
	o.FirstTries = cmp.Or(o.FirstTries, 256)
	o.Retries = cmp.Or(o.Retries, 64)
	o.MaxDeliveries = cmp.Or(o.MaxDeliveries, 100)
	o.MaxMails = cmp.Or(o.MaxMails, 16)
	o.MaxTargets = cmp.Or(o.MaxTargets, 16)
	o.Slow = cmp.Or(o.Slow, DefaultSlow)
	if o.Jitter == nil {
		o.Jitter = rand.N[time.Duration]
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// A Worker runs until its context ends.
type Worker struct {
	// workers make those of the SDK: one that did not start never does.
	workers []func() sdk.Worker
	rollout *Rollout
	log     *slog.Logger
	failed  chan error
	once    sync.Once
}

// stopTimeout is how long steps under way may take to end at a graceful stop;
// what has not ended then runs again elsewhere. The SDK waits it twice for the
// worker of runs, first for the run and then for its step, and a receiver may
// hang for longer than any stop may take.
const stopTimeout = 2 * time.Second

// runAutomation is the name of the workflow, which histories have.
const runAutomation = "RunAutomation"

// New registers everything; Run starts it.
func New(o Options) *Worker {
	o = o.withDefaults()
	steps := NewSteps(o)
	w := &Worker{failed: make(chan error, 1), rollout: o.Rollout, log: o.Log}
	common := func() sdk.Options {
		return sdk.Options{
			WorkerStopTimeout: stopTimeout,
			Interceptors:      []interceptor.WorkerInterceptor{steps},
			OnFatalError:      func(err error) { w.fail(fmt.Errorf("temporal worker: %w", err)) },
			DeploymentOptions: o.deployment(),
		}
	}
	runs := common()
	runs.MaxConcurrentLocalActivityExecutionSize = o.FirstTries
	runs.LocalActivityWorkerOnly = true
	retries := common()
	retries.MaxConcurrentActivityExecutionSize = o.Retries
	retries.DisableWorkflowWorker = true
	attempts := common()
	attempts.MaxConcurrentActivityExecutionSize = o.MaxDeliveries
	attempts.DisableWorkflowWorker = true
	mails := common()
	mails.MaxConcurrentActivityExecutionSize = o.MaxMails
	mails.DisableWorkflowWorker = true
	stores := common()
	stores.MaxConcurrentActivityExecutionSize = o.MaxTargets
	stores.DisableWorkflowWorker = true

	w.workers = []func() sdk.Worker{
		func() sdk.Worker { return newRuns(o, runs) },
		func() sdk.Worker {
			retried := sdk.New(o.Client, o.Queue+workflows.StepsQueue, retries)
			retried.RegisterActivity(o.Documents)
			retried.RegisterActivity(o.Deliveries)
			retried.RegisterActivity(o.Mails)
			retried.RegisterActivity(o.Reviews)
			retried.RegisterActivity(o.Targets)
			return retried
		},
		func() sdk.Worker {
			delivering := sdk.New(o.Client, o.Queue+workflows.DeliveriesQueue, attempts)
			delivering.RegisterActivity(o.Deliveries)
			return delivering
		},
		func() sdk.Worker {
			mailing := sdk.New(o.Client, o.Queue+workflows.MailsQueue, mails)
			mailing.RegisterActivity(o.Mails)
			mailing.RegisterActivity(o.Reviews)
			return mailing
		},
		func() sdk.Worker {
			storing := sdk.New(o.Client, o.Queue+workflows.TargetsQueue, stores)
			storing.RegisterActivity(o.Targets)
			return storing
		},
	}
	return w
}

// newRuns makes the worker of runs. A run is short, or waits a day at most: it ends
// where it began. A delivery goes on for days, a mail or a storing for one, and a review for months, so that
// their code moves under them: a change of their commands is guarded by workflow.GetVersion.
func newRuns(o Options, options sdk.Options) sdk.Worker {
	main := sdk.New(o.Client, o.Queue, options)
	main.RegisterWorkflowWithOptions(workflows.RunAutomation, workflow.RegisterOptions{Name: runAutomation, VersioningBehavior: workflow.VersioningBehaviorPinned})
	main.RegisterWorkflowWithOptions(workflows.DeliverEvent, workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
	main.RegisterWorkflowWithOptions(workflows.DeliverMail, workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
	main.RegisterWorkflowWithOptions(workflows.DeliverFiles, workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
	main.RegisterWorkflowWithOptions(workflows.AwaitReview, workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
	// Local activities are looked up on the worker that runs the workflow.
	main.RegisterActivity(o.Documents)
	main.RegisterActivity(o.Deliveries)
	main.RegisterActivity(o.Mails)
	main.RegisterActivity(o.Reviews)
	main.RegisterActivity(o.Targets)
	return main
}

func (o Options) deployment() sdk.DeploymentOptions {
	if o.Rollout == nil {
		return sdk.DeploymentOptions{}
	}
	return sdk.DeploymentOptions{UseVersioning: true, Version: Deployment{Queue: o.Queue}.version(o.Rollout.Build)}
}

func (w *Worker) fail(err error) {
	w.once.Do(func() { w.failed <- err })
}

// Run works until ctx ends, then lets steps under way finish for a few
// seconds. It calls ready when it polls, and its build has taken its place
// among others; it returns an error when the worker cannot start or go on.
func (w *Worker) Run(ctx context.Context, ready func()) error {
	var started []sdk.Worker
	defer func() {
		// All at once: each waits for its own steps.
		var stopped sync.WaitGroup
		for _, worker := range started {
			stopped.Go(worker.Stop)
		}
		stopped.Wait()
	}()
	for _, build := range w.workers {
		worker, err := w.start(ctx, build)
		if err != nil {
			return err
		}
		if worker != nil {
			started = append(started, worker)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if w.rollout != nil {
		leave, err := w.rollout.join(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("take a place among the builds: %w", err)
		}
		defer leave()
	}
	ready()
	select {
	case <-ctx.Done():
		return nil
	case err := <-w.failed:
		return err
	}
}

// startAgain is the pause between two tries to start.
const startAgain = time.Second

// start has a worker poll. Temporal answered this process before, so that it is waited
// for where it does not answer now, as it is later. It returns nil if ctx ends first.
func (w *Worker) start(ctx context.Context, build func() sdk.Worker) (sdk.Worker, error) {
	for {
		worker := build()
		err := worker.Start()
		if err == nil {
			return worker, nil
		}
		if !isAway(err) {
			return nil, fmt.Errorf("start temporal worker: %w", err)
		}
		w.log.Warn("Temporal does not answer the worker that starts; it tries again", "error", err)
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(startAgain):
		}
	}
}

// isAway tells whether Temporal may answer later.
func isAway(err error) bool {
	switch serviceerror.ToStatus(err).Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}

// RunWithDispatch works and dispatches until ctx ends or one of the two fails.
// Dispatch stops first, so that nothing is started that nobody would run.
func RunWithDispatch(ctx context.Context, w *Worker, d *dispatch.Dispatcher, ready func()) error {
	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorking()
	dispatching, stopDispatching := context.WithCancel(ctx)
	defer stopDispatching()
	worked := make(chan error, 1)
	go func() {
		defer stopDispatching()
		worked <- w.Run(working, func() {
			d.Ready()
			ready()
		})
	}()
	dispatched := d.Run(dispatching)
	stopWorking()
	return errors.Join(dispatched, <-worked)
}
