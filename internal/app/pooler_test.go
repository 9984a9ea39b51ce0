package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/testkit"
)

// Each way in which a program opens the database: behind a pooler in session mode it
// works, and where sessions are shared it ends at once and says why.
func TestEveryProgramRefusesAPoolerThatSharesSessions(t *testing.T) {
	t.Parallel()
	straight := testkit.Database(t, "empty", func(context.Context, *pgxpool.Pool) error { return nil }).Config().ConnString()
	log, secrets := slog.New(slog.DiscardHandler), config.Secrets{SecretKeys: platen.Secret(NewSecretKey())}
	open := func(d config.Database) map[string]error {
		ctx, all := t.Context(), map[string]error{}
		_, all["migrate"] = Upgrade(ctx, d.DatabaseURL, time.Minute, log)
		all["roles"] = MakeRoles(ctx, d.DatabaseURL, "", config.RoleLogins{}, time.Minute, log)
		for _, part := range []postgres.Part{postgres.PartFront, postgres.PartWork} {
			db, _, err := openDatabase(ctx, part, d, secrets, time.Minute, log, nil, nil)
			if err == nil {
				db.Close()
			}
			all[string(part)] = err
		}
		pool, err := openDrive(ctx, d, log)
		if err == nil {
			pool.Close()
		}
		all["drive"] = err
		admin, err := OpenAdmin(ctx, d, secrets)
		if err == nil {
			admin.Close()
		}
		all["command"] = err
		return all
	}
	for _, mode := range []string{"session", "transaction", "statement"} {
		d := config.Defaults[config.Database]()
		d.DatabaseURL = testkit.Pooler(t, straight, mode, nil)
		for program, err := range open(d) {
			refused, ok := errors.AsType[*platen.Error](err)
			if shared := ok && refused.Code == "sessions_shared"; shared != (mode != "session") || !shared && err != nil {
				t.Errorf("%s mode, %s: got %v", mode, program, err)
			}
		}
	}
}
