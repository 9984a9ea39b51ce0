package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// RetryAutomation puts a FAILED automation of one of the caller's workflows back
// into the queue with the next attempt, and its failed outputs back to PENDING
// under their next generation, for what an earlier one left in the drive is
// trashed; what is done stays done. One with an order takes its place among those of its key
// again, by when its event was accepted. It answers KindInvalid with code
// "automation_not_failed" in any other state, with "automation_replaced" where a corrected
// row of a batch took its place, and with "workflow_archived" for an archived workflow,
// which begins nothing new.
func (s *Automations) RetryAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		if err := requireAutomation(ctx, tx, workflowID, automationID); err != nil {
			return err
		}
		return retry(ctx, tx, automationID, "")
	})
	if err != nil {
		return platen.Automation{}, fmt.Errorf("retry automation %s: %w", automationID, err)
	}
	return s.WorkflowAutomation(ctx, caller, workflowID, automationID)
}

// resetOutputs begins the statement that has outputs made from the beginning by an
// attempt.
const resetOutputs = `
		UPDATE outputs
		SET state = 'PENDING', attempt = @attempt, generation = generation + 1,
			copy_begun = false, copy = NULL, fill_begun = false, fill_ended = false, missing_fields = '{}',
			pdf_id = '', pdf_hashes = '{}', pdf = NULL, findings = '[]', removed = false, appendices = '[]', appendix_begun = false, repeated = true,
			failure_code = '', failure = '', verdict = '', swept_at = NULL, updated_at = now()`

// copiesOfAppendices are the ids of filled copies that an output notes.
const copiesOfAppendices = `ARRAY(SELECT a->>'copyId' FROM jsonb_array_elements(appendices) AS a)`

// throwAway goes on after resetOutputs: the files of before are removed.
const throwAway = `,
			thrown_away = thrown_away || array_remove(ARRAY[copy->>'id', nullif(pdf_id, '')] || ` + copiesOfAppendices + `, NULL)`

// retry is RetryAutomation. only is the one output that is made again; empty: all that failed.
func retry(ctx context.Context, tx pgx.Tx, automationID, only string) error {
	locked, err := lockAutomation(ctx, tx, automationID)
	if err != nil {
		return err
	}
	switch {
	case locked.EraseRequestedAt != nil:
		return platen.ErrDataErased("automation "+automationID, *locked.EraseRequestedAt)
	case locked.DataErasedAt != nil:
		return platen.ErrDataErased("the source data of automation "+automationID, *locked.DataErasedAt)
	}
	if locked.State != platen.AutomationFailed {
		return platen.Errorf(platen.KindInvalid, "automation_not_failed",
			"automation %s is %s: only a FAILED one can be retried", automationID, locked.State)
	}
	if err := refuseReplaced(ctx, tx, automationID); err != nil {
		return err
	}
	_, err = Execute(ctx, tx, resetOutputs+throwAway+`
		WHERE automation_id = @id AND state = 'FAILED' AND (@only = '' OR id = @only)`,
		pgx.NamedArgs{"id": automationID, "attempt": locked.Attempt + 1, "only": only})
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		UPDATE automations a
		SET state = `+startState+`, order_key = CASE WHEN a.order_number IS NOT NULL THEN coalesce(a.order_key, '') END,
			attempt = a.attempt + 1, started_at = NULL, finished_at = NULL, not_before = NULL, parked_at = NULL, waits = '{}',
			failure_code = '', failure = ''
		WHERE a.id = @id`, pgx.NamedArgs{"id": automationID})
	if err != nil {
		return err
	}
	if err := reopenRow(ctx, tx, automationID); err != nil {
		return err
	}
	payload := ""
	if locked.Ordered {
		payload = OrderedPayload // its key may not be known yet
	}
	return Notify(ctx, tx, payload)
}

// refuseReplaced refuses an automation whose row of a batch was corrected: the row would be
// made of both.
func refuseReplaced(ctx context.Context, tx pgx.Tx, automationID string) error {
	type row struct {
		ReplacedBy string `db:"replaced_by"`
	}
	r, _, err := CollectOne[row](ctx, tx, `
		SELECT coalesce(replaced_by, '') AS replaced_by
		FROM automations
		WHERE id = @id`, pgx.NamedArgs{"id": automationID})
	if err == nil && r.ReplacedBy != "" {
		err = platen.Errorf(platen.KindInvalid, "automation_replaced",
			"A corrected row of its batch took the place of automation %s: retry automation %s, or correct the row once more.", automationID, r.ReplacedBy)
	}
	return err
}
