package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// UserStates are the states of users who are not as usual, by id: "disabled" or
// "deleted".
func (s *Users) UserStates(ctx context.Context) (map[string]string, error) {
	type row struct {
		ID    string `db:"id"`
		State string `db:"state"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT id, CASE WHEN deleted_at IS NULL THEN 'disabled' ELSE 'deleted' END AS state
		FROM users
		WHERE disabled_at IS NOT NULL OR deleted_at IS NOT NULL`, nil)
	if err != nil {
		return nil, fmt.Errorf("list states of users: %w", err)
	}
	states := make(map[string]string, len(rows))
	for _, r := range rows {
		states[r.ID] = r.State
	}
	return states, nil
}

// DisableUser refuses a user's tokens and what is sent to the sources of the user's
// workflows. What was accepted before is carried out. Twice is no error.
func (s *Users) DisableUser(ctx context.Context, userID string) error {
	return s.change(ctx, "disable", userID, func(tx pgx.Tx) error {
		_, err := postgres.Execute(ctx, tx, `
			UPDATE users
			SET disabled_at = coalesce(disabled_at, now())
			WHERE id = @id`, pgx.NamedArgs{"id": userID})
		return err
	})
}

// EnableUser takes back DisableUser. A deleted user is KindInvalid with code
// "user_deleted".
func (s *Users) EnableUser(ctx context.Context, userID string) error {
	return s.change(ctx, "enable", userID, func(tx pgx.Tx) error {
		_, err := postgres.Execute(ctx, tx, `
			UPDATE users
			SET disabled_at = NULL
			WHERE id = @id`, pgx.NamedArgs{"id": userID})
		return err
	})
}

// MoveUser puts a user into another team, or into none. withWorkflows: the user's
// workflows, and what they made, are shared with that team from then on; else they
// stay with the team that they are shared with.
func (s *Users) MoveUser(ctx context.Context, userID string, to *platen.Team, withWorkflows bool) error {
	return s.change(ctx, "move", userID, func(tx pgx.Tx) error {
		args := pgx.NamedArgs{"id": userID, "team_id": postgres.TeamID(to)}
		_, err := postgres.Execute(ctx, tx, `
			UPDATE users
			SET team_id = @team_id
			WHERE id = @id`, args)
		if postgres.IsForeignKeyViolation(err, "users_team_id_fkey") {
			return platen.Errorf(platen.KindNotFound, "team_not_found", "there is no team %s", to.ID)
		}
		if err != nil || !withWorkflows {
			return err
		}
		_, err = postgres.Execute(ctx, tx, `
			UPDATE workflows
			SET team_id = @team_id, updated_at = greatest(updated_at + interval '1 microsecond', clock_timestamp())
			WHERE owner_id = @id AND team_id IS DISTINCT FROM @team_id`, args)
		return err
	})
}

// DeleteUser ends a user for good: tokens are revoked, workflows archived, their schedules
// and mail senders removed, name and e-mail address forgotten, and the address may be another user's. The id stays for
// what refers to it: workflows, automations, outputs and the audit, which go by
// their own rules. Files in drives are left alone. While automations are under way,
// which need the user's drive, it is KindInvalid with code "user_busy"; while a
// drive is connected, with "user_connected". Twice is no error.
func (s *Users) DeleteUser(ctx context.Context, userID string) error {
	return s.change(ctx, "delete", userID, func(tx pgx.Tx) error {
		args := pgx.NamedArgs{"id": userID}
		type row struct {
			UnderWay  int64 `db:"under_way"`
			Connected bool  `db:"connected"`
		}
		// An event that is accepted at this very moment fails later, because no drive is
		// connected.
		if _, err := postgres.Execute(ctx, tx, `
			UPDATE workflows
			SET status = 'ARCHIVED', updated_at = greatest(updated_at + interval '1 microsecond', clock_timestamp())
			WHERE owner_id = @id AND status <> 'ARCHIVED'`, args); err != nil {
			return err
		}
		found, _, err := postgres.CollectOne[row](ctx, tx, `
			SELECT
				(SELECT count(*) FROM automations WHERE owner_id = @id AND state IN ('ACCEPTED', 'BEHIND', 'RUNNING', 'REVIEW')) AS under_way,
				EXISTS (SELECT FROM drive_connections WHERE user_id = @id) AS connected`, args)
		switch {
		case err != nil:
			return err
		case found.UnderWay > 0:
			return platen.Errorf(platen.KindInvalid, "user_busy",
				"%d automation(s) of the user are under way and need the user's drive: disable the user, and delete the user after they end", found.UnderWay)
		case found.Connected:
			return platen.Errorf(platen.KindInvalid, "user_connected",
				"the user's drive is connected: disconnect it first")
		}
		if _, err := postgres.Execute(ctx, tx, `
			UPDATE tokens
			SET revoked_at = coalesce(revoked_at, now())
			WHERE user_id = @id`, args); err != nil {
			return err
		}
		if _, err := postgres.Execute(ctx, tx, `
			DELETE FROM schedules
			WHERE workflow_id IN (SELECT id FROM workflows WHERE owner_id = @id)`, args); err != nil {
			return err
		}
		if _, err := postgres.Execute(ctx, tx, `
			DELETE FROM mail_senders
			WHERE owner_id = @id`, args); err != nil {
			return err
		}
		if _, err := postgres.Execute(ctx, tx, `
			DELETE FROM idempotency_keys
			WHERE user_id = @id`, args); err != nil {
			return err
		}
		_, err = postgres.Execute(ctx, tx, `
			UPDATE users
			SET name = 'Deleted user', email = lower(id) || '@deleted.invalid', team_id = NULL,
				disabled_at = coalesce(disabled_at, now()), deleted_at = coalesce(deleted_at, now())
			WHERE id = @id`, args)
		return err
	})
}

// change holds a user's row; KindNotFound with code "user_not_found" without one.
func (s *Users) change(ctx context.Context, what, userID string, do func(tx pgx.Tx) error) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		of := postgres.Subject{OwnerID: userID, ObjectID: userID}
		if err := spareOperators(ctx, tx, what, userID); err != nil {
			return of, err
		}
		deleted, err := postgres.LockUser(ctx, tx, userID)
		if err != nil {
			return of, err
		}
		if deleted && what != "delete" {
			return of, postgres.ErrUserDeleted(userID)
		}
		return of, do(tx)
	})
	if err != nil {
		return fmt.Errorf("%s user %s: %w", what, userID, err)
	}
	return nil
}
