package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Batches is the store of batches and their rows, until the rows are automations.
type Batches struct{ db *DB }

// Rows are stored in parts, each in a transaction of its own: a file that comes slowly
// holds no connection, and however long it is, no more than a part is in memory.
const (
	partRows  = 500
	partBytes = 1 << 20
)

// rateOver is the time over which the rate of a batch is measured.
const rateOver = time.Minute

// StoreBatch stores a batch of one of the caller's workflows with all its rows, which are
// encrypted, or nothing of it: the first error of rows ends it and comes back as it is. A
// repeat under the same key is answered with the batch of the first time, and again is
// true; other rows under that key are KindConflict with code "idempotency_key_reused". An
// archived workflow is KindInvalid with code "workflow_archived".
//
// Nobody sees a batch before its last row is stored. What a process that died has left is
// swept (SweepBatches).
func (s *Batches) StoreBatch(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch, rows iter.Seq2[platen.BatchRow, error]) (stored platen.Batch, again bool, err error) {
	var fingerprint []byte
	err = s.store(ctx, caller, workflowID, b, rows, func(p partOf) error {
		fingerprint = p.print.Sum(nil)
		return s.commit(ctx, caller, workflowID, b, p, fingerprint)
	})
	if IsUniqueViolation(err, "batches_key") {
		return s.repeated(ctx, caller, workflowID, b, fingerprint)
	}
	if err != nil {
		return stored, false, err
	}
	stored, err = s.Batch(ctx, caller, workflowID, b.ID)
	return stored, false, err
}

// store stores the rows of a batch that nobody sees, and calls commit with what is known of
// them. If that fails, nothing of them stays.
func (s *Batches) store(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch, rows iter.Seq2[platen.BatchRow, error], commit func(partOf) error) error {
	if err := s.begin(ctx, caller, workflowID, b); err != nil {
		return fmt.Errorf("begin batch %s: %w", b.ID, err)
	}
	kept := false
	defer func() {
		if !kept {
			_ = s.drop(context.WithoutCancel(ctx), b.ID) // the sweep does it else
		}
	}()
	p := partOf{s: s, of: b, print: sha256.New()}
	for row, err := range rows {
		if err == nil {
			err = p.add(ctx, row)
		}
		if err != nil {
			return err
		}
	}
	if err := p.flush(ctx); err != nil {
		return err
	}
	if err := commit(p); err != nil {
		return fmt.Errorf("store batch %s: %w", b.ID, err)
	}
	kept = true
	return nil
}

// CorrectBatch puts rows in the place of FAILED rows with the same numbers, and has them made as
// new automations; the ones before stay as they are. Of a whole file, rows in another state
// stay, and one that has other numbers than the batch is KindInvalid with code "rows_differ".
// Of another file they are KindInvalid with code "row_not_failed". The first error of rows
// ends it, and nothing is changed. Other errors are those of RetryBatch.
func (s *Batches) CorrectBatch(ctx context.Context, caller platen.User, workflowID, batchID string, c platen.Correction, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, error) {
	staged := platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), RequestID: c.RequestID, CreatedAt: c.CreatedAt}
	var corrected platen.Batch
	err := s.store(ctx, caller, workflowID, staged, rows, func(p partOf) (err error) {
		corrected, err = s.change(ctx, caller, workflowID, batchID, func(tx pgx.Tx, _ platen.BatchState, _ bool) error {
			if err := lockStarting(ctx, tx, caller, workflowID); err != nil {
				return err
			}
			if held, err := holdStoring(ctx, tx, staged.ID); err != nil {
				return err
			} else if !held {
				return errTooSlow()
			}
			if err := checkCorrection(ctx, tx, batchID, staged.ID, c, p.count); err != nil {
				return err
			}
			if err := takeRows(ctx, tx, batchID, staged.ID); err != nil {
				return err
			}
			return reopenBatch(ctx, tx, batchID)
		})
		return err
	})
	if err != nil {
		return platen.Batch{}, fmt.Errorf("correct batch %s: %w", batchID, err)
	}
	return corrected, nil
}

// holdStoring keeps others from storing or dropping a batch. Not held: it is stored, or was
// dropped.
func holdStoring(ctx context.Context, tx pgx.Tx, id string) (held bool, err error) {
	n, err := Execute(ctx, tx, `
		UPDATE batches
		SET touched_at = now()
		WHERE id = @id AND state = 'STORING'`, pgx.NamedArgs{"id": id})
	return n > 0, err
}

