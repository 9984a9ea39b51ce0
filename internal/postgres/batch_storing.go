package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"iter"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

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
	err = s.store(ctx, caller, workflowID, b, false, rows, func(p partOf) error {
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
// them. If that fails, nothing of them stays. derived: ids of rows follow from the batch's.
func (s *Batches) store(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch, derived bool, rows iter.Seq2[platen.BatchRow, error], commit func(partOf) error) error {
	if err := s.begin(ctx, caller, workflowID, b); err != nil {
		return fmt.Errorf("begin batch %s: %w", b.ID, err)
	}
	kept := false
	defer func() {
		if !kept {
			_ = s.drop(context.WithoutCancel(ctx), b.ID, b.RequestID) // the sweep does it else
		}
	}()
	p := partOf{s: s, of: b, derived: derived, print: sha256.New()}
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

// StoreFile stores a batch whose id is derived of where its rows come from, for a worker: all its
// rows, whose ids are derived of it, or nothing. What an attempt before has left of it is dropped,
// and that attempt stores nothing any more. hold is called in the transaction that shows the
// batch: where it returns false, nothing is stored, and that is no error.
func (s *Batches) StoreFile(ctx context.Context, owner platen.User, workflowID string, b platen.NewBatch, rows iter.Seq2[platen.BatchRow, error], hold func(tx pgx.Tx) (bool, error)) error {
	if err := s.drop(ctx, b.ID, ""); err != nil {
		return fmt.Errorf("drop what is left of batch %s: %w", b.ID, err)
	}
	errLeft := errors.New("left as it is")
	err := s.store(ctx, owner, workflowID, b, true, rows, func(p partOf) error {
		fields, err := p.fields()
		if err != nil {
			return err
		}
		return s.db.InTx(ctx, func(tx pgx.Tx) error {
			held, err := hold(tx)
			if err == nil && !held {
				err = errLeft
			}
			if err != nil {
				return err
			}
			return show(ctx, tx, workflowID, b, p, fields, nil)
		})
	})
	if errors.Is(err, errLeft) || IsUniqueViolation(err, "batches_pkey") { // another attempt stores it, or has
		return nil
	}
	return err
}

// CorrectBatch puts rows in the place of FAILED rows with the same numbers, and has them made as
// new automations; the ones before stay as they are. Of a whole file, rows in another state
// stay, and one that has other numbers than the batch is KindInvalid with code "rows_differ".
// Of another file they are KindInvalid with code "row_not_failed". The first error of rows
// ends it, and nothing is changed. Other errors are those of RetryBatch.
func (s *Batches) CorrectBatch(ctx context.Context, caller platen.User, workflowID, batchID string, c platen.Correction, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, error) {
	staged := platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), RequestID: c.RequestID, CreatedAt: c.CreatedAt}
	var corrected platen.Batch
	err := s.store(ctx, caller, workflowID, staged, false, rows, func(p partOf) (err error) {
		corrected, err = s.again(ctx, caller, workflowID, batchID, func(tx pgx.Tx) error {
			if held, err := holdStoring(ctx, tx, staged.ID, staged.RequestID); err != nil {
				return err
			} else if !held {
				return errTooSlow()
			}
			failed, err := checkCorrection(ctx, tx, batchID, staged.ID, c, p.count)
			if err != nil {
				return err
			}
			taken, err := takeRows(ctx, tx, batchID, staged.ID)
			if err != nil {
				return err
			}
			if taken != failed {
				return platen.Errorf(platen.KindInvalid, "row_not_failed", "A row was retried at the same moment: nothing was changed. Look at the rows that have FAILED, and send the file again.")
			}
			return nil
		})
		return err
	})
	if err != nil {
		return platen.Batch{}, fmt.Errorf("correct batch %s: %w", batchID, err)
	}
	return corrected, nil
}

// holdStoring keeps others from storing or dropping a batch. request is that of the attempt that
// stores it; empty: any. Not held: it is stored, or was dropped.
func holdStoring(ctx context.Context, tx pgx.Tx, id, request string) (held bool, err error) {
	n, err := Execute(ctx, tx, `
		UPDATE batches
		SET touched_at = now()
		WHERE id = @id AND state = 'STORING' AND (@request = '' OR request_id = @request)`, pgx.NamedArgs{"id": id, "request": request})
	return n > 0, err
}

func errTooSlow() error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: "timed_out", Message: "The batch came too slowly, and nothing of it was stored. Send it again."}
}

// checkCorrection refuses rows that are not to be replaced, and counts those that are.
func checkCorrection(ctx context.Context, tx pgx.Tx, batchID, stagedID string, c platen.Correction, count int) (failed int, err error) {
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
		return 0, err
	case c.Whole && count != found.Rows:
		return 0, platen.Errorf(platen.KindInvalid, "rows_differ", "The file has %d rows, and the batch has %d: rows are known by their places. Send the whole file with as many rows, or name the field with their numbers by the parameter row.", count, found.Rows)
	case c.Whole && found.Nowhere != nil:
		return 0, platen.Errorf(platen.KindInvalid, "rows_differ", "The file has a row %d, and the batch has none: rows are known by their lines, and some of them have moved. Send the file without adding or removing lines, or name the field with the numbers by the parameter row.", *found.Nowhere)
	case !c.Whole && found.Wrong != nil:
		return 0, platen.Errorf(platen.KindInvalid, "row_not_failed", "Row %d is %s: only FAILED rows can be replaced, and nothing was changed.", *found.Wrong, *found.State)
	case found.Another != nil:
		return 0, platen.Errorf(platen.KindInvalid, "rows_differ", "Row %d has another reference than in the batch: it may be another row. Nothing was changed.", *found.Another)
	case found.Failed == 0:
		return 0, errNotFailed()
	}
	return found.Failed, nil
}

