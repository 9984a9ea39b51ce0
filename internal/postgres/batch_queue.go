package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// moveLock is the advisory lock under which one process at a time moves rows ("rows" in
// ASCII).
const moveLock = 0x726f7773

// MoveRows moves rows of running batches into the queue of automations, so that of each
// workflow about ahead of them wait there, and twice as many more as have ended since it was
// called last. Of several batches of a workflow the oldest is first. It notes which rows
// have ended, and which batches with them. busy: rows wait to be moved, or have just ended. Rows
// whose automations wait for people may do so for months: nobody looks at them.
//
// Rows wait in the queue in their order, and in each workflow behind events that came
// before. A row and its automation change in one commit: a process that dies loses none and
// doubles none. Any number of processes may call it side by side.
func (s *Batches) MoveRows(ctx context.Context, ahead int) (busy bool, err error) {
	moved, payload := 0, ""
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		var open, turn bool
		if err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM batches WHERE finished_at IS NULL AND state <> 'STORING'), pg_try_advisory_xact_lock(@lock)`,
			pgx.NamedArgs{"lock": int64(moveLock)}).Scan(&open, &turn); err != nil {
			return Classify(err)
		}
		if !open || !turn {
			return nil
		}
		ended, err := noteEnds(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.finish(ctx, tx); err != nil {
			return err
		}
		next, err := nextBatches(ctx, tx)
		if err != nil {
			return err
		}
		busy = len(ended)+len(next) > 0
		for _, b := range next {
			n, err := b.move(ctx, tx, ahead+2*ended[b.WorkflowID])
			if err != nil {
				return err
			}
			moved += n
			if b.Ordered && n > 0 {
				payload = OrderedPayload
			}
		}
		return nil
	})
	if err == nil && moved > 0 {
		err = Notify(ctx, s.db.pool, payload)
	}
	if err != nil {
		return busy, fmt.Errorf("move rows of batches: %w", err)
	}
	return busy, nil
}

// noteEnds notes which rows have ended, and returns how many of each workflow.
func noteEnds(ctx context.Context, tx pgx.Tx) (map[string]int, error) {
	type row struct {
		WorkflowID string `db:"workflow_id"`
		N          int    `db:"n"`
	}
	rows, err := Collect[row](ctx, tx, `
		WITH ended AS (
			UPDATE batch_rows r
			SET state = a.state, ended_at = a.finished_at
			FROM batches b, automations a
			WHERE b.finished_at IS NULL AND b.state <> 'STORING' AND r.batch_id = b.id AND r.state = 'RUNNING' AND NOT r.waits
				AND a.id = r.automation_id AND a.finished_at IS NOT NULL
			RETURNING b.workflow_id
		)
		SELECT workflow_id, count(*) AS n
		FROM ended
		GROUP BY workflow_id`, nil)
	if err != nil {
		return nil, err
	}
	ended := make(map[string]int, len(rows))
	for _, r := range rows {
		ended[r.WorkflowID] = r.N
	}
	return ended, nil
}

// finish ends batches whose rows have all ended, with the events about them. The release
// before lets a batch go on in an attempt that has had its event.
func (s *Batches) finish(ctx context.Context, tx pgx.Tx) error {
	rows, err := Collect[batchRow](ctx, tx, `
		UPDATE batches b
		SET finished_at = now(), state = CASE b.state WHEN 'CANCELLED' THEN 'CANCELLED' ELSE 'COMPLETED' END,
			attempt = greatest(b.attempt, (SELECT 1 + coalesce(max(e.attempt), 0) FROM events e WHERE e.batch_id = b.id)),
			counts = (
				SELECT jsonb_object_agg(c.state, c.n)
				FROM (
					SELECT r.state, count(*) AS n
					FROM batch_rows r
					WHERE r.batch_id = b.id
					GROUP BY r.state
				) c
			)
		WHERE b.finished_at IS NULL AND b.state <> 'STORING'
			AND NOT EXISTS (SELECT FROM batch_rows r WHERE r.batch_id = b.id AND r.state IN ('PENDING', 'RETRY', 'RUNNING'))
		RETURNING `+batchColumns, pgx.NamedArgs{"over": rateOver})
	if err != nil || s.Completed == nil {
		return err
	}
	var events []string
	for _, r := range rows {
		ids, err := s.storeEvents(ctx, tx, r)
		if err != nil {
			return err
		}
		events = append(events, ids...)
	}
	return enqueueCommandsApart(ctx, tx, platen.CommandDeliver, events, recoveredApart)
}

// storeEvents stores the events about a batch that ends in this transaction, and returns their
// ids: for the outgoing webhook, or the test receiver, and for the receivers that get them.
// There is none where no row of the batch began.
func (s *Batches) storeEvents(ctx context.Context, tx pgx.Tx, r batchRow) ([]string, error) {
	b, err := r.batch()
	if err != nil {
		return nil, err
	}
	e, err := s.Completed(b, *b.FinishedAt)
	if err != nil {
		return nil, err
	}
	receivers, err := collectIDs(ctx, tx, `
		SELECT '' AS id
		FROM `+receiversOf(b.Test).table+`
		WHERE workflow_id = @workflow_id
		UNION ALL
		SELECT id
		FROM receivers
		WHERE workflow_id = @workflow_id AND @type = ANY (events) AND NOT @test
		ORDER BY id`, pgx.NamedArgs{"workflow_id": b.WorkflowID, "test": b.Test, "type": e.Type})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, receiver := range receivers {
		own := e
		if receiver != "" {
			own = e.For(receiver)
		}
		n, err := Execute(ctx, tx, `
			INSERT INTO events (id, workflow_id, automation_id, batch_id, attempt, receiver_id, type, payload, state, created_at, test)
			SELECT @id, @workflow_id, r.automation_id, @batch_id, @attempt, @receiver_id, @type, @payload, 'PENDING', @created_at, @test
			FROM batch_rows r
			JOIN automations a ON a.id = r.automation_id
			WHERE r.batch_id = @batch_id
			ORDER BY r.ended_at DESC, r.number
			LIMIT 1`, pgx.NamedArgs{
			"id": own.ID, "batch_id": b.ID, "attempt": b.Attempt, "receiver_id": receiver, "type": own.Type, "payload": own.Payload, "created_at": own.CreatedAt, "test": b.Test,
			"workflow_id": b.WorkflowID,
		})
		if err != nil {
			return nil, fmt.Errorf("insert event %s: %w", own.ID, err)
		}
		if n > 0 {
			ids = append(ids, own.ID)
		}
	}
	return ids, nil
}

// A nextBatch is a batch with rows that may go into the queue.
type nextBatch struct {
	ID         string `db:"id"`
	WorkflowID string `db:"workflow_id"`
	Archived   bool   `db:"archived"`
	Ordered    bool   `db:"ordered"` // its workflow has an order
}

func nextBatches(ctx context.Context, tx pgx.Tx) ([]nextBatch, error) {
	return Collect[nextBatch](ctx, tx, `
		SELECT DISTINCT ON (b.workflow_id) b.id, b.workflow_id, w.status = 'ARCHIVED' AS archived, w.ordered_by <> '' AS ordered
		FROM batches b
		JOIN workflows w ON w.id = b.workflow_id
		WHERE b.finished_at IS NULL AND (b.state = 'RUNNING' OR b.state = 'PAUSED' AND w.status = 'ARCHIVED')
			AND EXISTS (SELECT FROM batch_rows r WHERE r.batch_id = b.id AND r.state IN ('PENDING', 'RETRY'))
		ORDER BY b.workflow_id, b.created_at, b.id`, nil)
}

// move moves rows, so that most of them wait, and returns how many it moved. An archived
// workflow begins nothing: its rows are cancelled.
func (b nextBatch) move(ctx context.Context, tx pgx.Tx, most int) (int, error) {
	if b.Archived {
		_, err := Execute(ctx, tx, cancelRows+`
			WHERE batch_id = @id AND state IN ('PENDING', 'RETRY')`, pgx.NamedArgs{"id": b.ID})
		return 0, err
	}
	args := pgx.NamedArgs{"id": b.ID, "workflow": b.WorkflowID, "most": most}
	var waiting, behind int
	err := tx.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE a.state = 'ACCEPTED'), count(*) FILTER (WHERE a.state = 'BEHIND')
		FROM batches b
		JOIN batch_rows r ON r.batch_id = b.id AND r.state = 'RUNNING' AND NOT r.waits
		JOIN automations a ON a.id = r.automation_id AND a.state IN ('ACCEPTED', 'BEHIND')
		WHERE b.workflow_id = @workflow AND b.finished_at IS NULL`, args).Scan(&waiting, &behind)
	if err != nil {
		return 0, Classify(err)
	}
	room := max(0, min(most-waiting, maxRowsBehind-behind))
	args["room"] = room
	retried, err := b.retry(ctx, tx, args)
	if err != nil {
		return 0, err
	}
	args["room"] = room - retried
	n, err := Execute(ctx, tx, beginRows, args)
	return retried + int(n), err
}