func errTooSlow() error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: "timed_out", Message: "The batch came too slowly, and nothing of it was stored. Send it again."}
}

// checkCorrection refuses rows that are not to be replaced.
func checkCorrection(ctx context.Context, tx pgx.Tx, batchID, stagedID string, c platen.Correction, count int) error {
	type row struct {
		Rows    int     `db:"row_count"`
		Failed  int     `db:"failed"`
		Wrong   *int    `db:"wrong"`
		State   *string `db:"state"`
		Another *int    `db:"another"`
		Nowhere *int    `db:"nowhere"`
	}
	found, _, err := CollectOne[row](ctx, tx, `
		SELECT b.row_count,
			(SELECT count(*) FROM batch_rows r JOIN batch_rows n ON n.batch_id = @staged AND n.number = r.number WHERE r.batch_id = b.id AND r.state = 'FAILED') AS failed,
			w.number AS wrong, w.state, (
				SELECT min(n.number)
				FROM batch_rows n
				JOIN batch_rows r ON r.batch_id = b.id AND r.number = n.number AND r.state = 'FAILED'
				JOIN automations a ON a.id = r.automation_id
				WHERE n.batch_id = @staged AND n.reference <> '' AND a.reference <> '' AND n.reference <> a.reference
			) AS another, (
				SELECT min(n.number)
				FROM batch_rows n
				WHERE n.batch_id = @staged AND NOT EXISTS (SELECT FROM batch_rows r WHERE r.batch_id = b.id AND r.number = n.number)
			) AS nowhere
		FROM batches b
		LEFT JOIN LATERAL (
			SELECT n.number, coalesce(r.state, 'in no') AS state
			FROM batch_rows n
			LEFT JOIN batch_rows r ON r.batch_id = b.id AND r.number = n.number
			WHERE n.batch_id = @staged AND r.state IS DISTINCT FROM 'FAILED'
			ORDER BY n.number
			LIMIT 1
		) w ON true
		WHERE b.id = @id`, pgx.NamedArgs{"id": batchID, "staged": stagedID})
	switch {
	case err != nil:
		return err
	case c.Whole && count != found.Rows:
		return platen.Errorf(platen.KindInvalid, "rows_differ", "The file has %d rows, and the batch has %d: rows are known by their places. Send the whole file with as many rows, or name the field with their numbers by the parameter row.", count, found.Rows)
	case c.Whole && found.Nowhere != nil:
		return platen.Errorf(platen.KindInvalid, "rows_differ", "The file has a row %d, and the batch has none: rows are known by their lines, and some of them have moved. Send the file without adding or removing lines, or name the field with the numbers by the parameter row.", *found.Nowhere)
	case !c.Whole && found.Wrong != nil:
		return platen.Errorf(platen.KindInvalid, "row_not_failed", "Row %d is %s: only FAILED rows can be replaced, and nothing was changed.", *found.Wrong, *found.State)
	case found.Another != nil:
		return platen.Errorf(platen.KindInvalid, "rows_differ", "Row %d has another reference than in the batch: it may be another row. Nothing was changed.", *found.Another)
	case found.Failed == 0:
		return errNotFailed()
	}
	return nil
}

func errNotFailed() error {
	return platen.Errorf(platen.KindInvalid, "batch_not_failed", "The batch has no FAILED row: there is nothing to retry.")
}

// takeRows puts rows of a batch that nobody sees in the place of FAILED ones of another, and
// forgets the first batch.
func takeRows(ctx context.Context, tx pgx.Tx, batchID, stagedID string) error {
	args := pgx.NamedArgs{"id": batchID, "staged": stagedID}
	_, err := Execute(ctx, tx, `
		WITH staged AS (
			DELETE FROM batch_rows
			WHERE batch_id = @staged
			RETURNING number, automation_id, data_key, body, reference
		)
		UPDATE batch_rows r
		SET automation_id = staged.automation_id, state = 'PENDING', data_key = staged.data_key, body = staged.body, reference = staged.reference, ended_at = NULL
		FROM staged
		WHERE r.batch_id = @id AND r.number = staged.number AND r.state = 'FAILED'`, args)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		DELETE FROM batches
		WHERE id = @staged AND state = 'STORING'`, args)
	return err
}

func (s *Batches) begin(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch) error {
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return err
	}
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO batches (id, workflow_id, user_id, name, state, test, request_id, created_at)
		VALUES (@id, @workflow, @user, @name, 'STORING', @test, @request, @created)`,
		pgx.NamedArgs{"id": b.ID, "workflow": workflowID, "user": caller.ID, "name": CleanText(b.Name), "test": b.Test, "request": b.RequestID, "created": b.CreatedAt})
	return err
}

