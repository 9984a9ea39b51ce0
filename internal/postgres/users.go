package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Users is the store of users and their teams.
type Users struct{ db *DB }

type userRow struct {
	ID       string  `db:"id"`
	Name     string  `db:"name"`
	Email    string  `db:"email"`
	TeamID   *string `db:"team_id"`
	TeamName *string `db:"team_name"`
}

func (r userRow) user() platen.User {
	return platen.User{ID: r.ID, Name: r.Name, Email: r.Email, Team: team(r.TeamID, r.TeamName)}
}

func team(id, name *string) *platen.Team {
	if id == nil {
		return nil
	}
	return &platen.Team{ID: *id, Name: *name}
}

func teamID(t *platen.Team) *string {
	if t == nil {
		return nil
	}
	return &t.ID
}

// CreateTeam stores a team. It answers KindConflict with code "team_name_taken" when
// another team has the name, in any case. There is no unique index, because databases
// may hold older teams of the same name.
func (s *Users) CreateTeam(ctx context.Context, t platen.Team) error {
	err := s.db.inAct(ctx, func(tx pgx.Tx) (subject, error) {
		made := subject{objectID: t.ID}
		if _, err := execute(ctx, tx, `
			LOCK TABLE teams IN SHARE ROW EXCLUSIVE MODE`, nil); err != nil {
			return made, err
		}
		n, err := execute(ctx, tx, `
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
	teams, err := Collect[platen.Team](ctx, s.db.pool, `
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
	err := s.db.inAct(ctx, func(tx pgx.Tx) (subject, error) {
		// Not by a violated constraint: Postgres writes the address into its log then.
		inserted, err := execute(ctx, tx, `
			INSERT INTO users (id, name, email, team_id)
			VALUES (@id, @name, @email, @team_id)
			ON CONFLICT DO NOTHING`,
			pgx.NamedArgs{"id": u.ID, "name": u.Name, "email": u.Email, "team_id": teamID(u.Team)})
		if err == nil && inserted == 0 {
			err = platen.Errorf(platen.KindConflict, "email_taken", "another user has the e-mail address %s", u.Email)
		}
		return subject{ownerID: u.ID, objectID: u.ID}, err
	})
	switch {
	case platen.KindOf(err) == platen.KindConflict:
		return err
	case isForeignKeyViolation(err, "users_team_id_fkey"):
		return platen.Errorf(platen.KindNotFound, "team_not_found", "there is no team %s", u.Team.ID)
	case err != nil:
		return fmt.Errorf("create user %s: %w", u.ID, err)
	}
	return nil
}

// Users returns every user, by e-mail address.
func (s *Users) Users(ctx context.Context) ([]platen.User, error) {
	rows, err := Collect[userRow](ctx, s.db.pool, `
		SELECT u.id, u.name, u.email, u.team_id, t.name AS team_name
		FROM users u
		LEFT JOIN teams t ON t.id = u.team_id
		ORDER BY lower(u.email)`, nil)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	users := make([]platen.User, len(rows))
	for i, r := range rows {
		users[i] = r.user()
	}
	return users, nil
}

// UserByEmail compares without regard to case and answers KindNotFound with
// code "user_not_found" when nobody has the address.
func (s *Users) UserByEmail(ctx context.Context, email string) (platen.User, error) {
	r, ok, err := collectOne[userRow](ctx, s.db.pool, `
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
	return r.user(), nil
}
