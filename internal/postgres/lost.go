package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// ClaimOverdueEvents returns up to limit PENDING events whose next attempt was
// due longer than age ago, the longest first. An event that waits as an errand
// is not among them. Each is the caller's until lease, at most age, has passed;
// then it is returned again, unless EventsUnderWay, DeliverOverdue or an attempt
// came before.
func (s *Store) ClaimOverdueEvents(ctx context.Context, age, lease time.Duration, limit int) ([]platen.OverdueEvent, error) {
	type row struct {
		ID       string `db:"id"`
		Attempt  int    `db:"attempt"`
		RunEnded bool   `db:"run_ended"`
	}
	rows, err := collect[row](ctx, s.pool, `
		WITH due AS (
			SELECT e.id
			FROM events e
			WHERE e.state = 'PENDING' AND coalesce(e.next_at, e.created_at) < now() - @age::interval
				AND NOT EXISTS (SELECT FROM errands r WHERE r.kind = 'DELIVER' AND r.id = e.id)
			ORDER BY coalesce(e.next_at, e.created_at)
			LIMIT @limit
			FOR NO KEY UPDATE SKIP LOCKED
		)
		UPDATE events e
		SET next_at = now() - @age::interval + @lease::interval
		FROM due, automations a
		WHERE e.id = due.id AND a.id = e.automation_id
		RETURNING e.id, a.finished_at IS NOT NULL AS run_ended, 1 + greatest(e.attempts_before,
			(SELECT coalesce(max(d.attempt), 0) FROM deliveries d WHERE d.event_id = e.id)) AS attempt`,
		pgx.NamedArgs{"age": age, "lease": lease, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("claim overdue events: %w", err)
	}
	events := make([]platen.OverdueEvent, len(rows))
	for i, r := range rows {
		events[i] = platen.OverdueEvent(r)
	}
	return events, nil
}

// EventsUnderWay says that overdue events are being delivered: they are not
// overdue again before another age has passed. An attempt that was recorded
// meanwhile knows better.
func (s *Store) EventsUnderWay(ctx context.Context, eventIDs []string) error {
	_, err := execute(ctx, s.pool, `
		UPDATE events
		SET next_at = now()
		WHERE id = ANY (@ids) AND state = 'PENDING' AND next_at < now()`, pgx.NamedArgs{"ids": eventIDs})
	if err != nil {
		return fmt.Errorf("note that %d events are under way: %w", len(eventIDs), err)
	}
	return nil
}

// DeliverOverdue asks for the deliveries of events that nobody delivers to go
// on: with the next attempt, and with what is left of their schedule. An event
// that has ended meanwhile, or whose attempt was recorded, is left alone.
func (s *Store) DeliverOverdue(ctx context.Context, eventIDs []string) error {
	type row struct {
		ID string `db:"id"`
	}
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := collect[row](ctx, tx, `
			UPDATE events
			SET next_at = now()
			WHERE id = ANY (@ids) AND state = 'PENDING' AND next_at < now()
			RETURNING id`, pgx.NamedArgs{"ids": eventIDs})
		if err != nil {
			return err
		}
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		return requestErrands(ctx, tx, platen.ErrandDeliver, ids, recoveredApart)
	})
	if err != nil {
		return fmt.Errorf("deliver %d overdue events: %w", len(eventIDs), err)
	}
	return nil
}
