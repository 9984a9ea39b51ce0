package app

import (
	"context"

	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
)

// tracedAcceptor begins the trace of each automation.
type tracedAcceptor struct {
	hooks.Acceptor
	traces *telemetry.Traces
}

func (a tracedAcceptor) Accept(ctx context.Context, e platen.SourceEvent) error {
	ctx, end := a.traces.Accept(ctx, e.AutomationID, e.RequestID)
	err := a.Acceptor.Accept(ctx, e)
	end(err)
	return err
}

// tracedStarter has a span for each start of a run.
type tracedStarter struct {
	dispatch.Starter
	traces *telemetry.Traces
}

func (s tracedStarter) Start(ctx context.Context, a platen.Automation) error {
	ctx, end := s.traces.Below(ctx, a.ID, "dispatch")
	err := s.Starter.Start(ctx, a)
	end(err)
	return err
}

// tracedSender has a span for each attempt to deliver an event.
type tracedSender struct {
	delivery.Sender
	traces *telemetry.Traces
}

func (s tracedSender) Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	ctx, end := s.traces.Send(ctx, e.AutomationID, e.ID, attempt)
	made, err := s.Sender.Send(ctx, e, to, attempt)
	end(made.Status, err == nil && made.Failure == "")
	return made, err
}
