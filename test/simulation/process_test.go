package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rebuild"
	"github.com/platenhq/platen/worker"
)

// A process is a worker with dispatch and maintenance beside it: the product's
// code over the simulated parts. One that has crashed reaches nothing any more.
type process struct {
	w          *harness
	name       string
	dead       bool
	ctx        context.Context
	stop       context.CancelFunc
	steps      *worker.Steps
	memory     *memory
	documents  *activities.Documents
	deliveries *activities.Deliveries
	reviews    *activities.Reviews

	mu       sync.Mutex
	wake     func(platen.Waking)
	attempts map[int]context.CancelFunc // of regular activities, by token
	sending  map[string]int             // attempts under way to deliver, by event
}

var silent = slog.New(slog.DiscardHandler)

// begin starts a process.
func (w *harness) begin(name string) *process {
	p := &process{w: w, name: name, attempts: map[int]context.CancelFunc{}, memory: newMemory()}
	p.ctx, p.stop = context.WithCancel(w.ctx)
	db := w.planted.database(database{w, p, p.memory})
	breaker := w.config.breaker
	breaker.Jitter = w.jitter
	p.steps = worker.NewSteps(worker.Options{Parking: db, Slow: slow, Log: silent, Jitter: w.jitter})
	p.documents = &activities.Documents{
		Automations: db, Plans: db, Outputs: db, Reviews: db, Receivers: db, Protector: protector{},
		Drives: func(_ context.Context, owner string) (activities.Drive, error) {
			return driveClient{w, p, owner}, nil
		},
	}
	p.reviews = &activities.Reviews{Documents: p.documents, Store: db, Server: postman{w, p}, Link: linkOf}
	p.deliveries = &activities.Deliveries{Deliverer: &delivery.Deliverer{
		Events: db, Endpoints: db, Sender: sender{w, p}, Breaker: breaker, Schedule: w.config.schedule, Log: silent,
	}}
	starter := &worker.Starter{Client: temporalClient{w: w, p: p}}
	c := w.config
	options := dispatch.Options{
		Queue: db, Running: db, Automations: db, Starter: starter, Outbox: db, Runs: starter, Endpoints: db, Refuses: breaker.RefusesFor, Deliveries: db,
		Worker: name, Carries: c.carries, Places: c.places, Poll: w.pace.poll, FullPoll: w.pace.poll / 4, ReconcileEvery: w.pace.reconcileEvery, EventOverdueAfter: c.eventOverdueAfter, Log: silent,
	}
	options.Rebuilder = rebuild.Rebuilder{Automations: db, Plans: db, Outputs: db, Parking: db, Drives: func(_ context.Context, owner string) (rebuild.Drive, error) {
		return driveClient{w, p, owner}, nil
	}}
	if w.pace.registers {
		options.Workers = db
	}
	if c.ordered {
		options.Order = db
	}
	d := dispatch.New(options)
	w.spawn(func() { _ = d.Run(p.ctx) })
	w.spawn(func() {
		var outputs maintenance.EndedOutputs = db
		switch direct := (database{w, p, p.memory}); {
		case w.planted.sweepsTold:
			outputs = blindSweep{direct}
		case w.planted.sweepsNone:
			outputs = idleSweep{direct}
		}
		jobs := []maintenance.Job{maintenance.SweepOutputs(outputs, db, func(_ context.Context, owner string) (maintenance.OutputDrive, error) {
			if w.planted.sweepsTold {
				return blindDrive{driveClient{w, p, owner}}, nil
			}
			return driveClient{w, p, owner}, nil
		}, d, c.sweepAfter)}
		if c.approved {
			jobs = append(jobs, maintenance.WakeReviews(db))
		}
		stop := maintenance.Start(p.ctx, silent, jobs...)
		<-p.ctx.Done()
		stop()
	})
	w.processes = append(w.processes, p)
	w.trace.say(w.scheduler, name+" starts")
	w.server.giveAll()
	return p
}

// crash ends a process: what it does from now on reaches nothing. Another takes
// its place after a while.
func (p *process) crash() {
	if p.dead {
		return
	}
	p.dead = true
	p.stop()
	p.w.server.crashed(p)
	next := p.name + "'"
	p.w.later(p.w.duration("restart ", p.name, time.Second, 20*time.Second), "restart", func() {
		switch {
		case p.w.over:
		case p.w.config.rollsOut:
			p.w.beginWorker(next)
		default:
			p.w.begin(next)
		}
	})
}

func (p *process) listen(wake func(platen.Waking)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake = wake
}

// notify tells a process that there may be something to claim.
func (p *process) notify(why platen.Waking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wake != nil {
		p.wake(why)
	}
}

// runTask makes one task of a run, which is a copy of the server's.
func (p *process) runTask(r *run) {
	f := newFlow(r, func(name string, preset preset, input any) outcome { return p.first(r, name, preset, input) })
	f.finishFirst = p.w.planted.finishFirst
	p.w.spawn(func() {
		var extending *time.Timer
		const apart = 4 * time.Second // of five that a task has
		extending = time.AfterFunc(apart, func() {
			f.mu.Lock()
			known := make(map[string]record, len(f.known))
			for key, one := range f.known {
				known[key] = one
			}
			f.mu.Unlock()
			ok := false
			err := p.w.do(p.ctx, p, partTemporal, "extends the task of", r.id, func() error {
				ok = p.w.server.extendTask(r.id, r.task, known)
				return nil
			})
			if err == nil && ok {
				extending.Reset(apart)
			}
		})
		a := f.task()
		extending.Stop()
		_ = p.w.do(p.ctx, p, partTemporal, "completes the task of", r.id, func() error {
			p.w.server.completeTask(r.id, r.task, a)
			return nil
		})
	})
}

