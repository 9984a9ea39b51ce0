package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/platenhq/platen"
)

// LeftoversResult counts what was removed, and what has to stay because the
// drive lets nobody remove it.
type LeftoversResult struct {
	Files int
	Kept  int
}

// TrashLeftovers removes the files of an ended output that nobody will ever
// be told of: copies of earlier generations, second copies, PDFs of earlier
// attempts, and everything of an output that failed. Files that are not there
// any more are no error, and those that the drive does not let go are counted,
// so it may run any number of times; it leaves alone what a retry has begun
// again.
//
// It finds what the drive lists. A file that the list does not show yet waits
// for the sweep, which calls it again when the list has long caught up.
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
	left, err := leftovers(ctx, j.drive, o)
	if err != nil || len(left) == 0 {
		return LeftoversResult{}, err
	}
	// A retry that has begun since then may use the same key; what was found
	// while the output was still ended is none of its files.
	now, err := d.Outputs.Output(ctx, in.OutputID)
	if err != nil {
		return LeftoversResult{}, fmt.Errorf("read output %s again: %w", in.OutputID, err)
	}
	if now.State != o.State || now.Generation != o.Generation {
		return LeftoversResult{}, nil
	}
	var result LeftoversResult
	for _, id := range left {
		err := j.drive.Delete(ctx, id)
		switch {
		case platen.IsFileKept(err):
			result.Kept++
		case err != nil:
			return result, fmt.Errorf("remove a file left over: %w", err)
		default:
			result.Files++
		}
	}
	return result, nil
}

// leftovers returns the ids of files of an ended output that are not its own.
// Those that were noted may be gone already.
func leftovers(ctx context.Context, drive Drive, o platen.Output) ([]string, error) {
	left := slices.Clone(o.ThrownAway) // the drive's list may lag behind
	if o.State == platen.OutputFailed {
		for _, id := range []string{o.PDFID, idOf(o.Copy)} {
			if id != "" {
				left = append(left, id)
			}
		}
	}
	keys := []string{o.ID} // of PDFs
	for generation := 0; generation <= o.Generation; generation++ {
		keys = append(keys, platen.Output{ID: o.ID, Generation: generation}.CopyKey())
	}
	for _, key := range keys {
		found, err := drive.FindByKey(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("look for files left over: %w", err)
		}
		for _, f := range found {
			left = append(left, f.ID)
		}
	}
	if o.State == platen.OutputDone {
		left = slices.DeleteFunc(left, func(id string) bool {
			return slices.ContainsFunc(o.Files(), func(f platen.OutputFile) bool { return f.ID == id })
		})
	}
	slices.Sort(left)
	return slices.Compact(left), nil
}

func idOf(f *platen.File) string {
	if f == nil {
		return ""
	}
	return f.ID
}
