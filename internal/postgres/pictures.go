package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Pictures is the store of pictures that a drive is about to read.
type Pictures struct{ db *DB }

// KeepPicture keeps a picture for some time, or longer if it is there already,
// and returns its id: the SHA-256 of its content, in hexadecimal digits.
func (s *Pictures) KeepPicture(ctx context.Context, mediaType string, content []byte, lasting time.Duration) (string, error) {
	sum := sha256.Sum256(content)
	id := hex.EncodeToString(sum[:])
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO pictures (id, media_type, content, expires_at)
		VALUES (@id, @media_type, @content, now() + @lasting::interval)
		ON CONFLICT (id) DO UPDATE
		SET expires_at = greatest(pictures.expires_at, excluded.expires_at)`,
		pgx.NamedArgs{"id": id, "media_type": mediaType, "content": content, "lasting": lasting})
	if err != nil {
		return "", fmt.Errorf("keep a picture: %w", err)
	}
	return id, nil
}

// Picture returns a picture that is kept; KindNotFound for any other.
func (s *Pictures) Picture(ctx context.Context, id string) (mediaType string, content []byte, err error) {
	type picture struct {
		MediaType string `db:"media_type"`
		Content   []byte `db:"content"`
	}
	found, ok, err := CollectOne[picture](ctx, s.db.pool, `
		SELECT media_type, content
		FROM pictures
		WHERE id = @id AND expires_at > now()`,
		pgx.NamedArgs{"id": id})
	if err != nil {
		return "", nil, fmt.Errorf("read a picture: %w", err)
	}
	if !ok {
		return "", nil, platen.Errorf(platen.KindNotFound, "picture_not_found", "There is no such picture.")
	}
	return found.MediaType, found.Content, nil
}
