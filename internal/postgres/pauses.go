package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// A PauseRow is a row of pauses.
type PauseRow struct {
	Scope    platen.PauseScope `db:"scope"`
	ID       string            `db:"id"`
	Reason   string            `db:"reason"`
	PausedBy string            `db:"paused_by"`
	PausedAt time.Time         `db:"paused_at"`
}

// Pause is the row as the domain has it.
func (r PauseRow) Pause() platen.Pause {
	return platen.Pause{Scope: r.Scope, ID: r.ID, Reason: r.Reason, By: r.PausedBy, Since: r.PausedAt.UTC()}
}

// PausesOwner tells whether a pause p holds all automations of the owner of o.
const PausesOwner = `(p.scope = 'all' OR p.scope = 'user' AND p.id = o.owner_id
					OR p.scope = 'team' AND p.id = (SELECT u.team_id FROM users u WHERE u.id = o.owner_id))`

// loadPauses returns the oldest pause of each automation that waits to start and has
// one, by its id. Nothing is read where none waits.
func loadPauses(ctx context.Context, q Querier, of []platen.Automation) (map[string]platen.Pause, error) {
	var waiting []string
	for _, a := range of {
		if a.State == platen.AutomationAccepted {
			waiting = append(waiting, a.ID)
		}
	}
	if len(waiting) == 0 {
		return nil, nil
	}
	type row struct {
		PauseRow
		AutomationID string `db:"automation_id"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT DISTINCT ON (o.id) o.id AS automation_id, p.scope, p.id, p.reason, '' AS paused_by, p.paused_at
		FROM automations o
		JOIN pauses p ON p.scope = 'workflow' AND p.id = o.workflow_id OR `+PausesOwner+`
		WHERE o.id = ANY (@waiting)
		ORDER BY o.id, p.paused_at, p.scope`, pgx.NamedArgs{"waiting": waiting})
	pauses := make(map[string]platen.Pause, len(rows))
	for _, r := range rows {
		pauses[r.AutomationID] = r.Pause()
	}
	return pauses, err
}
