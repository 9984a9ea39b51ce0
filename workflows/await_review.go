package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
)

// ReviewWorkflowID is the id of AwaitReview for an output.
func ReviewWorkflowID(outputID string) string { return "review-" + outputID }

// ReviewSignal has AwaitReview look again, because something was decided or begins once more.
const ReviewSignal = "look"

// AwaitReviewInput names the output that waits for people.
type AwaitReviewInput struct {
	Step  activities.Step
	Owner string
}

// AwaitReview looks after an output that waits for people who approve it, until they have
// decided or their time is over: a timer for each mail and for the end. The run that made
// the output has ended, and the decision starts another. What is due is in the store, so
// that looking once too often changes nothing.
func AwaitReview(ctx workflow.Context, in AwaitReviewInput) error {
	looks := workflow.GetSignalChannel(ctx, ReviewSignal)
	for {
		for looks.ReceiveAsync(nil) {
		}
		var next activities.ReviewResult
		if err := ofReviews.step(ctx, "look after the review", in.Owner, reviews.TendReview, activities.ReviewInput{Step: in.Step}, &next); err != nil {
			return err
		}
		if next.Ended && looks.Len() == 0 {
			return nil
		}
		if next.Ended {
			continue
		}
		if err := sleepUntilLook(ctx, looks, next.Wait); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, AwaitReview, in)
		}
	}
}

// sleepUntilLook returns after a while, or when the review is to be looked at. Who cancels
// the run in Temporal ends the reminders; the worker that finds the review overdue begins
// another.
func sleepUntilLook(ctx workflow.Context, looks workflow.ReceiveChannel, wait time.Duration) error {
	until := workflow.Now(ctx).Add(wait)
	workflow.SetCurrentDetails(ctx, "Waits for those who approve the output. The next mail, or the end, is due at "+until.UTC().Format(time.RFC3339)+".")
	defer workflow.SetCurrentDetails(ctx, "")
	waiting, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimerWithOptions(waiting, wait, workflow.TimerOptions{Summary: "what is due next"})
	s := workflow.NewSelector(ctx)
	s.AddFuture(timer, func(workflow.Future) {})
	s.AddReceive(looks, func(workflow.ReceiveChannel, bool) {})
	s.Select(ctx)
	if ctx.Err() != nil {
		return temporal.NewCanceledError()
	}
	return nil
}
