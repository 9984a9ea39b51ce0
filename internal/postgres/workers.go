package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// WorkerGone is after how long without a word a worker is taken to be gone.
const WorkerGone = 10 * time.Second

// Register says that a worker is there and takes so many open runs itself. It is
// said again every few seconds; a worker that says nothing for ten is gone, and
// what it carries leaves the places of all. Its open runs count until they end. Operators
// read its Settings.
func (s *Queue) Register(ctx context.Context, workerID string, carries int) error {
	_, err := Execute(ctx, s.db.pool, `
		WITH gone AS (
			DELETE FROM workers
			WHERE seen_at < now() - interval '1 hour'
		)
		INSERT INTO workers (id, carries, seen_at, build, retention_data, retention_outputs)
		VALUES (@id, @carries, now(), @build, @data::interval, @outputs::interval)
		ON CONFLICT (id) DO UPDATE
		SET carries = excluded.carries, seen_at = excluded.seen_at,
			build = excluded.build, retention_data = excluded.retention_data, retention_outputs = excluded.retention_outputs`,
		pgx.NamedArgs{"id": workerID, "carries": carries, "build": s.Settings.Build, "data": s.Settings.RetentionData, "outputs": s.Settings.RetentionOutputs})
	if err != nil {
		return fmt.Errorf("register worker %s: %w", workerID, err)
	}
	return nil
}

// Unregister says that a worker claims nothing more.
func (s *Queue) Unregister(ctx context.Context, workerID string) error {
	_, err := Execute(ctx, s.db.pool, `
		DELETE FROM workers
		WHERE id = @id`, pgx.NamedArgs{"id": workerID})
	if err != nil {
		return fmt.Errorf("take out worker %s: %w", workerID, err)
	}
	return nil
}
