package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// The columns that every query of automationRow returns.
const automationColumns = `a.id, a.workflow_id, a.source_id, a.owner_id, a.team_id, a.state, a.reason, a.attempt, a.accepted_at, a.finished_at, a.request_id`

type automationRow struct {
	ID         string                 `db:"id"`
	WorkflowID string                 `db:"workflow_id"`
	SourceID   string                 `db:"source_id"`
	OwnerID    string                 `db:"owner_id"`
	TeamID     *string                `db:"team_id"`
	State      platen.AutomationState `db:"state"`
	Reason     string                 `db:"reason"`
	Attempt    int                    `db:"attempt"`
	AcceptedAt time.Time              `db:"accepted_at"`
	FinishedAt *time.Time             `db:"finished_at"`
	RequestID  string                 `db:"request_id"`
}

func (r automationRow) automation() platen.Automation {
	return platen.Automation{
		ID: r.ID, WorkflowID: r.WorkflowID, SourceID: r.SourceID, OwnerID: r.OwnerID, TeamID: orEmpty(r.TeamID),
		State: r.State, Reason: r.Reason, Attempt: r.Attempt,
		AcceptedAt: r.AcceptedAt.UTC(), FinishedAt: utc(r.FinishedAt), RequestID: r.RequestID,
	}
}

func automations(rows []automationRow) []platen.Automation {
	found := make([]platen.Automation, len(rows))
	for i, r := range rows {
		found[i] = r.automation()
	}
	return found
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func errAutomationNotFound(id string) error {
	return platen.Errorf(platen.KindNotFound, "automation_not_found", "there is no automation %s", id)
}

// Automation returns one automation, KindNotFound with code
// "automation_not_found" when there is none.
func (s *Store) Automation(ctx context.Context, automationID string) (platen.Automation, error) {
	r, err := readAutomation(ctx, s.pool, `
		SELECT `+automationColumns+`
		FROM automations a
		WHERE a.id = @id`, automationID)
	if err != nil {
		return platen.Automation{}, fmt.Errorf("read automation %s: %w", automationID, err)
	}
	return r.automation(), nil
}

// lockAutomation reads an automation's row and holds it.
func lockAutomation(ctx context.Context, tx pgx.Tx, automationID string) (automationRow, error) {
	return readAutomation(ctx, tx, `
		SELECT `+automationColumns+`
		FROM automations a
		WHERE a.id = @id
		FOR NO KEY UPDATE`, automationID)
}

func readAutomation(ctx context.Context, q querier, sql, automationID string) (automationRow, error) {
	r, ok, err := collectOne[automationRow](ctx, q, sql, pgx.NamedArgs{"id": automationID})
	if err == nil && !ok {
		err = errAutomationNotFound(automationID)
	}
	return r, err
}

// SourceData returns the JSON object that was POSTed, byte for byte.
func (s *Store) SourceData(ctx context.Context, automationID string) ([]byte, error) {
	type row struct {
		Body []byte `db:"body"`
	}
	r, ok, err := collectOne[row](ctx, s.pool, `
		SELECT body
		FROM automations
		WHERE id = @id`, pgx.NamedArgs{"id": automationID})
	if err == nil && !ok {
		err = errAutomationNotFound(automationID)
	}
	if err != nil {
		return nil, fmt.Errorf("read source data of automation %s: %w", automationID, err)
	}
	return r.Body, nil
}

// What an output says that its run left behind.
const (
	codeRunEnded    = "run_ended"
	messageRunEnded = "the run ended before this document was made: start it again"
)

// FinishAutomation sets the final state by the states of the outputs:
// COMPLETED when all of its plan are DONE, else FAILED. Outputs that are still
// pending fail with code "run_ended", for the run that calls this is over; an
// automation without a plan has FAILED. Calling it twice changes nothing.
func (s *Store) FinishAutomation(ctx context.Context, automationID string) (platen.AutomationState, error) {
	var final platen.AutomationState
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAutomation(ctx, tx, automationID)
		if err != nil {
			return err
		}
		if a.FinishedAt != nil {
			final = a.State
			return nil
		}
		_, err = execute(ctx, tx, `
			UPDATE outputs
			SET state = 'FAILED', failure_code = @code, failure = @message, updated_at = now()
			WHERE automation_id = @id AND state = 'PENDING'`,
			pgx.NamedArgs{"id": automationID, "code": codeRunEnded, "message": messageRunEnded})
		if err != nil {
			return err
		}
		type row struct {
			State platen.AutomationState `db:"state"`
		}
		r, _, err := collectOne[row](ctx, tx, `
			UPDATE automations
			SET state = CASE
					WHEN EXISTS (SELECT FROM plans WHERE automation_id = @id)
						AND NOT EXISTS (SELECT FROM outputs WHERE automation_id = @id AND state <> 'DONE') THEN 'COMPLETED'
					ELSE 'FAILED'
				END,
				finished_at = now(), leased_until = NULL, not_before = NULL
			WHERE id = @id
			RETURNING state`, pgx.NamedArgs{"id": automationID})
		final = r.State
		return err
	})
	if err != nil {
		return "", fmt.Errorf("finish automation %s: %w", automationID, err)
	}
	return final, nil
}

// RetryAutomation puts a FAILED automation back into the queue with the next
// attempt, and its failed outputs back to PENDING under their next generation,
// for what an earlier one left in the drive is trashed; what is done stays
// done. It answers KindInvalid with code "automation_not_failed" in any other state.
func (s *Store) RetryAutomation(ctx context.Context, automationID string) (platen.Automation, error) {
	var a platen.Automation
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		locked, err := lockAutomation(ctx, tx, automationID)
		if err != nil {
			return err
		}
		if locked.State != platen.AutomationFailed {
			return platen.Errorf(platen.KindInvalid, "automation_not_failed",
				"automation %s is %s: only a FAILED one can be retried", automationID, locked.State)
		}
		_, err = execute(ctx, tx, `
			UPDATE outputs
			SET state = 'PENDING', attempt = @attempt, generation = generation + 1,
				copy_begun = false, copy = NULL, fill_begun = false, fill_ended = false, missing_fields = '{}',
				pdf_id = '', pdf_hashes = '{}', pdf = NULL, removed = false, repeated = true,
				failure_code = '', failure = '', updated_at = now()
			WHERE automation_id = @id AND state = 'FAILED'`,
			pgx.NamedArgs{"id": automationID, "attempt": locked.Attempt + 1})
		if err != nil {
			return err
		}
		r, _, err := collectOne[automationRow](ctx, tx, `
			UPDATE automations a
			SET state = 'ACCEPTED', attempt = a.attempt + 1, started_at = NULL, finished_at = NULL, not_before = NULL
			WHERE a.id = @id
			RETURNING `+automationColumns, pgx.NamedArgs{"id": automationID})
		if err != nil {
			return err
		}
		a = r.automation()
		return notify(ctx, tx)
	})
	if err != nil {
		return platen.Automation{}, fmt.Errorf("retry automation %s: %w", automationID, err)
	}
	return a, nil
}
