package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Pauses is the store of what operators hold.
type Pauses struct{ db *DB }

// Pause holds what p names. If it is paused already, the time stays, and also the
// reason if p has none. KindNotFound: there is no such workflow.
func (s *Pauses) Pause(ctx context.Context, p platen.Pause) error {
	if err := p.Check(); err != nil {
		return err
	}
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		n, err := postgres.Execute(ctx, tx, `
			INSERT INTO pauses (scope, id, reason, paused_by)
			SELECT @scope, @id, @reason, @by
			WHERE @scope <> 'workflow' OR EXISTS (SELECT FROM workflows w WHERE w.id = @id)
			ON CONFLICT (scope, id) DO UPDATE
			SET reason = coalesce(nullif(excluded.reason, ''), pauses.reason), paused_by = excluded.paused_by`,
			pgx.NamedArgs{"scope": p.Scope, "id": p.ID, "reason": p.Reason, "by": p.By})
		if err == nil && n == 0 {
			err = platen.ErrWorkflowNotFound()
		}
		return postgres.Subject{}, err
	})
	if err != nil {
		return fmt.Errorf("pause %s %s: %w", p.Scope, p.ID, err)
	}
	return nil
}

// Resume lets go what a pause holds, and wakes dispatch. It tells whether there was one.
func (s *Pauses) Resume(ctx context.Context, scope platen.PauseScope, id string) (was bool, err error) {
	err = s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		n, err := postgres.Execute(ctx, tx, `
			DELETE FROM pauses
			WHERE scope = @scope AND id = @id`, pgx.NamedArgs{"scope": scope, "id": id})
		if err != nil || n == 0 {
			return postgres.Subject{}, err
		}
		was = true
		return postgres.Subject{}, postgres.Notify(ctx, tx, "")
	})
	if err != nil {
		return false, fmt.Errorf("resume %s %s: %w", scope, id, err)
	}
	return was, nil
}

// Pauses returns all pauses, the longest first.
func (s *Pauses) Pauses(ctx context.Context) ([]platen.Pause, error) {
	rows, err := postgres.Collect[postgres.PauseRow](ctx, s.db.Pool(), `
		SELECT scope, id, reason, paused_by, paused_at
		FROM pauses
		ORDER BY paused_at, scope, id`, nil)
	if err != nil {
		return nil, fmt.Errorf("list pauses: %w", err)
	}
	all := make([]platen.Pause, len(rows))
	for i, r := range rows {
		all[i] = r.Pause()
	}
	return all, nil
}
