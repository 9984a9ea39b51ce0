package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// There is no list of reasons for parking: a run waits for any step whose error
// may pass (activities.MayPass), and the code and message of that error are
// what waitingFor shows. A new reason is a platen.Error that is made where the
// outside is touched: byReason in internal/google/errors.go for a drive,
// internal/outgoing for a picture's host. It is KindUnavailable; KindRateLimited
// promises that nothing was done, and a fill then keeps its copy. activities/retry.go
// says how long it is tried. It takes a row in
// TestEveryAnswerOfTheDriveIsClassified and a section in docs/errors.md.

// Parking keeps which runs wait for something outside.
type Parking interface {
	// Park notes what a run waits for and takes it out of the count of open
	// runs; it returns how often and since when the step has failed alike. The
	// zero Wait: the automation has ended, or a later attempt of it is made.
	Park(ctx context.Context, automationID string, attempt int, w platen.Wait) (platen.Wait, error)
	// Unpark notes that the subject waits no longer; a run without waiting subjects is
	// open again.
	Unpark(ctx context.Context, automationID, subject string) error
}

// parkTimeout bounds a call to Parking: the step that it is about has used up
// its own time.
const parkTimeout = 3 * time.Second

// DefaultSlow is after how long without an end a first attempt counts as a wait: ten
// times what a step takes on our drive. Google's answers take a second each.
const (
	DefaultSlow       = time.Second
	DefaultSlowGoogle = 4 * time.Second
)

// A stepAttempt is one attempt of a step of a run, and whether the run is parked for it.
type stepAttempt struct {
	parking Parking
	log     *slog.Logger
	jitter  func(n time.Duration) time.Duration
	info    activity.Info
	attempt int // of the automation
	subject string
	// workflow whose step it is; empty where needsShare is false, and in a run of before
	workflow string
	always   bool // the step ends what waited before it
	slow     *time.Timer
	parked   chan struct{} // closed when slow has parked the run
}

// newAttempt returns nil for attempts that keep no run from going on: those of events
// that have a run of their own.
func (s *Steps) newAttempt(info activity.Info, in *interceptor.ExecuteActivityInput) *stepAttempt {
	if s.parking == nil || info.WorkflowType == nil || info.WorkflowType.Name != runAutomation || len(in.Args) == 0 {
		return nil
	}
	w := &stepAttempt{parking: s.parking, log: s.log, jitter: s.jitter, info: info, parked: make(chan struct{})}
	switch arg := in.Args[0].(type) {
	case activities.Step:
		w.subject, w.attempt, w.workflow = arg.OutputID, arg.Attempt, arg.WorkflowID
	case activities.MailInput:
		w.subject, w.attempt, w.workflow = arg.OutputID, arg.Attempt, arg.WorkflowID
	case activities.FailureInput:
		w.subject, w.attempt, w.always = arg.OutputID, arg.Attempt, true
	case activities.LoadPlanInput:
		w.subject, w.attempt = arg.AutomationID, arg.Attempt
	case activities.FinishInput:
		w.subject, w.attempt = arg.AutomationID, arg.Attempt
	case activities.FailInput:
		w.subject, w.attempt = arg.AutomationID, arg.Attempt
	case activities.SendInput:
		w.subject = arg.EventID
	default:
		return nil
	}
	return w
}

// needsShare tells whether the attempt is a later one of a step that asks a drive or
// a picture's host. What only has to be recorded asks our database, and must not
// wait for other runs after an outage of that.
func (w *stepAttempt) needsShare() bool {
	return w != nil && !w.info.IsLocalActivity && w.info.ScheduleToCloseTimeout > 0
}

// begin parks the run when its first attempt takes longer than slow: places are for
// runs that go on.
func (w *stepAttempt) begin(ctx context.Context, slow time.Duration) {
	if !w.info.IsLocalActivity {
		return
	}
	w.slow = time.AfterFunc(slow, func() {
		defer close(w.parked)
		_, err := w.park(ctx, platen.Wait{Code: platen.CodeStepSlow, Message: "The first try of this step takes long; it is under way."})
		if err != nil {
			w.log.Warn("a slow step keeps its place among the open runs", "run", w.info.WorkflowExecution.ID, "error", err)
		}
	})
}

// lateMargin is how long before Temporal takes a later attempt for lost it is ended
// here, so that its end can be told.
const lateMargin = 5 * time.Second

// within bounds a later attempt.
func (w *stepAttempt) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok && !w.info.IsLocalActivity {
		return context.WithDeadline(ctx, deadline.Add(-min(lateMargin, time.Until(deadline)/10)))
	}
	return context.WithCancel(ctx)
}

// depends names the steps that take the longer the larger a document is.
var depends = map[string]bool{"FillTags": true, "FillAppendices": true, "MakePDF": true}

// explain returns the error of a later attempt, which says so when its time was
// over: what a drive says then, if anything, is that it does not answer.
func (w *stepAttempt) explain(within context.Context, err error) error {
	if err == nil || w.info.IsLocalActivity || !errors.Is(within.Err(), context.DeadlineExceeded) {
		return err
	}
	if _, known := errors.AsType[*platen.Error](err); known && !depends[w.info.ActivityType.Name] {
		return err
	}
	return &platen.Error{
		Kind: platen.KindUnavailable, Code: activities.CodeStepTimedOut, Err: err,
		Message: fmt.Sprintf("The step was not done within %v: make the template or its data smaller, if this happens each time.", w.info.StartToCloseTimeout),
	}
}

