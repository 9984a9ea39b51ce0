package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
)

// logins are those of the programs whose addresses were given.
func logins(c config.RoleLogins) ([]operate.Login, error) {
	var made []operate.Login
	for _, program := range []struct {
		flag, url string
		parts     []postgres.Part
	}{
		{"serve-database-url", c.ServeDatabaseURL, []postgres.Part{postgres.PartAPI, postgres.PartFront, postgres.PartAccept}},
		{"worker-database-url", c.WorkerDatabaseURL, []postgres.Part{postgres.PartWork}},
		{"drive-database-url", c.DriveDatabaseURL, []postgres.Part{postgres.PartDrive}},
		{"operator-database-url", c.OperatorDatabaseURL, []postgres.Part{postgres.PartOperator}},
	} {
		if program.url == "" {
			continue
		}
		parsed, err := pgx.ParseConfig(program.url)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", program.flag, err) // pgx leaves the password out
		}
		made = append(made, operate.Login{Name: parsed.User, Password: parsed.Password, Parts: program.parts})
	}
	return made, nil
}

// MakeRoles makes the roles of the parts in the database at databaseURL, and the logins
// of the programs whose addresses are given, and raises the walls. prefix begins the names of
// the roles; empty: the name of the database. It has an entry in the audit, with the prefix.
func MakeRoles(ctx context.Context, databaseURL, prefix string, programs config.RoleLogins, wait time.Duration, log *slog.Logger) error {
	made, err := logins(programs)
	if err != nil {
		return err
	}
	pool, err := openToChange(ctx, databaseURL, wait, log)
	if err != nil {
		return err
	}
	defer pool.Close()
	db := postgres.New(pool, nil)
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	return admin.Act(ctx, db.Audit, admin.ByCommand("platen roles"), func(ctx context.Context) error {
		return makeRoles(ctx, pool, prefix, made, log)
	})
}

func makeRoles(ctx context.Context, pool *pgxpool.Pool, prefix string, made []operate.Login, log *slog.Logger) error {
	connection := pool.Config().ConnConfig
	prefix = cmp.Or(prefix, connection.Database)
	platen.About(ctx, prefix)
	for _, login := range made {
		if login.Name == connection.User {
			return fmt.Errorf("%s is the login that owns the tables: give each program one of its own", login.Name)
		}
	}
	return operate.MakeRoles(ctx, pool, prefix, made, log)
}

// MigrateBehindWalls is Migrate and then MakeRoles without logins: the one login takes the
// role of each part.
func MigrateBehindWalls(ctx context.Context, databaseURL string) error {
	if err := Migrate(ctx, databaseURL); err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	pool, err := openToChange(ctx, databaseURL, 0, log)
	if err != nil {
		return err
	}
	defer pool.Close()
	return makeRoles(ctx, pool, "", nil, log)
}

// RolesSQL is what an administrator of Postgres runs where MakeRoles may not make roles.
func RolesSQL(databaseURL, prefix string, programs config.RoleLogins) (string, error) {
	made, err := logins(programs)
	if err != nil {
		return "", err
	}
	c, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return "", fmt.Errorf("read the database URL: %w", err)
	}
	if prefix == "" {
		prefix = c.Database
	}
	return operate.RolesSQL(prefix, c.User, made), nil
}
