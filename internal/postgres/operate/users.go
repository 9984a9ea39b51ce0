package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// CreateTeam stores a team. It answers KindConflict with code "team_name_taken" when
// another team has the name, in any case. There is no unique index, because databases
// may hold older teams of the same name.
func (s *Users) CreateTeam(ctx context.Context, t platen.Team) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		made := postgres.Subject{ObjectID: t.ID}
		if _, err := postgres.Execute(ctx, tx, `
			LOCK TABLE teams IN SHARE ROW EXCLUSIVE MODE`, nil); err != nil {
			return made, err
		}
		n, err := postgres.Execute(ctx, tx, `
			INSERT INTO teams (id, name)
			SELECT @id, @name
			WHERE NOT EXISTS (SELECT FROM teams WHERE lower(name) = lower(@name))`,
			pgx.NamedArgs{"id": t.ID, "name": t.Name})
		if err == nil && n == 0 {
			err = platen.Errorf(platen.KindConflict, "team_name_taken", "another team has the name %s: use that team, or give another name", t.Name)
		}
		return made, err
	})
	if err != nil {
		return fmt.Errorf("create team: %w", err)
	}
	return nil
}

// Teams returns every team, by name.
func (s *Users) Teams(ctx context.Context) ([]platen.Team, error) {
	teams, err := postgres.Collect[platen.Team](ctx, s.db.Pool(), `
		SELECT id, name
		FROM teams
		ORDER BY name, id`, nil)
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	return teams, nil
}

// CreateUser stores a user, in u.Team if that is set. It answers KindConflict
// with code "email_taken" when another user has the address, and KindNotFound
// with code "team_not_found" for an unknown team.
func (s *Users) CreateUser(ctx context.Context, u platen.User) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		// Not by a violated constraint: Postgres writes the address into its log then.
		inserted, err := postgres.Execute(ctx, tx, `
			INSERT INTO users (id, name, email, team_id)
			VALUES (@id, @name, @email, @team_id)
			ON CONFLICT DO NOTHING`,
			pgx.NamedArgs{"id": u.ID, "name": u.Name, "email": u.Email, "team_id": postgres.TeamID(u.Team)})
		if err == nil && inserted == 0 {
			err = platen.Errorf(platen.KindConflict, "email_taken", "another user has the e-mail address %s", u.Email)
		}
		return postgres.Subject{OwnerID: u.ID, ObjectID: u.ID}, err
	})
	switch {
	case platen.KindOf(err) == platen.KindConflict:
		return err
	case postgres.IsForeignKeyViolation(err, "users_team_id_fkey"):
		return platen.Errorf(platen.KindNotFound, "team_not_found", "there is no team %s", u.Team.ID)
	case err != nil:
		return fmt.Errorf("create user %s: %w", u.ID, err)
	}
	return nil
}

// All returns every user, by e-mail address.
func (s *Users) All(ctx context.Context) ([]platen.User, error) {
	rows, err := postgres.Collect[postgres.UserRow](ctx, s.db.Pool(), `
		SELECT u.id, u.name, u.email, u.team_id, t.name AS team_name
		FROM users u
		LEFT JOIN teams t ON t.id = u.team_id
		ORDER BY lower(u.email)`, nil)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	users := make([]platen.User, len(rows))
	for i, r := range rows {
		users[i] = r.User()
	}
	return users, nil
}
