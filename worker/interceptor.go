package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// Steps is the edge between activities and Temporal: it beats for long steps,
// parks runs that wait for one, logs failures with their cause, and hands Temporal
// only what may stand in a history – the code and the words for the integrator.
type Steps struct {
	interceptor.WorkerInterceptorBase
	log     *slog.Logger
	parking Parking       // nil: no run is parked
	slow    time.Duration // after which a first attempt counts as a wait
	shares  *shares
	jitter  func(n time.Duration) time.Duration
	trace   func(ctx context.Context, automationID, step string) (context.Context, func(error))
}

// NewSteps returns the edge of a worker with these options.
func NewSteps(o Options) *Steps {
	o = o.withDefaults()
	return &Steps{log: o.Log, parking: o.Parking, slow: o.Slow, shares: newShares(o.Retries), jitter: o.Jitter, trace: o.Trace}
}

// InterceptActivity puts the edge around the activities of a worker.
func (s *Steps) InterceptActivity(ctx context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &stepInbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, Steps: s}
}

type stepInbound struct {
	interceptor.ActivityInboundInterceptorBase
	*Steps
}

func (s *stepInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if info.HeartbeatTimeout > 0 {
		stop := beat(ctx, info.HeartbeatTimeout/3)
		defer stop()
	}
	run := info.WorkflowExecution.ID
	if s.trace == nil || !strings.HasPrefix(run, platen.PrefixAutomation) { // deliveries have spans of their own
		return s.Attempt(ctx, info, in, func(ctx context.Context) (any, error) { return s.Next.ExecuteActivity(ctx, in) })
	}
	ctx, end := s.trace(ctx, run, info.ActivityType.Name)
	result, err := s.Attempt(ctx, info, in, func(ctx context.Context) (any, error) { return s.Next.ExecuteActivity(ctx, in) })
	end(err)
	return result, err
}

// Attempt makes one attempt of a step, which Temporal describes by info and in,
// and parks its run while it waits. The error is the one that Temporal may keep.
func (s *Steps) Attempt(ctx context.Context, info activity.Info, in *interceptor.ExecuteActivityInput, step func(context.Context) (any, error)) (any, error) {
	w := s.newAttempt(info, in)
	if w.needsShare() {
		giveBack, ok := s.shares.take(info.Priority.FairnessKey, w.workflow)
		if !ok {
			return nil, historyError(s.noShare(), false)
		}
		defer giveBack()
	}
	result, err := s.attempt(ctx, w, step)
	if err == nil {
		return result, nil
	}
	log := s.log.With("step", info.ActivityType.Name, "run", info.WorkflowExecution.ID, "attempt", info.Attempt, "local", info.IsLocalActivity)
	if panicked, ok := errors.AsType[*stepPanic](err); ok {
		log.Error("step panicked", "type", panicked.of, "stack", string(panicked.stack))
	} else {
		log.Warn("step failed", "error", err)
	}
	return result, historyError(err, w == nil && isLastAttempt(info, err))
}

// attempt makes one attempt of a step; its run is parked while it waits.
func (s *Steps) attempt(ctx context.Context, w *stepAttempt, step func(context.Context) (any, error)) (any, error) {
	if w == nil {
		return execute(ctx, step)
	}
	w.begin(ctx, s.slow)
	within, cancel := w.within(ctx)
	defer cancel()
	result, err := execute(within, step)
	if err = w.end(ctx, w.explain(within, err)); err != nil {
		return nil, err
	}
	return result, nil
}

// execute turns a panic of the step into an error: the SDK would put its value
// and its stack into the history.
func execute(ctx context.Context, step func(context.Context) (any, error)) (result any, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, &stepPanic{of: fmt.Sprintf("%T", value), stack: debug.Stack()}
		}
	}()
	return step(ctx)
}

// A stepPanic is a panic without its value, which may quote the source data.
type stepPanic struct {
	of    string // the type of the value
	stack []byte
}

func (p *stepPanic) Error() string { return "panic of type " + p.of }

// panicTries is how often a step that panics is tried again: it does so each
// time, or a bug passed by chance.
const panicTries = 3

// isLastAttempt tells whether a failed attempt of a step for which no run is parked is the
// last, because it panicked. The first attempt, a local one, never is.
func isLastAttempt(info activity.Info, err error) bool {
	_, panicked := errors.AsType[*stepPanic](err)
	return panicked && !info.IsLocalActivity && info.Attempt >= panicTries
}

// beat records a heartbeat every interval until it is stopped.
func beat(ctx context.Context, interval time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// messageInternal is for the integrator: it says nothing that the log does not.
const messageInternal = "A step failed for a reason on our side: report it, and retry the automation when it is cured."

// failureOf returns the error of ours in err's chain; one that nobody foresaw is
// our fault.
func failureOf(err error) *platen.Error {
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return e
	}
	return &platen.Error{Kind: platen.KindInternal, Code: platen.CodeInternal, Message: messageInternal}
}

// historyError returns what Temporal may keep of an error: never its text, which is for
// the log and may name our addresses. last: no attempt follows, for any kind.
func historyError(err error, last bool) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled // the SDK tells a cancelled step by it
	}
	e := failureOf(err)
	return temporal.NewApplicationErrorWithOptions(e.Message, e.Code, temporal.ApplicationErrorOptions{
		NonRetryable:   last || !activities.MayPass(e),
		NextRetryDelay: e.RetryAfter,
	})
}
