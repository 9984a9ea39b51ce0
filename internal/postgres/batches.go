package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Batches is the store of batches and their rows, until the rows are automations.
type Batches struct {
	db *DB
	// Completed writes the event about a batch whose last row ended at a time. nil: there
	// is none. It is set before MoveRows is called.
	Completed func(b platen.Batch, at time.Time) (platen.Event, error)
}

// Rows are stored in parts, each in a transaction of its own: a file that comes slowly
// holds no connection, and however long it is, no more than a part is in memory.
const (
	partRows  = 500
	partBytes = 1 << 20
)

// rateOver is the time over which the rate of a batch is measured.
const rateOver = time.Minute

// batchColumns are those of a batchRow, of the batch b. The rows of one that has ended are
// not counted again.
const batchColumns = `b.id, b.workflow_id, b.name, b.state, b.test, b.attempt, b.row_count, b.created_at, b.finished_at,
			coalesce(b.counts, (SELECT jsonb_object_agg(c.state, c.n) FROM (
				SELECT CASE r.state WHEN 'RETRY' THEN 'PENDING' ELSE r.state END AS state, count(*) AS n
				FROM batch_rows r
				WHERE r.batch_id = b.id
				GROUP BY 1
			) c), '{}') AS counts,
			CASE WHEN b.finished_at IS NULL AND b.state <> 'PAUSED' THEN (
				SELECT count(*)
				FROM batch_rows r
				WHERE r.batch_id = b.id AND r.state IN ('COMPLETED', 'FAILED') AND r.ended_at > greatest(b.touched_at, now() - @over::interval)
			) / greatest(1, extract(epoch FROM least(now() - b.touched_at, @over::interval))) ELSE 0 END::float8 AS rate,
			CASE WHEN b.finished_at IS NULL THEN (SELECT count(*) FROM batch_rows r WHERE r.batch_id = b.id AND r.waits) ELSE 0 END AS in_review`

type batchRow struct {
	ID         string            `db:"id"`
	WorkflowID string            `db:"workflow_id"`
	Name       string            `db:"name"`
	State      platen.BatchState `db:"state"`
	Test       bool              `db:"test"`
	Attempt    int               `db:"attempt"`
	Rows       int               `db:"row_count"`
	CreatedAt  time.Time         `db:"created_at"`
	FinishedAt *time.Time        `db:"finished_at"`
	Counts     json.RawMessage   `db:"counts"`
	Rate       float64           `db:"rate"`
	InReview   int               `db:"in_review"`
}

// A sentBatch is a batchRow with what became of its mails.
type sentBatch struct {
	batchRow
	Undelivered int `db:"undelivered"`
}

// undeliveredRows counts the rows of each batch of a workflow whose mails somebody did not get.
const undeliveredRows = `
			WITH undelivered AS (
				SELECT r.batch_id, count(DISTINCT m.automation_id) AS n
				FROM mails m
				JOIN batch_rows r ON r.automation_id = m.automation_id
				WHERE m.workflow_id = @workflow AND ` + UnsentMail + `
				GROUP BY r.batch_id
			)`

func (r sentBatch) batch() (platen.Batch, error) {
	b, err := r.batchRow.batch()
	b.Undelivered = r.Undelivered
	return b, err
}

func (r batchRow) batch() (platen.Batch, error) {
	b := platen.Batch{
		ID: r.ID, WorkflowID: r.WorkflowID, Name: r.Name, State: r.State, Test: r.Test, Attempt: r.Attempt, Rows: r.Rows,
		CreatedAt: r.CreatedAt.UTC(), FinishedAt: UTC(r.FinishedAt), Rate: r.Rate, InReview: r.InReview,
	}
	return b, json.Unmarshal(r.Counts, &b.Counts)
}

// Batch returns a batch of one of the caller's workflows; KindNotFound with code
// "batch_not_found" for one that the workflow does not have.
func (s *Batches) Batch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error) {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	var found sentBatch
	if err == nil {
		var ok bool
		found, ok, err = CollectOne[sentBatch](ctx, s.db.pool, undeliveredRows+`
			SELECT `+batchColumns+`, coalesce(u.n, 0) AS undelivered
			FROM batches b
			LEFT JOIN undelivered u ON u.batch_id = b.id
			WHERE b.id = @id AND b.workflow_id = @workflow AND b.state <> 'STORING'`,
			pgx.NamedArgs{"id": batchID, "workflow": workflowID, "over": rateOver})
		if err == nil && !ok {
			err = platen.ErrBatchNotFound()
		}
	}
	if err != nil {
		return platen.Batch{}, fmt.Errorf("read batch %s: %w", batchID, err)
	}
	return found.batch()
}

