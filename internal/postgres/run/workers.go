package run

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/postgres"
)

// Register says that a worker is there and takes so many open runs itself; 0: it takes no
// new ones, and goes on with its own. It is said again every few seconds. A worker that
// says nothing for ten is gone, and what it carries leaves the places of all. Its open runs
// count while a worker of its build is there, because those go on. Without any they are
// parked: nobody goes on with them until they are reset to another build (Plans.Plan), or a
// worker of their build comes back. Operators read its Settings.
func (s *Queue) Register(ctx context.Context, workerID string, carries int) error {
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		WITH forgotten AS (
			DELETE FROM workers
			WHERE greatest(seen_at, alive_at) < now() - interval '1 hour'
		), stranded AS (
			SELECT id
			FROM workers gone
			WHERE gone.build NOT IN ('', @build) AND greatest(gone.seen_at, gone.alive_at) <= now() - @gone::interval AND NOT EXISTS (
				SELECT FROM workers alive
				WHERE alive.build = gone.build AND greatest(alive.seen_at, alive.alive_at) > now() - @gone::interval)
		), parked AS (
			UPDATE automations
			SET parked_at = now()
			WHERE id IN (
				SELECT id
				FROM automations
				WHERE (state = 'RUNNING' OR leased_until IS NOT NULL) AND state = 'RUNNING' AND parked_at IS NULL AND claimed_by IN (SELECT id FROM stranded)
				FOR NO KEY UPDATE SKIP LOCKED)
		), goes_on AS (
			UPDATE automations
			SET parked_at = NULL
			WHERE id IN (
				SELECT id
				FROM automations
				WHERE (state = 'RUNNING' OR leased_until IS NOT NULL) AND state = 'RUNNING' AND `+postgres.IsStranded+` AND claimed_by IN (SELECT id FROM workers WHERE build = @build)
				FOR NO KEY UPDATE SKIP LOCKED)
		)
		INSERT INTO workers (id, carries, seen_at, alive_at, build, retention_data, retention_outputs)
		VALUES (@id, greatest(1, @carries::int), CASE WHEN @carries > 0 THEN now() ELSE '-infinity' END, now(), @build, @data::interval, @outputs::interval)
		ON CONFLICT (id) DO UPDATE
		SET carries = excluded.carries, seen_at = excluded.seen_at, alive_at = excluded.alive_at,
			build = excluded.build, retention_data = excluded.retention_data, retention_outputs = excluded.retention_outputs`,
		pgx.NamedArgs{"id": workerID, "carries": carries, "gone": postgres.WorkerGone, "build": s.Settings.Build, "data": s.Settings.RetentionData, "outputs": s.Settings.RetentionOutputs})
	if err != nil {
		return fmt.Errorf("register worker %s: %w", workerID, err)
	}
	return nil
}

// Unregister says that a worker has stopped.
func (s *Queue) Unregister(ctx context.Context, workerID string) error {
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE workers
		SET seen_at = '-infinity', alive_at = least(alive_at, now() - @gone::interval)
		WHERE id = @id`, pgx.NamedArgs{"id": workerID, "gone": postgres.WorkerGone})
	if err != nil {
		return fmt.Errorf("take out worker %s: %w", workerID, err)
	}
	return nil
}
