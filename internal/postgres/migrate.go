package postgres

import (
	"context"
	"embed"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/migration"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is "platen" in ASCII.
const migrationLock = 0x706c6174656e

func tables() (migration.Schema, error) { return migration.New("public", migrations, migrationLock) }

// Migrate brings the schema public up to date, as Upgrade does.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := Upgrade(ctx, pool, slog.New(slog.DiscardHandler))
	return err
}

// Upgrade brings the schema public up to date, as migration.Schema.Upgrade does,
// and returns the names of the migrations that it applied, such as
// "00100_baseline".
func Upgrade(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) (applied []string, err error) {
	s, err := tables()
	if err != nil {
		return nil, err
	}
	if applied, err = s.Upgrade(ctx, pool, log); err != nil {
		return nil, fmt.Errorf("migrate: %w", Classify(err))
	}
	return applied, nil
}
