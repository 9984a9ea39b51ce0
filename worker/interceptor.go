package worker

import (
	"context"
	"errors"
	"log/slog"
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
	result, err := s.Next.ExecuteActivity(ctx, in)
	if err == nil {
		return result, nil
	}
	s.log.Warn("step failed", "step", info.ActivityType.Name, "run", info.WorkflowExecution.ID,
		"attempt", info.Attempt, "local", info.IsLocalActivity, "error", err)
	return result, historyError(err)
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

// historyError returns what Temporal may keep of an error: never its text,
// which is for the log and may name addresses of ours.
func historyError(err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled // the SDK tells a cancelled step by it
	}
	var e *platen.Error
	if !errors.As(err, &e) {
		return temporal.NewApplicationError("internal error", "internal")
	}
	return temporal.NewApplicationErrorWithOptions(e.Message, e.Code, temporal.ApplicationErrorOptions{
		NonRetryable:   !activities.Retryable(e.Kind),
		NextRetryDelay: e.RetryAfter,
	})
}
