package drive

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock that serialises Migrate among processes
// ("drive" in ASCII).
const migrationLock = 0x6472697665

// Migrate brings the schema "drive" up to date, creating it if needed. It may
// be called by any number of processes at once: one works, the others wait for
// it. Its version table is drive.migrations, apart from any other schema's.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	// The lock is held on a connection of its own: a pool of one connection
	// would otherwise wait for itself.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("migrate drive: connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return fmt.Errorf("migrate drive: wait for the lock: %w", err)
	}
	if _, err := conn.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS drive`); err != nil {
		return fmt.Errorf("migrate drive: create the schema: %w", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrate drive: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName("drive.migrations"))
	if err != nil {
		return fmt.Errorf("migrate drive: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate drive: %w", err)
	}
	return nil
}
