package store

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// trashLifetime is how long a trashed file can be restored; Google's is
	// 30 days.
	trashLifetime = 30 * 24 * time.Hour
	// orphanLifetime is how long content stays after its last file: longer
	// than any request that still reads it.
	orphanLifetime = time.Hour
	// sweepLock lets one process sweep at a time ("sweep" in ASCII).
	sweepLock = 0x7377656570
)

// Swept counts what one sweep removed.
type Swept struct {
	Files    int64 // from the trash, after 30 days
	Contents int64 // that no file had had for an hour
	Uploads  int64 // that were not finished, or finished, within a week
}

// Sweep removes what nobody can reach any more, and logs how much that was. While
// another process sweeps it removes nothing. Running it again is harmless.
func (s *Store) Sweep(ctx context.Context, log *slog.Logger) error {
	swept, err := s.sweep(ctx, time.Now())
	if swept != (Swept{}) {
		log.InfoContext(ctx, "drive swept", "files", swept.Files, "contents", swept.Contents, "uploads", swept.Uploads)
	}
	return err
}

func (s *Store) sweep(ctx context.Context, now time.Time) (Swept, error) {
	var swept Swept
	err := s.InTx(ctx, func(tx pgx.Tx) error {
		var isMine bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, int64(sweepLock)).Scan(&isMine); err != nil || !isMine {
			return err
		}
		steps := []struct {
			count *int64
			sql   string
		}{
			{&swept.Uploads, `DELETE FROM drive.uploads WHERE expires_at < @now`},
			{&swept.Files, `DELETE FROM drive.files WHERE explicitly_trashed AND trashed_at < @trashed_before`},
			{&swept.Contents, `
				DELETE FROM drive.contents c
				WHERE c.orphaned_at < @orphaned_before
					AND NOT EXISTS (SELECT FROM drive.files f WHERE f.sha256 = c.sha256)`},
			{nil, `DELETE FROM drive.tokens WHERE expires_at < @now`},
			{nil, `DELETE FROM drive.removals WHERE removed_at < @removed_before`},
			{nil, `
				UPDATE drive.contents c
				SET orphaned_at = @now
				WHERE c.orphaned_at IS NULL
					AND NOT EXISTS (SELECT FROM drive.files f WHERE f.sha256 = c.sha256)`},
		}
		args := pgx.NamedArgs{"now": now, "trashed_before": now.Add(-trashLifetime), "orphaned_before": now.Add(-orphanLifetime), "removed_before": now.Add(-RemovalLifetime)}
		for _, step := range steps {
			tag, err := tx.Exec(ctx, step.sql, args)
			if err != nil {
				return err
			}
			if step.count != nil {
				*step.count = tag.RowsAffected()
			}
		}
		return nil
	})
	if err != nil {
		return Swept{}, fmt.Errorf("sweep the drive: %w", err)
	}
	return swept, nil
}