// commit makes a batch with all its rows visible. Its last row gives the source its fields,
// as an event does.
func (s *Batches) commit(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch, p partOf, fingerprint []byte) error {
	names, err := platen.SourceFields(p.last)
	if err != nil {
		return err
	}
	fields, err := FieldsJSON(names)
	if err != nil {
		return err
	}
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: b.ID}
		return of, whileConfigurable(ctx, tx, caller, workflowID, func(tx pgx.Tx) error {
			var key *string
			if b.Key != "" {
				key = &b.Key
			}
			n, err := Execute(ctx, tx, `
				UPDATE batches
				SET state = 'RUNNING', row_count = @rows, idempotency_key = @key, fingerprint = @fingerprint, touched_at = now()
				WHERE id = @id AND state = 'STORING'`,
				pgx.NamedArgs{"id": b.ID, "rows": p.count, "key": key, "fingerprint": fingerprint})
			if err == nil && n == 0 {
				err = errTooSlow()
			}
			if err != nil {
				return err
			}
			_, err = Execute(ctx, tx, `
				UPDATE sources
				SET fields = CASE WHEN fields_given THEN fields ELSE @names::text::jsonb END,
					last_names = CASE WHEN fields_given THEN @names::text::jsonb END
				WHERE workflow_id = @workflow
					AND CASE WHEN fields_given THEN last_names ELSE fields END IS DISTINCT FROM @names::text::jsonb`,
				pgx.NamedArgs{"workflow": workflowID, "names": fields})
			return err
		})
	})
}

// repeated answers a repeat with what the first request stored.
func (s *Batches) repeated(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch, fingerprint []byte) (platen.Batch, bool, error) {
	type row struct {
		ID   string `db:"id"`
		Same bool   `db:"same"`
	}
	first, _, err := CollectOne[row](ctx, s.db.pool, `
		SELECT id, fingerprint = @fingerprint AND name = @name AND test = @test AS same
		FROM batches
		WHERE workflow_id = @workflow AND user_id = @user AND idempotency_key = @key`,
		pgx.NamedArgs{"workflow": workflowID, "user": caller.ID, "key": b.Key, "fingerprint": fingerprint, "name": CleanText(b.Name), "test": b.Test})
	if err == nil && !first.Same {
		err = platen.Errorf(platen.KindConflict, "idempotency_key_reused",
			"The Idempotency-Key was sent with another batch before. Send a new key with each new batch, and the same key with a repeat of the same rows only.")
	}
	if err != nil {
		return platen.Batch{}, false, err
	}
	stored, err := s.Batch(ctx, caller, workflowID, first.ID)
	return stored, true, err
}

