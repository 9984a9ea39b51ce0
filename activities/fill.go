package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
)

// FillResult counts what the filling did.
type FillResult struct {
	Places  int // places of the document that changed
	Missing int // tags without data
}

// FillTags replaces every tag of the copy by its value, in one atomic change.
//
// Run twice: a value may itself contain {{X}}, so a filled copy must never be
// filled again. The row says when filling began and when it ended. One that
// began and did not end may or may not have happened: its copy is thrown away
// and a copy of the next generation is filled. A drive that takes no more calls
// for now has said that it did not happen: then filling has not begun.
func (d *Documents) FillTags(ctx context.Context, in Step) (FillResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return FillResult{}, err
	}
	o, err := d.unfilledCopy(ctx, j)
	if err != nil {
		return FillResult{}, err
	}
	if o.FillEnded || o.State != platen.OutputPending {
		return FillResult{Missing: len(o.MissingFields)}, nil
	}
	if o, err = d.protectedCopy(ctx, j, o); err != nil {
		return FillResult{}, err
	}
	data, builtins, err := d.data(ctx, j)
	if err != nil {
		return FillResult{}, err
	}
	_, j.unnamed = merge.ExpandName(j.planned.Document.OutputName, data, builtins)
	text, err := j.drive.Text(ctx, o.Copy.ID, o.Copy.MIMEType)
	if err != nil {
		return FillResult{}, d.unlessSuperseded(ctx, o, fmt.Errorf("read the copy: %w", err))
	}
	e := merge.NewEvaluator(data, builtins)
	filling := e.Plan(text.Passages)
	if filling.Structured() || len(text.Targets) > 0 {
		return d.fillStructured(ctx, j, o, e.Anew())
	}
	if err := plan.FaultsError(e.Faults()); err != nil {
		return FillResult{}, err
	}
	missing := j.missing(e)
	if err := d.refuseMissing(ctx, j, o, missing); err != nil {
		return FillResult{}, err
	}
	if err := d.beginFill(ctx, o); err != nil {
		return FillResult{}, err
	}
	places := 0
	if len(filling.Replacements) > 0 {
		if places, err = j.drive.Replace(ctx, o.Copy.ID, o.Copy.MIMEType, text.Revision, filling.Replacements); err != nil {
			return FillResult{}, d.fillFailed(ctx, o, fmt.Errorf("fill the copy: %w", err))
		}
	}
	return d.endFill(ctx, o, FillResult{Places: places}, missing)
}

// missing are the fields that the output's name and its document name and the
// data does not have, once the document is planned.
func (j job) missing(e *merge.Evaluator) []string {
	all := slices.Clone(e.Missing())
	for _, name := range j.unnamed {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// refuseMissing fails a document that is not to be made with fields missing,
// before anything of its copy is filled.
func (d *Documents) refuseMissing(ctx context.Context, j job, o platen.Output, missing []string) error {
	if len(missing) == 0 || j.planned.Document.OnMissing != platen.MissingFail {
		return nil
	}
	if err := d.noteMissing(ctx, o, missing); err != nil {
		return err
	}
	return platen.Errorf(platen.KindInvalid, "fields_missing",
		"The source data did not have %s, and the document %s is not to be made without. Send what is missing, or set onMissing to blank.",
		merge.Quoted(missing, 20), j.planned.Document.ID)
}

// endFill notes that the copy is filled.
func (d *Documents) endFill(ctx context.Context, o platen.Output, result FillResult, missing []string) (FillResult, error) {
	err := d.noteFill(ctx, o, func(current *platen.Output) error {
		current.FillEnded = true
		current.MissingFields = missing
		return nil
	})
	result.Missing = len(missing)
	return result, err
}

// unfilledCopy returns the output with a copy that no fill has touched, or
// with FillEnded set.
func (d *Documents) unfilledCopy(ctx context.Context, j job) (platen.Output, error) {
	var abandoned *platen.File
	o, err := d.Outputs.UpdateOutput(ctx, j.planned.OutputID, func(o *platen.Output) error {
		abandoned = nil
		if err := j.step.checkAttempt(*o); err != nil {
			return err
		}
		if o.State == platen.OutputPending && o.FillBegun && !o.FillEnded {
			if abandoned = o.Copy; abandoned != nil {
				o.ThrownAway = append(o.ThrownAway, abandoned.ID)
			}
			o.Generation++
			o.Repeated = true
			o.CopyBegun, o.Copy, o.FillBegun = false, nil, false
		}
		return nil
	})
	if err != nil {
		return o, fmt.Errorf("read output %s: %w", j.planned.OutputID, err)
	}
	if abandoned != nil {
		if err := discard(ctx, j.drive, abandoned.ID); err != nil {
			return o, fmt.Errorf("remove the copy whose filling did not end: %w", err)
		}
	}
	if o.Copy == nil && o.State == platen.OutputPending {
		return d.ensureCopy(ctx, j)
	}
	return o, nil
}

// beginFill notes that this execution, and no other, fills the copy.
func (d *Documents) beginFill(ctx context.Context, o platen.Output) error {
	return d.noteFill(ctx, o, func(current *platen.Output) error {
		if current.FillBegun {
			return errSuperseded(*current)
		}
		current.FillBegun = true
		return nil
	})
}

// fillFailed takes the beginning back where the drive refused to begin: the
// copy is as it was, and no other execution has filled it, because one alone
// may begin.
func (d *Documents) fillFailed(ctx context.Context, o platen.Output, err error) error {
	if platen.KindOf(err) != platen.KindRateLimited {
		return d.unlessSuperseded(ctx, o, err)
	}
	undone := d.noteFill(ctx, o, func(current *platen.Output) error {
		current.FillBegun = false
		return nil
	})
	if undone != nil {
		return undone
	}
	return err
}

// noteFill changes the row if it is still about the copy that o names.
func (d *Documents) noteFill(ctx context.Context, o platen.Output, change func(*platen.Output) error) error {
	_, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		if !sameCopy(o, *current) || current.FillEnded {
			return errSuperseded(*current)
		}
		return change(current)
	})
	if err != nil {
		return fmt.Errorf("note the state of the fill: %w", err)
	}
	return nil
}
