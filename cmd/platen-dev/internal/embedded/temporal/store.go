package temporal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/tools/common/schema"
	sqltool "go.temporal.io/server/tools/sql"
	"golang.org/x/sync/errgroup"
)

// store is one of Temporal's two databases.
type store struct {
	server      Postgres
	database    string
	schema      string // folder of its migrations inside Temporal's module
	connections int    // for each of four services
}

type stores struct{ main, visibility store }

func newStores(p Postgres, connections int) stores {
	return stores{
		main:       store{p, "temporal", "postgresql/v12/temporal", connections},
		visibility: store{p, "temporal_visibility", "postgresql/v12/visibility", connections},
	}
}

// config makes a new one every time: Temporal's tools write into it.
func (s store) config() *config.SQL {
	return &config.SQL{
		PluginName:      postgresql.PluginNamePGX,
		ConnectAddr:     s.server.Address,
		User:            s.server.User,
		Password:        s.server.Password,
		DatabaseName:    s.database,
		MaxConns:        s.connections,
		MaxIdleConns:    s.connections,
		MaxConnLifetime: time.Hour,
	}
}

func (s store) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(s.server.User, s.server.Password), Host: s.server.Address, Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// prepare makes both databases with their schemas, and the namespace. A crash
// in the middle leaves nothing that the next prepare cannot finish.
func (s stores) prepare(ctx context.Context, o Options, log logger) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := s.visibility.migrate(ctx, o, log); err != nil {
			return err
		}
		if err := s.visibility.leanIndexes(ctx); err != nil {
			return fmt.Errorf("index the list of runs: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		if err := s.main.migrate(ctx, o, log); err != nil {
			return err
		}
		return s.main.ensureNamespace(ctx, o, log)
	})
	return g.Wait()
}

func (s store) migrate(ctx context.Context, o Options, log logger) error {
	created, err := s.create(ctx)
	if err != nil {
		return fmt.Errorf("create database %s: %w", s.database, err)
	}
	if created {
		o.Progress("creating database " + s.database)
	}
	versioned, err := s.hasVersion(ctx)
	if err != nil {
		return fmt.Errorf("read schema version of database %s: %w", s.database, err)
	}
	conn, err := sqltool.NewConnection(s.config(), log)
	if err != nil {
		return fmt.Errorf("open database %s: %w", s.database, err)
	}
	defer conn.Close()
	if !versioned {
		if err := schema.NewSetupSchemaTask(conn, &schema.SetupConfig{InitialVersion: "0.0"}, log).Run(); err != nil {
			return fmt.Errorf("set up schema of database %s: %w", s.database, err)
		}
	}
	if err := schema.NewUpdateSchemaTask(conn, &schema.UpdateConfig{DBName: s.database, SchemaName: s.schema}, log).Run(); err != nil {
		return fmt.Errorf("update schema of database %s: %w", s.database, err)
	}
	return nil
}

// create reports whether the database was not there before.
func (s store) create(ctx context.Context) (bool, error) {
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	var exists bool
	const look = `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`
	if err := conn.QueryRow(ctx, look, s.database).Scan(&exists); err != nil || exists {
		return false, err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{s.database}.Sanitize())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" { // insufficient_privilege
		err = fmt.Errorf("have an administrator of Postgres make it, with 'createdb %s --owner %s': %w", s.database, s.server.User, err)
	}
	return err == nil, err
}

// hasVersion reports whether a schema version is recorded. Without one the setup
// did not begin or did not end, and is safe to run.
func (s store) hasVersion(ctx context.Context) (bool, error) {
	conn, err := pgx.Connect(ctx, s.url(s.database))
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	var found bool
	const look = `SELECT EXISTS (SELECT FROM schema_version WHERE version_partition = 0 AND db_name = $1)`
	err = conn.QueryRow(ctx, look, s.database).Scan(&found)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42P01" { // undefined_table
		return false, nil
	}
	return found, err
}