// maxRowsBehind is how many rows of a workflow with an order are behind others of their key
// before the next wait in their batch: enough for rows of other keys to be found, and few
// enough for a pause of the batch to be one.
const maxRowsBehind = 1000

// beginRows moves rows that never began, with their bodies and keys as they are: they were
// encrypted for the automations that they become. The rules are those of an event.
const beginRows = `
	WITH next AS (
		SELECT r.number, r.automation_id, r.data_key, r.body, r.reference, r.test, r.request_id, row_number() OVER (ORDER BY r.number) AS place,
			s.id AS source_id, w.owner_id, w.team_id, w.ordered_by <> '' AS ordered, ` + SkipReason + ` AS reason
		FROM (
			SELECT r.*, b.test, b.request_id
			FROM batch_rows r
			JOIN batches b ON b.id = r.batch_id
			WHERE r.batch_id = @id AND r.state IN ('PENDING', 'RETRY') AND r.state = 'PENDING'
			ORDER BY r.number
			LIMIT @room
			FOR NO KEY UPDATE OF r
		) r
		JOIN workflows w ON w.id = @workflow
		JOIN sources s ON s.workflow_id = w.id
	), begun AS (
		INSERT INTO automations (id, workflow_id, source_id, owner_id, team_id, state, reason, body, request_id, accepted_at, finished_at, data_key, test, reference, order_number, order_key)
		SELECT automation_id, @workflow, source_id, owner_id, team_id, CASE reason WHEN '' THEN CASE WHEN ordered THEN 'BEHIND' ELSE 'ACCEPTED' END ELSE 'SKIPPED' END, reason, body, request_id,
			clock_timestamp() + place * interval '1 microsecond', CASE reason WHEN '' THEN NULL ELSE now() END, data_key, test, reference,
			CASE WHEN ordered THEN nextval('automation_order') END, CASE WHEN ordered THEN ''::bytea END
		FROM next
		ORDER BY place
		ON CONFLICT (id) DO NOTHING
	)
	UPDATE batch_rows r
	SET state = 'RUNNING', data_key = NULL, body = '', reference = ''
	FROM next
	WHERE r.batch_id = @id AND r.number = next.number`

