package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// SeenFields returns the names of fields that events of a workflow had, which was found
// to be the caller's: those of the last event in their order, then at most platen.MaxSeenFields that
// others had, those that were seen last first. The names are kept when an event has
// another list of them than the one before it, and are deleted when the workflow is
// archived.
func (s *Sources) SeenFields(ctx context.Context, workflowID string) ([]platen.SeenField, error) {
	type row struct {
		Latest json.RawMessage `db:"latest"`
		Name   *string         `db:"name"`
		SeenAt *time.Time      `db:"seen_at"`
		Lists  *int            `db:"lists"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT CASE WHEN s.fields_given THEN coalesce(s.last_names, '[]') ELSE s.fields END AS latest, n.name, n.seen_at, n.lists
		FROM sources s
		LEFT JOIN source_names n ON n.source_id = s.id
		WHERE s.workflow_id = @workflow_id
		ORDER BY n.seen_at DESC, n.name`, pgx.NamedArgs{"workflow_id": workflowID})
	if err != nil || len(rows) == 0 {
		if err == nil {
			err = platen.ErrWorkflowNotFound()
		}
		return nil, fmt.Errorf("read the names of fields of workflow %s: %w", workflowID, err)
	}
	var latest []string
	if err := json.Unmarshal(rows[0].Latest, &latest); err != nil {
		return nil, fmt.Errorf("read the last fields of workflow %s: %w", workflowID, err)
	}
	seen, at := make([]platen.SeenField, len(latest), len(latest)+len(rows)), make(map[string]int, len(latest))
	for i, name := range latest {
		seen[i].Name, at[name] = name, i
	}
	for _, r := range rows {
		if r.Name == nil {
			break // the source has no row of its own
		}
		if i, ok := at[*r.Name]; ok {
			seen[i].Lists = *r.Lists
			continue
		}
		seen = append(seen, platen.SeenField{Name: *r.Name, SeenAt: r.SeenAt.UTC(), Lists: *r.Lists})
	}
	return seen, nil
}
