package app

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
)

// Admin is what an operator does from the command line, straight on the
// database.
type Admin struct {
	DB    *postgres.DB
	Drive *drive.Store
	pool  *pgxpool.Pool
}

// adminConns are for one command, whose questions come one after the other.
const adminConns = 4

// OpenAdmin opens the database for an operator. Keys are needed only for what
// is encrypted: connections of users to their drive.
func OpenAdmin(ctx context.Context, d config.Database, s config.Secrets) (*Admin, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	var sealer postgres.Sealer = noKeys{}
	if s.SecretKeys != "" {
		box, err := secret.ParseKeys(string(s.SecretKeys))
		if err != nil {
			return nil, fmt.Errorf("--secret-keys (PLATEN_SECRET_KEYS): %w", err)
		}
		sealer = box
	}
	c, err := postgres.ReadURL(d.DatabaseURL, postgres.Session{Application: "platen " + Version(), MaxConns: adminConns})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := postgres.CheckSessions(ctx, c.ConnConfig); err != nil {
		return nil, fmt.Errorf("reach the database (--database-url, PLATEN_DATABASE_URL): %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	a := &Admin{DB: postgres.New(pool, sealer), Drive: drive.NewStore(pool), pool: pool}
	if err := a.fits(ctx, s.SecretKeys != ""); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return a, nil
}

// fits answers nil when the database has the tables of this program and, where
// keys were given, its secrets open with them.
func (a *Admin) fits(ctx context.Context, keys bool) error {
	if err := a.DB.CheckSchema(ctx); err != nil {
		return err
	}
	if err := a.Drive.CheckSchema(ctx); err != nil || !keys {
		return err
	}
	return a.DB.CheckSecrets(ctx)
}

// Close ends the connections.
func (a *Admin) Close() { a.pool.Close() }

// CreateUser makes a user, in the team with this id or name when one is named,
// and returns the user's id.
func (a *Admin) CreateUser(ctx context.Context, name, email, team string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.New("--name is empty; give the user's name")
	}
	if address, err := mail.ParseAddress(email); err != nil || address.Address != email {
		return "", fmt.Errorf("--email %q is not an e-mail address such as ada@example.com", email)
	}
	u := platen.User{ID: platen.NewID(platen.PrefixUser), Name: name, Email: email}
	if team != "" {
		found, err := a.team(ctx, team)
		if err != nil {
			return "", err
		}
		u.Team = &found
	}
	if err := a.DB.Users.CreateUser(ctx, u); err != nil {
		return "", err
	}
	return u.ID, nil
}

// DisableUser refuses the tokens of the user with this address and what is sent to the
// user's sources.
func (a *Admin) DisableUser(ctx context.Context, email string) error {
	return a.withUser(ctx, email, func(u platen.User) error { return a.DB.Users.DisableUser(ctx, u.ID) })
}

// EnableUser takes back DisableUser.
func (a *Admin) EnableUser(ctx context.Context, email string) error {
	return a.withUser(ctx, email, func(u platen.User) error { return a.DB.Users.EnableUser(ctx, u.ID) })
}

// SetOperator makes the user with this address an operator, or no operator any more.
func (a *Admin) SetOperator(ctx context.Context, email string, operator bool) error {
	return a.withUser(ctx, email, func(u platen.User) error { return a.DB.Users.SetOperator(ctx, u.ID, operator) })
}

// MoveUser puts the user with this address into the team with this id or name; an
// empty one: into none.
func (a *Admin) MoveUser(ctx context.Context, email, team string, withWorkflows bool) error {
	return a.withUser(ctx, email, func(u platen.User) error {
		if team == "" {
			return a.DB.Users.MoveUser(ctx, u.ID, nil, withWorkflows)
		}
		to, err := a.team(ctx, team)
		if err != nil {
			return err
		}
		return a.DB.Users.MoveUser(ctx, u.ID, &to, withWorkflows)
	})
}

// DeleteUser ends the user with this address for good.
func (a *Admin) DeleteUser(ctx context.Context, email string) error {
	return a.withUser(ctx, email, func(u platen.User) error { return a.DB.Users.DeleteUser(ctx, u.ID) })
}

func (a *Admin) withUser(ctx context.Context, email string, do func(platen.User) error) error {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	return do(u)
}

// CreateTeam makes a team and returns its id. A name that another team has, in any
// case, is KindConflict.
func (a *Admin) CreateTeam(ctx context.Context, name string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.New("--name is empty; give the team's name")
	}
	t := platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: name}
	if err := a.DB.Users.CreateTeam(ctx, t); err != nil {
		return "", err
	}
	return t.ID, nil
}

func (a *Admin) team(ctx context.Context, idOrName string) (platen.Team, error) {
	teams, err := a.DB.Users.Teams(ctx)
	if err != nil {
		return platen.Team{}, err
	}
	named := teamsCalled(teams, idOrName)
	switch len(named) {
	case 0:
		return platen.Team{}, fmt.Errorf("there is no team %q; 'platen team create --name …' makes one", idOrName)
	case 1:
		return named[0], nil
	}
	var ids []string
	for _, t := range named {
		ids = append(ids, t.ID)
	}
	return platen.Team{}, fmt.Errorf("%d teams have the name %q: give the id, one of %s", len(named), idOrName, strings.Join(ids, ", "))
}

// teamsCalled are the one with this id, else those with this name.
func teamsCalled(teams []platen.Team, idOrName string) (named []platen.Team) {
	for _, t := range teams {
		if t.ID == idOrName {
			return []platen.Team{t}
		}
		if strings.EqualFold(t.Name, idOrName) {
			named = append(named, t)
		}
	}
	return named
}

// CreateToken makes an access token for the user with this address; expires 0
// means never.
func (a *Admin) CreateToken(ctx context.Context, email, name string, expires time.Duration, scopes ...platen.Scope) (text string, err error) {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	var at time.Time
	if expires > 0 {
		at = time.Now().Add(expires)
	}
	_, text, err = a.DB.Tokens.CreateToken(ctx, u.ID, name, at, scopes...)
	return text, err
}

// ConnectUser stores how the drive of the user with this address is opened.
func (a *Admin) ConnectUser(ctx context.Context, email string, c platen.DriveConnection) error {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	return a.DB.Connections.SaveDriveConnection(ctx, u.ID, c)
}

// NewSecretKey returns a key for --secret-keys.
func NewSecretKey() string { return secret.NewKey() }

// noKeys stands in where no keys were given.
type noKeys struct{}

var errNoKeys = errors.New("this needs the keys of the service: set --secret-keys or PLATEN_SECRET_KEYS")

func (noKeys) Seal(_, _ []byte) ([]byte, error) { return nil, errNoKeys }
func (noKeys) Open(_, _ []byte) ([]byte, error) { return nil, errNoKeys }
