package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

func TestAProbeWithoutCredentialsSaysSoAndCallsNothing(t *testing.T) {
	t.Parallel()
	database := testkit.Database(t, "cmd", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.MigrateBehindWalls(ctx, pool.Config().ConnString())
	}).Config().ConnString()
	keys := app.NewSecretKey()
	admin, err := app.OpenAdmin(t.Context(), config.Database{DatabaseURL: database}, config.Secrets{SecretKeys: platen.Secret(keys)})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.CreateUser(t.Context(), "Ada", "ada@example.com", ""); err != nil {
		t.Fatal(err)
	}
	probe := []string{"google", "probe", "--database-url", database, "--secret-keys", keys, "--drive-kind", "google", "--user"}
	if err := run(t.Context(), append(slices.Clone(probe), "ada@example.com", "--wait", "0s")); err == nil || !strings.Contains(err.Error(), "--wait 0s leaves the list no time") {
		t.Errorf("--wait 0s: got %v, want that it leaves no time", err)
	}
	for user, want := range map[string]string{"ada@example.com": "nothing was called: ", "nobody@example.com": "user"} {
		if err := run(t.Context(), append(probe, user)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", user, err, want)
		}
	}
}
