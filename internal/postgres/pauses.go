package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Pauses is the store of what operators hold.
type Pauses struct{ db *DB }

type pauseRow struct {
	Scope    platen.PauseScope `db:"scope"`
	ID       string            `db:"id"`
	Reason   string            `db:"reason"`
	PausedBy string            `db:"paused_by"`
	PausedAt time.Time         `db:"paused_at"`
}

func (r pauseRow) pause() platen.Pause {
	return platen.Pause{Scope: r.Scope, ID: r.ID, Reason: r.Reason, By: r.PausedBy, Since: r.PausedAt.UTC()}
}

// Pause holds what p names. If it is paused already, the time stays, and also the
// reason if p has none. KindNotFound: there is no such workflow.
func (s *Pauses) Pause(ctx context.Context, p platen.Pause) error {
	if err := p.Check(); err != nil {
		return err
	}
	err := s.db.inAct(ctx, func(tx pgx.Tx) (subject, error) {
		n, err := execute(ctx, tx, `
			INSERT INTO pauses (scope, id, reason, paused_by)
			SELECT @scope, @id, @reason, @by
			WHERE @scope <> 'workflow' OR EXISTS (SELECT FROM workflows w WHERE w.id = @id)
			ON CONFLICT (scope, id) DO UPDATE
			SET reason = coalesce(nullif(excluded.reason, ''), pauses.reason), paused_by = excluded.paused_by`,
			pgx.NamedArgs{"scope": p.Scope, "id": p.ID, "reason": p.Reason, "by": p.By})
		if err == nil && n == 0 {
			err = platen.ErrWorkflowNotFound()
		}
		return subject{}, err
	})
	if err != nil {
		return fmt.Errorf("pause %s %s: %w", p.Scope, p.ID, err)
	}
	return nil
}

// Resume lets go what a pause holds, and wakes dispatch. It tells whether there was one.
func (s *Pauses) Resume(ctx context.Context, scope platen.PauseScope, id string) (was bool, err error) {
	err = s.db.inAct(ctx, func(tx pgx.Tx) (subject, error) {
		n, err := execute(ctx, tx, `
			DELETE FROM pauses
			WHERE scope = @scope AND id = @id`, pgx.NamedArgs{"scope": scope, "id": id})
		if err != nil || n == 0 {
			return subject{}, err
		}
		was = true
		return subject{}, Notify(ctx, tx, "")
	})
	if err != nil {
		return false, fmt.Errorf("resume %s %s: %w", scope, id, err)
	}
	return was, nil
}

// Pauses returns all pauses, the longest first.
func (s *Pauses) Pauses(ctx context.Context) ([]platen.Pause, error) {
	rows, err := Collect[pauseRow](ctx, s.db.pool, `
		SELECT scope, id, reason, paused_by, paused_at
		FROM pauses
		ORDER BY paused_at, scope, id`, nil)
	if err != nil {
		return nil, fmt.Errorf("list pauses: %w", err)
	}
	all := make([]platen.Pause, len(rows))
	for i, r := range rows {
		all[i] = r.pause()
	}
	return all, nil
}

// pausesOwner tells whether a pause p holds all automations of the owner of o.
const pausesOwner = `(p.scope = 'all' OR p.scope = 'user' AND p.id = o.owner_id
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
		pauseRow
		AutomationID string `db:"automation_id"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT DISTINCT ON (o.id) o.id AS automation_id, p.scope, p.id, p.reason, '' AS paused_by, p.paused_at
		FROM automations o
		JOIN pauses p ON p.scope = 'workflow' AND p.id = o.workflow_id OR `+pausesOwner+`
		WHERE o.id = ANY (@waiting)
		ORDER BY o.id, p.paused_at, p.scope`, pgx.NamedArgs{"waiting": waiting})
	pauses := make(map[string]platen.Pause, len(rows))
	for _, r := range rows {
		pauses[r.AutomationID] = r.pause()
	}
	return pauses, err
}
