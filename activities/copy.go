package activities

import (
	"context"
	"fmt"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
)

// CopyResult says which generation of the copy is in use.
type CopyResult struct {
	Generation int
}

// CopyTemplate copies the template under the name that the output's template
// for names comes to.
//
// Run twice: the intent is stored before the copy is made, and the copy
// carries its key; an execution that finds the intent looks for the key first
// and takes over what it finds. Two executions at the same time may make two
// copies; the one that is recorded first counts, and the output is marked so
// that TrashLeftovers removes the other.
func (d *Documents) CopyTemplate(ctx context.Context, in Step) (CopyResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return CopyResult{}, err
	}
	o, err := d.ensureCopy(ctx, j)
	return CopyResult{Generation: o.Generation}, err
}

func (d *Documents) ensureCopy(ctx context.Context, j job) (platen.Output, error) {
	begunBefore := false
	o, err := d.Outputs.UpdateOutput(ctx, j.planned.OutputID, func(o *platen.Output) error {
		begunBefore = o.CopyBegun
		if o.Copy == nil && o.State == platen.OutputPending {
			o.Repeated = o.Repeated || o.CopyBegun
			o.CopyBegun = true
		}
		return nil
	})
	if err != nil {
		return o, fmt.Errorf("note that the copy begins: %w", err)
	}
	if o.Copy != nil || o.State != platen.OutputPending {
		return o, nil
	}
	copied, err := d.findOrCopy(ctx, j, o, begunBefore)
	if err != nil {
		return o, err
	}
	return d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		if current.Generation != o.Generation {
			return errOvertaken(*current)
		}
		if current.Copy == nil {
			current.Copy = &copied
		} else if current.Copy.ID != copied.ID {
			current.Repeated = true
		}
		return nil
	})
}

func (d *Documents) findOrCopy(ctx context.Context, j job, o platen.Output, look bool) (platen.File, error) {
	if look {
		found, err := j.drive.FindByKey(ctx, o.CopyKey())
		if err != nil {
			return platen.File{}, fmt.Errorf("look for the copy: %w", err)
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	data, builtins, err := d.data(ctx, j)
	if err != nil {
		return platen.File{}, err
	}
	name, _ := merge.ExpandName(j.planned.Document.OutputName, data, builtins)
	copied, err := j.drive.Copy(ctx, j.planned.Document.File.ID, name, o.CopyKey())
	if err != nil {
		return platen.File{}, fmt.Errorf("copy the template: %w", err)
	}
	return copied, nil
}
