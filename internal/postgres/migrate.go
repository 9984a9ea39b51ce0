package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

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

// Migrate brings the schema public up to date, as Upgrade does.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := Upgrade(ctx, pool)
	return err
}

// Upgrade brings the schema public up to date and returns the names of the
// migrations that it applied, such as "00001_accounts", in their order. Any
// number of processes may call it at once: one works, the others wait and find
// nothing to do. What was applied is kept in public.migrations.
func Upgrade(ctx context.Context, pool *pgxpool.Pool) (applied []string, err error) {
	// The lock has a connection of its own: a pool of one would wait for itself.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("migrate: connect: %w", classify(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := lockMigrations(ctx, conn); err != nil {
		return nil, fmt.Errorf("migrate: wait for the lock: %w", classify(err))
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	// Migrations of work done side by side may land in any order: each stands
	// alone, so one with a lower number is applied late rather than refused.
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("public.migrations"), goose.WithAllowOutofOrder(true))
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", classify(err))
	}
	for _, r := range results {
		applied = append(applied, strings.TrimSuffix(path.Base(r.Source.Path), ".sql"))
	}
	return applied, nil
}

// lockMigrations asks for the lock until it has it. Waiting inside Postgres
// would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for those.
func lockMigrations(ctx context.Context, conn *pgx.Conn) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var locked bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(@lock)`, pgx.NamedArgs{"lock": int64(migrationLock)}).Scan(&locked)
		if err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