// WorkflowBatches returns a page of the batches of one of the caller's workflows by creation
// time, then id. The zero page is the last platen.MaxList of them.
func (s *Batches) WorkflowBatches(ctx context.Context, caller platen.User, workflowID string, query platen.BatchQuery) ([]platen.Batch, error) {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	var rows []sentBatch
	if err == nil {
		rows, err = Collect[sentBatch](ctx, s.db.pool, undeliveredRows+`
			SELECT `+batchColumns+`, coalesce(u.n, 0) AS undelivered
			FROM batches b
			LEFT JOIN undelivered u ON u.batch_id = b.id
			WHERE b.workflow_id = @workflow AND b.state <> 'STORING' AND `+only("b.state", query.States)+`
				AND (b.created_at, b.id) `+beyond(query.Page)+` (@after_time::timestamptz, @after_id::text)
			ORDER BY b.created_at`+direction(query.Page)+`, b.id`+direction(query.Page)+`
			LIMIT @limit`, boundedPageArgs(query.Page, pgx.NamedArgs{"workflow": workflowID, "states": query.States, "over": rateOver}))
	}
	if err != nil {
		return nil, fmt.Errorf("list batches of workflow %s: %w", workflowID, err)
	}
	found := make([]platen.Batch, len(rows))
	for i, r := range rows {
		if found[i], err = r.batch(); err != nil {
			return nil, err
		}
	}
	return putInOrder(query.Page, found), nil
}

// BatchRows returns a page of the rows of a batch of one of the caller's workflows by their
// numbers, with the outputs of their automations and what these drew of series.
func (s *Batches) BatchRows(ctx context.Context, caller platen.User, workflowID, batchID string, query platen.RowQuery) ([]platen.StoredRow, error) {
	found, err := s.batchRows(ctx, caller, workflowID, batchID, query)
	if err != nil {
		return nil, fmt.Errorf("list rows of batch %s: %w", batchID, err)
	}
	return found, nil
}

func (s *Batches) batchRows(ctx context.Context, caller platen.User, workflowID, batchID string, query platen.RowQuery) ([]platen.StoredRow, error) {
	if err := s.require(ctx, s.db.pool, caller, workflowID, batchID); err != nil {
		return nil, err
	}
	type row struct {
		Number       int             `db:"number"`
		State        platen.RowState `db:"state"`
		AutomationID string          `db:"automation_id"`
		Reference    string          `db:"reference"`
		Code         string          `db:"code"`
		Message      string          `db:"message"`
	}
	var states []string
	for _, state := range query.States {
		states = append(states, string(state))
		if state == platen.RowPending {
			states = append(states, rowRetry)
		}
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT r.number, CASE r.state WHEN 'RETRY' THEN 'PENDING' ELSE r.state END AS state, coalesce(a.id, '') AS automation_id,
			coalesce(a.reference, r.reference) AS reference,
			CASE WHEN r.state IN ('FAILED', 'SKIPPED') THEN coalesce(nullif(a.reason, ''), nullif(a.failure_code, ''), '') ELSE '' END AS code,
			CASE WHEN r.state = 'FAILED' THEN a.failure ELSE '' END AS message
		FROM batch_rows r
		LEFT JOIN automations a ON a.id = r.automation_id
		WHERE r.batch_id = @id AND r.number > @after AND (@states::text[] IS NULL OR r.state = ANY (@states))
		ORDER BY r.number
		LIMIT @limit`, pgx.NamedArgs{"id": batchID, "after": query.After, "states": states, "limit": query.Limit})
	if err != nil {
		return nil, err
	}
	var begun []string
	for _, r := range rows {
		if r.AutomationID != "" {
			begun = append(begun, r.AutomationID)
		}
	}
	outputs, err := loadOutputs(ctx, s.db.pool, begun)
	if err != nil {
		return nil, err
	}
	numbers, err := numbersOf(ctx, s.db.pool, begun)
	if err != nil {
		return nil, err
	}
	found := make([]platen.StoredRow, len(rows))
	for i, r := range rows {
		found[i] = platen.StoredRow{Number: r.Number, State: r.State, AutomationID: r.AutomationID, Reference: r.Reference, Code: r.Code, Message: r.Message, Outputs: outputs[r.AutomationID], Numbers: numbers[r.AutomationID]}
		for _, o := range found[i].Outputs {
			if r.State == platen.RowFailed && found[i].Code == "" && o.FailureCode != "" {
				found[i].Code, found[i].Message = o.FailureCode, o.Failure
			}
		}
	}
	return found, nil
}

// rowRetry is the state of a row whose automation failed and goes into the queue again.
const rowRetry = "RETRY"

// require answers KindNotFound for a batch that is not the caller's.
func (s *Batches) require(ctx context.Context, q Querier, caller platen.User, workflowID, batchID string) error {
	if err := authorize(ctx, q, caller, workflowID); err != nil {
		return err
	}
	var found bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM batches WHERE id = @id AND workflow_id = @workflow AND state <> 'STORING')`,
		pgx.NamedArgs{"id": batchID, "workflow": workflowID}).Scan(&found)
	if err == nil && !found {
		return platen.ErrBatchNotFound()
	}
	return Classify(err)
}

