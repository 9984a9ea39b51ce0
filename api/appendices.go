package api

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// checkAppendices refuses files to be appended that cannot be. The caller must be able to
// open each of them, for outputs show what it says, and so must the workflow's owner, in
// whose drive runs read it. Those that the document has already are left to its check: what
// was read can be sent back.
func (s *server) checkAppendices(ctx context.Context, wf platen.Workflow, in appendicesPatch, had []string) error {
	if in.ids == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	for i, id := range *in.ids {
		if slices.Contains(had, id) {
			continue
		}
		pointer := ""
		if in.pointer != "" {
			pointer = fmt.Sprintf("%s/%d", in.pointer, i)
		}
		err := s.checkAppendix(ctx, wf, id, pointer)
		if e, ok := errors.AsType[*platen.Error](err); ok && e.Kind == platen.KindInvalid && pointer == "" { // of a copy of a document
			named := *e
			named.Message, named.Err = fmt.Sprintf("Its appendices name the file %s, which you cannot open in the drive, or which cannot be appended. Have it shared with you, or empty appendices.", id), err
			return &named
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *server) checkAppendix(ctx context.Context, wf platen.Workflow, id, pointer string) error {
	file, err := s.fileOf(ctx, caller(ctx).ID, id)
	if err != nil {
		return driveError(ctx, pointer, err)
	}
	if file.Trashed {
		return fileFault("drive_file_trashed", pointer, "names a file in the drive's trash: restore it or choose another")
	}
	if _, ok := platen.AppendedAs(file.MIMEType); !ok {
		return fileFault(platen.CodeAppendixType, pointer, fmt.Sprintf("names a file of type %s, which cannot be appended: choose a PDF, a text document or a presentation", cut(file.MIMEType)))
	}
	if file.Size > platen.MaxAppendedSize {
		return fileFault(platen.CodeAppendixTooLarge, pointer, fmt.Sprintf("names a file that is larger than %d MiB, which a PDF has at most with all that is appended: make it smaller", platen.MaxAppendedSize>>20))
	}
	if wf.Owner.ID == caller(ctx).ID {
		return nil
	}
	if _, err = s.fileOf(ctx, wf.Owner.ID, id); err != nil {
		return copyError(ctx, true, pointer, err)
	}
	return nil
}

// fileOf looks at a file with the eyes of a user.
func (s *server) fileOf(ctx context.Context, userID, id string) (platen.File, error) {
	drive, err := s.drives(ctx, userID)
	if err != nil {
		return platen.File{}, err
	}
	return drive.File(ctx, id)
}
