package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
)

// uploadLifetime is how long an upload session may take; Google gives a week.
const uploadLifetime = 7 * 24 * time.Hour

// Upload is a file on its way in, resumable or in one go.
type Upload struct {
	Owner  string  `db:"owner_id"`
	FileID *string `db:"file_id"` // the file to be replaced, nil to create one
	// Metadata is the file resource that the client sent, as JSON.
	Metadata  []byte `db:"metadata"`
	Query     string `db:"query"` // of the request that began the upload
	MediaType string `db:"media_type"`
	Size      *int64 `db:"size"` // nil until it is known
	Received  int64  `db:"received"`
	// DoneFileID is set once the file is stored: a repeated last chunk is
	// answered with the same file.
	DoneFileID *string `db:"done_file_id"`
	// Token is the SHA-256 of the bearer token that began it; nil: not known.
	Token []byte `db:"token_sha256"`
}

// BeginUpload opens a session that any process may continue and returns its
// secret key.
func (s *Store) BeginUpload(ctx context.Context, u Upload) (string, error) {
	key := secret(24)
	_, err := s.pool.Exec(ctx, `
		INSERT INTO drive.uploads (sha256, owner_id, file_id, metadata, query, media_type, size, expires_at, token_sha256)
		VALUES (@sha256, @owner, @file, @metadata, @query, @media_type, @size, @expires, @token)`,
		pgx.NamedArgs{
			"sha256": Hash(key), "owner": u.Owner, "file": u.FileID, "metadata": u.Metadata, "query": u.Query,
			"media_type": u.MediaType, "size": u.Size, "expires": time.Now().Add(uploadLifetime), "token": u.Token,
		})
	if err != nil {
		return "", fmt.Errorf("begin upload: %w", err)
	}
	return key, nil
}

// Chunk is a piece of an upload.
type Chunk struct {
	Start int64
	Body  []byte
	Total *int64 // of the whole file; nil while the client does not know
}

// ErrGap says that a chunk begins after the last byte received.
var ErrGap = errors.New("bytes before the chunk are missing")

// ContinueUpload takes a chunk and, when it was the last one, finishes the
// upload in the same transaction. The returned file is nil while more is
// expected. A chunk that was sent before is taken as often as it comes.
func (s *Store) ContinueUpload(ctx context.Context, key string, c Chunk, finish func(context.Context, pgx.Tx, Upload, []byte) (File, error)) (Upload, *File, error) {
	var u Upload
	var done *File
	err := s.InTx(ctx, func(tx pgx.Tx) error {
		var err error
		if u, err = lockUpload(ctx, tx, key); err != nil {
			return err
		}
		if u.DoneFileID != nil {
			f, err := find(ctx, tx, u.Owner, *u.DoneFileID, "")
			done = &f
			return err
		}
		if err := take(ctx, tx, key, &u, c); err != nil {
			return err
		}
		if u.Size == nil || u.Received != *u.Size {
			return nil
		}
		body, err := assemble(ctx, tx, key)
		if err != nil {
			return err
		}
		f, err := finish(ctx, tx, u, body)
		if err != nil {
			return err
		}
		done = &f
		_, err = tx.Exec(ctx, `
			WITH gone AS (DELETE FROM drive.upload_chunks WHERE upload = @key)
			UPDATE drive.uploads SET done_file_id = @file WHERE sha256 = @key`,
			pgx.NamedArgs{"key": Hash(key), "file": f.ID})
		return err
	})
	return u, done, err
}

// UploadNotFound is 404 for a session that is unknown or has expired.
func UploadNotFound() *fault.Error {
	f := fault.FileNotFound("")
	f.Message = "This upload session is unknown or has expired; begin the upload again."
	return f.At("parameter", "upload_id")
}

// UploadOwner says whose session it is, before anything is read for it.
func (s *Store) UploadOwner(ctx context.Context, key string) (owner string, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT owner_id
		FROM drive.uploads
		WHERE sha256 = @key AND expires_at > now()`+stillAllowed, pgx.NamedArgs{"key": Hash(key)}).Scan(&owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", UploadNotFound()
	}
	if err != nil {
		return "", fmt.Errorf("read upload: %w", err)
	}
	return owner, nil
}

// stillAllowed is a session whose account is in use and whose token was not revoked.
// A token that has merely expired began what may go on, as at Google.
const stillAllowed = `
			AND NOT EXISTS (SELECT FROM drive.tokens t WHERE t.sha256 = token_sha256 AND t.revoked_at IS NOT NULL)
			AND NOT EXISTS (SELECT FROM drive.users u WHERE u.id = owner_id AND u.disabled_at IS NOT NULL)`

func lockUpload(ctx context.Context, tx pgx.Tx, key string) (Upload, error) {
	rows, err := tx.Query(ctx, `
		SELECT owner_id, file_id, metadata, query, media_type, size, received, done_file_id, token_sha256
		FROM drive.uploads
		WHERE sha256 = @key AND expires_at > now()`+stillAllowed+`
		FOR UPDATE`,
		pgx.NamedArgs{"key": Hash(key)})
	if err != nil {
		return Upload{}, fmt.Errorf("read upload: %w", err)
	}
	u, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Upload])
	if errors.Is(err, pgx.ErrNoRows) {
		return Upload{}, UploadNotFound()
	}
	if err != nil {
		return Upload{}, fmt.Errorf("read upload: %w", err)
	}
	return u, nil
}

// take stores what is new in a chunk and moves u along.
func take(ctx context.Context, tx pgx.Tx, key string, u *Upload, c Chunk) error {
	if c.Start > u.Received {
		return ErrGap
	}
	if c.Total != nil {
		if u.Size != nil && *u.Size != *c.Total {
			return fault.BadRequest("invalid", "Content-Range says %d bytes in all, but %d were announced before.", *c.Total, *u.Size)
		}
		u.Size = c.Total
	}
	body := c.Body[min(u.Received-c.Start, int64(len(c.Body))):]
	end := u.Received + int64(len(body))
	if end > MaxContent || u.Size != nil && *u.Size > MaxContent {
		return fault.TooLarge("A file", MaxContent)
	}
	if u.Size != nil && end > *u.Size {
		return fault.BadRequest("invalid", "The upload has more bytes than the %d that were announced.", *u.Size)
	}
	if len(body) > 0 {
		if _, err := tx.Exec(ctx, `
			INSERT INTO drive.upload_chunks (upload, start, body)
			VALUES (@key, @start, @body)`,
			pgx.NamedArgs{"key": Hash(key), "start": u.Received, "body": body}); err != nil {
			return fmt.Errorf("store chunk: %w", err)
		}
	}
	u.Received = end
	_, err := tx.Exec(ctx, `UPDATE drive.uploads SET received = @received, size = @size WHERE sha256 = @key`,
		pgx.NamedArgs{"key": Hash(key), "received": u.Received, "size": u.Size})
	if err != nil {
		return fmt.Errorf("record chunk: %w", err)
	}
	return nil
}

func assemble(ctx context.Context, tx pgx.Tx, key string) ([]byte, error) {
	rows, err := tx.Query(ctx, `SELECT body FROM drive.upload_chunks WHERE upload = @key ORDER BY start`,
		pgx.NamedArgs{"key": Hash(key)})
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	parts, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	return bytes.Join(parts, nil), nil
}

// CancelUpload ends a session and forgets its bytes.
func (s *Store) CancelUpload(ctx context.Context, key string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM drive.uploads WHERE sha256 = @key`, pgx.NamedArgs{"key": Hash(key)})
	if err != nil {
		return fmt.Errorf("cancel upload: %w", err)
	}
	return nil
}
