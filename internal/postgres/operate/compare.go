package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// LatestOutputs lists the newest outputs with a PDF of each document in use, those of tests
// left out, document by document.
func (s *Automations) LatestOutputs(ctx context.Context, q platen.LatestOutputQuery) ([]platen.LatestOutput, error) {
	type row struct {
		ID           string `db:"id"`
		AutomationID string `db:"automation_id"`
		WorkflowID   string `db:"workflow_id"`
		Workflow     string `db:"workflow"`
		DocumentID   string `db:"document_id"`
		Document     string `db:"document"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT o.id, o.automation_id, w.id AS workflow_id, w.name AS workflow, d.id AS document_id, d.file_name AS document
		FROM workflows w
		JOIN users u ON u.id = w.owner_id
		JOIN documents d ON d.workflow_id = w.id AND d.state = 'READY' AND d.create_pdf_copy
		CROSS JOIN LATERAL (
			SELECT id, automation_id, created_at
			FROM outputs
			WHERE document_id = d.id AND state = 'DONE' AND NOT test
			ORDER BY created_at DESC, id DESC
			LIMIT @last) o
		WHERE w.status <> 'ARCHIVED' AND (@workflow = '' OR w.id = @workflow)
			AND (@owner = '' OR u.id = @owner OR lower(u.email) = lower(@owner))
		ORDER BY w.name, w.id, d.created_at, d.id, o.created_at DESC, o.id DESC
		LIMIT @limit`, pgx.NamedArgs{"workflow": q.Workflow, "owner": q.Owner, "last": q.Last, "limit": q.Limit})
	if err != nil {
		return nil, fmt.Errorf("list the latest outputs: %w", err)
	}
	all := make([]platen.LatestOutput, len(rows))
	for i, r := range rows {
		all[i] = platen.LatestOutput(r)
	}
	return all, nil
}
