package activities

import (
	"context"

	"github.com/platenhq/platen/internal/maintenance"
)

// OrphansResult counts what was trashed, and what has to stay, as
// maintenance.Removal has it.
type OrphansResult struct {
	Files int
	Kept  int
}

// TrashLeftovers trashes the orphans of an ended output, as
// maintenance.RemoveOrphans says, which may run twice. It is the first to look for
// them; the output sweep is the last.
func (d *Documents) TrashLeftovers(ctx context.Context, in Step) (OrphansResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return OrphansResult{}, err
	}
	removed, err := maintenance.RemoveOrphans(ctx, d.Outputs, j.drive, j.planned)
	return OrphansResult(removed), err
}
