package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// Sharer lets others read files.
type Sharer interface {
	// Share has others read a file, who may do so already; platen.IsSharingRefused
	// tells of a drive that does not let the account do that.
	Share(ctx context.Context, fileID string, with platen.Sharing) error
}

// share gives the readers that the document names access to the files of an output,
// once all files exist, people have approved them where they are asked, and before the event
// is sent. If the drive forbids the account
// to share, the document is still made, and a finding says so.
//
// Run twice: a file that is shared already stays as it is.
func (d *Documents) share(ctx context.Context, j job, o platen.Output) error {
	of := j.planned.Document
	if !of.OutputSharing.Shares() || o.HasEnded() || !o.IsMade(of) || o.Waits(of) {
		return nil
	}
	files := toShare(o, of)
	ctx, done, err := d.reserve(ctx, j, platen.Usage{platen.DriveUnits: len(files) * quotaOfSharing}, nothingLater)
	if err != nil {
		return err
	}
	defer done(true)
	for _, f := range files {
		err := j.drive.Share(ctx, f.ID, of.OutputSharing)
		if refusal, _ := errors.AsType[*platen.Error](err); platen.IsSharingRefused(err) {
			return d.noteUnshared(ctx, o, platen.Finding{Code: refusal.Code, Message: refusal.Message})
		}
		if isFileNotFound(err) {
			err = d.notFoundToShare(ctx, j, f, err)
		}
		if err != nil {
			return fmt.Errorf("share the %s: %w", f.Kind, err)
		}
	}
	return nil
}

// notFoundToShare returns the error of a step whose file was not found when it was to be
// shared; notFound is the drive's. A file that is gone needs no reader.
func (d *Documents) notFoundToShare(ctx context.Context, j job, f platen.OutputFile, notFound error) error {
	switch _, err := j.drive.File(ctx, f.ID); {
	case err == nil:
		return errShownNotFound(notFound)
	case isFileNotFound(err):
		return nil
	default:
		return fmt.Errorf("look for the file: %w", err)
	}
}

// toShare leaves out an original that is encrypted as a PDF, and one that the drive
// keeps against the document's setting.
func toShare(o platen.Output, of platen.Document) []platen.OutputFile {
	return slices.DeleteFunc(o.Files(), func(f platen.OutputFile) bool {
		return f.Kind == platen.FileOriginal && (of.Encrypts() || of.CreatePDFCopy && of.RemoveOutput)
	})
}

func (d *Documents) noteUnshared(ctx context.Context, o platen.Output, finding platen.Finding) error {
	_, err := d.Outputs.NoteOutput(ctx, o.ID, func(current *platen.Output) error { return current.AddFinding(o, finding) })
	if err != nil {
		return fmt.Errorf("note that the output is not shared: %w", err)
	}
	return nil
}
