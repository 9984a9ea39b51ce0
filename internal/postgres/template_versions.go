package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// TemplateVersions is the store of what templates said before. The office files are in
// the row, each encrypted by a key of its own: a version is there or it is not.
type TemplateVersions struct{ db *DB }

const (
	versionDataKey = "template_versions.data_key"
	versionContent = "template_versions.content"
)

// selectVersion leaves the content out.
const selectVersion = `
	SELECT v.id, v.document_id, v.number, d.type, v.cause, v.note, v.sha256, v.size, v.created_at,
		v.created_by, coalesce(u.name, '') AS creator_name, coalesce(u.email, '') AS creator_email
	FROM template_versions v
	JOIN documents d ON d.id = v.document_id
	LEFT JOIN users u ON u.id = v.created_by`

type versionRow struct {
	ID           string              `db:"id"`
	DocumentID   string              `db:"document_id"`
	Number       int                 `db:"number"`
	Type         platen.DocumentType `db:"type"`
	Cause        platen.VersionCause `db:"cause"`
	Note         string              `db:"note"`
	SHA256       []byte              `db:"sha256"`
	Size         int64               `db:"size"`
	CreatedAt    time.Time           `db:"created_at"`
	CreatedBy    string              `db:"created_by"`
	CreatorName  string              `db:"creator_name"`
	CreatorEmail string              `db:"creator_email"`
}

func (r versionRow) version() platen.TemplateVersion {
	return platen.TemplateVersion{
		ID: r.ID, DocumentID: r.DocumentID, Number: r.Number, Type: r.Type, Cause: r.Cause, Note: r.Note,
		SHA256: hex.EncodeToString(r.SHA256), Size: r.Size, CreatedAt: r.CreatedAt.UTC(),
		CreatedBy: platen.User{ID: r.CreatedBy, Name: r.CreatorName, Email: r.CreatorEmail},
	}
}

// TemplateVersions returns a page of a document's versions, by creation time, then id.
func (s *TemplateVersions) TemplateVersions(ctx context.Context, caller platen.User, workflowID, documentID string, page platen.Page) ([]platen.TemplateVersion, error) {
	err := s.authorize(ctx, s.db.pool, caller, workflowID, documentID)
	var rows []versionRow
	if err == nil {
		rows, err = Collect[versionRow](ctx, s.db.pool, selectVersion+`
			WHERE v.document_id = @document_id AND (v.created_at, v.id) > (@after_time::timestamptz, @after_id::text)
			ORDER BY v.created_at, v.id
			LIMIT @limit`, pageArgs(page, pgx.NamedArgs{"document_id": documentID}))
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of document %s: %w", documentID, err)
	}
	found := make([]platen.TemplateVersion, len(rows))
	for i, r := range rows {
		found[i] = r.version()
	}
	return found, nil
}

