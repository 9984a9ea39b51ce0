// Package activities is what automation runs do to the world: copy a
// template, fill it, make its PDF, remove the original, record the output and
// its event, send the event. Every activity may run twice, also at the same
// time, and leaves the result of running once; how, stands at each of them.
//
// Inputs and results enter Temporal's history: they are ids, names of steps and
// counts, never source data, passwords or secrets. Activities know the root
// package, package fill, which fills templates, package delivery, whose attempts
// they are, and the interfaces declared here. Temporal's retry is their retry,
// so nothing in here loops.
package activities

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// Documents makes outputs. Its methods are the activities of RunAutomation.
type Documents struct {
	Automations Automations
	Plans       Plans
	Outputs     Outputs
	Folders     OutputFolders
	// Reviews keeps what waits for people.
	Reviews ReviewStore
	// Receivers keeps events for receivers beside the outgoing webhook.
	Receivers Receivers
	Drives    Drives
	Protector Protector
	// Pictures gets what the tags of pictures ask for.
	Pictures Pictures
	// Include puts other documents of an owner's drive into copies of a template. Nil: the
	// drive takes none.
	Include func(ownerID, templateID string) fill.Include
	// Readings spares calls to drives; nil spares none.
	Readings *fill.Readings
	// Quotas shares the calls that drives allow; nil: as many as steps make.
	Quotas Quotas
	// Location is the zone of {{Timestamp}}; nil means UTC.
	Location *time.Location
	// Now is the clock of recorded times; nil means time.Now.
	Now func() time.Time

	// untouched are copies that nobody can have begun to fill, and uploaded PDFs that
	// the drive has with the bytes that were sent.
	untouched, uploaded recentFiles
	// appending are the bytes that are appended to PDFs now.
	appending room
}

// A Step names the output that an activity works on.
type Step struct {
	AutomationID string
	OutputID     string
	Attempt      int    // of the run whose step it is; 0: not known
	WorkflowID   string `json:",omitempty"`
}

// A job is a step with what it works with.
type job struct {
	step    Step
	plan    platen.Plan
	planned platen.PlannedDocument
	drive   Drive
}

func (d *Documents) job(ctx context.Context, in Step) (job, error) {
	plan, err := d.Plans.PinnedPlan(ctx, in.AutomationID)
	if err != nil {
		return job{}, fmt.Errorf("read the plan of %s: %w", in.AutomationID, err)
	}
	planned, ok := plan.Output(in.OutputID)
	if !ok {
		return job{}, platen.ErrForgotten("output " + in.OutputID)
	}
	drive, err := d.Drives(ctx, plan.OwnerID)
	if err != nil {
		return job{}, fmt.Errorf("open the drive of %s: %w", plan.OwnerID, err)
	}
	return job{step: in, plan: plan, planned: planned, drive: drive}, nil
}

// checkAttempt answers platen.CheckAttempt for an output that a retry has superseded.
func (in Step) checkAttempt(o platen.Output) error {
	return platen.CheckAttempt(in.AutomationID, in.Attempt, o.Attempt)
}

// filling is the document with the source event, and what tags may name beside
// it.
func (d *Documents) filling(ctx context.Context, j job) (*fill.Filling, error) {
	event, err := d.Automations.OutputData(ctx, j.plan.AutomationID, j.planned.OutputID, j.step.Attempt)
	if err != nil {
		return nil, fmt.Errorf("read the source data of %s: %w", j.plan.AutomationID, err)
	}
	f, err := fill.New(j.planned.Document, event, lang.Builtins{
		AcceptedAt:   j.plan.AcceptedAt,
		Zone:         d.Location,
		AutomationID: j.plan.AutomationID,
		WorkflowName: j.plan.WorkflowName,
		Locale:       j.plan.Locale,
		Number:       func(series string) (int64, bool) { return j.plan.Number(j.planned.Document, series) },
	})
	if err != nil {
		return nil, fmt.Errorf("parse the source data of %s: %w", j.plan.AutomationID, err)
	}
	f.Readings = d.Readings
	return f, nil
}

func (d *Documents) now() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

// A saving stores a change of an output, at once or with the next one:
// Outputs.UpdateOutput or NoteOutput.
type saving = func(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error)

// quick is how long something takes at most that may be done again when the note of
// it is lost. What takes longer may also have been superseded by an execution
// elsewhere, and finds that out when it is written.
const quick = time.Second

// save is how the outcome of something is kept that began at a time.
func (d *Documents) save(began time.Time) saving {
	if d.now().Sub(began) > quick {
		return d.Outputs.UpdateOutput
	}
	return d.Outputs.NoteOutput
}

// decide saves a change of an output that finds out whether a file came too late for
// it; making the file began at a time. What would have that file removed is asked of the
// stored row: what this process remembers may be older than that.
func (d *Documents) decide(ctx context.Context, began time.Time, outputID string, late func(platen.Output) bool, change func(*platen.Output) error) (platen.Output, error) {
	o, err := d.save(began)(ctx, outputID, change)
	if err == nil && late(o) {
		return d.Outputs.UpdateOutput(ctx, outputID, change)
	}
	return o, err
}

// keepNotes answers the error of a step, and has stored what was noted before it
// if it will be tried again, then maybe by another worker. A note that is lost all
// the same is found again. A file that is not there ends the document only if the
// step went by the output as it is.
func (d *Documents) keepNotes(ctx context.Context, outputID string, err error) error {
	if err == nil {
		return nil
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	switch {
	case MayPass(err):
		_ = d.Outputs.WriteNotes(within, outputID)
	case platen.KindOf(err) == platen.KindNotFound:
		return d.unlessOutdated(within, outputID, err)
	}
	return err
}

// unlessOutdated returns the error of a step that did not find a file, or
// platen.ErrStepSuperseded when its output is not as this process remembers it: another
// execution may have removed the file. Where that cannot be asked, it returns why.
func (d *Documents) unlessOutdated(ctx context.Context, outputID string, err error) error {
	before, asked := d.Outputs.RememberedOutput(ctx, outputID)
	if asked != nil {
		return asked
	}
	now, asked := d.Outputs.Output(ctx, outputID)
	if asked != nil {
		return asked
	}
	if !reflect.DeepEqual(before, now) {
		return platen.ErrStepSuperseded(now)
	}
	return err
}

// recall returns an output as this process knows it, unless that is older than
// the attempt that asks.
func (d *Documents) recall(ctx context.Context, outputID string, attempt int) (platen.Output, error) {
	o, err := d.Outputs.RememberedOutput(ctx, outputID)
	if err == nil && o.Attempt < attempt {
		return d.Outputs.Output(ctx, outputID)
	}
	return o, err
}

// isFileNotFound tells of the drive's answer for a file that is not there. The store
// answers platen.KindNotFound, too.
func isFileNotFound(err error) bool {
	e, ok := errors.AsType[*platen.Error](err)
	return ok && e.Code == "drive_file_not_found"
}

// isFileForbidden tells of the drive's answer for a file that its account may not use.
func isFileForbidden(err error) bool {
	e, ok := errors.AsType[*platen.Error](err)
	return ok && e.Code == "drive_file_forbidden"
}

// errShownNotFound is for a drive that shows a file and does not find it when it is to
// work on it; notFound is what it said then.
func errShownNotFound(notFound error) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: "drive_fault", Err: notFound,
		Message: "The drive shows a file of the document and does not find it when it is to work on it: try again."}
}
