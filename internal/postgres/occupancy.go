package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// WorkerGone is after how long without a word a worker is taken to be gone.
const WorkerGone = 10 * time.Second

// IsStranded is a condition for running automations that are parked because no worker could
// go on with them. Others that are parked wait for something.
const IsStranded = `parked_at IS NOT NULL AND waits = '{}'`

// OpenAutomation tells of a row of automations whether it takes a place; the
// first line has the predicate of the index.
const OpenAutomation = `(state = 'RUNNING' OR leased_until IS NOT NULL)
				AND (state = 'RUNNING' AND parked_at IS NULL OR leased_until > now())`

// Requeue puts a RUNNING automation back into the queue with the next attempt. It does nothing
// to one that is not RUNNING in this attempt any more.
func Requeue(ctx context.Context, q Querier, automationID string, attempt int) error {
	_, err := Execute(ctx, q, `
		UPDATE automations
		SET state = 'ACCEPTED', attempt = attempt + 1, started_at = NULL, parked_at = NULL, waits = '{}'
		WHERE id = @id AND state = 'RUNNING' AND attempt = @attempt`,
		pgx.NamedArgs{"id": automationID, "attempt": attempt})
	return err
}
