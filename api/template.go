package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
)

// templateType looks at the file that a body names and says what document it
// makes, or why it can be no template.
func templateType(ctx context.Context, drive Drive, in newDocument) (platen.DocumentType, error) {
	file, err := drive.File(ctx, *in.fileID)
	if err != nil {
		return "", driveError(ctx, in.fileIDPointer, err)
	}
	if file.Trashed {
		return "", fileFault("drive_file_trashed", in.fileIDPointer, "names a file in the drive's trash: restore it or choose another")
	}
	t, ok := platen.DocumentTypeOf(file.MIMEType)
	if !ok {
		return "", fileFault("drive_file_not_document", in.fileIDPointer,
			fmt.Sprintf("names a file of type %s: choose a text document or a presentation of the drive's own kind, or convert it to one", cut(file.MIMEType)))
	}
	return t, nil
}

var errDriveTimeout = errors.New("drive calls took too long")

// driveError says what a failed drive call means to the client. pointer is
// where the body names the file, "" when it names none.
func driveError(ctx context.Context, pointer string, err error) error {
	var e *platen.Error
	if !errors.As(err, &e) {
		e = &platen.Error{}
	}
	timedOut := errors.Is(context.Cause(ctx), errDriveTimeout)
	out := &platen.Error{Kind: platen.KindUnavailable, RetryAfter: e.RetryAfter, Err: err}
	switch {
	case timedOut && (e.Kind == platen.KindInternal || e.Kind == platen.KindUnavailable):
		out.Code, out.Message = "drive_timeout", "The drive did not answer in time. Nothing was changed; try again."
	case e.Kind == platen.KindUnavailable:
		out.Code, out.Message = "drive_unavailable", "The drive does not answer. Nothing was changed; try again."
	case e.Kind == platen.KindRateLimited:
		out.Code, out.Message = "drive_rate_limited", "The drive takes no more calls for now. Nothing was changed; try again later."
	case e.Kind == platen.KindNotFound, e.Code == "drive_file_not_found":
		return withCause(err, fileFault("drive_file_not_found", pointer, "names no file that you can open in the drive: check the id and share the file with your account"))
	case e.Kind == platen.KindForbidden && e.Code != "drive_not_connected", e.Code == "drive_file_forbidden":
		return withCause(err, fileFault("drive_file_forbidden", pointer, "names a file that your account may not copy: ask its owner for access"))
	case e.Kind == platen.KindInvalid && pointer != "" && len(e.Faults) == 0:
		located := *e
		located.Faults = []platen.Fault{{Pointer: pointer, Message: e.Message}}
		return &located
	default:
		return err
	}
	return out
}

func fileFault(code, pointer, message string) *platen.Error {
	e := platen.Errorf(platen.KindInvalid, code, "The file %s.", message)
	if pointer != "" {
		e.Message = fmt.Sprintf("%s %s.", pointer[1:], message)
		e.Faults = []platen.Fault{{Pointer: pointer, Message: message}}
	}
	return e
}

func withCause(err error, e *platen.Error) error {
	e.Err = err
	return e
}

// discardTimeout is short: somebody waits for the answer, and a template that
// is left behind is swept later.
const discardTimeout = 5 * time.Second

// discard trashes a template whose document the store refused for good. After
// any other failure the document may have been stored, so it is left alone.
func (s *server) discard(ctx context.Context, d platen.Document, refusal error) {
	switch platen.KindOf(refusal) {
	case platen.KindInvalid, platen.KindForbidden, platen.KindNotFound:
	default:
		return
	}
	user := caller(ctx).ID
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	drive, err := s.drives(ctx, user)
	if err == nil {
		err = drive.Trash(ctx, d.File.ID)
	}
	if err != nil {
		edge.Note(ctx, slog.String("left_behind", d.ID), slog.String("left_behind_error", err.Error()))
	}
}

// previewURL is the address of package console's page for a document. Its
// signature stands for the owner's permission.
func (s *server) previewURL(documentID string) string {
	mac := hmac.New(sha256.New, s.previewKey)
	mac.Write([]byte(documentID))
	return s.origin + "/preview/" + documentID + "?sig=" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
