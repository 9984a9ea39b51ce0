package activities

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// Deliveries sends events. Its methods are the activities of DeliverEvent and
// of the first attempt inside RunAutomation; what they do, and how it may run
// twice, stands at the methods of the Deliverer.
type Deliveries struct {
	Deliverer *delivery.Deliverer
}

// SendInput names the attempt, as delivery.Due has it.
type SendInput struct {
	EventID string
	Attempt int // from 1
	Before  int
	InRun   bool
	Waited  time.Duration
}

// SendResult says what comes next, as delivery.Result has it.
type SendResult struct {
	Delivered bool
	Ended     bool
	Held      bool
	Postponed bool
	Wait      time.Duration
	Status    int
}

// SendEvent makes one attempt to deliver an event, if its endpoint may be tried.
func (d *Deliveries) SendEvent(ctx context.Context, in SendInput) (SendResult, error) {
	result, err := d.Deliverer.Attempt(ctx, delivery.Due(in))
	return SendResult(result), err
}

// AskEndpoint asks for a place at the event's endpoint, for an attempt that is
// to be made at once.
func (d *Deliveries) AskEndpoint(ctx context.Context, in SendInput) (SendResult, error) {
	result, err := d.Deliverer.Reserve(ctx, delivery.Due(in))
	return SendResult(result), err
}

// HoldCancelled holds an event whose delivery was cancelled in Temporal.
func (d *Deliveries) HoldCancelled(ctx context.Context, in SendInput) error {
	return d.Deliverer.Hold(ctx, delivery.Due(in), platen.CodeDeliveryCancelled)
}
