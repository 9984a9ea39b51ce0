package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/testkit"
)

func emptyDatabase(t *testing.T) string {
	t.Helper()
	return testkit.Database(t, "cmd_empty", func(context.Context, *pgxpool.Pool) error { return nil }).Config().ConnString()
}

func TestMigrateSaysWhatItDid(t *testing.T) {
	t.Parallel()
	var c migrateCommand
	if err := kong.ApplyDefaults(&c); err != nil {
		t.Fatal(err)
	}
	c.DatabaseURL = emptyDatabase(t)
	var first, second bytes.Buffer
	if err := c.run(t.Context(), &first); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Applied: service 00001_accounts\n", "Applied: drive 00001_files\n", " migrations: the database now has every migration of this release.\n"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("on an empty database: got %q, want %q in it", first.String(), want)
		}
	}
	if err := c.run(t.Context(), &second); err != nil || second.String() != "Nothing to do: the database has every migration of this release.\n" {
		t.Errorf("once more: got %q, %v; want that there was nothing to do", second.String(), err)
	}
}

func TestCommandsOnADatabaseWithoutTablesSayToMigrate(t *testing.T) {
	t.Parallel()
	database := emptyDatabase(t)
	for _, command := range []string{"token list", "user list", "team list", "drive user list", "workflow restore wkf_1"} {
		err := run(t.Context(), append(strings.Fields(command), "--database-url", database))
		if err == nil || !strings.Contains(err.Error(), "run 'platen migrate'") || strings.Contains(err.Error(), "SQLSTATE") {
			t.Errorf("platen %s: got %v, want an error that says to run 'platen migrate'", command, err)
		}
	}
}

func TestConnectTakesNoCredentialOfTheOtherDrive(t *testing.T) {
	t.Parallel()
	database := testkit.Database(t, "cmd", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.Migrate(ctx, pool.Config().ConnString())
	}).Config().ConnString()
	connect := func(flags ...string) error {
		return run(t.Context(), append([]string{"user", "connect", "--database-url", database, "--secret-keys", app.NewSecretKey(), "--email", "ada@example.com"}, flags...))
	}
	ours := "--drive-endpoint=http://127.0.0.1:8082"
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--kind", "token", "--credential", "hunter2", "--drive-kind", "google"}, "--kind token: it is for our own drive"},
		{[]string{"--kind", "refresh_token", "--credential", "hunter2", ours}, "'platen drive token"},
		{[]string{"--kind", "service_account", "--drive-kind", "platen", ours}, "--kind service_account: it is for Google"},
		{[]string{"--kind", "token", "--credential", "hunter2"}, "--drive-kind (PLATEN_DRIVE_KIND): no cloud drive is chosen"},
		{[]string{"--kind", "token", ours}, "--credential (PLATEN_DRIVE_CREDENTIAL): it is needed"},
		// What fits gets as far as to the user, who is not there.
		{[]string{"--kind", "token", "--credential", "hunter2", ours}, "user"},
		{[]string{"--kind", "refresh_token", "--credential", "hunter2", "--drive-kind", "google"}, "user"},
	} {
		err := connect(c.flags...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: got %v, want %q", c.flags, err, c.want)
		}
		if fits := c.want == "user"; fits && err != nil && strings.Contains(err.Error(), "--") {
			t.Errorf("%v: got %v, want no fault of the settings", c.flags, err)
		}
	}
}

func TestAFileOfASecretIsReportedWithTheOtherFaults(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PLATEN_SECRET_KEYS", "")
	t.Setenv("PLATEN_SECRET_KEYS_FILE", filepath.Join(folder, "nowhere"))
	for _, command := range []string{"serve --api 127.0.0.1:0 --hooks 127.0.0.1:0", "worker --erasures-file " + folder} {
		err := run(t.Context(), append(strings.Fields(command), "--database-url", "postgres://127.0.0.1/none", "--drive-kind", "dropbox"))
		wants := []string{"--secret-keys (PLATEN_SECRET_KEYS_FILE): it names a file that cannot be read", "--drive-kind (PLATEN_DRIVE_KIND)"}
		if strings.HasPrefix(command, "worker") {
			wants = append(wants, "--erasures-file (PLATEN_ERASURES_FILE)")
		}
		for _, want := range append(wants, fmt.Sprintf("the configuration has %d fault(s)", len(wants))) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("platen %s: got %v, want %q in it", command, err, want)
			}
		}
	}
	// A command that has nothing else to check does not run either.
	if err := run(t.Context(), []string{"version"}); err == nil || !strings.Contains(err.Error(), "1 fault(s)") {
		t.Errorf("platen version: got %v, want the file's fault", err)
	}
}
