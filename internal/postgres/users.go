package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Users is the store of users and their teams.
type Users struct{ db *DB }

// A UserRow is a user with the name of the team.
type UserRow struct {
	ID       string  `db:"id"`
	Name     string  `db:"name"`
	Email    string  `db:"email"`
	TeamID   *string `db:"team_id"`
	TeamName *string `db:"team_name"`
}

// User is the row as the domain has it.
func (r UserRow) User() platen.User {
	return platen.User{ID: r.ID, Name: r.Name, Email: r.Email, Team: team(r.TeamID, r.TeamName)}
}

func team(id, name *string) *platen.Team {
	if id == nil {
		return nil
	}
	return &platen.Team{ID: *id, Name: *name}
}

// TeamID is the id of a team as a column has it, nil for none.
func TeamID(t *platen.Team) *string {
	if t == nil {
		return nil
	}
	return &t.ID
}

// UserByEmail compares without regard to case and answers KindNotFound with
// code "user_not_found" when nobody has the address.
func (s *Users) UserByEmail(ctx context.Context, email string) (platen.User, error) {
	r, ok, err := CollectOne[UserRow](ctx, s.db.pool, `
		SELECT u.id, u.name, u.email, u.team_id, t.name AS team_name
		FROM users u
		LEFT JOIN teams t ON t.id = u.team_id
		WHERE lower(u.email) = lower(@email)`,
		pgx.NamedArgs{"email": email})
	if err != nil {
		return platen.User{}, fmt.Errorf("find user by e-mail address: %w", err)
	}
	if !ok {
		return platen.User{}, platen.Errorf(platen.KindNotFound, "user_not_found", "no user has the e-mail address %s", email)
	}
	return r.User(), nil
}

// ActsAsOperator tells whether a user is an operator who may act as one: neither disabled
// nor deleted, and with a token of their own that is live and has no scopes. An empty
// tokenID is that of somebody who signed in at a provider.
func (s *Users) ActsAsOperator(ctx context.Context, userID, tokenID string) (bool, error) {
	var is bool
	err := s.db.pool.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT
			FROM users u
			WHERE u.id = @id AND u.operator_since IS NOT NULL AND u.disabled_at IS NULL AND u.deleted_at IS NULL
				AND (@token = '' OR EXISTS (
					SELECT
					FROM tokens k
					WHERE k.id = @token AND k.user_id = u.id AND cardinality(k.scopes) = 0
						AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
				))
		)`, pgx.NamedArgs{"id": userID, "token": tokenID}).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("look whether %s is an operator: %w", userID, Classify(err))
	}
	return is, nil
}

// userLock is the class of the advisory locks of users ("user" in ASCII).
const userLock = 0x75736572

// LockUser holds a user's row until the transaction ends, and says whether the user was
// deleted; KindNotFound with code "user_not_found".
func LockUser(ctx context.Context, tx pgx.Tx, userID string) (deleted bool, err error) {
	return lockUser(ctx, tx, userID, `
		FOR NO KEY UPDATE`)
}

// lockUser keeps a user from being deleted until the transaction ends. Roles that change no
// user may hold no row, so that an advisory lock comes first.
func lockUser(ctx context.Context, tx pgx.Tx, userID, hold string) (deleted bool, err error) {
	type row struct {
		Deleted bool `db:"deleted"`
	}
	args := pgx.NamedArgs{"class": userLock, "id": userID}
	if _, err := Execute(ctx, tx, `SELECT pg_advisory_xact_lock(@class::int, hashtext(@id))`, args); err != nil {
		return false, err
	}
	r, ok, err := CollectOne[row](ctx, tx, `
		SELECT deleted_at IS NOT NULL AS deleted
		FROM users
		WHERE id = @id`+hold, args)
	if err == nil && !ok {
		err = ErrNoUser(userID)
	}
	return r.Deleted, err
}

// ErrUserDeleted is KindInvalid with code "user_deleted".
func ErrUserDeleted(userID string) error {
	return platen.Errorf(platen.KindInvalid, "user_deleted", "user %s was deleted, which cannot be taken back: create another user", userID)
}

// ErrNoUser is KindNotFound with code "user_not_found".
func ErrNoUser(userID string) error {
	return platen.Errorf(platen.KindNotFound, "user_not_found", "there is no user %s", userID)
}
