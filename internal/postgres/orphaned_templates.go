package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// OrphanedTemplates is the store of templates that may be in users' drives and belong to
// no document: requests died before they stored it, or it was removed.
type OrphanedTemplates struct{ db *DB }

type orphanedTemplateRow struct {
	DocumentID string    `db:"document_id"`
	OwnerID    string    `db:"owner_id"`
	CreatedAt  time.Time `db:"created_at"`
}

func orphanedTemplates(rows []orphanedTemplateRow) []platen.OrphanedTemplate {
	found := make([]platen.OrphanedTemplate, len(rows))
	for i, r := range rows {
		found[i] = platen.OrphanedTemplate(r)
	}
	return found
}

// DiscardOrphans discards the documents that have been pending for longer than
// age – they cannot be completed any more – and returns them, with those that
// were discarded before and not removed yet; oldest first, at most a hundred.
// after is the last one of those before, the zero value to begin with: one
// whose drive does not open keeps none from its turn. Trash the copy, then call
// ForgetOrphan: a crash in between repeats both.
func (s *OrphanedTemplates) DiscardOrphans(ctx context.Context, age time.Duration, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
	rows, err := Collect[orphanedTemplateRow](ctx, s.db.pool, `
		WITH old AS (
			SELECT id
			FROM documents
			WHERE state <> 'READY' AND state IN ('PENDING', 'DISCARDED') AND created_at < now() - @age::interval
				AND (created_at, id) > (@created, @id)
			ORDER BY created_at, id
			LIMIT 100
			FOR NO KEY UPDATE SKIP LOCKED
		), discarded AS (
			UPDATE documents d
			SET state = 'DISCARDED'
			FROM old
			WHERE d.id = old.id
			RETURNING d.id, d.workflow_id, d.created_at
		)
		SELECT d.id AS document_id, w.owner_id, d.created_at
		FROM discarded d
		JOIN workflows w ON w.id = d.workflow_id
		ORDER BY d.created_at, d.id`,
		pgx.NamedArgs{"age": age, "created": after.CreatedAt, "id": after.DocumentID})
	if err != nil {
		return nil, fmt.Errorf("discard orphaned documents: %w", err)
	}
	return orphanedTemplates(rows), nil
}

// NoteTemplate notes the template of a document whose workflow is not stored yet, before
// it is copied. Storing the workflow takes the note away; one that is still there later is
// swept with the copies of previews (Previews.PreviewCopies).
func (s *OrphanedTemplates) NoteTemplate(ctx context.Context, documentID, ownerID string) error {
	return s.db.Previews.NotePreviewCopy(ctx, documentID, ownerID)
}

// forgetNotes takes the notes of NoteTemplate away.
func forgetNotes(ctx context.Context, tx pgx.Tx, documents []platen.Document) error {
	ids := make([]string, len(documents))
	for i, d := range documents {
		ids[i] = d.ID
	}
	_, err := Execute(ctx, tx, `
		DELETE FROM preview_copies
		WHERE key = ANY (@ids)`, pgx.NamedArgs{"ids": ids})
	return err
}

// ForgetOrphan forgets a discarded document; any other it leaves alone. One
// that outputs were made from was a document once, and was taken for an orphan
// by a release that does not know removed ones: it becomes one again.
func (s *OrphanedTemplates) ForgetOrphan(ctx context.Context, documentID string) error {
	_, err := Execute(ctx, s.db.pool, `
		WITH kept AS (
			UPDATE documents d
			SET state = 'REMOVED', template_removed_at = now()
			WHERE d.id = @id AND d.state = 'DISCARDED' AND EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id)
		)
		DELETE FROM documents d
		WHERE d.id = @id AND d.state = 'DISCARDED' AND NOT EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id)`,
		pgx.NamedArgs{"id": documentID})
	if err != nil {
		return fmt.Errorf("forget orphaned document %s: %w", documentID, err)
	}
	return nil
}

// RemovedTemplates returns the removed documents whose template is still in the
// drive and that no output under way is copied from; oldest first, at most a
// hundred, and those after one as DiscardOrphans has it. Trash the template,
// then call MarkTemplateTrashed: a crash in between repeats both.
func (s *OrphanedTemplates) RemovedTemplates(ctx context.Context, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
	rows, err := Collect[orphanedTemplateRow](ctx, s.db.pool, `
		SELECT d.id AS document_id, w.owner_id, d.created_at
		FROM documents d
		JOIN workflows w ON w.id = d.workflow_id
		WHERE d.state <> 'READY' AND d.state = 'REMOVED' AND d.template_removed_at IS NULL
			AND NOT EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id AND o.state = 'PENDING')
			AND NOT EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id AND o.state = 'REVIEW')
			AND (d.created_at, d.id) > (@created, @id)
		ORDER BY d.created_at, d.id
		LIMIT 100`,
		pgx.NamedArgs{"created": after.CreatedAt, "id": after.DocumentID})
	if err != nil {
		return nil, fmt.Errorf("list removed templates: %w", err)
	}
	return orphanedTemplates(rows), nil
}

// MarkTemplateTrashed notes that the template of a removed document is in the
// drive's trash.
func (s *OrphanedTemplates) MarkTemplateTrashed(ctx context.Context, documentID string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE documents
		SET template_removed_at = now()
		WHERE id = @id AND state = 'REMOVED'`,
		pgx.NamedArgs{"id": documentID})
	if err != nil {
		return fmt.Errorf("note that the template of %s is removed: %w", documentID, err)
	}
	return nil
}
