package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// readable are the types whose files can be searched for what they say.
var readable = []string{DocumentType, PresentationType, TextType}

// Unread lists files of the owner's whose text no search has read, the newest
// first.
func (s *Store) Unread(ctx context.Context, owner string, limit int) ([]File, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT `+fileColumns+`
		FROM drive.files f
		JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.owner_id = @owner AND f.mime_type = ANY (@types)
			AND NOT EXISTS (SELECT FROM drive.texts t WHERE t.sha256 = f.sha256 AND t.mime_type = f.mime_type)
		ORDER BY f.modified_at DESC, f.id
		LIMIT @limit`,
		pgx.NamedArgs{"owner": owner, "types": readable, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list files to read for a search: %w", err)
	}
	files, err := pgx.CollectRows(rows, pgx.RowToStructByName[File])
	if err != nil {
		return nil, fmt.Errorf("list files to read for a search: %w", err)
	}
	return files, nil
}

// PutText stores the words of a file's content in lower case, which Postgres knows
// only in some locales, unless the content is gone.
func (s *Store) PutText(ctx context.Context, f File, text string) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO drive.texts (sha256, mime_type, words)
		SELECT sha256, @mime_type, to_tsvector('simple', @text)
		FROM drive.contents
		WHERE sha256 = @sha256
		ON CONFLICT DO NOTHING`,
		pgx.NamedArgs{"sha256": f.SHA256, "mime_type": f.MimeType, "text": strings.ToLower(text)})
	if err != nil {
		return fmt.Errorf("store the words of a file: %w", err)
	}
	return nil
}
