package store

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

// migrationLock is "drive" in ASCII.
const migrationLock = 0x6472697665

func tables() (migration.Schema, error) { return migration.New("drive", migrations, migrationLock) }

// Migrate brings the schema "drive" up to date, as Upgrade does.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := Upgrade(ctx, pool, slog.New(slog.DiscardHandler))
	return err
}

// Upgrade brings the schema "drive" up to date, creating it if needed, as
// migration.Schema.Upgrade does, and returns the names of the migrations that it
// applied, such as "00100_baseline".
func Upgrade(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) (applied []string, err error) {
	s, err := tables()
	if err != nil {
		return nil, err
	}
	if applied, err = s.Upgrade(ctx, pool, log); err != nil {
		return nil, fmt.Errorf("migrate drive: %w", err)
	}
	return applied, nil
}

// CheckSchema answers nil when the database has every migration that this
// program was built with; more are fine. Fewer are ErrSchema, tables that no release made
// migration.ErrUnknown.
func (s *Store) CheckSchema(ctx context.Context) error {
	tables, err := tables()
	if err != nil {
		return err
	}
	_, missing, err := tables.Count(ctx, s.pool)
	switch {
	case err != nil:
		return fmt.Errorf("check the drive's schema: %w", err)
	case missing > 0:
		return ErrSchema
	}
	return nil
}
