package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
)

// Drive is the cloud drive of the calling user or of a workflow's owner.
// Errors: KindInvalid with code "drive_file_not_found" or
// "drive_file_forbidden", KindForbidden with code "drive_not_connected",
// KindUnavailable, KindRateLimited.
type Drive interface {
	File(ctx context.Context, fileID string) (platen.File, error)
	// FolderToFill is File for a folder; KindForbidden: nothing may be put into it.
	FolderToFill(ctx context.Context, folderID string) (platen.File, error)
	// Copy makes a copy of fileID that carries key (platen.PropertyKey).
	Copy(ctx context.Context, fileID, name, key string) (platen.File, error)
	// CreateBlank makes an empty Docs or Slides file that carries key.
	CreateBlank(ctx context.Context, name, mimeType, key string) (platen.File, error)
	// CreateFrom makes a Docs or Slides file that carries key of an office file's content.
	CreateFrom(ctx context.Context, name, mimeType, key, contentType string, content []byte) (platen.File, error)
	// ReplaceContent gives a Docs or Slides file the content of an office file.
	ReplaceContent(ctx context.Context, fileID, contentType string, content []byte) (platen.File, error)
	// ExportOffice makes an office file of a Docs or Slides file; contentType is that of
	// the kind. KindTooLarge: the drive makes none of so large a file.
	ExportOffice(ctx context.Context, fileID, contentType string) ([]byte, error)
	// FindByKey returns the files, trashed ones left out, that carry key.
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	Trash(ctx context.Context, fileID string) error
	// Download returns a file's content, and ExportPDF a Docs or Slides file as PDF, at
	// most 32 MiB of either.
	Download(ctx context.Context, fileID string) ([]byte, error)
	ExportPDF(ctx context.Context, fileID string) ([]byte, error)
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)

// copyError is driveError for the copying: what a team member can open and the
// workflow's owner cannot needs a cure of its own.
func copyError(ctx context.Context, shared bool, pointer string, err error) error {
	out := driveError(ctx, pointer, err)
	var e *platen.Error
	if shared && errors.As(out, &e) && (e.Code == "drive_file_not_found" || e.Code == "drive_file_forbidden") {
		e = fileFault("drive_file_forbidden", pointer, "names a file that the workflow's owner may not copy: share it with the owner")
		e.Err = err
		return e
	}
	return out
}

var errDriveTimeout = errors.New("drive calls took too long")

// driveError says what a failed drive call means to the client. pointer is
// where the body names the file, "" when it names none.
func driveError(ctx context.Context, pointer string, err error) error {
	var e *platen.Error
	if !errors.As(err, &e) {
		e = &platen.Error{}
	}
	switch e.Kind {
	case platen.KindInternal, platen.KindUnavailable:
		if errors.Is(context.Cause(ctx), errDriveTimeout) {
			return tryAgain(err, e, "drive_timeout", "The drive did not answer in time. Nothing was changed; try again.")
		}
		if e.Kind == platen.KindUnavailable && e.Code == "" {
			return tryAgain(err, e, "drive_unavailable", "The drive does not answer. Nothing was changed; try again.")
		}
		return err
	case platen.KindRateLimited: // by the drive, not by us: it is not this client's 429
		return tryAgain(err, e, "drive_rate_limited", "The drive takes no more calls for now. Nothing was changed; try again later.")
	case platen.KindConflict: // a 409 is for clients that sent a precondition
		return tryAgain(err, e, "drive_busy", "The drive is busy with the file. Nothing was changed; try again.")
	}
	fault := &platen.Error{Kind: platen.KindInvalid, Code: e.Code, Message: e.Message, Faults: e.Faults}
	switch {
	case e.Kind == platen.KindNotFound, e.Code == "drive_file_not_found":
		fault = fileFault("drive_file_not_found", pointer, "names no file that you can open in the drive: check the id and share the file with your account")
	case e.Code == "drive_file_forbidden", e.Kind == platen.KindForbidden && e.Code == "":
		fault = fileFault("drive_file_forbidden", pointer, "names a file that your account may not copy: ask its owner for access")
	case e.Kind == platen.KindForbidden: // the connection to the drive, not the file
		return err
	case pointer != "" && len(fault.Faults) == 0:
		fault.Faults = []platen.Fault{{Pointer: pointer, Message: e.Message}}
	}
	fault.Err = err
	return fault
}

// ownFileError is driveError for a call about the file of a document.
func ownFileError(ctx context.Context, err error) error {
	out := driveError(ctx, "", err)
	if e, ok := errors.AsType[*platen.Error](out); ok && e.Kind == platen.KindInvalid && e.Code == "drive_file_not_found" {
		e.Message = "The file of this template is gone: somebody deleted it, or the workflow's owner may not open it any more. Put it back, replace the template with a .docx or .pptx file, or put a version back: the settings stay."
	}
	return out
}

func tryAgain(err error, e *platen.Error, code, message string) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: code, Message: message, RetryAfter: e.RetryAfter, Err: err}
}

func fileFault(code, pointer, message string) *platen.Error {
	e := platen.Errorf(platen.KindInvalid, code, "The file %s.", message)
	if pointer != "" {
		e.Message = fmt.Sprintf("%s %s.", pointer[1:], message)
		e.Faults = []platen.Fault{{Pointer: pointer, Message: message}}
	}
	return e
}
