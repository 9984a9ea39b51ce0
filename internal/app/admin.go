package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
)

// adminConns are for one command, whose questions come one after the other.
const adminConns = 4

// OpenAdmin opens the database for an operator. Keys are needed only for what
// is encrypted: connections of users to their drive.
func OpenAdmin(ctx context.Context, d config.Database, s config.Secrets) (*admin.Admin, error) {
	return openAdmin(ctx, d, s, nil)
}

// openAdmin is OpenAdmin with settings of each connection.
func openAdmin(ctx context.Context, d config.Database, s config.Secrets, settings map[string]string) (*admin.Admin, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	var sealer postgres.Sealer = noKeys{}
	if s.SecretKeys != "" {
		box, err := s.Box()
		if err != nil {
			return nil, err
		}
		sealer = box
	}
	c, err := postgres.ReadURL(d.DatabaseURL, postgres.Session{Application: "platen " + Version(), MaxConns: adminConns, Settings: settings})
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
	a := &admin.Admin{DB: operate.New(postgres.New(pool, sealer)), Drive: store.New(pool)}
	if err := adminFits(ctx, a, s.SecretKeys != ""); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return a, nil
}

// adminFits answers nil when the database has the tables of this program and, where
// keys were given, its secrets open with them.
func adminFits(ctx context.Context, a *admin.Admin, keys bool) error {
	if err := a.DB.CheckSchema(ctx); err != nil {
		return err
	}
	if err := a.Drive.CheckSchema(ctx); err != nil || !keys {
		return err
	}
	return a.DB.CheckSecrets(ctx)
}

// NewSecretKey returns a key for --secret-keys.
func NewSecretKey() string { return secret.NewKey() }

// noKeys stands in where no keys were given.
type noKeys struct{}

var errNoKeys = errors.New("this needs the keys of the service: set --secret-keys or PLATEN_SECRET_KEYS")

func (noKeys) Seal(_, _ []byte) ([]byte, error) { return nil, errNoKeys }
func (noKeys) Open(_, _ []byte) ([]byte, error) { return nil, errNoKeys }
