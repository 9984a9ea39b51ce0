package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// EraseAutomation asks for the erasure of an automation of one of the caller's
// workflows, which a worker carries out: one that is open is cancelled first, and
// nothing more is delivered of it. Asking twice changes nothing. The workflow may be
// archived.
func (s *Automations) EraseAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	return s.endInAct(ctx, caller, workflowID, automationID, "erase", func(tx pgx.Tx) ([]platen.Ending, error) {
		return requestErasure(ctx, tx, platen.Tombstone{AutomationID: automationID, By: caller.ID})
	})
}

// EraseAgain asks for the erasures that are known from outside the database, of
// automations that are in it as if nobody had asked: it was put back to an earlier
// moment. It returns how many these are.
func (s *Automations) EraseAgain(ctx context.Context, stones []platen.Tombstone) (again int, err error) {
	ids := make([]string, len(stones))
	byID := make(map[string]platen.Tombstone, len(stones))
	for i, stone := range stones {
		ids[i], byID[stone.AutomationID] = stone.AutomationID, stone
	}
	type row struct {
		ID string `db:"id"`
	}
	// A row of a batch that has not begun yet never will.
	if _, err := Execute(ctx, s.db.pool, cancelRows+`
		WHERE automation_id = ANY (@ids) AND state = 'PENDING'`, pgx.NamedArgs{"ids": ids}); err != nil {
		return 0, fmt.Errorf("look for rows of batches that were erased: %w", err)
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT id
		FROM automations
		WHERE id = ANY (@ids) AND erase_requested_at IS NULL
		ORDER BY id`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return 0, fmt.Errorf("look for automations that were erased: %w", err)
	}
	for _, r := range rows {
		var ended []platen.Ending
		err := s.db.InTx(ctx, func(tx pgx.Tx) (err error) {
			ended, err = requestErasure(ctx, tx, byID[r.ID])
			return err
		})
		if err != nil {
			return again, fmt.Errorf("erase automation %s once more: %w", r.ID, err)
		}
		for _, e := range ended {
			s.db.ended(ctx, e)
		}
		again++
	}
	return again, nil
}

// requestErasure has a worker erase an automation. The time of a tombstone that has
// one stays. It returns the ending of an automation that it ended itself.
func requestErasure(ctx context.Context, tx pgx.Tx, stone platen.Tombstone) (ended []platen.Ending, err error) {
	a, err := lockAutomation(ctx, tx, stone.AutomationID)
	if err != nil || a.EraseRequestedAt != nil {
		return nil, err
	}
	if a.FinishedAt == nil {
		if ended, err = cancel(ctx, tx, a.ID); err != nil {
			return nil, err
		}
	}
	var at *time.Time
	if !stone.RequestedAt.IsZero() {
		at = &stone.RequestedAt
	}
	_, err = Execute(ctx, tx, `
		UPDATE automations
		SET erase_requested_at = coalesce(@at::timestamptz, now()), erase_requested_by = @by, erase_due_at = now()
		WHERE id = @id`, pgx.NamedArgs{"id": a.ID, "by": stone.By, "at": at})
	if err != nil {
		return nil, err
	}
	return ended, giveUpDeliveries(ctx, tx, a.ID)
}

// giveUpDeliveries ends what of an automation waits to leave, by mail, at a target or as an
// event.
func giveUpDeliveries(ctx context.Context, tx pgx.Tx, automationID string) error {
	for _, giveUp := range []string{`
		WITH given_up AS (
			UPDATE mails
			SET state = 'FAILED', code = @code, message = 'The automation was erased before the mail was sent.', leased_until = NULL, ended_at = now()
			WHERE automation_id = @id AND state = 'PENDING'
			RETURNING id
		)
		DELETE FROM errands r
		USING given_up g
		WHERE r.kind = 'MAIL' AND r.id = g.id`, `
		WITH given_up AS (
			UPDATE placements
			SET state = 'FAILED', code = @code, message = 'The automation was erased before the target had the output.', leased_until = NULL, storing = NULL, ended_at = now()
			WHERE automation_id = @id AND state = 'PENDING'
			RETURNING id
		)
		DELETE FROM errands r
		USING given_up g
		WHERE r.kind = 'STORE' AND r.id = g.id`,
		// An attempt that is under way belongs to earlier deliveries then, and changes no
		// state; what waits for a later one finds that there is none.
		`
		WITH given_up AS (
			UPDATE events e
			SET state = 'FAILED', reason = '', next_at = NULL,
				attempts_before = 1 + greatest(e.attempts_before, (SELECT coalesce(max(d.attempt), 0) FROM deliveries d WHERE d.event_id = e.id))
			FROM outputs o
			WHERE o.automation_id = @id AND e.output_id = o.id AND e.state IN ('PENDING', 'HELD')
			RETURNING e.id
		)
		DELETE FROM errands r
		USING given_up g
		WHERE r.kind = 'DELIVER' AND r.id = g.id`,
	} {
		if _, err := Execute(ctx, tx, giveUp, pgx.NamedArgs{"id": automationID, "code": platen.CodeDataErased}); err != nil {
			return err
		}
	}
	return nil
}

// ClaimErasures returns up to limit erasures that are due, the longest first. Each is
// the caller's until the lease ends; then it is due again, unless FinishErasure or
// PutOffErasure came before.
func (s *Automations) ClaimErasures(ctx context.Context, limit int, lease time.Duration) ([]platen.Erasure, error) {
	type row struct {
		ID          string    `db:"id"`
		WorkflowID  string    `db:"workflow_id"`
		OwnerID     string    `db:"owner_id"`
		RequestedAt time.Time `db:"erase_requested_at"`
		By          string    `db:"erase_requested_by"`
		Ended       bool      `db:"ended"`
		Deleted     bool      `db:"deleted"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		WITH due AS (
			SELECT id
			FROM automations
			WHERE erase_due_at IS NOT NULL AND erase_due_at <= now()
			ORDER BY erase_due_at
			LIMIT @limit
			FOR NO KEY UPDATE SKIP LOCKED
		)
		UPDATE automations a
		SET erase_due_at = now() + @lease::interval
		FROM due
		WHERE a.id = due.id
		RETURNING a.id, a.workflow_id, a.owner_id, a.erase_requested_at, a.erase_requested_by, a.finished_at IS NOT NULL AS ended,
			(SELECT u.deleted_at IS NOT NULL FROM users u WHERE u.id = a.owner_id) AS deleted`,
		pgx.NamedArgs{"limit": limit, "lease": lease})
	if err != nil {
		return nil, fmt.Errorf("claim erasures: %w", err)
	}
	due := make([]platen.Erasure, len(rows))
	for i, r := range rows {
		due[i] = platen.Erasure{AutomationID: r.ID, WorkflowID: r.WorkflowID, OwnerID: r.OwnerID, RequestedAt: r.RequestedAt.UTC(), By: r.By, Ended: r.Ended, OwnerDeleted: r.Deleted}
	}
	return due, nil
}

// EraseData erases the source data of an automation that has ended, the payloads of
// its events and receivers' answers. Twice is no error.
func (s *Automations) EraseData(ctx context.Context, automationID string) error {
	_, _, err := CollectOne[erasedRow](ctx, s.db.pool, `
		WITH chosen AS (
			SELECT id
			FROM automations
			WHERE id = @id AND finished_at IS NOT NULL AND data_erased_at IS NULL
			FOR NO KEY UPDATE
		)`+eraseDataOf, pgx.NamedArgs{"id": automationID})
	s.forget(automationID)
	if err != nil {
		return fmt.Errorf("erase the data of automation %s: %w", automationID, err)
	}
	return nil
}

// ErasedOutputs returns the outputs of an automation, whose files are to be removed.
func (s *Automations) ErasedOutputs(ctx context.Context, automationID string) ([]platen.Output, error) {
	found, err := loadOutputs(ctx, s.db.pool, []string{automationID})
	if err != nil {
		return nil, fmt.Errorf("list the outputs of automation %s: %w", automationID, err)
	}
	return found[automationID], nil
}

// PutOffErasure makes an erasure due again after a wait.
func (s *Automations) PutOffErasure(ctx context.Context, automationID string, wait time.Duration) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE automations
		SET erase_due_at = now() + @wait::interval
		WHERE id = @id AND erase_due_at IS NOT NULL`, pgx.NamedArgs{"id": automationID, "wait": wait})
	if err != nil {
		return fmt.Errorf("put off the erasure of automation %s: %w", automationID, err)
	}
	return nil
}

