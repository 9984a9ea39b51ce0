package operator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
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
	for _, want := range []string{"Applied: service 00100_baseline\n", "Applied: drive 00100_baseline\n", " migrations: the database now has every migration of this release.\n"} {
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
		err := Run(t.Context(), append(strings.Fields(command), "--database-url", database))
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
		return Run(t.Context(), append([]string{"user", "connect", "--database-url", database, "--secret-keys", app.NewSecretKey(), "--email", "ada@example.com"}, flags...))
	}
	ours := "--drive-endpoint=http://127.0.0.1:8082"
	ourToken := "drv_" + strings.Repeat("A", 43)
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
		{[]string{"--kind", "token", "--credential", ourToken, ours}, "user"},
		{[]string{"--kind", "refresh_token", "--credential", "1//0-hunter2", "--drive-kind", "google"}, "user"},
		{[]string{"--kind", "service_account", "--drive-kind", "google"}, "user"},
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
		err := Run(t.Context(), append(strings.Fields(command), "--database-url", "postgres://127.0.0.1/none", "--drive-kind", "dropbox"))
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
	if err := Run(t.Context(), []string{"version"}); err == nil || !strings.Contains(err.Error(), "1 fault(s)") {
		t.Errorf("platen version: got %v, want the file's fault", err)
	}
}

// A text that no drive can have issued would be found out by the first run that fails.
func TestConnectTakesNoTextThatTheDriveCannotHaveIssued(t *testing.T) {
	t.Parallel()
	letters := strings.Repeat("A", 43)
	for _, c := range []struct{ drive, kind, credential, want string }{
		{"platen", "token", "hunter2", "this is no token of 'platen drive', which begins with drv_ and has 47 characters"},
		{"platen", "token", "drv_hunter2", "47 characters"},
		{"platen", "token", "drv_" + letters + " ", "47 characters"},
		{"platen", "token", "drr_" + letters, "this is a refresh token"},
		{"platen", "token", "plt_" + letters, "this is an access token of the API"},
		{"google", "refresh_token", "drv_" + letters, "this is a token of 'platen drive'"},
		{"google", "refresh_token", "plt_" + letters, "this is an access token of the API"},
		{"google", "refresh_token", "ya29.a0" + letters, "this is an access token, which is good for an hour"},
		{"google", "refresh_token", "hunter2 hunter2", "it has spaces or line breaks"},
		{"google", "service_account", "hunter2", "with --kind service_account it is the content of a key file"},
	} {
		command := userConnectCommand{Kind: c.kind, DriveCredential: c.credential}
		command.DriveKind = platen.DriveKind(c.drive)
		err := command.checkCredential()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "--credential (PLATEN_DRIVE_CREDENTIAL): ") || strings.Contains(err.Error(), c.credential) {
			t.Errorf("%s on %s, %q: got %v, want %q", c.kind, c.drive, c.credential, err, c.want)
		}
	}
}

func TestTheListOfDriveAccountsSaysWhichAreDisabled(t *testing.T) {
	t.Parallel()
	i := install(t)
	database := i.database().DatabaseURL
	runAll(t, database, "drive user create --email ada@example.com", "drive user create --email bob@example.com", "drive user create --email eve@example.com",
		"drive user disable --yes --email bob@example.com", "drive user disable --yes --email eve@example.com", "drive user enable --email eve@example.com")
	list := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&driveUserListCommand{i.database()}).run(ctx, out)
	})
	for _, want := range []string{`ID +NAME +EMAIL +CREATED +STATE`, `ada@example.com .* active`, `bob@example.com .* disabled since 20`, `eve@example.com .* active`} {
		if !regexp.MustCompile(want).MatchString(list) {
			t.Errorf("got\n%s\nwant %s", list, want)
		}
	}
}

func TestAUserIsMadeWithADrive(t *testing.T) {
	t.Parallel()
	i := install(t)
	database, key := i.database().DatabaseURL, i.keys
	create := []string{"user", "create", "--name", "Ada", "--email", "ada@example.com", "--drive", "--database-url", database}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--drive-kind", "google", "--secret-keys", key}, "--drive: it is for our own drive"},
		{[]string{"--drive-endpoint", "http://127.0.0.1:1"}, "--drive: it needs --secret-keys"},
		{[]string{"--secret-keys", key}, "no cloud drive is chosen"},
	} {
		if err := Run(t.Context(), append(create, c.flags...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.flags, err, c.want)
		}
	}
	i.must(Run(t.Context(), append(create, "--drive-endpoint", "http://127.0.0.1:1", "--secret-keys", key)))
	var kind string
	i.must(i.pool.QueryRow(t.Context(), `SELECT c.kind FROM drive_connections c JOIN users u ON u.id = c.user_id WHERE u.email = 'ada@example.com'`).Scan(&kind))
	if _, err := store.New(i.pool).UserByEmail(t.Context(), "ada@example.com"); err != nil || kind != "token" {
		t.Errorf("got a connection of kind %q, and %v; want an account of the drive that is connected", kind, err)
	}
}

func TestATeamWithATakenNameIsRefusedWithoutAnID(t *testing.T) {
	t.Parallel()
	i := install(t)
	runAll(t, i.database().DatabaseURL, "team create --name Sales")
	err := Run(t.Context(), []string{"team", "create", "--name", "sales", "--database-url", i.database().DatabaseURL})
	if err == nil || !strings.HasPrefix(err.Error(), "create team: another team has the name sales") {
		t.Errorf("got %v", err)
	}
}

func TestAPortOfMetricsThatIsTakenIsToldBesideOtherFaults(t *testing.T) {
	t.Parallel()
	listener, fonts := testkit.Listen(t), t.TempDir()
	defer listener.Close()
	taken := listener.Addr().String()
	for i := range config.MaxFonts + 1 {
		if err := os.WriteFile(filepath.Join(fonts, fmt.Sprint(i, ".ttf")), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	database, keys := "--database-url=postgres://u:p@127.0.0.1:1/platen", "--secret-keys="+app.NewSecretKey()
	for _, c := range []struct {
		flags []string
		also  string
	}{
		{[]string{"serve", keys, "--drive-kind=google", "--log-level=loud", "--api=" + taken, "--hooks=127.0.0.1:0"}, "--api " + taken},
		{[]string{"worker", keys, "--drive-kind=google", "--log-level=loud"}, "--log-level"},
		{[]string{"drive", "serve", "--log-level=loud", "--drive=127.0.0.1:0", "--drive-fonts=" + fonts}, "--drive-fonts (PLATEN_DRIVE_FONTS): " + fonts + " has more than 32 fonts"},
	} {
		err := Run(t.Context(), append(c.flags, database, "--metrics="+taken))
		for _, want := range []string{"--metrics (PLATEN_METRICS) " + taken, "--log-level (PLATEN_LOG_LEVEL)", c.also} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("platen %s: got %v, want %q in it", c.flags[0], err, want)
			}
		}
	}
}
