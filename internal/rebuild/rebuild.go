// Package rebuild recovers automations whose database state is older than Temporal's,
// after a restore from a backup.
//
// It trusts the run and the drive. An output whose filled files are in its owner's drive
// is recorded as made, with its event under the id that the event had. Its receiver may
// get it a second time. If files of an automation are missing, its next attempt makes
// them again: our own drive is restored with the database. The package fails no
// automation and removes no file. An automation waits for a drive that does not answer
// or refuses, unless the refusal is final and the automation is to be cancelled.
//
// The reconciler, in package dispatch, finds these automations. No Temporal belongs
// here, and no way to make a document.
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// Automations is where the store keeps automations.
type Automations interface {
	// OutputData returns the JSON object that an output is made of; attempt 0: the latest.
	OutputData(ctx context.Context, automationID, outputID string, attempt int) ([]byte, error)
	// TakeOver makes an automation RUNNING in the attempt that Temporal knows;
	// false: the store knows as much, and nothing was changed.
	TakeOver(ctx context.Context, automationID string, run platen.LatestRun) (ok bool, err error)
	// MakeAgain puts an automation that is RUNNING in this attempt back into the queue
	// with the next attempt, which makes missing outputs from the beginning.
	MakeAgain(ctx context.Context, automationID string, attempt int) error
	// EndAbandonedAutomation ends one by the states of its outputs, and has its PENDING
	// events delivered.
	EndAbandonedAutomation(ctx context.Context, automationID string, attempt int, event func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error)
}

// Plans is where the store keeps plans.
type Plans interface {
	// Plan returns the automation's plan, and pins it where none is.
	Plan(ctx context.Context, automationID string) (platen.Plan, error)
}

