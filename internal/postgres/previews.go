package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Previews is the store of the copies that previews fill, so that one whose
// process died is found.
type Previews struct{ db *DB }

type previewCopyRow struct {
	Key       string    `db:"key"`
	OwnerID   string    `db:"owner_id"`
	CreatedAt time.Time `db:"created_at"`
}

func previewCopies(rows []previewCopyRow) []platen.PreviewCopy {
	found := make([]platen.PreviewCopy, len(rows))
	for i, r := range rows {
		found[i] = platen.PreviewCopy(r)
	}
	return found
}

// NotePreviewCopy notes a copy before it is made.
func (s *Previews) NotePreviewCopy(ctx context.Context, key, ownerID string) error {
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO preview_copies (key, owner_id)
		VALUES (@key, @owner_id)
		ON CONFLICT (key) DO NOTHING`,
		pgx.NamedArgs{"key": key, "owner_id": ownerID})
	if err != nil {
		return fmt.Errorf("note a copy for a preview: %w", err)
	}
	return nil
}

// ForgetPreviewCopy forgets a copy that is gone.
func (s *Previews) ForgetPreviewCopy(ctx context.Context, key string) error {
	_, err := Execute(ctx, s.db.pool, `
		DELETE FROM preview_copies
		WHERE key = @key`, pgx.NamedArgs{"key": key})
	if err != nil {
		return fmt.Errorf("forget a copy of a preview: %w", err)
	}
	return nil
}

// PreviewCopies returns the copies that were noted longer than age ago; oldest
// first, at most a hundred. after is the last one of those before, the zero
// value to begin with: one whose drive does not open keeps none from its turn.
// Remove the copy, then call ForgetPreviewCopy: a crash in between repeats both.
func (s *Previews) PreviewCopies(ctx context.Context, age time.Duration, after platen.PreviewCopy) ([]platen.PreviewCopy, error) {
	rows, err := Collect[previewCopyRow](ctx, s.db.pool, `
		SELECT key, owner_id, created_at
		FROM preview_copies
		WHERE created_at < now() - @age::interval AND (created_at, key) > (@created, @key)
		ORDER BY created_at, key
		LIMIT 100`,
		pgx.NamedArgs{"age": age, "created": after.CreatedAt, "key": after.Key})
	if err != nil {
		return nil, fmt.Errorf("list copies of previews: %w", err)
	}
	return previewCopies(rows), nil
}

// GiveUpPreviewCopies forgets the copies that have been looked for in vain for
// thirty days, and returns them: they may be in their owners' drives for ever.
func (s *Previews) GiveUpPreviewCopies(ctx context.Context) ([]platen.PreviewCopy, error) {
	rows, err := Collect[previewCopyRow](ctx, s.db.pool, `
		DELETE FROM preview_copies
		WHERE created_at < now() - @most::interval
		RETURNING key, owner_id, created_at`,
		pgx.NamedArgs{"most": giveUpAfter})
	if err != nil {
		return nil, fmt.Errorf("give copies of previews up: %w", err)
	}
	return previewCopies(rows), nil
}
