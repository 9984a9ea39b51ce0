package drive

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock that serialises Migrate among processes
// ("drive" in ASCII).
const migrationLock = 0x6472697665

// Migrate brings the schema "drive" up to date, as Upgrade does.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := Upgrade(ctx, pool)
	return err
}

// Upgrade brings the schema "drive" up to date, creating it if needed, and
// returns the names of the migrations that it applied, such as "00001_files".
// It may be called by any number of processes at once: one works, the others
// wait for it. Its version table is drive.migrations, apart from any other
// schema's.
func Upgrade(ctx context.Context, pool *pgxpool.Pool) (applied []string, err error) {
	// The lock is held on a connection of its own: a pool of one connection
	// would otherwise wait for itself.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("migrate drive: connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return nil, fmt.Errorf("migrate drive: wait for the lock: %w", err)
	}
	if _, err := conn.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS drive`); err != nil {
		return nil, fmt.Errorf("migrate drive: create the schema: %w", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("migrate drive: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName("drive.migrations"))
	if err != nil {
		return nil, fmt.Errorf("migrate drive: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate drive: %w", err)
	}
	for _, r := range results {
		applied = append(applied, strings.TrimSuffix(path.Base(r.Source.Path), ".sql"))
	}
	return applied, nil
}

const undefinedTable = "42P01" // SQLSTATE

// CheckSchema answers nil when the database has every migration that this
// program was built with; more are fine. Fewer are ErrSchema.
func (s *Store) CheckSchema(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("read the drive's migrations: %w", err)
	}
	rows, _ := s.pool.Query(ctx, `SELECT version_id FROM drive.migrations WHERE is_applied`) // rows have its error, too
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if refused, ok := errors.AsType[*pgconn.PgError](err); err != nil && (!ok || refused.Code != undefinedTable) {
		return fmt.Errorf("read the drive's migrations: %w", err)
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return fmt.Errorf("read the drive's migrations: %w", err)
		}
		if !slices.Contains(applied, version) {
			return ErrSchema
		}
	}
	return nil
}