// end parks or unparks the run by how the attempt ended, and gives up what has
// failed alike for too long: the error then says so and is not retried.
func (w *stepAttempt) end(ctx context.Context, err error) error {
	parked := w.always || !w.info.IsLocalActivity // by the first attempt
	if w.slow != nil && !w.slow.Stop() {
		<-w.parked
		parked = true
	}
	switch {
	case errors.Is(err, context.Canceled):
		return err // the run ends, or the step is made again elsewhere
	case w.isAbandoned(ctx):
		return err // a later attempt is under way, which knows better
	case err == nil || !activities.MayPass(err):
		if parked {
			return w.unpark(ctx, err)
		}
		return err
	}
	e := failureOf(err)
	patience := activities.PatienceWith(e.Kind, e.Code)
	waits, parkErr := w.park(ctx, w.bound(platen.Wait{Code: e.Code, Message: e.Message}, patience))
	if parkErr != nil {
		w.log.Warn("a failed step keeps its place among the open runs", "run", w.info.WorkflowExecution.ID, "error", parkErr)
		return err
	}
	if w.info.IsLocalActivity || waits.Tries == 0 {
		return err
	}
	now := time.Now()
	if _, panicked := errors.AsType[*stepPanic](err); panicked && waits.Tries > panicTries {
		return w.unpark(ctx, gaveUp(e, waits.Tries, now.Sub(waits.Since), err))
	}
	if w.info.ScheduleToCloseTimeout <= 0 { // a step that records is never given up
		return err
	}
	if !patience.Over(waits.Tries, waits.Since, now) {
		return w.later(e, waits.Beside, err)
	}
	return w.unpark(ctx, gaveUp(e, waits.Tries, now.Sub(waits.Since), err))
}

// isAbandoned tells whether the attempt is a first one that Temporal has given up long
// ago, though it did not stop.
func (w *stepAttempt) isAbandoned(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && w.info.IsLocalActivity && time.Since(deadline) > time.Second
}

// apart is how far later attempts of runs that wait for the same are apart: what one
// finds out is mostly true of the others.
const apart = 2 * time.Second

// askConnectionAgain is how often a step looks, at most, whether its owner has
// connected the drive again. Looking costs one statement; Temporal's backoff would
// go up to five minutes.
const askConnectionAgain = time.Minute

// later is the error of a step that is tried again: where many runs wait for the
// same, later than Temporal would, and for a connection at a steady pace.
func (w *stepAttempt) later(e *platen.Error, beside int, cause error) error {
	if w.info.RetryPolicy == nil {
		return cause
	}
	wait := min(apart*time.Duration(beside), w.info.RetryPolicy.MaximumInterval)
	wait += w.jitter(wait/2 + 1)
	if e.Code == platen.CodeConnectionBroken {
		wait = max(wait, askConnectionAgain)
	} else if wait <= max(e.RetryAfter, backoff(*w.info.RetryPolicy, w.info.Attempt)) {
		return cause
	}
	return &platen.Error{Kind: e.Kind, Code: e.Code, Message: e.Message, RetryAfter: wait, Err: cause}
}

// backoff is how long Temporal waits after an attempt.
func backoff(p temporal.RetryPolicy, attempt int32) time.Duration {
	wait := float64(p.InitialInterval) * math.Pow(p.BackoffCoefficient, float64(attempt-1))
	return time.Duration(min(wait, float64(p.MaximumInterval)))
}

// gaveUp is the error of a step that has failed alike so often for so long.
func gaveUp(e *platen.Error, tries int, after time.Duration, cause error) error {
	if e.Kind == platen.KindInternal {
		return &platen.Error{Kind: platen.KindGone, Code: e.Code, Message: e.Message, Err: cause}
	}
	return &platen.Error{
		Kind: platen.KindGone, Code: platen.CodeGaveUp, Err: cause,
		Message: fmt.Sprintf("%s It failed alike in %d tries over %v; start it again when this is cured.", e.Message, tries, after.Round(time.Second)),
	}
}

// bound says until when the step is tried. A first attempt does not know: those that come
// after it are Temporal's.
func (w *stepAttempt) bound(waits platen.Wait, patience activities.Patience) platen.Wait {
	if w.info.IsLocalActivity || w.info.ScheduleToCloseTimeout <= 0 || !waits.HasFailed() {
		return waits
	}
	waits.Patience, waits.Until = patience.Time, w.info.ScheduledTime.Add(w.info.ScheduleToCloseTimeout)
	return waits
}

// park notes what the step waits for.
func (w *stepAttempt) park(ctx context.Context, waits platen.Wait) (platen.Wait, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), parkTimeout)
	defer cancel()
	waits.Subject, waits.Step = w.subject, w.info.ActivityType.Name
	return w.parking.Park(ctx, w.info.WorkflowExecution.ID, w.attempt, waits)
}

// unpark answers the error of the step, or, of a step that succeeded, that its
// run could not be counted as open again: the step is then made once more.
func (w *stepAttempt) unpark(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), parkTimeout)
	defer cancel()
	unparked := w.parking.Unpark(ctx, w.info.WorkflowExecution.ID, w.subject)
	if err == nil {
		return unparked
	}
	return err
}