// change runs do while it holds the row of a batch of one of the caller's workflows, and
// returns the batch then.
func (s *Batches) change(ctx context.Context, caller platen.User, workflowID, batchID string, do func(tx pgx.Tx, state platen.BatchState, ended bool) error) (platen.Batch, error) {
	return s.changeWhile(ctx, caller, workflowID, batchID, func(pgx.Tx) error { return nil }, do)
}

// again is change for what has rows of a batch begin again. It holds the workflow first, as a retry of
// one row does: each would wait for the other else.
func (s *Batches) again(ctx context.Context, caller platen.User, workflowID, batchID string, do func(tx pgx.Tx) error) (platen.Batch, error) {
	return s.changeWhile(ctx, caller, workflowID, batchID, func(tx pgx.Tx) error {
		return lockStarting(ctx, tx, caller, workflowID)
	}, func(tx pgx.Tx, _ platen.BatchState, _ bool) error {
		if err := do(tx); err != nil {
			return err
		}
		return reopenBatch(ctx, tx, batchID)
	})
}

func (s *Batches) changeWhile(ctx context.Context, caller platen.User, workflowID, batchID string, hold func(tx pgx.Tx) error, do func(tx pgx.Tx, state platen.BatchState, ended bool) error) (platen.Batch, error) {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: batchID}
		if err := s.require(ctx, tx, caller, workflowID, batchID); err != nil {
			return of, err
		}
		if err := hold(tx); err != nil {
			return of, err
		}
		type row struct {
			State      platen.BatchState `db:"state"`
			FinishedAt *time.Time        `db:"finished_at"`
		}
		locked, _, err := CollectOne[row](ctx, tx, `
			SELECT state, finished_at
			FROM batches
			WHERE id = @id
			FOR NO KEY UPDATE`, pgx.NamedArgs{"id": batchID})
		if err != nil {
			return of, err
		}
		return of, do(tx, locked.State, locked.FinishedAt != nil)
	})
	if err != nil {
		return platen.Batch{}, fmt.Errorf("change batch %s: %w", batchID, err)
	}
	return s.Batch(ctx, caller, workflowID, batchID)
}

// PauseBatch lets no more rows of a batch begin. Twice is no error; one that was cancelled
// or has ended is KindInvalid with code "batch_ended".
func (s *Batches) PauseBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error) {
	return s.change(ctx, caller, workflowID, batchID, func(tx pgx.Tx, state platen.BatchState, ended bool) error {
		if ended || state == platen.BatchCancelled {
			return platen.ErrBatchEnded(state)
		}
		return setBatchState(ctx, tx, batchID, platen.BatchPaused)
	})
}

