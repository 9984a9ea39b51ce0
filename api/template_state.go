package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// templateStateJSON tells one content of a template from another. UploadedSHA256 is that of
// the office file that it was made of, unless it was changed since: a drive that converts
// files gives other bytes back than it got.
type templateStateJSON struct {
	DocumentID     string  `json:"documentId"`
	MIMEType       string  `json:"mimeType"` // of the office file
	Size           int     `json:"size"`     // bytes
	SHA256         string  `json:"sha256"`
	UploadedSHA256 *string `json:"uploadedSha256"` // null: it is not known
}

// getTemplateState answers with what the template says now, as its hashes.
func (s *server) getTemplateState(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err == nil {
		err = s.mayOpen(r.Context(), wf, d)
	}
	if err == nil {
		err = edge.Reserve(r.Context(), platen.MaxVersionSize)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.driveTimeout, errDriveTimeout)
	defer cancel()
	drive, err := s.drives(ctx, wf.Owner.ID)
	if err != nil {
		return driveError(ctx, "", err)
	}
	c := templateChange{s: s, ctx: ctx, drive: drive, wf: wf, d: d}
	content, err := c.content()
	if err != nil {
		return err
	}
	state, err := c.state(content)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, state)
}

// state is that of a content of the template.
func (c templateChange) state(content []byte) (templateStateJSON, error) {
	state := templateStateJSON{DocumentID: c.d.ID, MIMEType: c.d.Type.OfficeType(), Size: len(content), SHA256: hashOf(content)}
	u, err := c.s.Versions.UploadOf(c.ctx, c.d.ID)
	if err != nil || u.SHA256 == "" {
		return state, err
	}
	file, err := c.drive.File(c.ctx, c.d.File.ID)
	if err != nil {
		return state, ownFileError(c.ctx, err)
	}
	if file.ModifiedAt.Equal(u.ModifiedAt) {
		state.UploadedSHA256 = &u.SHA256
	}
	return state, nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// noteUpload notes that a document's template was made of a content. Without the note only
// the drive's bytes tell whether it is the same.
func (s *server) noteUpload(ctx context.Context, documentID string, content []byte, file platen.File) {
	if file.ModifiedAt.IsZero() {
		return
	}
	u := platen.TemplateUpload{SHA256: hashOf(content), ModifiedAt: file.ModifiedAt.Truncate(time.Microsecond)}
	if err := s.Versions.NoteUpload(ctx, documentID, u); err != nil {
		edge.Note(ctx, slog.String("upload_note_error", err.Error()))
	}
}
