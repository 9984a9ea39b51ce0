package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

func (s *server) listVersions(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.page()
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Versions.TemplateVersions(r.Context(), caller(r.Context()), wf.ID, d.ID, oneMore(page))
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, versionPosition, versionOf)
}

func (s *server) getVersion(w http.ResponseWriter, r *http.Request) error {
	_, _, v, err := s.findVersion(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, versionOf(v))
}

// getVersionFile answers with the office file. Its tag is that of its content, which
// never changes.
func (s *server) getVersionFile(w http.ResponseWriter, r *http.Request) error {
	wf, d, v, err := s.findVersion(r)
	if err == nil {
		err = s.mayOpen(r.Context(), wf, d)
	}
	if err == nil {
		err = edge.Reserve(r.Context(), 2*v.Size) // as it is stored, and as it is sent
	}
	if err != nil {
		return err
	}
	content, err := s.Versions.VersionContent(r.Context(), v.ID)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", `"`+v.SHA256+`"`)
	writeFile(w, fmt.Sprintf("template-%d%s", v.Number, v.Type.OfficeExtension()), v.ContentType(), content)
	return nil
}

// writeFile answers with a file that browsers store and do not show.
func writeFile(w http.ResponseWriter, name, contentType string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content) // fails only when nobody listens any more
}

// mayOpen refuses the contents of a template to a member of the team who cannot open it
// in the drive.
func (s *server) mayOpen(ctx context.Context, wf platen.Workflow, d platen.Document) error {
	user := caller(ctx)
	if user.ID == wf.Owner.ID {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	drive, err := s.drives(ctx, user.ID)
	if err == nil {
		_, err = drive.File(ctx, d.File.ID)
	}
	if err != nil {
		return driveError(ctx, "", err)
	}
	return nil
}

func (s *server) keepVersion(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findChangeableDocument(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	note, err := readNote(body)
	if err != nil {
		return err
	}
	var kept platen.TemplateVersion
	status := http.StatusOK
	err = s.changeTemplate(r.Context(), wf, d, func(c templateChange) error {
		content, err := c.content()
		if err != nil {
			return err
		}
		var made bool
		kept, made, err = c.keep(content, platen.VersionKept, note, "")
		if made {
			status = http.StatusCreated
		}
		return err
	})
	if err != nil {
		return err
	}
	return writeTagged(w, r, status, versionOf(kept))
}

func (s *server) restoreVersion(w http.ResponseWriter, r *http.Request) error {
	wf, d, v, err := s.findVersion(r)
	if err == nil {
		err = readNothing(r)
	}
	if err == nil {
		err = checkChangeable(wf)
	}
	if err == nil {
		err = edge.Reserve(r.Context(), 2*v.Size)
	}
	if err != nil {
		return err
	}
	content, err := s.Versions.VersionContent(r.Context(), v.ID)
	if err != nil {
		return err
	}
	err = s.changeTemplate(r.Context(), wf, d, func(c templateChange) error {
		d, err = c.replace(content, platen.VersionRestored, v.ID, nothingToCheck)
		return err
	})
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.document(d))
}

// findVersion reads what the path names.
func (s *server) findVersion(r *http.Request) (platen.Workflow, platen.Document, platen.TemplateVersion, error) {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return wf, d, platen.TemplateVersion{}, err
	}
	id := mux.Vars(r)["version"]
	if !platen.IsID(platen.PrefixVersion, id) {
		return wf, d, platen.TemplateVersion{}, platen.ErrVersionNotFound()
	}
	edge.Note(r.Context(), slog.String("version", id))
	v, err := s.Versions.TemplateVersion(r.Context(), caller(r.Context()), wf.ID, d.ID, id)
	return wf, d, v, err
}

// A templateChange is the turn of one request to change the contents of a template. What
// is there is kept before something else takes its place, and nobody changes it in between:
// at any moment a content is in the template or in a version.
type templateChange struct {
	s     *server
	ctx   context.Context
	drive Drive
	wf    platen.Workflow
	d     platen.Document
	turn  string
}

// changeLease is beyond what a change may take, so that a turn that ends with its process
// is nobody's for a short while only.
const changeLease = 20 * time.Second

// changeTemplate carries out do in a turn. A change that began is ended even if the client
// leaves: half of it would be a version of nothing.
func (s *server) changeTemplate(ctx context.Context, wf platen.Workflow, d platen.Document, do func(templateChange) error) error {
	// The content that is there, and the same as it is sealed to be stored.
	if err := edge.Reserve(ctx, 2*platen.MaxVersionSize); err != nil {
		return err
	}
	ctx, cancel := s.detach(ctx)
	defer cancel()
	turn, err := s.Versions.BeginTemplateChange(ctx, caller(ctx), wf.ID, d.ID, s.driveTimeout+storeTimeout+changeLease)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
		defer cancel()
		if err := s.Versions.EndTemplateChange(ctx, d.ID, turn); err != nil {
			edge.Note(ctx, slog.String("template_turn_error", err.Error())) // it ends by itself
		}
	}()
	driveCtx, cancelDrive := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancelDrive()
	drive, err := s.drives(driveCtx, wf.Owner.ID)
	if err != nil {
		return driveError(driveCtx, "", err)
	}
	return do(templateChange{s: s, ctx: driveCtx, drive: drive, wf: wf, d: d, turn: turn})
}