// Outputs is where the store keeps outputs.
type Outputs interface {
	Output(ctx context.Context, outputID string) (platen.Output, error)
	// RecordOutput ends a PENDING output with its event.
	RecordOutput(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (o platen.Output, eventID string, err error)
}

// Parking notes what an automation waits for: one that waits takes no place.
type Parking interface {
	Park(ctx context.Context, automationID string, attempt int, w platen.Wait) (platen.Wait, error)
}

// Drive is the drive of an automation's owner. Nothing is edited in it: files are read.
type Drive interface {
	fill.Drive
	// FindByKey returns the files that carry a key, the oldest first, trashed ones
	// left out.
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	// Download returns a file's content.
	Download(ctx context.Context, fileID string) ([]byte, error)
}

// A Rebuilder recovers automations. All fields are required.
type Rebuilder struct {
	Automations Automations
	Plans       Plans
	Outputs     Outputs
	Parking     Parking
	Drives      func(ctx context.Context, ownerID string) (Drive, error)
}

// Step is what an automation waits for, in waitingFor, while its owner's drive
// cannot be asked.
const Step = "FindDocuments"

// Rebuild recovers one automation by its latest run, and returns its state then:
// ACCEPTED, it is made again; RUNNING, its run goes on; "", the store knows as much as
// Temporal. While the drive does not answer or refuses, the automation is parked and
// nothing is said of it: a *platen.DriveWaitError. Rebuild may be cut off anywhere, and
// called any number of times.
//
// A cancelled run is one whose automation is to be cancelled, too: what was made is
// found first, and the automation ends by its outputs. It does so without the drive
// only where that refuses for good: in an outage nobody knows what was told.
func (r Rebuilder) Rebuild(ctx context.Context, automationID string, run platen.LatestRun) (platen.AutomationState, error) {
	return r.rebuild(ctx, automationID, run, func() (all bool, err error) { return r.find(ctx, automationID, run) })
}

// Postpone is Rebuild for an automation whose owner's drive was away just now, when it
// was asked about another one: why. The drive is not asked.
func (r Rebuilder) Postpone(ctx context.Context, automationID string, run platen.LatestRun, why *platen.DriveWaitError) (platen.AutomationState, error) {
	return r.rebuild(ctx, automationID, run, func() (all bool, err error) { return false, why })
}

func (r Rebuilder) rebuild(ctx context.Context, automationID string, run platen.LatestRun, find func() (all bool, err error)) (platen.AutomationState, error) {
	ok, err := r.Automations.TakeOver(ctx, automationID, run)
	switch {
	case err != nil:
		return "", fmt.Errorf("take over %s: %w", automationID, err)
	case !ok:
		return "", nil
	case run.Open:
		return platen.AutomationRunning, nil
	}
	all, err := find()
	if wait, ok := errors.AsType[*platen.DriveWaitError](err); ok {
		return r.wait(ctx, automationID, run, wait)
	}
	if err != nil {
		return "", err
	}
	if all || run.Cancelled {
		return r.end(ctx, automationID, run.Attempt)
	}
	if err := r.Automations.MakeAgain(ctx, automationID, run.Attempt); err != nil {
		return "", fmt.Errorf("make %s again: %w", automationID, err)
	}
	return platen.AutomationAccepted, nil
}

// end ends an automation by what its outputs say.
func (r Rebuilder) end(ctx context.Context, automationID string, attempt int) (platen.AutomationState, error) {
	state, err := r.Automations.EndAbandonedAutomation(ctx, automationID, attempt, func(a platen.Automation, o platen.Output) (platen.Event, error) {
		return delivery.NewEvent(a.WorkflowID, o, time.Now())
	})
	if err != nil {
		return "", fmt.Errorf("end %s: %w", automationID, err)
	}
	return state, nil
}

// storeTimeout bounds what the store is asked when the time for the drive is over.
const storeTimeout = 10 * time.Second

// wait parks an automation whose owner's drive does not answer or refuses. One that is
// to be cancelled ends where the drive refuses for good.
func (r Rebuilder) wait(ctx context.Context, automationID string, run platen.LatestRun, why *platen.DriveWaitError) (platen.AutomationState, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if run.Cancelled && !activities.Retryable(why.Kind) {
		return r.end(ctx, automationID, run.Attempt)
	}
	if _, err := r.Parking.Park(ctx, automationID, run.Attempt, platen.Wait{Subject: automationID, Step: Step, Code: why.Code, Message: why.Message}); err != nil {
		return "", errors.Join(why, fmt.Errorf("park %s: %w", automationID, err))
	}
	return "", why
}

// driveWait says that an error is one of the drive. A process that stops says nothing
// of its drives.
func driveWait(ctx context.Context, err error) error {
	e, ok := errors.AsType[*platen.Error](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return err
	case ok:
	case ctx.Err() != nil:
		e = &platen.Error{Kind: platen.KindUnavailable, Code: activities.CodeStepTimedOut, Message: "The drive does not answer."}
	default:
		e = &platen.Error{Kind: platen.KindInternal, Code: platen.CodeInternal, Message: "An internal error."}
	}
	return &platen.DriveWaitError{Kind: e.Kind, Code: e.Code, Message: e.Message, Err: err}
}

// find records which outputs are made, and tells whether none is missing. Where no
// plan can be pinned all are: the next attempt says why.
func (r Rebuilder) find(ctx context.Context, automationID string, run platen.LatestRun) (all bool, err error) {
	plan, err := r.Plans.Plan(ctx, automationID)
	if platen.KindOf(err) == platen.KindInvalid && err != nil {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the plan of %s: %w", automationID, err)
	}
	drive, err := r.Drives(ctx, plan.OwnerID)
	if err != nil {
		return false, driveWait(ctx, fmt.Errorf("open the drive of %s: %w", plan.OwnerID, err))
	}
	all = true
	for _, planned := range plan.Documents {
		o, err := r.Outputs.Output(ctx, planned.OutputID)
		if err != nil {
			return false, fmt.Errorf("read output %s: %w", planned.OutputID, err)
		}
		if o.State != platen.OutputPending {
			continue
		}
		if code, message, refused := o.Verdict.Failure(); refused { // which is known: nobody is asked again
			if err := r.refuse(ctx, plan.WorkflowID, o, run, code, message); err != nil {
				return false, err
			}
			continue
		}
		if o.Waits(planned.Document) { // nobody knows any more who approved it: it is made and asked about again
			all = false
			continue
		}
		event, err := r.Automations.OutputData(ctx, automationID, planned.OutputID, 0)
		if err != nil {
			return false, fmt.Errorf("read the source data of %s: %w", automationID, err)
		}
		filling, err := fill.New(planned.Document, event, lang.Builtins{
			AcceptedAt: plan.AcceptedAt, AutomationID: automationID, WorkflowName: plan.WorkflowName, Locale: plan.Locale,
			Number: func(series string) (int64, bool) { return plan.Number(planned.Document, series) },
		})
		if err != nil {
			return false, fmt.Errorf("parse the source data of %s: %w", automationID, err)
		}
		made, ok, err := search{drive, planned.Document, filling}.findFiles(ctx, o, run)
		if err != nil {
			return false, driveWait(ctx, fmt.Errorf("look for the files of %s: %w", o.ID, err))
		}
		if !ok || o.Verdict != "" && !isApproved(made, o) {
			all = false
			continue
		}
		if err := r.record(ctx, plan.WorkflowID, o, made); err != nil {
			return false, err
		}
	}
	return all, nil
}

// isApproved tells whether files are those that people looked at. A later run may have made
// others, of a correction that the restore forgot.
func isApproved(made files, o platen.Output) bool {
	isCopy := made.Original == nil || o.Copy != nil && made.Original.ID == o.Copy.ID
	return isCopy && made.PDF != nil && o.PDF != nil && made.PDF.SHA256 == o.PDF.SHA256
}

// refuse stores that an output fails because of what people have decided, with its event. If
// a run had let it out, a receiver may know its files: they stay where they are.
func (r Rebuilder) refuse(ctx context.Context, workflowID string, o platen.Output, run platen.LatestRun, code, message string) error {
	_, _, err := r.Outputs.RecordOutput(ctx, o.ID, func(o *platen.Output) error {
		o.KeepsFiles = o.KeepsFiles || run.Completed
		return o.Fail(0, code, message)
	}, func(o platen.Output) (platen.Event, error) { return delivery.NewEvent(workflowID, o, time.Now()) })
	if err != nil {
		return fmt.Errorf("record output %s: %w", o.ID, err)
	}
	return nil
}

// record stores that an output is made of these files, with its event under the id
// that it had.
func (r Rebuilder) record(ctx context.Context, workflowID string, o platen.Output, found files) error {
	_, _, err := r.Outputs.RecordOutput(ctx, o.ID, func(o *platen.Output) error {
		o.Recover(found.FoundFiles)
		return nil
	}, func(o platen.Output) (platen.Event, error) {
		o.Attempt = found.attempt
		return delivery.NewEvent(workflowID, o, time.Now())
	})
	if err != nil {
		return fmt.Errorf("record output %s: %w", o.ID, err)
	}
	return nil
}