// ResumeBatch lets rows of a batch begin again; its errors are those of PauseBatch.
func (s *Batches) ResumeBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error) {
	return s.change(ctx, caller, workflowID, batchID, func(tx pgx.Tx, state platen.BatchState, ended bool) error {
		if ended || state == platen.BatchCancelled {
			return platen.ErrBatchEnded(state)
		}
		return setBatchState(ctx, tx, batchID, platen.BatchRunning)
	})
}

func setBatchState(ctx context.Context, tx pgx.Tx, batchID string, state platen.BatchState) error {
	_, err := Execute(ctx, tx, `
		UPDATE batches
		SET state = @state, touched_at = now()
		WHERE id = @id AND state <> @state`, pgx.NamedArgs{"id": batchID, "state": state})
	return err
}

// CancelBatch has no more rows of a batch begin, for good, and erases the data of those that
// have not. Those that have go on to their end. Twice is no error; one that has ended
// otherwise is KindInvalid with code "batch_ended". The workflow may be archived.
func (s *Batches) CancelBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error) {
	return s.change(ctx, caller, workflowID, batchID, func(tx pgx.Tx, state platen.BatchState, ended bool) error {
		switch {
		case state == platen.BatchCancelled:
			return nil
		case ended:
			return platen.ErrBatchEnded(state)
		}
		if err := setBatchState(ctx, tx, batchID, platen.BatchCancelled); err != nil {
			return err
		}
		_, err := Execute(ctx, tx, cancelRows+`
			WHERE batch_id = @id AND state IN ('PENDING', 'RETRY')`, pgx.NamedArgs{"id": batchID})
		return err
	})
}

// cancelRows ends rows that have not begun, and erases their data. What failed before has
// failed.
const cancelRows = `
		UPDATE batch_rows
		SET state = CASE state WHEN 'RETRY' THEN 'FAILED' ELSE 'CANCELLED' END, data_key = NULL, body = '', reference = '', ended_at = now()`

// RetryBatch has the FAILED rows of a batch made once more, a few at a time, as
// Automations.RetryAutomation does; one that was cancelled goes on with these alone. A
// batch without a FAILED row is KindInvalid with code "batch_not_failed", one of an archived
// workflow "workflow_archived".
func (s *Batches) RetryBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error) {
	return s.again(ctx, caller, workflowID, batchID, func(tx pgx.Tx) error {
		n, err := Execute(ctx, tx, `
			UPDATE batch_rows
			SET state = 'RETRY', ended_at = NULL
			WHERE batch_id = @id AND state = 'FAILED'`, pgx.NamedArgs{"id": batchID})
		if err == nil && n == 0 {
			err = errNotFailed()
		}
		return err
	})
}

// lockStarting holds a workflow of the caller's that may start automations.
func lockStarting(ctx context.Context, tx pgx.Tx, caller platen.User, workflowID string) error {
	status, err := lockWorkflow(ctx, tx, caller, workflowID)
	if err == nil && status == platen.StatusArchived {
		err = platen.ErrWorkflowArchived()
	}
	return err
}

// reopenBatch has a batch go on whose rows begin again.
func reopenBatch(ctx context.Context, tx pgx.Tx, batchID string) error {
	_, err := Execute(ctx, tx, `
		UPDATE batches
		SET state = CASE WHEN state IN ('COMPLETED', 'CANCELLED') THEN 'RUNNING' ELSE state END,
			attempt = attempt + CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END,
			counts = NULL, finished_at = NULL, touched_at = now()
		WHERE id = @id`, pgx.NamedArgs{"id": batchID})
	return err
}

// storedFor is how long the parts of a file may be apart.
const storedFor = 10 * time.Minute

// SweepBatches forgets batches that nobody goes on storing.
func (s *Batches) SweepBatches(ctx context.Context) error {
	type row struct {
		ID string `db:"id"`
	}
	left, err := Collect[row](ctx, s.db.pool, `
		SELECT id
		FROM batches
		WHERE finished_at IS NULL AND state = 'STORING' AND touched_at < now() - @age::interval
		LIMIT 100`, pgx.NamedArgs{"age": storedFor})
	for _, r := range left {
		err = errors.Join(err, s.drop(ctx, r.ID, ""))
	}
	if err != nil {
		return fmt.Errorf("sweep batches: %w", err)
	}
	return nil
}
