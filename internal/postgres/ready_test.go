package postgres_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

func TestADatabaseIsReadyWithAllMigrationsOfThisProgram(t *testing.T) {
	t.Parallel()
	empty := testkit.Database(t, "empty", func(context.Context, *pgxpool.Pool) error { return nil })
	wantKind(t, "without tables", postgres.New(empty, nil).Ready(t.Context()), platen.KindInvalid, "schema_outdated")
	f := newFixture(t)
	f.must(f.Ready(t.Context()))
	for what, change := range map[string]string{
		"with a later release's migration": `INSERT INTO migrations (version_id, is_applied) VALUES (99999, true)`,
		"without one of ours":              `DELETE FROM migrations WHERE version_id = 2`,
	} {
		g := newFixture(t)
		if _, err := g.pool.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		err := g.Ready(t.Context())
		if strings.HasPrefix(what, "without") {
			wantKind(t, what, err, platen.KindInvalid, "schema_outdated")
		} else if err != nil {
			t.Errorf("%s: got %v, want it ready", what, err)
		}
	}
}

func TestADatabaseIsNotReadyForKeysThatDoNotOpenItsSecrets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := postgres.New(f.pool, newBox(t))
	f.must(other.Ready(t.Context())) // nothing is sealed yet
	w := f.workflow(f.user(nil))
	f.must(f.SaveDriveConnection(t.Context(), w.Owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}))
	f.must(f.Ready(t.Context()))
	err := other.Ready(t.Context())
	wantKind(t, "other keys", err, platen.KindInvalid, "secret_keys_wrong")
	for _, sort := range []string{"none", "source addresses", "signing secrets of webhooks", "passwords of documents", "drive connections", "PLATEN_SECRET_KEYS"} {
		if err == nil || !strings.Contains(err.Error(), sort) {
			t.Errorf("got %v, want an error that says %s", err, sort)
		}
	}
}

func newBox(t *testing.T) *secret.Box {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return box
}
