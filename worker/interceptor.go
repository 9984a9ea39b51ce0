package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/activities"
)

// A stepInterceptor is the edge between activities and Temporal: it beats for
// long steps, logs failures with their cause, and hands Temporal only what may
// stand in a history – the code and the words for the integrator.
type stepInterceptor struct {
	interceptor.WorkerInterceptorBase
	log *slog.Logger
}

func (s *stepInterceptor) InterceptActivity(ctx context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &stepInbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, log: s.log}
}

type stepInbound struct {
	interceptor.ActivityInboundInterceptorBase
	log *slog.Logger
}

func (s *stepInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if info.HeartbeatTimeout > 0 {
		stop := beat(ctx, info.HeartbeatTimeout/3)
		defer stop()
	}
	result, err := s.execute(ctx, in)
	if err == nil {
		return result, nil
	}
	log := s.log.With("step", info.ActivityType.Name, "run", info.WorkflowExecution.ID, "attempt", info.Attempt, "local", info.IsLocalActivity)
	if panicked, ok := errors.AsType[*stepPanic](err); ok {
		log.Error("step panicked", "type", panicked.of, "stack", string(panicked.stack))
	} else {
		log.Warn("step failed", "error", err)
	}
	return result, historyError(err, lastTry(info, err))
}

// execute turns a panic of the step into an error: the SDK would put its value
// and its stack into the history.
func (s *stepInbound) execute(ctx context.Context, in *interceptor.ExecuteActivityInput) (result any, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, &stepPanic{of: fmt.Sprintf("%T", value), stack: debug.Stack()}
		}
	}()
	return s.Next.ExecuteActivity(ctx, in)
}

// A stepPanic is a panic without its value, which may quote the source data.
type stepPanic struct {
	of    string // the type of the value
	stack []byte
}

func (p *stepPanic) Error() string { return "panic of type " + p.of }

// A step that panics does so each time, or a bug passed by chance: three tries
// tell. An error that nobody foresaw may pass: ten tries take eight minutes.
const (
	panicTries    = 3
	internalTries = 10
)

// lastTry tells whether a failed try is the last because the fault is ours.
// The first try, a local one, never is. Any step may panic without end; but an
// error that nobody foresaw is the last of a step alone that is given up at
// some time: what has to be recorded waits until we have cured the fault.
func lastTry(info activity.Info, err error) bool {
	switch _, panicked := errors.AsType[*stepPanic](err); {
	case info.IsLocalActivity:
		return false
	case panicked:
		return info.Attempt >= panicTries
	}
	return platen.KindOf(err) == platen.KindInternal && info.ScheduleToCloseTimeout > 0 && info.Attempt >= internalTries
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

// historyError returns what Temporal may keep of an error: never its text,
// which is for the log and may name addresses of ours. last: there is no other
// try, whatever the kind.
func historyError(err error, last bool) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled // the SDK tells a cancelled step by it
	}
	var e *platen.Error
	if !errors.As(err, &e) {
		e = &platen.Error{Kind: platen.KindInternal, Code: platen.CodeInternal, Message: messageInternal}
	}
	return temporal.NewApplicationErrorWithOptions(e.Message, e.Code, temporal.ApplicationErrorOptions{
		NonRetryable:   last || !activities.Retryable(e.Kind),
		NextRetryDelay: e.RetryAfter,
	})
}