func errNotFailed() error {
	return platen.Errorf(platen.KindInvalid, "batch_not_failed", "The batch has no FAILED row: there is nothing to retry.")
}

// takeRows puts rows of a batch that nobody sees in the place of FAILED ones of another, and
// forgets the first batch. It returns how many were replaced. Their automations are not
// retried any more: a row would be made twice.
func takeRows(ctx context.Context, tx pgx.Tx, batchID, stagedID string) (int, error) {
	args := pgx.NamedArgs{"id": batchID, "staged": stagedID}
	n, err := Execute(ctx, tx, `
		WITH staged AS (
			DELETE FROM batch_rows
			WHERE batch_id = @staged
			RETURNING number, automation_id, data_key, body, reference
		), failed AS (
			SELECT r.number, r.automation_id
			FROM batch_rows r
			WHERE r.batch_id = @id AND r.state = 'FAILED'
			FOR NO KEY UPDATE
		), taken AS (
			UPDATE batch_rows r
			SET automation_id = staged.automation_id, state = 'PENDING', data_key = staged.data_key, body = staged.body, reference = staged.reference, ended_at = NULL
			FROM staged
			JOIN failed ON failed.number = staged.number
			WHERE r.batch_id = @id AND r.number = staged.number
			RETURNING failed.automation_id AS before, staged.automation_id AS next
		)
		UPDATE automations a
		SET replaced_by = taken.next
		FROM taken
		WHERE a.id = taken.before AND a.state = 'FAILED'`, args)
	if err != nil {
		return 0, err
	}
	_, err = Execute(ctx, tx, `
		DELETE FROM batches
		WHERE id = @staged AND state = 'STORING'`, args)
	return int(n), err
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
	fields, err := p.fields()
	if err != nil {
		return err
	}
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: b.ID}
		return of, whileConfigurable(ctx, tx, caller, workflowID, func(tx pgx.Tx) error {
			return show(ctx, tx, workflowID, b, p, fields, fingerprint)
		})
	})
}

// show is commit within its transaction.
func show(ctx context.Context, tx pgx.Tx, workflowID string, b platen.NewBatch, p partOf, fields string, fingerprint []byte) error {
	var key *string
	if b.Key != "" {
		key = &b.Key
	}
	n, err := Execute(ctx, tx, `
		UPDATE batches
		SET state = 'RUNNING', row_count = @rows, idempotency_key = @key, fingerprint = @fingerprint, touched_at = now()
		WHERE id = @id AND state = 'STORING' AND request_id = @request`,
		pgx.NamedArgs{"id": b.ID, "request": b.RequestID, "rows": p.count, "key": key, "fingerprint": fingerprint})
	if err == nil && n == 0 {
		err = errTooSlow()
	}
	if err == nil && !b.Test {
		err = CheckUsage(ctx, tx, workflowID, p.count)
	}
	if err != nil {
		return err
	}
	return NoteFields(ctx, tx, workflowID, fields)
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

// drop forgets a batch that is not stored to its end, by holdStoring. Its rows go first: row security shows
// none without their batch.
func (s *Batches) drop(ctx context.Context, id, request string) error {
	return s.db.InTx(ctx, func(tx pgx.Tx) error {
		if held, err := holdStoring(ctx, tx, id, request); err != nil || !held {
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
	s       *Batches
	of      platen.NewBatch
	derived bool
	print   hash.Hash // of all rows
	count   int       // of all rows
	last    []byte    // the body of the last one

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
	if p.derived {
		id = platen.DerivedID(platen.PrefixAutomation, p.of.ID, strconv.Itoa(row.Number))
	}
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

// fields are those that the last row gives the source.
func (p *partOf) fields() (string, error) {
	names, err := platen.SourceFields(p.last)
	if err != nil {
		return "", err
	}
	return FieldsJSON(names)
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
			WHERE id = @id AND state = 'STORING' AND request_id = @request
			RETURNING id
		)
		INSERT INTO batch_rows (batch_id, number, automation_id, state, data_key, body, reference)
		SELECT storing.id, r.number, r.automation_id, 'PENDING', r.data_key, r.body, r.reference
		FROM storing
		CROSS JOIN unnest(@numbers::integer[], @ids::text[], @keys::bytea[], @bodies::bytea[], @references::text[]) AS r (number, automation_id, data_key, body, reference)`,
		pgx.NamedArgs{"id": p.of.ID, "request": p.of.RequestID, "numbers": p.numbers, "ids": p.ids, "keys": p.keys, "bodies": p.bodies, "references": p.references})
	if err != nil {
		return fmt.Errorf("store %d rows of batch %s: %w", len(p.ids), p.of.ID, err)
	}
	p.numbers, p.ids, p.references, p.keys, p.bodies, p.bytes = p.numbers[:0], p.ids[:0], p.references[:0], p.keys[:0], p.bodies[:0], 0
	return nil
}
