package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// finishAtOnce is FinishAutomation for one whose documents are all made, in
// one statement: what is made stays made, so nothing has to be locked before.
// Where it is not ok, nothing happened.
func (s *Store) finishAtOnce(ctx context.Context, automationID string, attempt int) (ok bool, err error) {
	n, err := execute(ctx, s.pool, `
		UPDATE automations
		SET state = @completed, finished_at = now(), leased_until = NULL, not_before = NULL, parked_at = NULL, waits = '{}', failure_code = '', failure = ''
		WHERE id = @id AND finished_at IS NULL AND (@attempt = 0 OR attempt <= @attempt)
			AND EXISTS (SELECT FROM plans WHERE automation_id = @id)
			AND NOT EXISTS (SELECT FROM outputs WHERE automation_id = @id AND state <> 'DONE')`,
		pgx.NamedArgs{"id": automationID, "attempt": attempt, "completed": platen.AutomationCompleted})
	if err != nil {
		return false, fmt.Errorf("finish automation %s: %w", automationID, err)
	}
	return n == 1, nil
}

// forget lets go of what the steps of an automation asked for.
func (s *Store) forget(automationID string) {
	s.plans.Drop(automationID)
	s.bodies.Drop(automationID)
}
