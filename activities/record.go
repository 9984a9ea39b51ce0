package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// RecordResult names the event that is due.
type RecordResult struct {
	EventID string // empty: the workflow has no outgoing webhook
	// ReceiverEvents are those for the workflow's receivers beside it.
	ReceiverEvents []string `json:",omitempty"`
	// Orphans: steps ran more than once, or the output failed, so that
	// TrashLeftovers has work.
	Orphans bool
	// Waits: the output is made, and waits for people who approve it. It has no event yet.
	Waits bool `json:",omitempty"`
}

// RecordOutput stores that the output is made, with its event, and what the steps
// before have noted. Where such a note is lost, it finds it again as they would.
//
// Run twice: output and event are one transaction; a later execution finds the
// output ended and returns the event that was stored then. One that a retry
// has superseded has nothing to record and nothing to tell: the
// automation had ended, so its own event was delivered or handed over.
func (d *Documents) RecordOutput(ctx context.Context, in Step) (RecordResult, error) {
	result, err := d.recordMade(ctx, in)
	if !errors.Is(err, platen.ErrNotYetMade) {
		return result, err
	}
	if err := d.makeAgain(ctx, in); err != nil {
		return RecordResult{}, d.keepNotes(ctx, in.OutputID, err)
	}
	return d.recordMade(ctx, in)
}

func (d *Documents) recordMade(ctx context.Context, in Step) (RecordResult, error) {
	if result, err := d.beginReview(ctx, in); err != nil || result.Waits {
		return result, err
	}
	return d.record(ctx, in, func(o *platen.Output, of platen.Document) error { return o.Finish(in.Attempt, of) })
}

// beginReview has an output wait that people are to approve, and have not. What was decided
// or has ended is left alone.
func (d *Documents) beginReview(ctx context.Context, in Step) (RecordResult, error) {
	plan, err := d.Plans.PinnedPlan(ctx, in.AutomationID)
	if err != nil {
		return RecordResult{}, fmt.Errorf("read the plan of %s: %w", in.AutomationID, err)
	}
	planned, ok := plan.Output(in.OutputID)
	if !ok || planned.Document.Approval == nil {
		return RecordResult{}, nil
	}
	o, err := d.Reviews.BeginReview(ctx, in.OutputID, *planned.Document.Approval, func(o *platen.Output) error {
		return o.BeginReview(in.Attempt, planned.Document)
	})
	if platen.IsSuperseded(err) {
		return RecordResult{}, nil // the record finds the same
	}
	if err != nil {
		return RecordResult{}, err
	}
	return RecordResult{Waits: o.State == platen.OutputReview, Orphans: o.State == platen.OutputReview && o.Repeated}, nil
}

// makeAgain does what the steps of an output do, or finds that they did.
func (d *Documents) makeAgain(ctx context.Context, in Step) error {
	j, err := d.job(ctx, in)
	if err != nil {
		return err
	}
	var o platen.Output
	switch of := j.planned.Document; {
	case of.CreatePDFCopy && of.RemoveOutput:
		o, _, err = d.ensureRemoved(ctx, j)
	case of.CreatePDFCopy:
		o, _, err = d.ensurePDF(ctx, j)
	default:
		o, _, err = d.ensureFilled(ctx, j)
	}
	if err != nil {
		return err
	}
	return d.share(ctx, j, o)
}

// FailureInput says why an output could not be made.
type FailureInput struct {
	Step
	Code    string
	Message string // for the integrator; quotes no value of the source data
}

// RecordFailure stores that the output could not be made, with its event. It
// is as safe to run twice as RecordOutput.
func (d *Documents) RecordFailure(ctx context.Context, in FailureInput) (RecordResult, error) {
	return d.record(ctx, in.Step, func(o *platen.Output, _ platen.Document) error {
		return o.Fail(in.Attempt, in.Code, in.Message)
	})
}

func (d *Documents) record(ctx context.Context, in Step, change func(*platen.Output, platen.Document) error) (RecordResult, error) {
	plan, err := d.Plans.PinnedPlan(ctx, in.AutomationID)
	if err != nil {
		return RecordResult{}, fmt.Errorf("read the plan of %s: %w", in.AutomationID, err)
	}
	planned, ok := plan.Output(in.OutputID)
	if !ok {
		return RecordResult{}, platen.ErrForgotten("output " + in.OutputID)
	}
	o, eventID, err := d.Outputs.RecordOutput(ctx, in.OutputID, func(o *platen.Output) error {
		return change(o, planned.Document)
	}, func(o platen.Output) (platen.Event, error) {
		return delivery.NewEvent(plan.WorkflowID, o, d.now())
	})
	if platen.IsSuperseded(err) {
		return RecordResult{}, nil
	}
	if err != nil {
		return RecordResult{}, fmt.Errorf("record output %s: %w", in.OutputID, err)
	}
	if in.checkAttempt(o) != nil { // the retry has ended it already, and tells of it
		return RecordResult{}, nil
	}
	result := RecordResult{EventID: eventID, Orphans: o.Repeated || o.State == platen.OutputFailed}
	if len(plan.Receivers) > 0 {
		if result.ReceiverEvents, err = d.Receivers.ReceiverEvents(ctx, o.ID, o.Attempt); err != nil {
			return RecordResult{}, err
		}
	}
	return result, nil
}

// FailInput says why no document could be begun.
type FailInput struct {
	AutomationID string
	Attempt      int // 0: not known
	Code         string
	Message      string // for the integrator
}

// FailAutomation ends an automation that could not begin; a second execution
// changes nothing.
func (d *Documents) FailAutomation(ctx context.Context, in FailInput) (FinishResult, error) {
	state, err := d.Automations.FailAutomation(ctx, in.AutomationID, in.Attempt, in.Code, in.Message)
	if err != nil && !platen.IsSuperseded(err) {
		return FinishResult{}, fmt.Errorf("fail %s: %w", in.AutomationID, err)
	}
	return outcome(state, err), nil
}

// FinishInput names the automation.
type FinishInput struct {
	AutomationID string
	Attempt      int // 0: not known
}

// FinishResult is how the automation ended.
type FinishResult struct {
	State platen.AutomationState
}

// FinishAutomation ends the automation, in a state that its outputs give it; a
// second execution changes nothing. The names of activities are for ever: this
// is EndAutomation.
func (d *Documents) FinishAutomation(ctx context.Context, in FinishInput) (FinishResult, error) {
	state, err := d.Automations.EndAutomation(ctx, in.AutomationID, in.Attempt)
	if err != nil && !platen.IsSuperseded(err) {
		return FinishResult{}, fmt.Errorf("end %s: %w", in.AutomationID, err)
	}
	return outcome(state, err), nil
}

// outcome is how a run ended. One that was superseded had FAILED before, for
// nothing else is retried; and its run has to end so for the retry's to start.
func outcome(state platen.AutomationState, err error) FinishResult {
	if platen.IsSuperseded(err) {
		return FinishResult{State: platen.AutomationFailed}
	}
	return FinishResult{State: state}
}
