package postgres

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
// ("platen" in ASCII).
const migrationLock = 0x706c6174656e

// Migrate brings the schema public up to date. Any number of processes may
// call it at once: one works, the others wait and find nothing to do. What was
// applied is kept in public.migrations.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	// The lock has a connection of its own: a pool of one would wait for itself.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("migrate: connect: %w", classify(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(@lock)`, pgx.NamedArgs{"lock": int64(migrationLock)}); err != nil {
		return fmt.Errorf("migrate: wait for the lock: %w", classify(err))
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName("public.migrations"))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", classify(err))
	}
	return nil
}