// FinishErasure says that the files of an erased automation are gone, and forgets
// them. What stays are ids, states and times: deliveries that wait in Temporal find
// that their events have ended. Of one whose time was over that is long past, and its
// outputs and events go too.
func (s *Automations) FinishErasure(ctx context.Context, e platen.Erasure) error {
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		statements := append([]string{settleNumbers}, blankOutputs...)
		if e.By == platen.ErasedByRetention {
			statements = append([]string{settleNumbers}, removeOutputs...)
		}
		for _, sql := range statements {
			if _, err := Execute(ctx, tx, sql, pgx.NamedArgs{"id": e.AutomationID}); err != nil {
				return err
			}
		}
		_, err := Execute(ctx, tx, `
			UPDATE automations
			SET erased_at = now(), erase_due_at = NULL, request_id = '', reference = '', order_key = NULL, failure = '', waits = '{}', skipped = '[]'
			WHERE id = @id AND finished_at IS NOT NULL AND erase_requested_at IS NOT NULL`, pgx.NamedArgs{"id": e.AutomationID})
		return err
	})
	s.forget(e.AutomationID)
	if err != nil {
		return fmt.Errorf("finish the erasure of automation %s: %w", e.AutomationID, err)
	}
	return nil
}

var blankOutputs = []string{`
	UPDATE outputs
	SET name = '', copy = NULL, pdf = NULL, pdf_id = '', pdf_hashes = '{}', thrown_away = '{}', missing_fields = '{}', findings = '[]', appendices = '[]', failure = '',
		swept_at = now()
	WHERE automation_id = @id`, `
	UPDATE plans
	SET plan = plan - 'skipped'
	WHERE automation_id = @id`, `
	UPDATE mails
	SET message = ''
	WHERE automation_id = @id`, `
	UPDATE placements
	SET folder = NULL, receipts = '[]', hashes = '{}', storing = NULL, message = '', state = CASE WHEN state = 'PENDING' THEN 'FAILED' ELSE state END,
		code = CASE WHEN state = 'PENDING' THEN 'data_erased' ELSE code END, ended_at = coalesce(ended_at, now())
	WHERE output_id IN (SELECT id FROM outputs WHERE automation_id = @id)`, `
	DELETE FROM reviews
	WHERE output_id IN (SELECT id FROM outputs WHERE automation_id = @id)`, `
	DELETE FROM review_corrections
	WHERE output_id IN (SELECT id FROM outputs WHERE automation_id = @id)`, `
	UPDATE deliveries d
	SET failure = CASE WHEN d.failure = '' THEN '' ELSE 'erased' END
	FROM outputs o
	JOIN events e ON e.output_id = o.id
	WHERE o.automation_id = @id AND d.event_id = e.id`}

var removeOutputs = []string{`
	DELETE FROM deliveries
	WHERE event_id IN (SELECT e.id FROM outputs o JOIN events e ON e.output_id = o.id WHERE o.automation_id = @id)`, `
	DELETE FROM events
	WHERE output_id IN (SELECT id FROM outputs WHERE automation_id = @id)`, `
	DELETE FROM outputs
	WHERE automation_id = @id`, `
	DELETE FROM plans
	WHERE automation_id = @id`}
