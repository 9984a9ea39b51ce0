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
	filling, err := d.filling(ctx, j)
	if err != nil {
		return FillResult{}, err
	}
	if d.Pictures != nil {
		filling.Obtain = func(p lang.Picture) (lang.Obtained, error) { return d.Pictures.Obtain(ctx, p, j.drive.Download) }
	}
	begun := false
	out, err := filling.Fill(ctx, j.drive, *o.Copy, func(out fill.Outcome) error {
		if refusal := filling.RefuseMissing(out.Missing); refusal != nil {
			return d.refuse(ctx, o, refusal)
		}
		err := d.beginFill(ctx, o)
		begun = err == nil
		return err
	})
	switch {
	case err == nil:
		return d.endFill(ctx, o, out)
	case begun:
		return FillResult{}, d.fillFailed(ctx, o, fmt.Errorf("fill the copy: %w", err))
	}
	return FillResult{}, d.unlessSuperseded(ctx, o, err)
}

// endFill notes that the copy is filled.
func (d *Documents) endFill(ctx context.Context, o platen.Output, out fill.Outcome) (FillResult, error) {
	err := d.noteFill(ctx, o, func(current *platen.Output) error {
		current.FillEnded = true
		current.MissingFields = out.Missing
		return nil
	})
	return FillResult{Requests: out.Requests, Missing: len(out.Missing)}, err
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
		if !isSameCopy(o, *current) || current.FillEnded {
			return errSuperseded(*current)
		}
		return change(current)
	})
	if err != nil {
		return fmt.Errorf("note the state of the fill: %w", err)
	}
	return nil
}