// authorize answers KindNotFound unless the workflow is the caller's and has the document.
func (s *TemplateVersions) authorize(ctx context.Context, q Querier, caller platen.User, workflowID, documentID string) error {
	if err := authorize(ctx, q, caller, workflowID); err != nil {
		return err
	}
	var found bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM documents WHERE id = @id AND workflow_id = @workflow_id AND state = 'READY')`,
		pgx.NamedArgs{"id": documentID, "workflow_id": workflowID}).Scan(&found)
	if err == nil && !found {
		return platen.ErrDocumentNotFound()
	}
	return Classify(err)
}

// TemplateVersion returns one version. Without it: KindNotFound with code
// "version_not_found".
func (s *TemplateVersions) TemplateVersion(ctx context.Context, caller platen.User, workflowID, documentID, versionID string) (platen.TemplateVersion, error) {
	r, err := s.find(ctx, caller, workflowID, documentID, versionID)
	if err != nil {
		return platen.TemplateVersion{}, fmt.Errorf("read version %s: %w", versionID, err)
	}
	return r.version(), nil
}

func (s *TemplateVersions) find(ctx context.Context, caller platen.User, workflowID, documentID, versionID string) (versionRow, error) {
	if err := s.authorize(ctx, s.db.pool, caller, workflowID, documentID); err != nil {
		return versionRow{}, err
	}
	r, ok, err := CollectOne[versionRow](ctx, s.db.pool, selectVersion+`
		WHERE v.id = @id AND v.document_id = @document_id`,
		pgx.NamedArgs{"id": versionID, "document_id": documentID})
	if err == nil && !ok {
		err = platen.ErrVersionNotFound()
	}
	return r, err
}

// VersionContent returns the office file of a version that the caller was found to see.
func (s *TemplateVersions) VersionContent(ctx context.Context, versionID string) ([]byte, error) {
	type row struct {
		DataKey []byte `db:"data_key"`
		Content []byte `db:"content"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT data_key, content
		FROM template_versions
		WHERE id = @id`, pgx.NamedArgs{"id": versionID})
	if err == nil && !ok {
		err = platen.ErrVersionNotFound() // it was the oldest, and went this moment
	}
	var key DataKey
	if err == nil {
		key, err = s.db.vault.openKey(r.DataKey, versionDataKey, versionID)
	}
	var content []byte
	if err == nil {
		content, err = key.Open(r.Content, versionContent)
	}
	if err != nil {
		return nil, fmt.Errorf("read the content of version %s: %w", versionID, err)
	}
	return content, nil
}

// BeginTemplateChange gives the caller the turn to change the contents of a template, for
// lease at most. While another request has it: KindUnavailable with code "template_busy".
// The turn is what EndTemplateChange ends.
func (s *TemplateVersions) BeginTemplateChange(ctx context.Context, caller platen.User, workflowID, documentID string, lease time.Duration) (turn string, err error) {
	turn = platen.NewKey()
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		return whileConfigurable(ctx, tx, caller, workflowID, func(tx pgx.Tx) error {
			r, err := lockDocument(ctx, tx, workflowID, documentID)
			if err != nil {
				return err
			}
			if r.State != documentReady {
				return platen.ErrDocumentNotFound()
			}
			n, err := Execute(ctx, tx, `
				UPDATE documents
				SET changing = @turn, changing_until = clock_timestamp() + @lease::interval
				WHERE id = @id AND (changing = '' OR changing_until < clock_timestamp())`,
				pgx.NamedArgs{"id": documentID, "turn": turn, "lease": lease})
			if err == nil && n == 0 {
				err = platen.ErrTemplateBusy()
			}
			return err
		})
	})
	if err != nil {
		return "", fmt.Errorf("take the turn to change the template of %s: %w", documentID, err)
	}
	return turn, nil
}

// EndTemplateChange ends a turn. One that is over already is left alone.
func (s *TemplateVersions) EndTemplateChange(ctx context.Context, documentID, turn string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE documents
		SET changing = '', changing_until = NULL
		WHERE id = @id AND changing = @turn`, pgx.NamedArgs{"id": documentID, "turn": turn})
	if err != nil {
		return fmt.Errorf("end the turn to change the template of %s: %w", documentID, err)
	}
	return nil
}

// SetTemplateFile puts another file under a document, in the turn of BeginTemplateChange,
// in place of the one with the id gone. KindUnavailable with code "template_busy": the turn
// is over, or the document has another file meanwhile.
func (s *TemplateVersions) SetTemplateFile(ctx context.Context, caller platen.User, turn, workflowID, documentID, gone string, file platen.File) (platen.Document, error) {
	var d platen.Document
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		r, ok, err := CollectOne[documentRow](ctx, tx, selectDocument+`
			WHERE id = @id AND workflow_id = @workflow_id AND state = 'READY' AND file_id = @gone
				AND changing = @turn AND changing_until > clock_timestamp()
			FOR NO KEY UPDATE`,
			pgx.NamedArgs{"id": documentID, "workflow_id": workflowID, "gone": gone, "turn": turn})
		if err == nil && !ok {
			err = platen.ErrTemplateBusy()
		}
		if err != nil {
			return err
		}
		if d, err = r.document(s.db.vault); err != nil {
			return err
		}
		d.File = file
		if d.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		return storeDocument(ctx, tx, s.db.vault, d)
	})
	if err != nil {
		return platen.Document{}, fmt.Errorf("put another file under document %s: %w", documentID, err)
	}
	return d, nil
}

