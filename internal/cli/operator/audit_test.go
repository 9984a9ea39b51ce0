package operator

import (
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
)

// entries are those of the audit in a database, as "action object outcome".
func entries(t *testing.T, database string) (all []string) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	found, err := postgres.New(pool, nil).Audit.Entries(t.Context(), platen.AuditQuery{Page: platen.Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		if e.Actor.Kind != platen.ActorOperator || e.Actor.ID == "" {
			t.Errorf("got %+v, want it done by an operator", e)
		}
		all = append(all, e.Action+" "+orDash(e.ObjectID)+" "+e.Outcome)
	}
	return all
}

func runAll(t *testing.T, database string, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if err := Run(t.Context(), append(strings.Fields(command), "--database-url", database)); err != nil {
			t.Fatalf("platen %s: %v", command, err)
		}
	}
}

func TestTheAuditNamesTheAccountThatACommandOfTheDriveChanged(t *testing.T) {
	t.Parallel()
	i := install(t)
	database := i.database().DatabaseURL
	runAll(t, database, "drive user create --email ada@example.com", "drive token --email ada@example.com", "drive refresh-token --email ADA@example.com",
		"drive key --url http://127.0.0.1:8082 --email ada@example.com", "drive user disable --yes --email ada@example.com", "drive user enable --email ada@example.com",
		"drive user revoke --yes --email ada@example.com", "drive token --email bob@example.com")
	ids := map[string]string{}
	for _, email := range []string{"ada@example.com", "bob@example.com"} {
		u, err := store.New(i.pool).UserByEmail(t.Context(), email)
		i.must(err)
		ids[email] = u.ID
	}
	ada, bob := ids["ada@example.com"], ids["bob@example.com"]
	if err := Run(t.Context(), []string{"drive", "user", "enable", "--email", "eve@example.com", "--database-url", database}); err == nil {
		t.Error("an account that is not there was enabled")
	}
	want := []string{
		"platen drive user create " + ada + " done", "platen drive token " + ada + " done", "platen drive refresh-token " + ada + " done",
		"platen drive key " + ada + " done", "platen drive user disable " + ada + " done", "platen drive user enable " + ada + " done",
		"platen drive user revoke " + ada + " done", "platen drive token " + bob + " done", "platen drive user enable - drive_account_not_found",
	}
	if got := entries(t, database); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTheAuditHasTheRotationOfKeysMigrationsAndRoles(t *testing.T) {
	t.Parallel()
	database := emptyDatabase(t)
	runAll(t, database, "migrate", "migrate")
	first := entries(t, database)
	if len(first) != 1 || !strings.HasPrefix(first[0], "platen migrate drive 0") || !strings.HasSuffix(first[0], " done") {
		t.Errorf("two migrations, of which the second had nothing to do: got %q, want one entry with the last that was applied", first)
	}
	key := app.NewSecretKey()
	runAll(t, database, "key rotate --secret-keys "+key)
	prefix := "audited_" + strings.ToLower(platen.NewKey()[:8])
	c := rolesCommand{config.Defaults[config.Roles]()}
	c.DatabaseURL, c.Prefix = database, prefix
	for _, c.Print = range []bool{true, false} { // to print changes nothing
		if err := c.run(t.Context(), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	box, err := secret.ParseKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	want := append(first, "platen key rotate "+hex.EncodeToString(box.Prefixes()[0])+" done", "platen roles "+prefix+" done")
	if got := entries(t, database); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// A refused command has an entry, too.
	c.ServeDatabaseURL = database
	if err := c.run(t.Context(), io.Discard); err == nil {
		t.Fatal("the owner of the tables became the login of a program")
	}
	if got := entries(t, database); len(got) != len(want)+1 || got[len(want)] != "platen roles "+prefix+" error" {
		t.Errorf("after a refusal: got %q", got)
	}
}