// drop forgets a batch that is not stored to its end. Its rows go first: row security shows
// none without their batch.
func (s *Batches) drop(ctx context.Context, id string) error {
	return s.db.InTx(ctx, func(tx pgx.Tx) error {
		if held, err := holdStoring(ctx, tx, id); err != nil || !held {
			return err
		}
		_, err := Execute(ctx, tx, `
			DELETE FROM batch_rows
			WHERE batch_id = @id`, pgx.NamedArgs{"id": id})
		if err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			DELETE FROM batches
			WHERE id = @id`, pgx.NamedArgs{"id": id})
		return err
	})
}

// A partOf gathers rows of a batch, and stores them when they are many.
type partOf struct {
	s     *Batches
	of    platen.NewBatch
	print hash.Hash // of all rows
	count int       // of all rows
	last  []byte    // the body of the last one

	numbers         []int32
	ids, references []string
	keys, bodies    [][]byte
	bytes           int
}

func (p *partOf) add(ctx context.Context, row platen.BatchRow) error {
	_ = binary.Write(p.print, binary.BigEndian, []int64{int64(row.Number), int64(len(row.Reference)), int64(len(row.Body))})
	p.print.Write([]byte(row.Reference))
	p.print.Write(row.Body)
	id := platen.NewID(platen.PrefixAutomation)
	key, err := p.s.db.vault.NewDataKey(id)
	if err != nil {
		return err
	}
	p.numbers, p.ids, p.references = append(p.numbers, int32(row.Number)), append(p.ids, id), append(p.references, row.Reference)
	p.keys, p.bodies = append(p.keys, key.Sealed), append(p.bodies, key.Seal(row.Body, AutomationBody))
	p.count++
	p.bytes += len(row.Body)
	p.last = row.Body
	if len(p.ids) == partRows || p.bytes >= partBytes {
		return p.flush(ctx)
	}
	return nil
}

// flush stores what was gathered, unless the sweep has taken the batch for left over.
func (p *partOf) flush(ctx context.Context) error {
	if len(p.ids) == 0 {
		return nil
	}
	_, err := Execute(ctx, p.s.db.pool, `
		WITH storing AS (
			UPDATE batches
			SET touched_at = now()
			WHERE id = @id AND state = 'STORING'
			RETURNING id
		)
		INSERT INTO batch_rows (batch_id, number, automation_id, state, data_key, body, reference)
		SELECT storing.id, r.number, r.automation_id, 'PENDING', r.data_key, r.body, r.reference
		FROM storing
		CROSS JOIN unnest(@numbers::integer[], @ids::text[], @keys::bytea[], @bodies::bytea[], @references::text[]) AS r (number, automation_id, data_key, body, reference)`,
		pgx.NamedArgs{"id": p.of.ID, "numbers": p.numbers, "ids": p.ids, "keys": p.keys, "bodies": p.bodies, "references": p.references})
	if err != nil {
		return fmt.Errorf("store %d rows of batch %s: %w", len(p.ids), p.of.ID, err)
	}
	p.numbers, p.ids, p.references, p.keys, p.bodies, p.bytes = p.numbers[:0], p.ids[:0], p.references[:0], p.keys[:0], p.bodies[:0], 0
	return nil
}

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
			) / greatest(1, extract(epoch FROM least(now() - b.touched_at, @over::interval))) ELSE 0 END::float8 AS rate`

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
}

func (r batchRow) batch() (platen.Batch, error) {
	b := platen.Batch{
		ID: r.ID, WorkflowID: r.WorkflowID, Name: r.Name, State: r.State, Test: r.Test, Attempt: r.Attempt, Rows: r.Rows,
		CreatedAt: r.CreatedAt.UTC(), FinishedAt: UTC(r.FinishedAt), Rate: r.Rate,
	}
	return b, json.Unmarshal(r.Counts, &b.Counts)
}

// Batch returns a batch of one of the caller's workflows; KindNotFound with code
// "batch_not_found" for one that the workflow does not have.
func (s *Batches) Batch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error) {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	var found batchRow
	if err == nil {
		var ok bool
		found, ok, err = CollectOne[batchRow](ctx, s.db.pool, `
			SELECT `+batchColumns+`
			FROM batches b
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
	var rows []batchRow
	if err == nil {
		rows, err = Collect[batchRow](ctx, s.db.pool, `
			SELECT `+batchColumns+`
			FROM batches b
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
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: batchID}
		if err := s.require(ctx, tx, caller, workflowID, batchID); err != nil {
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
	return s.change(ctx, caller, workflowID, batchID, func(tx pgx.Tx, _ platen.BatchState, ended bool) error {
		if err := lockStarting(ctx, tx, caller, workflowID); err != nil {
			return err
		}
		n, err := Execute(ctx, tx, `
			UPDATE batch_rows
			SET state = 'RETRY', ended_at = NULL
			WHERE batch_id = @id AND state = 'FAILED'`, pgx.NamedArgs{"id": batchID})
		if err != nil {
			return err
		}
		if n == 0 {
			return errNotFailed()
		}
		return reopenBatch(ctx, tx, batchID)
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
		err = errors.Join(err, s.drop(ctx, r.ID))
	}
	if err != nil {
		return fmt.Errorf("sweep batches: %w", err)
	}
	return nil
}