// retry puts rows back into the queue whose automations failed. What became of one that
// cannot be retried any more, its automation says.
func (b nextBatch) retry(ctx context.Context, tx pgx.Tx, args pgx.NamedArgs) (int, error) {
	type row struct {
		AutomationID string `db:"automation_id"`
	}
	rows, err := Collect[row](ctx, tx, `
		SELECT automation_id
		FROM batch_rows
		WHERE batch_id = @id AND state IN ('PENDING', 'RETRY') AND state = 'RETRY'
		ORDER BY number
		LIMIT @room`, args)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		if err := retry(ctx, tx, r.AutomationID, ""); err != nil && platen.KindOf(err) != platen.KindInvalid {
			return 0, err
		}
		_, err := Execute(ctx, tx, `
			UPDATE batch_rows
			SET state = 'RUNNING'
			WHERE automation_id = @automation AND state = 'RETRY'`, pgx.NamedArgs{"automation": r.AutomationID})
		if err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// reopenRow has the row of an automation that is retried follow it again. If its batch has
// ended, that goes on in its next attempt, whose end is an event of its own.
func reopenRow(ctx context.Context, tx pgx.Tx, automationID string) error {
	_, err := Execute(ctx, tx, `
		WITH reopened AS (
			UPDATE batch_rows
			SET state = 'RUNNING', ended_at = NULL
			WHERE automation_id = @id AND state = 'FAILED'
			RETURNING batch_id
		)
		UPDATE batches b
		SET state = CASE b.state WHEN 'COMPLETED' THEN 'RUNNING' ELSE b.state END, attempt = b.attempt + 1, counts = NULL, finished_at = NULL
		FROM reopened
		WHERE b.id = reopened.batch_id AND b.finished_at IS NOT NULL`, pgx.NamedArgs{"id": automationID})
	return err
}
