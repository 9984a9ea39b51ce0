// Package rebuild puts automations right of which the database has forgotten what
// Temporal knows, because it was put back to an earlier moment.
//
// It trusts the run and the drive. An output whose files the drive of its owner
// holds, filled, is recorded as made, with its event under the id that the event had; its
// receiver may get it once more. An automation of which files are missing is made
// again by its next attempt: our own drive goes back with the database. Nothing is
// failed and no file removed here.
//
// Who has forgotten what is found out by the reconciler, in package dispatch. No
// Temporal belongs here, and no way to make a document.
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/template/fill"
)

// Automations is where the store keeps automations.
type Automations interface {
	// TakeOver makes an automation RUNNING in the attempt that Temporal knows;
	// false: the store knows as much, and nothing was changed.
	TakeOver(ctx context.Context, automationID string, run platen.LatestRun) (ok bool, err error)
	// MakeAgain puts one that is RUNNING in this attempt back into the queue with the
	// next one, which makes from the beginning what is not made.
	MakeAgain(ctx context.Context, automationID string, attempt int) error
	// EndAbandonedAutomation ends one by what its outputs say, and has its PENDING
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

// A Rebuilder puts automations right. All fields are required.
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

// Rebuild puts one automation right by its latest run, and returns its state then:
// ACCEPTED, it is made again; RUNNING, its run goes on; "", the store knows as much
// as Temporal. A drive that cannot be asked is an error, and nothing is said of the
// automation then. It may be cut off anywhere, and called any number of times.
func (r Rebuilder) Rebuild(ctx context.Context, automationID string, run platen.LatestRun) (platen.AutomationState, error) {
	ok, err := r.Automations.TakeOver(ctx, automationID, run)
	switch {
	case err != nil:
		return "", fmt.Errorf("take over %s: %w", automationID, err)
	case !ok:
		return "", nil
	case run.Open:
		return platen.AutomationRunning, nil
	}
	all, err := r.find(ctx, automationID, run)
	if err != nil {
		return "", errors.Join(err, r.park(ctx, automationID, run.Attempt, err))
	}
	if all || run.Cancelled {
		state, err := r.Automations.EndAbandonedAutomation(ctx, automationID, run.Attempt, func(a platen.Automation, o platen.Output) (platen.Event, error) {
			return delivery.NewEvent(a.WorkflowID, o, time.Now())
		})
		if err != nil {
			return "", fmt.Errorf("end %s: %w", automationID, err)
		}
		return state, nil
	}
	if err := r.Automations.MakeAgain(ctx, automationID, run.Attempt); err != nil {
		return "", fmt.Errorf("make %s again: %w", automationID, err)
	}
	return platen.AutomationAccepted, nil
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
		return false, fmt.Errorf("open the drive of %s: %w", plan.OwnerID, err)
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
		made, ok, err := findFiles(ctx, drive, planned.Document, o, run)
		if err != nil {
			return false, fmt.Errorf("look for the files of %s: %w", o.ID, err)
		}
		if !ok {
			all = false
			continue
		}
		if err := r.record(ctx, plan.WorkflowID, o, made); err != nil {
			return false, err
		}
	}
	return all, nil
}

// record stores that an output is made of these files, with its event.
func (r Rebuilder) record(ctx context.Context, workflowID string, o platen.Output, found files) error {
	_, _, err := r.Outputs.RecordOutput(ctx, o.ID, func(o *platen.Output) error {
		found.enter(o)
		return nil
	}, func(o platen.Output) (platen.Event, error) {
		return delivery.NewEvent(workflowID, o, time.Now())
	})
	if err != nil {
		return fmt.Errorf("record output %s: %w", o.ID, err)
	}
	return nil
}

// parkTimeout bounds how long a process that stops waits for the store.
const parkTimeout = 10 * time.Second

// park notes why nothing can be said of an automation yet.
func (r Rebuilder) park(ctx context.Context, automationID string, attempt int, why error) error {
	e, ok := errors.AsType[*platen.Error](why)
	if !ok {
		return nil
	}
	// The time for the drive may be what is over.
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), parkTimeout)
	defer cancel()
	_, err := r.Parking.Park(within, automationID, attempt, platen.Wait{Subject: automationID, Step: Step, Code: e.Code, Message: e.Message})
	return err
}
