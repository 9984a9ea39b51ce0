package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// RestoreWorkflow takes a workflow out of the archive, for an operator, and
// returns its status: what its parts make it. One that is not archived stays
// as it is. It opens no secrets.
func (s *Workflows) RestoreWorkflow(ctx context.Context, workflowID string) (platen.Status, error) {
	type row struct {
		Status platen.Status `db:"status"`
	}
	var restored row
	err := s.db.InAct(ctx, func(tx pgx.Tx) (of postgres.Subject, err error) {
		of.WorkflowID = workflowID
		_, err = postgres.Execute(ctx, tx, `
			UPDATE workflows w
			SET status = CASE
					WHEN EXISTS (SELECT FROM documents d WHERE d.workflow_id = w.id AND d.state = 'READY') THEN 'COMPLETE'
					ELSE 'INCOMPLETE'
				END,
				updated_at = greatest(w.updated_at + interval '1 microsecond', clock_timestamp())
			WHERE w.id = @id AND w.status = 'ARCHIVED'`, pgx.NamedArgs{"id": workflowID})
		if err != nil {
			return of, err
		}
		var ok bool
		restored, ok, err = postgres.CollectOne[row](ctx, tx, `
			SELECT status
			FROM workflows
			WHERE id = @id`, pgx.NamedArgs{"id": workflowID})
		if err == nil && !ok {
			err = platen.ErrWorkflowNotFound()
		}
		return of, err
	})
	if err != nil {
		return "", fmt.Errorf("restore workflow %s: %w", workflowID, err)
	}
	return restored.Status, nil
}
