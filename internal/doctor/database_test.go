package doctor_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

func TestADatabaseThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	role := "doctor_" + strings.ToLower(rand.Text())
	if _, err := h.pool.Exec(t.Context(), `CREATE ROLE `+role+` LOGIN PASSWORD 'canary-password'`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = h.pool.Exec(context.Background(), `DROP ROLE IF EXISTS `+role) })
	withUser := func(user, password string) string {
		u, err := url.Parse(h.options.Settings.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, password)
		return u.String()
	}
	empty := testkit.Database(t, "doctor_empty", func(context.Context, *pgxpool.Pool) error { return nil }).Config().ConnString()
	closed := testkit.Listen(t)
	nobody := closed.Addr().String()
	_ = closed.Close()
	for name, c := range map[string]struct {
		url, subject, word string
	}{
		"no migrations": {empty, "migrations", "platen migrate"},
		"no server":     {"postgres://ada:canary-password@" + nobody + "/platen", "server", "Start Postgres"},
		"no database":   {strings.Replace(h.options.Settings.DatabaseURL, "/test_", "/nothing_", 1), "server", "createdb"},
		"no rights":     {withUser(role, "canary-password"), "privileges", "SELECT, INSERT, UPDATE, DELETE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := h.options
			o.Settings.DatabaseURL = c.url
			r := app.Doctor(t.Context(), o)
			want(t, r, "database", c.subject, doctor.Failure, c.word)
			wantNoSecret(t, r, "canary-password")
		})
	}
}

// asRole makes a role that may use the database's tables, and returns its address.
func (h *harness) asRole(t *testing.T) string {
	t.Helper()
	role := "doctor_" + strings.ToLower(rand.Text())
	for _, sql := range []string{
		`CREATE ROLE ` + role + ` LOGIN PASSWORD 'canary-password'`,
		`GRANT USAGE ON SCHEMA public, drive TO ` + role,
		`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public, drive TO ` + role,
	} {
		if _, err := h.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_, _ = h.pool.Exec(context.Background(), `DROP OWNED BY `+role)
		_, _ = h.pool.Exec(context.Background(), `DROP ROLE IF EXISTS `+role)
	})
	u, err := url.Parse(h.options.Settings.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, "canary-password")
	return u.String()
}

