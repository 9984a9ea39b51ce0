package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
)

// Outcomes of a delivery, the values of OutcomeAttribute on DeliverEvent.
const (
	Delivered   = "DELIVERED"
	Undelivered = "UNDELIVERED"
)

// UndeliveredType is the type of the error of a delivery that was given up.
const UndeliveredType = "Undelivered"

// DeliverEventInput names the event, the attempt to begin with, how many
// attempts belong to deliveries before these, and how long to wait.
type DeliverEventInput struct {
	EventID string
	Owner   string
	Attempt int
	Before  int
	Wait    time.Duration
}

// DeliverEvent sends an event until the receiver has it, says that it is gone,
// or every attempt of the schedule has failed. The waits are durable timers.
func DeliverEvent(ctx workflow.Context, in DeliverEventInput) error {
	wait := in.Wait
	for attempt := in.Attempt; ; attempt++ {
		if err := workflow.Sleep(ctx, wait); err != nil {
			return err
		}
		var sent activities.SendResult
		summary := fmt.Sprintf("deliver the event, attempt %d", attempt)
		err := ofDeliveries.regular(ctx, summary, in.Owner, deliveries.SendEvent, activities.SendInput{EventID: in.EventID, Attempt: attempt, Before: in.Before}, &sent)
		if err != nil {
			return err
		}
		if sent.Ended {
			return end(ctx, sent.Delivered)
		}
		wait = sent.Wait
	}
}

func end(ctx workflow.Context, delivered bool) error {
	outcome := Undelivered
	if delivered {
		outcome = Delivered
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(outcome)); err != nil {
		return err
	}
	if !delivered {
		return temporal.NewNonRetryableApplicationError("the receiver did not take the event", UndeliveredType, nil)
	}
	return nil
}
