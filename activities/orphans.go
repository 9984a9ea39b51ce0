package activities

import (
	"context"

	"github.com/platenhq/platen/internal/maintenance"
)

// LeftoversResult counts what was removed, and what has to stay, as
// maintenance.Removed has it.
type LeftoversResult struct {
	Files int
	Kept  int
}

// TrashLeftovers removes the orphans of an ended output, as
// maintenance.RemoveOrphans says, which may run twice. It is the first to look for
// them; the output sweep is the last.
func (d *Documents) TrashLeftovers(ctx context.Context, in Step) (LeftoversResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return LeftoversResult{}, err
	}
	removed, err := maintenance.RemoveOrphans(ctx, d.Outputs, j.drive, in.OutputID)
	return LeftoversResult(removed), err
}
