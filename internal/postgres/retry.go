package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// RetryAutomation puts a FAILED automation back into the queue with the next
// attempt, and its failed outputs back to PENDING under their next generation,
// for what an earlier one left in the drive is trashed; what is done stays
// done. It answers KindInvalid with code "automation_not_failed" in any other state.
func (s *Store) RetryAutomation(ctx context.Context, automationID string) (platen.Automation, error) {
	var a platen.Automation
	err := s.inTx(ctx, func(tx pgx.Tx) (err error) {
		a, err = retry(ctx, tx, automationID)
		return err
	})
	if err != nil {
		return platen.Automation{}, fmt.Errorf("retry automation %s: %w", automationID, err)
	}
	return a, nil
}

func retry(ctx context.Context, tx pgx.Tx, automationID string) (platen.Automation, error) {
	locked, err := lockAutomation(ctx, tx, automationID)
	if err != nil {
		return platen.Automation{}, err
	}
	if locked.State != platen.AutomationFailed {
		return platen.Automation{}, platen.Errorf(platen.KindInvalid, "automation_not_failed",
			"automation %s is %s: only a FAILED one can be retried", automationID, locked.State)
	}
	_, err = execute(ctx, tx, `
		UPDATE outputs
		SET state = 'PENDING', attempt = @attempt, generation = generation + 1,
			copy_begun = false, copy = NULL, fill_begun = false, fill_ended = false, missing_fields = '{}',
			pdf_id = '', pdf_hashes = '{}', pdf = NULL, findings = '[]', removed = false, repeated = true,
			failure_code = '', failure = '', swept_at = NULL, updated_at = now()
		WHERE automation_id = @id AND state = 'FAILED'`,
		pgx.NamedArgs{"id": automationID, "attempt": locked.Attempt + 1})
	if err != nil {
		return platen.Automation{}, err
	}
	r, _, err := collectOne[automationRow](ctx, tx, `
		UPDATE automations a
		SET state = 'ACCEPTED', attempt = a.attempt + 1, started_at = NULL, finished_at = NULL, not_before = NULL, parked_at = NULL, waits = '{}',
			failure_code = '', failure = ''
		WHERE a.id = @id
		RETURNING `+automationColumns, pgx.NamedArgs{"id": automationID})
	if err != nil {
		return platen.Automation{}, err
	}
	return r.automation(), notify(ctx, tx, "")
}

// RetryWorkflowAutomation is RetryAutomation for a caller. An archived
// workflow begins nothing new: KindInvalid with code "workflow_archived".
func (s *Store) RetryWorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	err := s.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		if err := ofWorkflow(ctx, tx, workflowID, automationID); err != nil {
			return err
		}
		_, err := retry(ctx, tx, automationID)
		return err
	})
	if err != nil {
		return platen.Automation{}, fmt.Errorf("retry automation %s: %w", automationID, err)
	}
	return s.WorkflowAutomation(ctx, caller, workflowID, automationID)
}
