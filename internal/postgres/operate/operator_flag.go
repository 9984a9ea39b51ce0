package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// SetOperator makes a user an operator, or no operator any more. Twice is no error. No role
// of a program may do it: the login that owns the tables does.
func (s *Users) SetOperator(ctx context.Context, userID string, operator bool) error {
	return s.change(ctx, "set operator", userID, func(tx pgx.Tx) error {
		_, err := postgres.Execute(ctx, tx, `
			UPDATE users
			SET operator_since = CASE WHEN @operator THEN coalesce(operator_since, now()) END
			WHERE id = @id`, pgx.NamedArgs{"id": userID, "operator": operator})
		return err
	})
}

// Operators are the ids of those who are operators, disabled ones included.
func (s *Users) Operators(ctx context.Context) (map[string]bool, error) {
	type row struct {
		ID string `db:"id"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT id
		FROM users
		WHERE operator_since IS NOT NULL`, nil)
	if err != nil {
		return nil, fmt.Errorf("list operators: %w", err)
	}
	all := make(map[string]bool, len(rows))
	for _, r := range rows {
		all[r.ID] = true
	}
	return all, nil
}

// spareOperators refuses what nobody may do under the name of a user, which is how
// operators act on a page. It holds the rows of all operators, so that two who disable each
// other do not both. A command is no user's, and may.
func spareOperators(ctx context.Context, tx pgx.Tx, what, userID string) error {
	act := platen.ActOf(ctx)
	if act == nil || act.Entry.Actor.Kind != platen.ActorUser {
		return nil
	}
	type row struct {
		ID     string `db:"id"`
		Active bool   `db:"active"`
	}
	operators, err := postgres.Collect[row](ctx, tx, `
		SELECT id, disabled_at IS NULL AS active
		FROM users
		WHERE operator_since IS NOT NULL
		ORDER BY id
		FOR NO KEY UPDATE`, nil)
	if err != nil {
		return err
	}
	is, others := false, 0
	for _, o := range operators {
		switch {
		case o.ID == userID:
			is = true
		case o.Active:
			others++
		}
	}
	switch ends := what == "disable" || what == "delete"; {
	case !is:
		return nil
	case ends && userID == act.Entry.Actor.ID:
		return platen.Errorf(platen.KindForbidden, "operator_self", "Operators do not %s themselves: another operator can, or the command 'platen user %s'.", what, what)
	case what == "token create":
		return ErrOperatorByCommand("platen token create")
	case !ends:
		return ErrOperatorByCommand("platen user " + what)
	case others == 0:
		return platen.Errorf(platen.KindForbidden, "operator_last", "This is the last operator who is not disabled: make another user one first, with the command 'platen user operator'.")
	}
	return nil
}

// ErrOperatorByCommand refuses to give an operator something on a page: KindForbidden with
// code "operator_by_command".
func ErrOperatorByCommand(command string) error {
	return platen.Errorf(platen.KindForbidden, "operator_by_command", "The user is an operator. Pages give operators nothing: use the command '%s'.", command)
}
