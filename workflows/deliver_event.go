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
	Held        = "HELD"
)

// Types of the errors of deliveries that were given up, and of those of events
// that are held because nothing is sent to their endpoint.
const (
	UndeliveredType = "Undelivered"
	HeldType        = "Held"
)

// DeliverEventInput names the event, the attempt to begin with, how many
// attempts belong to deliveries before these, how long to wait, and how long
// the event has waited for its endpoint already.
type DeliverEventInput struct {
	EventID string
	Owner   string
	Attempt int
	Before  int
	Wait    time.Duration
	Waited  time.Duration
	// Asks: a local step asks for a place at the endpoint before the regular
	// one that needs it. Runs that were started without do not know the step.
	Asks bool
}

// DeliverEvent sends an event until the receiver has it, says that it is gone,
// or every attempt of the schedule has failed. The waits are durable timers.
//
// An attempt whose endpoint has no place for it is not made and does not count:
// it waits for its turn. How long an event may wait altogether is bounded by
// the activity, which then holds it. Asking for the place is a local step, which
// costs a fifth of a regular one: a thousand events may wait for one endpoint.
//
// Cancelling it holds the event, which the integrator can recover.
func DeliverEvent(ctx workflow.Context, in DeliverEventInput) error {
	err := in.deliver(ctx)
	if temporal.IsCanceledError(err) {
		if held := in.hold(ctx); held != nil {
			return held
		}
	}
	return err
}

func (in *DeliverEventInput) deliver(ctx workflow.Context) error {
	for {
		if err := workflow.Sleep(ctx, in.Wait); err != nil {
			return err
		}
		sent, err := in.attempt(ctx)
		if err != nil {
			return err
		}
		switch {
		case sent.Ended:
			return end(ctx, sent)
		case sent.Postponed:
			in.Waited += sent.Wait
		default:
			in.Attempt++
		}
		in.Wait = sent.Wait
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, DeliverEvent, *in)
		}
	}
}

// attempt makes the attempt that is due, if its endpoint has a place for it.
func (in DeliverEventInput) attempt(ctx workflow.Context) (activities.SendResult, error) {
	input := activities.SendInput{EventID: in.EventID, Attempt: in.Attempt, Before: in.Before, Waited: in.Waited}
	if in.Asks {
		var asked activities.SendResult
		summary := fmt.Sprintf("ask the endpoint for attempt %d", in.Attempt)
		// An ask that failed is no answer: the attempt asks again.
		if err := ofQuestions.first(ctx, summary, deliveries.AskEndpoint, input, &asked); err == nil && (asked.Postponed || asked.Ended) {
			return asked, nil
		}
	}
	var sent activities.SendResult
	summary := fmt.Sprintf("deliver the event, attempt %d", in.Attempt)
	err := ofDeliveries.regular(ctx, summary, in.Owner, deliveries.SendEvent, input, &sent)
	return sent, err
}

// hold is what is left to do for an event whose delivery was cancelled.
// Deliveries that ended so before it was done do not know the step.
func (in DeliverEventInput) hold(ctx workflow.Context) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if workflow.GetVersion(ctx, "hold-cancelled", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	input := activities.SendInput{EventID: in.EventID, Attempt: in.Attempt, Before: in.Before}
	if err := ofRecords.step(ctx, "hold the event: its delivery was cancelled", in.Owner, deliveries.HoldCancelled, input, nil); err != nil {
		return err
	}
	return workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(Held))
}

func end(ctx workflow.Context, sent activities.SendResult) error {
	outcome := Undelivered
	switch {
	case sent.Delivered:
		outcome = Delivered
	case sent.Held:
		outcome = Held
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(outcome)); err != nil {
		return err
	}
	switch outcome {
	case Held:
		return temporal.NewNonRetryableApplicationError("nothing is sent to the endpoint; the event is held until somebody recovers it", HeldType, nil)
	case Undelivered:
		return temporal.NewNonRetryableApplicationError("the receiver did not take the event", UndeliveredType, nil)
	}
	return nil
}
