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

// RedeliverUpdate is the update that has a delivery under way begin again, with a
// Redelivery. A delivery that ends refuses it by an error of EndsType.
const (
	RedeliverUpdate = "redeliver"
	EndsType        = "Ends"
)

// A Redelivery names the attempt to begin with and how many belong to deliveries before.
type Redelivery struct {
	Attempt, Before int
}

// DeliverEventInput names the event, the attempt to begin with, how many
// attempts belong to deliveries before these, how long to wait, and how long
// the event has waited for its endpoint already.
type DeliverEventInput struct {
	EventID string
	Owner   string
	Attempt int
	Before  int
	Wait    time.Duration
	// Begins says Attempt and Wait in words for readers of Temporal's UI, which shows
	// durations in nanoseconds.
	Begins string `json:",omitempty"`
	Waited time.Duration
}

// DeliverEvent sends an event until the receiver has it, says that it is gone,
// or every attempt of the schedule has failed. The waits are durable timers.
//
// If the endpoint has no free place, the attempt is not made and does not count: it
// waits for its turn. The activity bounds the total wait of an event and then holds it.
// Asking for the place is a local activity, at a fifth of the cost of a regular one: a
// thousand events may wait for one endpoint.
//
// A redelivery replaces the attempts to come, in the same run. The activity records the
// outcome of an attempt in progress, which ends nothing.
//
// Cancelling it holds the event, which the integrator can recover.
func DeliverEvent(ctx workflow.Context, in DeliverEventInput) error {
	d := delivery{DeliverEventInput: in}
	err := workflow.SetUpdateHandlerWithOptions(ctx, RedeliverUpdate, d.redeliver, workflow.UpdateHandlerOptions{
		Validator:   d.redelivers,
		Description: "Begin again with the attempt that is named, now.",
	})
	if err != nil {
		return err
	}
	err = d.deliver(ctx)
	d.ends = true
	if temporal.IsCanceledError(err) {
		if held := d.hold(ctx); held != nil {
			return held
		}
	}
	return err
}

// A delivery is one under way.
type delivery struct {
	DeliverEventInput
	again bool // a redelivery is to begin
	ends  bool
}

func (d *delivery) redelivers(Redelivery) error {
	if d.ends {
		return temporal.NewApplicationError("the delivery ends", EndsType)
	}
	return nil
}

func (d *delivery) redeliver(_ workflow.Context, r Redelivery) error {
	d.Attempt, d.Before, d.Wait, d.Waited, d.again = r.Attempt, r.Before, 0, 0, true
	return nil
}

func (d *delivery) deliver(ctx workflow.Context) error {
	for {
		if err := d.wait(ctx); err != nil {
			return err
		}
		d.again = false
		sent, err := d.attempt(ctx)
		switch {
		case d.again && !temporal.IsCanceledError(err):
			continue
		case err != nil:
			return err
		case sent.Ended:
			return end(ctx, sent)
		case sent.Postponed:
			d.Waited += sent.Wait
		default:
			d.Attempt++
		}
		d.Wait = sent.Wait
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			d.Begins = begins(d.Attempt, d.Wait)
			return workflow.NewContinueAsNewError(ctx, DeliverEvent, d.DeliverEventInput)
		}
	}
}

// wait returns when the next attempt is due, or a redelivery begins.
func (d *delivery) wait(ctx workflow.Context) error {
	if d.Wait <= 0 {
		return nil
	}
	waiting, stop := workflow.WithCancel(ctx)
	defer stop()
	summary := begins(d.Attempt, d.Wait)
	workflow.SetCurrentDetails(ctx, "Waits for its next attempt: "+summary+", which is due at "+workflow.Now(ctx).Add(d.Wait).UTC().Format(time.RFC3339)+".")
	defer workflow.SetCurrentDetails(ctx, "")
	timer := workflow.NewTimerWithOptions(waiting, d.Wait, workflow.TimerOptions{Summary: summary})
	if err := workflow.Await(ctx, func() bool { return timer.IsReady() || d.again }); err != nil {
		return err
	}
	if timer.IsReady() {
		return timer.Get(ctx, nil)
	}
	return nil
}

// begins says in words which attempt is the next, and after how long.
func begins(attempt int, wait time.Duration) string {
	if wait <= 0 {
		return fmt.Sprintf("attempt %d now", attempt)
	}
	if wait > time.Second {
		wait = wait.Round(time.Second)
	}
	return fmt.Sprintf("attempt %d after %v", attempt, wait)
}

// attempt makes the attempt that is due, if its endpoint has a place for it.
func (in DeliverEventInput) attempt(ctx workflow.Context) (activities.SendResult, error) {
	input := activities.SendInput{EventID: in.EventID, Attempt: in.Attempt, Before: in.Before, Waited: in.Waited}
	var asked activities.SendResult
	summary := fmt.Sprintf("ask the endpoint for attempt %d", in.Attempt)
	// An ask that failed is no answer: the attempt asks again.
	if err := ofQuestions.first(ctx, summary, deliveries.AskEndpoint, input, &asked); err == nil && (asked.Postponed || asked.Ended) {
		return asked, nil
	}
	var sent activities.SendResult
	summary = fmt.Sprintf("deliver the event, attempt %d", in.Attempt)
	err := ofDeliveries.regular(ctx, summary, in.Owner, deliveries.SendEvent, input, &sent)
	return sent, err
}

// hold is what is left to do for an event whose delivery was cancelled.
func (in DeliverEventInput) hold(ctx workflow.Context) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
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