// content is what the template says now, as an office file.
func (c templateChange) content() ([]byte, error) {
	content, err := c.drive.ExportOffice(c.ctx, c.d.File.ID, c.d.Type.OfficeType())
	if err == nil && len(content) > platen.MaxVersionSize {
		err = platen.Errorf(platen.KindTooLarge, "drive_file_too_large", "%d bytes", len(content))
	}
	if platen.KindOf(err) == platen.KindTooLarge {
		return nil, &platen.Error{Kind: platen.KindInvalid, Code: "version_too_large", Err: err,
			Message: "The template has more than 10 MB, so that no version of it can be kept. Change it in the drive's editor, or add a document of the new file."}
	}
	if err != nil {
		return nil, ownFileError(c.ctx, err)
	}
	return content, nil
}

// keep stores a content of the template as a version.
func (c templateChange) keep(content []byte, cause platen.VersionCause, note, spare string) (platen.TemplateVersion, bool, error) {
	return c.s.Versions.KeepTemplateVersion(c.ctx, c.turn, platen.TemplateVersion{
		ID: platen.NewID(platen.PrefixVersion), DocumentID: c.d.ID, Type: c.d.Type, Cause: cause, Note: note,
		CreatedAt: c.s.now(), CreatedBy: caller(c.ctx),
	}, content, spare)
}

// replace keeps what the template says, and gives it another content. A template that has
// this content is left as it is: a repeat keeps nothing twice. Where the file is gone, a
// new one of this content takes its place, which the document that it returns has. The
// error of check, which sees what is there as templateStateJSON, prevents it.
func (c templateChange) replace(content []byte, cause platen.VersionCause, spare string, check func(any) error) (platen.Document, error) {
	before, err := c.content()
	if isFileGone(err) {
		return c.refile(content, err)
	}
	if err != nil {
		return c.d, err
	}
	state, err := c.state(before)
	if err == nil {
		err = check(state)
	}
	if hash := hashOf(content); err != nil || hash == state.SHA256 || state.UploadedSHA256 != nil && hash == *state.UploadedSHA256 {
		return c.d, err
	}
	if _, _, err := c.keep(before, cause, "", spare); err != nil {
		return c.d, err
	}
	file, err := c.drive.ReplaceContent(c.ctx, c.d.File.ID, c.d.Type.OfficeType(), content)
	if err != nil {
		return c.d, ownFileError(c.ctx, err)
	}
	c.s.noteUpload(c.ctx, c.d.ID, content, file)
	return c.d, nil
}

func nothingToCheck(any) error { return nil }

// isFileGone tells what the drive says of a file that its account cannot see. A refusal of
// rights and an outage have other codes.
func isFileGone(err error) bool { return codeOf(err) == "drive_file_not_found" }

// refile puts a new file under the document, in the drive of the workflow's owner. gone is
// why the content of its file could not be read, and the answer unless the drive says of
// the file itself that it is not there.
func (c templateChange) refile(content []byte, gone error) (platen.Document, error) {
	if _, err := c.drive.File(c.ctx, c.d.File.ID); err == nil || !isFileGone(driveError(c.ctx, "", err)) {
		return c.d, gone
	}
	name, kind := c.wf.Name+" - [Template]", c.d.Type
	file, err := c.drive.CreateFrom(c.ctx, name, kind.MIMEType(), c.d.ID, kind.OfficeType(), content)
	if err != nil {
		return c.d, driveError(c.ctx, "", err)
	}
	d, err := c.s.Versions.SetTemplateFile(c.ctx, caller(c.ctx), c.turn, c.wf.ID, c.d.ID, c.d.File.ID, file)
	if codeOf(err) == "template_busy" { // else it may have been stored
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), discardTimeout)
		defer cancel()
		if err := c.drive.Trash(ctx, file.ID); err != nil {
			edge.Note(c.ctx, slog.String("orphan", c.d.ID), slog.String("orphan_error", err.Error()))
		}
	}
	if err == nil {
		c.s.noteUpload(c.ctx, d.ID, content, file)
	}
	return d, err
}

func versionPosition(v platen.TemplateVersion) platen.Position {
	return platen.Position{CreatedAt: v.CreatedAt, ID: v.ID}
}

type versionJSON struct {
	ID         string              `json:"id"`
	DocumentID string              `json:"documentId"`
	Number     int                 `json:"number"`
	Cause      platen.VersionCause `json:"cause"`
	Note       string              `json:"note"`
	Size       int64               `json:"size"` // bytes
	SHA256     string              `json:"sha256"`
	MIMEType   string              `json:"mimeType"`
	CreatedAt  string              `json:"createdAt"`
	CreatedBy  *ownerJSON          `json:"createdBy"` // null: not in the caller's team any more
}

func versionOf(v platen.TemplateVersion) versionJSON {
	out := versionJSON{
		ID: v.ID, DocumentID: v.DocumentID, Number: v.Number, Cause: v.Cause, Note: v.Note,
		Size: v.Size, SHA256: v.SHA256, MIMEType: v.ContentType(), CreatedAt: platen.Timestamp(v.CreatedAt),
	}
	if v.CreatedBy.Name != "" {
		out.CreatedBy = &ownerJSON{v.CreatedBy.ID, v.CreatedBy.Name, v.CreatedBy.Email}
	}
	return out
}

// readNote reads the body of a version that is kept on purpose.
func readNote(body []byte) (string, error) {
	if len(body) == 0 {
		return "", nil
	}
	var note *string
	err := decode(body, members{"note": text(&note, short(platen.MaxVersionNote))})
	if err != nil || note == nil {
		return "", err
	}
	return *note, nil
}
