package workflows

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// Queues beside the one that runs are started on: steps that did not succeed
// at once wait on the first, attempts to deliver on the second, so that a
// receiver that hangs takes no place from documents. Package worker polls
// them under the same names.
const (
	StepsQueue      = "-steps"
	DeliveriesQueue = "-deliveries"
	// MailsQueue is where mails wait for a mail server that did not take them at once.
	MailsQueue = "-mails"
	// TargetsQueue is where outputs wait to be stored at targets.
	TargetsQueue = "-targets"
)

// A preset says how a step runs: once as a local activity, which costs a
// tenth of a regular one, and when that fails for a reason that may pass, as a
// regular activity that is retried.
type preset struct {
	queue string
	// cancellable: a run that is cancelled does not begin the step any more and
	// gives up waiting for it. Bookkeeping is done even then.
	cancellable bool
	// local bounds the first attempt. A worker's death costs at most this long.
	local time.Duration
	// once bounds one later attempt, all bounds all of them together.
	once, all time.Duration
	retry     temporal.RetryPolicy
}

// heartbeat bounds how long a dead worker goes unnoticed; package worker
// beats for every regular activity while it runs.
const heartbeat = 10 * time.Second

// ofDocuments: drive calls take milliseconds on our drive and a second on
// Google's; exports of large files take longer and go the regular way. A day
// of retries outlasts quota windows and outages; then the document fails. What
// does not pass by itself ends sooner: activities.PatienceWith has the table.
var ofDocuments = preset{
	queue: StepsQueue, cancellable: true, local: 5 * time.Second, once: 2 * time.Minute, all: activities.Day,
	retry: temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute},
}

// ofRecords: the database is ours; what it has to record is never given up.
var ofRecords = preset{
	queue: StepsQueue, local: 5 * time.Second, once: 30 * time.Second,
	retry: temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
}

// ofDeliveries: one attempt has 15 s by the Standard Webhooks scheme, and its
// failure is a result, not an error; an error is a fault of ours.
var ofDeliveries = preset{
	queue: DeliveriesQueue, local: 17 * time.Second, once: 20 * time.Second,
	retry: temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
}

// ofMails: a mail server answers in a second, or looks at an attachment for minutes.
// A day outlasts its outages and those who ask for patience (greylisting).
var ofMails = preset{
	queue: MailsQueue, local: 10 * time.Second, once: 7 * time.Minute, all: activities.Day,
	retry: temporal.RetryPolicy{InitialInterval: 5 * time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Minute},
}

// ofReviews: as ofMails, and never given up: the end of a review may be what is due.
var ofReviews = preset{queue: ofMails.queue, local: ofMails.local, once: ofMails.once, retry: ofMails.retry}

// ofTargets: a target takes a large file within minutes. A day outlasts its outages, and
// leaves time to correct its credentials. There is no first attempt in the run.
var ofTargets = preset{
	queue: TargetsQueue, once: 10 * time.Minute, all: activities.Day,
	retry: temporal.RetryPolicy{InitialInterval: 5 * time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Minute},
}

// ofQuestions: two statements in our database, tried once; the caller goes on without
// an answer.
var ofQuestions = preset{local: 5 * time.Second}

// ofOrphans: as patient as the steps that left them; a run that is cancelled
// cleans up all the same.
var ofOrphans = preset{
	queue: StepsQueue, local: ofDocuments.local, once: ofDocuments.once, all: ofDocuments.all, retry: ofDocuments.retry,
}

// step runs one activity by a preset and reads its result. The summary is what
// operators read beside the activity's name. It is the only place that knows
// how steps run.
//
// Cancelling does not interrupt the first attempt: it is short, and what it does to
// the drive must not land after the run has cleaned up behind it.
func (p preset) step(ctx workflow.Context, summary, fairness string, activity, input, result any) error {
	if p.cancellable && ctx.Err() != nil {
		return ctx.Err()
	}
	whole, _ := workflow.NewDisconnectedContext(ctx)
	err := p.first(ctx, summary, activity, input, result)
	if err == nil || !mayPass(err) {
		return err
	}
	if !p.cancellable {
		ctx = whole
	}
	done := waitFor(ctx, summary, err)
	err = p.regular(ctx, summary, fairness, activity, input, result)
	done()
	if err != nil && ctx.Err() != nil && mayPass(err) {
		// An attempt that was under way when the run was cancelled, and then failed,
		// is the last: Temporal hands its failure on, but it ends nothing.
		return ctx.Err()
	}
	return err
}

// first runs the activity once as a local one.
func (p preset) first(ctx workflow.Context, summary string, activity, input, result any) error {
	whole, _ := workflow.NewDisconnectedContext(ctx)
	local := workflow.WithLocalActivityOptions(whole, workflow.LocalActivityOptions{
		StartToCloseTimeout: p.local,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
		Summary:             summary,
	})
	return workflow.ExecuteLocalActivity(local, activity, input).Get(ctx, result)
}

// regular runs the activity on the preset's queue, retried by Temporal.
func (p preset) regular(ctx workflow.Context, summary, fairness string, activity, input, result any) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              workflow.GetInfo(ctx).TaskQueueName + p.queue,
		StartToCloseTimeout:    p.once,
		ScheduleToCloseTimeout: p.all,
		HeartbeatTimeout:       heartbeat,
		RetryPolicy:            &p.retry,
		WaitForCancellation:    true, // nothing may land after the run has cleaned up
		Summary:                summary,
		Priority:               temporal.Priority{FairnessKey: fairness},
	})
	return workflow.ExecuteActivity(ctx, activity, input).Get(ctx, result)
}

// mayPass tells whether another attempt of a failed step may succeed.
func mayPass(err error) bool {
	if temporal.IsCanceledError(err) {
		return false
	}
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return !application.NonRetryable()
	}
	return true
}

// forgets are the codes of steps that lack in the store what an earlier step of
// their run had put there.
var forgets = []string{platen.CodeForgotten, "output_not_found", "event_not_found"}

// isForgotten reports whether a step failed because the store was restored from a
// backup.
func isForgotten(err error) bool {
	var application *temporal.ApplicationError
	return errors.As(err, &application) && slices.Contains(forgets, application.Type())
}

// reason returns the code and the words of a step's failure, for the
// integrator. Both come from the activity's own error and quote no value.
func reason(err error) (code, message string) {
	if temporal.IsCanceledError(err) {
		return platen.CodeCancelled, platen.MessageCancelled
	}
	var application *temporal.ApplicationError
	if errors.As(err, &application) && application.NonRetryable() {
		return application.Type(), application.Message()
	}
	var timeout *temporal.TimeoutError
	if application != nil {
		return platen.CodeGaveUp, "The document could not be made within a day of tries; start it again when this is cured: " + application.Message()
	}
	if errors.As(err, &timeout) {
		return platen.CodeGaveUp, "The document could not be made within a day of tries: a step took too long each time. Start it again, or make the template simpler."
	}
	return "internal", "The document could not be made for a reason on our side."
}
