package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// Files reads and removes what a run made.
type Files interface {
	// File answers KindNotFound for a file that is not there.
	File(ctx context.Context, fileID string) (platen.File, error)
	Download(ctx context.Context, fileID string) ([]byte, error)
	// Delete removes a file, for good or into the drive's trash; a file that is
	// not there is no error, and platen.IsFileKept tells of one that has to stay.
	Delete(ctx context.Context, fileID string) error
	// Trash answers like Delete, and the owner can take the file back.
	Trash(ctx context.Context, fileID string) error
}

// RemoveResult says whether this execution removed the original.
type RemoveResult struct {
	Removed bool
}

// RemoveOriginal removes the filled copy, after it has seen that the drive
// holds the PDF with the bytes that were uploaded: now, or as the answer to the upload
// said a moment ago.
//
// A copy that the drive does not let go stays, and is a finding of the output:
// the document is made all the same.
//
// Run twice: a copy that is not there any more counts as removed.
func (d *Documents) RemoveOriginal(ctx context.Context, in Step) (RemoveResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return RemoveResult{}, err
	}
	o, result, err := d.ensureRemoved(ctx, j)
	if err == nil {
		err = d.share(ctx, j, o)
	}
	return result, d.keepNotes(ctx, in.OutputID, err)
}

// ensureRemoved has the original removed, or noted that it has to stay.
func (d *Documents) ensureRemoved(ctx context.Context, j job) (platen.Output, RemoveResult, error) {
	o, _, err := d.ensurePDF(ctx, j)
	if err != nil || o.Phase() >= platen.PhaseRemoved {
		return o, RemoveResult{}, err
	}
	ctx, done, err := d.reserve(ctx, j, quotaOfRemove, nothingLater)
	if err != nil {
		return o, RemoveResult{}, err
	}
	defer done(true)
	if !d.uploaded.take(o.PDF.ID, d.now()) {
		if err := d.readBack(ctx, j, o); err != nil {
			return o, RemoveResult{}, err
		}
	}
	err = j.drive.Delete(ctx, o.Copy.ID)
	kept := platen.IsFileKept(err)
	if err != nil && !kept {
		return o, RemoveResult{}, fmt.Errorf("remove the original: %w", err)
	}
	now, err := d.Outputs.NoteOutput(ctx, o.ID, func(current *platen.Output) error { return current.EndRemoval(o, kept) })
	if err != nil {
		return now, RemoveResult{}, fmt.Errorf("record what became of the original: %w", err)
	}
	return now, RemoveResult{Removed: !kept}, nil
}

// discard trashes a file that no event names, as far as is stored: a restored database
// does not know later events. A file that has to stay does not fail the document;
// TrashLeftovers counts it.
func discard(ctx context.Context, drive Files, fileID string) error {
	if err := drive.Trash(ctx, fileID); err != nil && !platen.IsFileKept(err) {
		return err
	}
	return nil
}

// readBack asks the drive for the PDF's hash, or for its bytes where the drive
// keeps no hash.
func (d *Documents) readBack(ctx context.Context, j job, o platen.Output) error {
	stored, err := j.drive.File(ctx, o.PDF.ID)
	if err != nil {
		return fmt.Errorf("read the PDF back: %w", err)
	}
	hash := stored.SHA256
	if hash == "" {
		content, err := j.drive.Download(ctx, o.PDF.ID)
		if err != nil {
			return fmt.Errorf("read the PDF back: %w", err)
		}
		hash = sum(content)
	}
	if stored.Trashed || !slices.Contains(o.PDFHashes, hash) {
		return platen.Errorf(platen.KindConflict, "pdf_differs", "The PDF %s is not in the drive as it was uploaded, so its original stays.", o.PDF.ID)
	}
	return nil
}