// first makes a step's first attempt, as a local activity. One that is not over in
// time goes on and is not waited for.
func (p *process) first(r *run, name string, preset preset, input any) outcome {
	deadline := time.Now().Add(preset.local)
	ctx, cancel := context.WithDeadline(p.ctx, deadline)
	info := activity.Info{IsLocalActivity: true, Attempt: 1, StartToCloseTimeout: preset.local}
	ended := make(chan outcome, 1)
	p.w.spawn(func() {
		ended <- p.attempt(ctx, r, info, name, input)
		cancel()
	})
	tooLate := func() bool { return !time.Now().Before(deadline) }
	select {
	case o := <-ended:
		if !tooLate() {
			return o
		}
	case <-ctx.Done():
		if !tooLate() {
			return <-ended
		}
	}
	return outcome{failed: true, timedOut: true}
}

// makeAttempt makes one attempt of a regular activity, and reports how it ended
// until the server hears it.
func (p *process) makeAttempt(r *run, a scheduled) {
	ctx, cancel := context.WithTimeout(p.ctx, a.preset.once)
	p.attempts[a.token] = cancel
	info := activity.Info{
		Attempt: a.attempt, StartToCloseTimeout: a.preset.once, ScheduleToCloseTimeout: a.preset.all, RetryPolicy: &a.preset.retry, HeartbeatTimeout: heartbeat,
	}
	info.Priority.FairnessKey = a.owner
	p.w.spawn(func() {
		defer cancel()
		o := p.attempt(ctx, r, info, a.name, a.input)
		for range 10 {
			err := p.w.do(p.ctx, p, partTemporal, "reports "+a.name+" of", subject(a.input), func() error {
				p.w.server.completeActivity(r.id, a.key, a.token, o)
				return nil
			})
			if err == nil || p.ctx.Err() != nil {
				return
			}
			time.Sleep(2 * time.Second)
		}
	})
}

// cancelAttempt is what the answer to a heartbeat says.
func (p *process) cancelAttempt(token int) {
	if cancel := p.attempts[token]; cancel != nil {
		cancel()
	}
}

// attempt makes one attempt of a step as package worker does.
func (p *process) attempt(ctx context.Context, r *run, info activity.Info, name string, input any) outcome {
	info.WorkflowType, info.ActivityType = &workflow.Type{Name: r.workflow}, activity.Type{Name: name}
	info.WorkflowExecution.ID = r.id
	ctx = withStep(ctx, name, subject(input))
	if p.w.chance(p.name, " forgets "+name+subject(input)+strconv.FormatInt(int64(p.w.since()), 36), 0.01) {
		p.memory.forget()
	}
	result, err := p.steps.Attempt(ctx, info, &interceptor.ExecuteActivityInput{Args: []any{input}}, func(ctx context.Context) (any, error) {
		return p.activity(ctx, name, input)
	})
	var application *temporal.ApplicationError
	switch {
	case err == nil:
		return outcome{result: result}
	case errors.Is(err, context.Canceled):
		return outcome{failed: true, canceled: true}
	case errors.As(err, &application):
		return outcome{failed: true, code: application.Type(), message: application.Message(), nonRetryable: application.NonRetryable(), retryAfter: application.NextRetryDelay()}
	}
	return outcome{failed: true}
}

// subject is the id of what a step is about.
func subject(input any) string {
	switch in := input.(type) {
	case activities.Step:
		return in.OutputID
	case activities.FailureInput:
		return in.OutputID
	case activities.ReviewInput:
		return in.OutputID
	case activities.SendInput:
		return in.EventID
	case activities.LoadPlanInput:
		return in.AutomationID
	case activities.FinishInput:
		return in.AutomationID
	case activities.FailInput:
		return in.AutomationID
	}
	return ""
}

// sends counts an attempt to deliver an event.
func (p *process) sends(eventID string, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sending == nil {
		p.sending = map[string]int{}
	}
	p.sending[eventID] += by
}

// activity calls an activity by its name in histories.
func (p *process) activity(ctx context.Context, name string, input any) (any, error) {
	d, e := p.documents, p.deliveries
	switch in := input.(type) {
	case activities.LoadPlanInput:
		return d.LoadPlan(ctx, in)
	case activities.FinishInput:
		return d.FinishAutomation(ctx, in)
	case activities.FailInput:
		return d.FailAutomation(ctx, in)
	case activities.FailureInput:
		return d.RecordFailure(ctx, in)
	case activities.ReviewInput:
		return p.reviews.TendReview(ctx, in)
	case activities.SendInput:
		switch name {
		case "SendEvent":
			p.sends(in.EventID, 1)
			defer p.sends(in.EventID, -1)
			return e.SendEvent(ctx, in)
		case "AskEndpoint":
			return e.AskEndpoint(ctx, in)
		case "HoldCancelled":
			return nil, e.HoldCancelled(ctx, in)
		}
	case activities.Step:
		switch name {
		case "CopyTemplate":
			return d.CopyTemplate(ctx, in)
		case "FillTags":
			return d.FillTags(ctx, in)
		case "FillAppendices":
			return d.FillAppendices(ctx, in)
		case "MakePDF":
			return d.MakePDF(ctx, in)
		case "RemoveOriginal":
			return d.RemoveOriginal(ctx, in)
		case "ReleaseOutput":
			return nil, p.reviews.ReleaseOutput(ctx, in)
		case "RecordOutput":
			return d.RecordOutput(ctx, in)
		case "TrashLeftovers":
			return d.TrashLeftovers(ctx, in)
		}
	}
	return nil, fmt.Errorf("no activity %s takes %T", name, input)
}
