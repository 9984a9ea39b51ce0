package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Stray is a document that was reserved and never completed. A copy of the
// template may exist in its owner's drive under the document's id as key.
type Stray struct {
	DocumentID string    `db:"document_id"`
	WorkflowID string    `db:"workflow_id"`
	OwnerID    string    `db:"owner_id"`
	CreatedAt  time.Time `db:"created_at"`
}

// Strays discards the documents that have been pending for longer than age –
// they cannot be completed any more – and returns them, with those that were
// discarded before and not removed yet; oldest first, at most a hundred. after
// is the last one of those before, the zero value to begin with: one whose drive
// does not open keeps none from its turn. Trash the copy, then call RemoveStray:
// a crash in between repeats both.
func (s *Store) Strays(ctx context.Context, age time.Duration, after Stray) ([]Stray, error) {
	strays, err := collect[Stray](ctx, s.pool, `
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
		SELECT d.id AS document_id, d.workflow_id, w.owner_id, d.created_at
		FROM discarded d
		JOIN workflows w ON w.id = d.workflow_id
		ORDER BY d.created_at, d.id`,
		pgx.NamedArgs{"age": age, "created": after.CreatedAt, "id": after.DocumentID})
	if err != nil {
		return nil, fmt.Errorf("discard stray documents: %w", err)
	}
	return strays, nil
}

// RemoveStray forgets a discarded document; any other it leaves alone. One
// that outputs were made from was a document once, and was taken for a stray
// by a release that does not know removed ones: it becomes one again.
func (s *Store) RemoveStray(ctx context.Context, documentID string) error {
	_, err := execute(ctx, s.pool, `
		WITH kept AS (
			UPDATE documents d
			SET state = 'REMOVED', template_removed_at = now()
			WHERE d.id = @id AND d.state = 'DISCARDED' AND EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id)
		)
		DELETE FROM documents d
		WHERE d.id = @id AND d.state = 'DISCARDED' AND NOT EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id)`,
		pgx.NamedArgs{"id": documentID})
	if err != nil {
		return fmt.Errorf("remove stray document %s: %w", documentID, err)
	}
	return nil
}

// RemovedTemplates returns the removed documents whose template is still in
// the drive and that no output under way is copied from; oldest first, at most
// a hundred, and those after one as Strays has it. Trash the template, then call
// TemplateRemoved: a crash in between repeats both.
func (s *Store) RemovedTemplates(ctx context.Context, after Stray) ([]Stray, error) {
	found, err := collect[Stray](ctx, s.pool, `
		SELECT d.id AS document_id, d.workflow_id, w.owner_id, d.created_at
		FROM documents d
		JOIN workflows w ON w.id = d.workflow_id
		WHERE d.state <> 'READY' AND d.state = 'REMOVED' AND d.template_removed_at IS NULL
			AND NOT EXISTS (SELECT FROM outputs o WHERE o.document_id = d.id AND o.state = 'PENDING')
			AND (d.created_at, d.id) > (@created, @id)
		ORDER BY d.created_at, d.id
		LIMIT 100`,
		pgx.NamedArgs{"created": after.CreatedAt, "id": after.DocumentID})
	if err != nil {
		return nil, fmt.Errorf("list removed templates: %w", err)
	}
	return found, nil
}

// TemplateRemoved notes that the template of a removed document is in the
// drive's trash.
func (s *Store) TemplateRemoved(ctx context.Context, documentID string) error {
	_, err := execute(ctx, s.pool, `
		UPDATE documents
		SET template_removed_at = now()
		WHERE id = @id AND state = 'REMOVED'`,
		pgx.NamedArgs{"id": documentID})
	if err != nil {
		return fmt.Errorf("note that the template of %s is removed: %w", documentID, err)
	}
	return nil
}

// An EndedOutput is one that may have left files in the drive.
type EndedOutput struct {
	AutomationID string    `db:"automation_id"`
	OutputID     string    `db:"output_id"`
	CreatedAt    time.Time `db:"created_at"`
	EndedAt      time.Time `db:"ended_at"`
}

// leftoversFor is for how long a drive that cannot be opened is tried.
const leftoversFor = 30 * 24 * time.Hour

// Leftovers returns the outputs that ended longer than age ago, that failed or
// were made by steps that ran more than once, and whose files nobody has
// looked through since; oldest first, at most a hundred. after is the last one
// of those before, the zero value to begin with: one whose drive does not open
// keeps none from its turn.
func (s *Store) Leftovers(ctx context.Context, age time.Duration, after EndedOutput) ([]EndedOutput, error) {
	found, err := collect[EndedOutput](ctx, s.pool, `
		SELECT automation_id, id AS output_id, created_at, updated_at AS ended_at
		FROM outputs
		WHERE state <> 'PENDING' AND (repeated OR state = 'FAILED' AND copy_begun) AND swept_at IS NULL
			AND updated_at BETWEEN now() - @most::interval AND now() - @age::interval
			AND (created_at, id) > (@created, @id)
		ORDER BY created_at, id
		LIMIT 100`,
		pgx.NamedArgs{"age": age, "most": leftoversFor, "created": after.CreatedAt, "id": after.OutputID})
	if err != nil {
		return nil, fmt.Errorf("list outputs that may have left files: %w", err)
	}
	return found, nil
}

// LeftoversSwept notes that the files of an output were looked through. One
// that has been retried meanwhile is looked through again when it has ended.
func (s *Store) LeftoversSwept(ctx context.Context, o EndedOutput) error {
	_, err := execute(ctx, s.pool, `
		UPDATE outputs
		SET swept_at = now()
		WHERE id = @id AND updated_at = @ended`,
		pgx.NamedArgs{"id": o.OutputID, "ended": o.EndedAt})
	if err != nil {
		return fmt.Errorf("note that the files of %s were looked through: %w", o.OutputID, err)
	}
	return nil
}
