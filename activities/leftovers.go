package activities

import (
	"context"
	"fmt"

	"github.com/platenhq/platen"
)

// LeftoversResult counts what was removed.
type LeftoversResult struct {
	Files int
}

// TrashLeftovers removes the files of an ended output that nobody will ever
// be told of: copies of earlier generations, second copies, PDFs of earlier
// attempts, and everything of an output that failed. Files that are not there
// any more are no error, so it may run any number of times; it leaves alone
// what a retry has begun anew.
func (d *Documents) TrashLeftovers(ctx context.Context, in Step) (LeftoversResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return LeftoversResult{}, err
	}
	o, err := d.Outputs.Output(ctx, in.OutputID)
	if err != nil {
		return LeftoversResult{}, fmt.Errorf("read output %s: %w", in.OutputID, err)
	}
	if o.State == platen.OutputPending {
		return LeftoversResult{}, nil
	}
	keep := map[string]bool{}
	if o.State == platen.OutputDone {
		for _, f := range o.Files() {
			keep[f.ID] = true
		}
	}
	var result LeftoversResult
	for _, id := range o.ThrownAway { // the drive's list may lag behind
		if keep[id] {
			continue
		}
		if err := j.drive.Delete(ctx, id); err != nil {
			return result, fmt.Errorf("remove a copy that was thrown away: %w", err)
		}
	}
	keys := []string{o.ID} // of PDFs
	for generation := 0; generation <= o.Generation; generation++ {
		keys = append(keys, platen.Output{ID: o.ID, Generation: generation}.CopyKey())
	}
	for _, key := range keys {
		found, err := j.drive.FindByKey(ctx, key)
		if err != nil {
			return result, fmt.Errorf("look for files left over: %w", err)
		}
		for _, f := range found {
			if keep[f.ID] {
				continue
			}
			if err := j.drive.Delete(ctx, f.ID); err != nil {
				return result, fmt.Errorf("remove a file left over: %w", err)
			}
			result.Files++
		}
	}
	if o.State == platen.OutputFailed && o.PDFID != "" {
		if err := j.drive.Delete(ctx, o.PDFID); err != nil {
			return result, fmt.Errorf("remove the PDF of a failed output: %w", err)
		}
		result.Files++
	}
	return result, nil
}