func TestConnectionsOfOtherRolesCount(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const others = 12
	for range others {
		c, err := pgx.Connect(t.Context(), h.options.Settings.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
	}
	h.options.Settings.DatabaseURL = h.asRole(t)
	f := find(t, app.Doctor(t.Context(), h.options), "database", "connections")
	used := 0
	if _, err := fmt.Sscanf(f.Message, "%d of", &used); err != nil || used < others {
		t.Errorf("got %q, want the %d connections of another role to count", f.Message, others)
	}
}

// A stock Postgres has 100 connections, three of them for superusers. Two machines with all
// three programs, one of them during its replacement, and an operator's psql have to fit
// in.
func TestTheProgramsOfTwoMachinesFitIntoAStockPostgres(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	f := find(t, app.Doctor(t.Context(), h.options), "database", "connections")
	_, opened, _ := strings.Cut(f.Message, "open up to ")
	var serve, worker, drive int
	if _, err := fmt.Sscanf(opened, "%d, %d and %d.", &serve, &worker, &drive); err != nil {
		t.Fatalf("got %q: %v", f.Message, err)
	}
	const stock, operators = 97, 3
	if all := 2*(serve+worker+drive) + max(serve, worker, drive) + operators; all > stock {
		t.Errorf("%d connections, want %d at most: %s", all, stock, f.Message)
	}
}

func TestWhatAServerWritesIntoItsLogIsSaid(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	want(t, app.Doctor(t.Context(), h.options), "database", "statement log", doctor.OK)
	set := func(setting string) {
		t.Helper()
		if _, err := h.pool.Exec(t.Context(), `ALTER DATABASE `+h.pool.Config().ConnConfig.Database+` SET `+setting); err != nil {
			t.Fatal(err)
		}
	}
	set("log_min_duration_statement = 1000")
	want(t, app.Doctor(t.Context(), h.options), "database", "statement log", doctor.Warning, "log_min_duration_statement", "SET log_parameter_max_length = 0")
	set("log_parameter_max_length = 0")
	want(t, app.Doctor(t.Context(), h.options), "database", "statement log", doctor.OK)
}

func TestAnAddressThatSetsWhatStatementsNeedOtherwiseIsSaid(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	u, err := url.Parse(h.options.Settings.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("jit", "on")
	query.Set("TimeZone", "Asia/Kolkata")
	u.RawQuery = query.Encode()
	want(t, app.Doctor(t.Context(), h.options), "database", "settings", doctor.OK)
	h.options.Settings.DatabaseURL = u.String()
	want(t, app.Doctor(t.Context(), h.options), "database", "settings", doctor.Warning, "jit = on", "timezone = Asia/Kolkata")
}

func TestADatabaseThatIsNotUTF8IsAFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	name := "doctor_" + strings.ToLower(rand.Text())
	if _, err := h.pool.Exec(t.Context(), `CREATE DATABASE `+name+` ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = h.pool.Exec(context.Background(), `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })
	u, err := url.Parse(h.options.Settings.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	h.options.Settings.DatabaseURL = u.String()
	want(t, app.Doctor(t.Context(), h.options), "database", "server", doctor.Failure, "LATIN1", "createdb --encoding UTF8")
}

func TestAPoolerIsLookedAt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	straight := h.options.Settings.DatabaseURL
	for mode, status := range map[string]doctor.Status{"session": doctor.OK, "transaction": doctor.Failure, "statement": doctor.Failure} {
		h.options.Settings.DatabaseURL = testkit.Pooler(t, straight, mode, nil)
		r := app.Doctor(t.Context(), h.options)
		if want(t, r, "database", "pooler", status); status == doctor.OK && r.Failures() > 0 {
			t.Errorf("behind a pooler in session mode: %+v, want no failure", r.Findings)
		}
	}
}

func TestTablesOfOthersInTheDatabaseAreTheirBusiness(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.Settings.DatabaseURL = h.asRole(t)
	other := "doctor_" + strings.ToLower(rand.Text())
	for _, sql := range []string{`CREATE ROLE ` + other, `CREATE TABLE public.theirs (id int)`, `ALTER TABLE public.theirs OWNER TO ` + other} {
		if _, err := h.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_, _ = h.pool.Exec(context.Background(), `DROP OWNED BY `+other)
		_, _ = h.pool.Exec(context.Background(), `DROP ROLE IF EXISTS `+other)
	})
	want(t, app.Doctor(t.Context(), h.options), "database", "privileges", doctor.OK)
}

func TestOtherKeysThanTheDatabasesAreAFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.Settings.SecretKeys = platen.Secret(app.NewSecretKey())
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "database", "keys", doctor.Failure, "PLATEN_SECRET_KEYS")
	want(t, r, "credentials", email, doctor.Failure, "keys")
	wantNoSecret(t, r, string(h.options.Settings.SecretKeys))
}

func TestItsConnectionsToPostgresChangeNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	before := h.rows(t)
	app.Doctor(t.Context(), h.options)
	if after := h.rows(t); after != before {
		t.Errorf("the database holds\n%s\nwant\n%s", after, before)
	}
}

// rows are the contents of the tables that users and drives are in.
func (h *harness) rows(t *testing.T) string {
	t.Helper()
	var all string
	err := h.pool.QueryRow(t.Context(), `
		SELECT string_agg(r, E'\n' ORDER BY r)
		FROM (SELECT u::text FROM users u UNION ALL SELECT c::text FROM drive_connections c UNION ALL SELECT q::text FROM errands q
			UNION ALL SELECT f.id::text || f.name FROM drive.files f) AS rows (r)`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
