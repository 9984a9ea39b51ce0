package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// eraseDataOf is the rest of a statement that erases source data, payloads and answers
// of the automations that chosen selects, whom mails went to, and the names of files that were
// events, and counts them. What could still be sent is FAILED then: there is nothing to send.
// The key goes with them, so that versions of rows that Postgres still has are unreadable.
const eraseDataOf = `, erased AS (
			UPDATE automations a
			SET body = '', data_key = NULL, event_key = NULL, order_key = NULL, reference = '', data_erased_at = now()
			FROM chosen
			WHERE a.id = chosen.id
			RETURNING a.id
		), payloads AS (
			UPDATE events e
			SET payload = '', next_at = NULL,
				state = CASE WHEN e.state IN ('PENDING', 'HELD') THEN 'FAILED' ELSE e.state END,
				reason = CASE WHEN e.state = 'HELD' THEN '' ELSE e.reason END
			FROM erased
			JOIN outputs o ON o.automation_id = erased.id
			WHERE e.output_id = o.id
			RETURNING e.id
		), answers AS (
			UPDATE deliveries d
			SET answer = NULL
			FROM payloads
			WHERE d.event_id = payloads.id AND d.answer IS NOT NULL
			RETURNING 1
		), recipients AS (
			UPDATE mails m
			SET sent_to = NULL, whom = NULL
			FROM erased
			WHERE m.automation_id = erased.id AND (m.sent_to IS NOT NULL OR m.whom IS NOT NULL)
		), approvers AS (
			UPDATE review_answers v
			SET detail = ''
			FROM erased
			JOIN outputs o ON o.automation_id = erased.id
			WHERE v.output_id = o.id AND v.detail <> ''
		), files AS (
			UPDATE schedule_files f
			SET name = ''
			FROM erased
			WHERE f.automation_id = erased.id AND f.automation_id <> ''
		), corrections AS (
			UPDATE review_corrections c
			SET body = '', detail = ''
			FROM erased
			JOIN outputs o ON o.automation_id = erased.id
			WHERE c.output_id = o.id AND c.detail <> ''
		)
		SELECT (SELECT count(*) FROM erased) AS automations, (SELECT count(*) FROM payloads) AS events, (SELECT count(*) FROM answers) AS answers`

type erasedRow struct {
	Automations int `db:"automations"`
	Events      int `db:"events"`
	Answers     int `db:"answers"`
}

// EraseExpiredData erases the source data of up to limit automations that ended
// longer than age ago, the payloads of their events and receivers' answers. One with
// an event that is still being delivered, a mail that is still tried, or an
// output that a target does not have yet, waits. Any number of processes may do it
// side by side.
func (s *Automations) EraseExpiredData(ctx context.Context, age time.Duration, limit int) (platen.ErasedData, error) {
	r, _, err := CollectOne[erasedRow](ctx, s.db.pool, `
		WITH chosen AS (
			SELECT a.id
			FROM automations a
			WHERE a.finished_at IS NOT NULL AND a.data_erased_at IS NULL AND a.finished_at < now() - @age::interval
				AND NOT EXISTS (
					SELECT
					FROM outputs o
					JOIN events e ON e.output_id = o.id
					WHERE o.automation_id = a.id AND e.state = 'PENDING'
				)
				AND NOT EXISTS (SELECT FROM mails m WHERE m.automation_id = a.id AND m.state = 'PENDING')
				AND NOT EXISTS (SELECT FROM placements p WHERE p.automation_id = a.id AND p.state = 'PENDING')
			ORDER BY a.finished_at
			LIMIT @limit
			FOR NO KEY UPDATE SKIP LOCKED
		)`+eraseDataOf, pgx.NamedArgs{"age": age, "limit": limit})
	if err != nil {
		return platen.ErasedData{}, fmt.Errorf("erase data that is older than %v: %w", age, err)
	}
	return platen.ErasedData(r), nil
}

// EraseExpiredOutputs asks for the erasure of up to limit automations that ended
// longer than age ago and whose data is gone, and returns how many they were.
func (s *Automations) EraseExpiredOutputs(ctx context.Context, age time.Duration, limit int) (int, error) {
	n, err := Execute(ctx, s.db.pool, `
		UPDATE automations
		SET erase_requested_at = now(), erase_requested_by = @by, erase_due_at = now()
		WHERE id IN (
			SELECT id
			FROM automations
			WHERE data_erased_at IS NOT NULL AND erase_requested_at IS NULL AND finished_at < now() - @age::interval
			ORDER BY finished_at
			LIMIT @limit
			FOR NO KEY UPDATE SKIP LOCKED
		)`, pgx.NamedArgs{"age": age, "limit": limit, "by": platen.ErasedByRetention})
	if err != nil {
		return 0, fmt.Errorf("ask for the erasure of outputs that are older than %v: %w", age, err)
	}
	return int(n), nil
}
