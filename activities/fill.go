package activities

import (
	"context"
	"fmt"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// FillResult counts what the filling did.
type FillResult struct {
	Requests int `json:"Places"` // that changed the document; histories call them places
	Missing  int // tags without data
}

// FillTags replaces every tag of the copy by its value, in one atomic change,
// unless a rule says that nothing is to be made with this data.
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
	_, result, err := d.ensureFilled(ctx, j, isFillOpen)
	return result, d.keepNotes(ctx, in.OutputID, err)
}

// ensureFilled returns the output with a copy that is filled, or as it ended. A copy
// that is in doubt is not filled but thrown away.
func (d *Documents) ensureFilled(ctx context.Context, j job, doubt func(platen.Output) bool) (platen.Output, FillResult, error) {
	o, err := d.unfilledCopy(ctx, j, doubt)
	if err != nil {
		return o, FillResult{}, err
	}
	if o.FillEnded || o.State != platen.OutputPending {
		return o, FillResult{Missing: len(o.MissingFields)}, nil
	}
	if o, err = d.protectedCopy(ctx, j, o); err != nil {
		return o, FillResult{}, err
	}
	filling, err := d.filling(ctx, j)
	if err != nil {
		return o, FillResult{}, err
	}
	if d.Pictures != nil {
		filling.Obtain = func(p lang.Picture) (lang.Obtained, error) { return d.Pictures.Obtain(ctx, p, j.drive.Download) }
	}
	begun, began := false, d.now()
	out, err := filling.Fill(ctx, j.drive, *o.Copy, func(out fill.Outcome) error {
		if refusal := filling.RefuseMissing(out.Missing); refusal != nil {
			return d.refuse(ctx, o, refusal)
		}
		err := d.beginFill(ctx, j, o)
		begun = err == nil
		return err
	})
	switch {
	case err == nil:
		o, err = d.endFill(ctx, o, out, d.save(began))
		return o, FillResult{Requests: out.Requests, Missing: len(out.Missing)}, err
	case begun:
		return o, FillResult{}, d.fillFailed(ctx, o, fmt.Errorf("fill the copy: %w", err))
	}
	return o, FillResult{}, d.unlessSuperseded(ctx, o, err)
}

// endFill notes that the copy is filled.
func (d *Documents) endFill(ctx context.Context, o platen.Output, out fill.Outcome, save saving) (platen.Output, error) {
	return d.noteFill(ctx, o, save, func(current *platen.Output) error {
		current.FillEnded = true
		current.MissingFields = out.Missing
		return nil
	})
}

// unfilledCopy returns the output with a copy that no fill has touched, or
// with FillEnded set.
func (d *Documents) unfilledCopy(ctx context.Context, j job, doubt func(platen.Output) bool) (platen.Output, error) {
	o, err := d.remembered(ctx, j.planned.OutputID, j.step.Attempt)
	if err == nil {
		err = j.step.checkAttempt(o)
	}
	if err == nil && doubt(o) {
		o, err = d.abandonCopy(ctx, j, doubt)
	}
	if err != nil {
		return o, fmt.Errorf("read output %s: %w", j.planned.OutputID, err)
	}
	if o.Copy == nil && o.State == platen.OutputPending {
		return d.ensureCopy(ctx, j)
	}
	return o, nil
}

// isFillOpen tells whether a fill began of which it is not known how it ended.
func isFillOpen(o platen.Output) bool {
	return o.State == platen.OutputPending && o.FillBegun && !o.FillEnded
}

// isFillForgotten tells a step behind the fill that no fill is stored, though its run
// has seen one end: nobody knows any more which copy that was, so none is filled that
// is found.
func isFillForgotten(o platen.Output) bool {
	return o.State == platen.OutputPending && !o.FillEnded
}

// abandonCopy throws the copy away, if it is still in doubt, and begins the next
// generation.
func (d *Documents) abandonCopy(ctx context.Context, j job, doubt func(platen.Output) bool) (platen.Output, error) {
	var abandoned *platen.File
	o, err := d.Outputs.UpdateOutput(ctx, j.planned.OutputID, func(o *platen.Output) error {
		abandoned = nil
		if err := j.step.checkAttempt(*o); err != nil {
			return err
		}
		if doubt(*o) {
			if abandoned = o.Copy; abandoned != nil {
				o.ThrownAway = append(o.ThrownAway, abandoned.ID)
			}
			o.Generation++
			o.Repeated = true
			o.CopyBegun, o.Copy, o.FillBegun = false, nil, false
		}
		return nil
	})
	if err != nil || abandoned == nil {
		return o, err
	}
	if err := discard(ctx, j.drive, abandoned.ID); err != nil {
		return o, fmt.Errorf("remove the copy whose filling did not end: %w", err)
	}
	return o, nil
}

// beginFill stores which copy is in use, and that this execution, and no other,
// fills it.
func (d *Documents) beginFill(ctx context.Context, j job, o platen.Output) error {
	late := false
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		if late = takeCopy(current, o.Generation, *o.Copy); late {
			return nil
		}
		if current.State != platen.OutputPending || current.FillBegun {
			return errSuperseded(*current)
		}
		current.FillBegun = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("note the state of the fill: %w", err)
	}
	if late {
		if err := d.discardCopy(ctx, j, now, o.Copy.ID); err != nil {
			return err
		}
		return errSuperseded(now)
	}
	return nil
}

// fillFailed takes the beginning back where the drive refused to begin: the
// copy is as it was, and no other execution has filled it, because one alone
// may begin.
func (d *Documents) fillFailed(ctx context.Context, o platen.Output, err error) error {
	if platen.KindOf(err) != platen.KindRateLimited {
		return d.unlessSuperseded(ctx, o, err)
	}
	_, undone := d.noteFill(ctx, o, d.Outputs.UpdateOutput, func(current *platen.Output) error {
		current.FillBegun = false
		return nil
	})
	if undone != nil {
		return undone
	}
	return err
}

// noteFill changes the output if it is still about the copy that o names.
func (d *Documents) noteFill(ctx context.Context, o platen.Output, save saving, change func(*platen.Output) error) (platen.Output, error) {
	now, err := save(ctx, o.ID, func(current *platen.Output) error {
		if !isSameCopy(o, *current) || current.FillEnded {
			return errSuperseded(*current)
		}
		return change(current)
	})
	if err != nil {
		return now, fmt.Errorf("note the state of the fill: %w", err)
	}
	return now, nil
}