// KeepTemplateVersion stores v, with the next number of its document, in the turn of
// BeginTemplateChange: KindUnavailable with code "template_busy" when that is over. A
// content that the newest version has is not stored again: that version is the answer,
// made is false, and it takes the note if v has one. Beyond platen.MaxVersions the oldest
// version goes, but never spare.
func (s *TemplateVersions) KeepTemplateVersion(ctx context.Context, turn string, v platen.TemplateVersion, content []byte, spare string) (kept platen.TemplateVersion, made bool, err error) {
	sum := sha256.Sum256(content)
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		n, err := Execute(ctx, tx, `
			UPDATE documents
			SET changing = changing
			WHERE id = @id AND state = 'READY' AND changing = @turn AND changing_until > clock_timestamp()`,
			pgx.NamedArgs{"id": v.DocumentID, "turn": turn})
		if err == nil && n == 0 {
			err = platen.ErrTemplateBusy()
		}
		if err != nil {
			return err
		}
		newest, there, err := CollectOne[versionRow](ctx, tx, selectVersion+`
			WHERE v.document_id = @document_id
			ORDER BY v.number DESC
			LIMIT 1`, pgx.NamedArgs{"document_id": v.DocumentID})
		if err != nil {
			return err
		}
		if there && bytes.Equal(newest.SHA256, sum[:]) {
			kept, err = renote(ctx, tx, newest.version(), v.Note)
			return err
		}
		v.Number, v.SHA256, v.Size, made = newest.Number+1, hex.EncodeToString(sum[:]), int64(len(content)), true
		kept = v
		return s.insert(ctx, tx, v, sum[:], content, spare)
	})
	if err != nil {
		return platen.TemplateVersion{}, false, fmt.Errorf("keep a version of the template of %s: %w", v.DocumentID, err)
	}
	return kept, made, nil
}

func renote(ctx context.Context, tx pgx.Tx, v platen.TemplateVersion, note string) (platen.TemplateVersion, error) {
	if note == "" || note == v.Note {
		return v, nil
	}
	v.Note = note
	_, err := Execute(ctx, tx, `
		UPDATE template_versions
		SET note = @note
		WHERE id = @id`, pgx.NamedArgs{"id": v.ID, "note": note})
	return v, err
}

func (s *TemplateVersions) insert(ctx context.Context, tx pgx.Tx, v platen.TemplateVersion, sum, content []byte, spare string) error {
	key, err := s.db.vault.newKey(versionDataKey, v.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO template_versions (id, document_id, number, cause, note, sha256, size, created_at, created_by, data_key, content)
		VALUES (@id, @document_id, @number, @cause, @note, @sha256, @size, @created_at, @created_by, @data_key, @content)`,
		pgx.NamedArgs{
			"id": v.ID, "document_id": v.DocumentID, "number": v.Number, "cause": v.Cause, "note": v.Note,
			"sha256": sum, "size": v.Size, "created_at": v.CreatedAt, "created_by": v.CreatedBy.ID,
			"data_key": key.Sealed, "content": key.Seal(content, versionContent),
		})
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		DELETE FROM template_versions
		WHERE document_id = @document_id AND number <= @last AND id <> @spare`,
		pgx.NamedArgs{"document_id": v.DocumentID, "last": v.Number - platen.MaxVersions, "spare": spare})
	return err
}

// NoteUpload notes the office file that the template of a document was made from.
func (s *TemplateVersions) NoteUpload(ctx context.Context, documentID string, u platen.TemplateUpload) error {
	sum, err := hex.DecodeString(u.SHA256)
	if err == nil {
		_, err = Execute(ctx, s.db.pool, `
			UPDATE documents
			SET uploaded_sha256 = @sha256, uploaded_modified_at = @modified_at
			WHERE id = @id`, pgx.NamedArgs{"id": documentID, "sha256": sum, "modified_at": u.ModifiedAt})
	}
	if err != nil {
		return fmt.Errorf("note the upload of document %s: %w", documentID, err)
	}
	return nil
}

// UploadOf returns the office file that the template of a document was made from. The
// caller was found to see the document. The zero value: there was none, or nobody knows.
func (s *TemplateVersions) UploadOf(ctx context.Context, documentID string) (platen.TemplateUpload, error) {
	type row struct {
		SHA256     []byte     `db:"uploaded_sha256"`
		ModifiedAt *time.Time `db:"uploaded_modified_at"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT uploaded_sha256, uploaded_modified_at
		FROM documents
		WHERE id = @id`, pgx.NamedArgs{"id": documentID})
	switch {
	case err != nil:
		return platen.TemplateUpload{}, fmt.Errorf("read the upload of document %s: %w", documentID, err)
	case !ok || r.ModifiedAt == nil:
		return platen.TemplateUpload{}, nil
	}
	return platen.TemplateUpload{SHA256: hex.EncodeToString(r.SHA256), ModifiedAt: *r.ModifiedAt}, nil
}
