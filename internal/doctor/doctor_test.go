package doctor_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/testkit"
)

const email = "ada@doctor.example"

// A harness is an installation with one user, whose parts a test breaks.
type harness struct {
	options doctor.Options
	admin   *admin.Admin
	pool    *pgxpool.Pool
	folder  string
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	stack := testkit.Running(t)
	pool := testkit.Database(t, "doctor", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.Migrate(ctx, pool.Config().ConnString())
	})
	settings := config.Defaults[config.Doctor]()
	settings.DatabaseURL = pool.Config().ConnString()
	settings.SecretKeys = platen.Secret(app.NewSecretKey())
	settings.TemporalAddress, settings.TemporalNamespace = stack.TemporalAddress, stack.TemporalNamespace
	admin, err := app.OpenAdmin(t.Context(), settings.Database, settings.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	if _, err := admin.CreateUser(t.Context(), "Ada", email, ""); err != nil {
		t.Fatal(err)
	}
	h := &harness{options: doctor.Options{
		Settings: settings, Programs: []config.Program{config.ServeProgram, config.WorkerProgram},
		Known: func(string) bool { return true }, Limit: 5 * time.Second,
	}, admin: admin, pool: pool}
	h.serveDrive(t)
	if err := run.New(admin.DB.DB).Queue.Register(t.Context(), "worker", 8); err != nil {
		t.Fatal(err)
	}
	return h
}

// serveDrive gives the user an account of a drive, with a folder.
func (h *harness) serveDrive(t *testing.T) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	handler, err := drive.New(drive.Options{Store: h.admin.Drive, PublicURL: "http://" + server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(server.Close)
	token, err := h.admin.CreateDriveToken(t.Context(), "Ada", email)
	if err != nil {
		t.Fatal(err)
	}
	h.connect(t, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(token)})
	h.options.Settings.DriveEndpoint = server.URL
	request, err := http.NewRequest(http.MethodPost, server.URL+"/drive/v3/files?fields=id", strings.NewReader(`{"name":"Templates","mimeType":"application/vnd.google-apps.folder"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if _, scan := fmt.Sscanf(strings.Join(strings.Fields(string(body)), ""), `{"id":%q}`, &h.folder); err != nil || scan != nil {
		t.Fatalf("a folder: %s, %v, %v", body, err, scan)
	}
}

func (h *harness) connect(t *testing.T, c platen.DriveConnection) {
	t.Helper()
	if err := h.admin.ConnectUser(t.Context(), email, c); err != nil {
		t.Fatal(err)
	}
}

// find returns the finding of a report about a subject.
func find(t *testing.T, r doctor.Report, area, subject string) doctor.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Area == area && f.Subject == subject {
			return f
		}
	}
	t.Fatalf("nothing is said of %s, %s: %+v", area, subject, r.Findings)
	return doctor.Finding{}
}

// want looks at what is said of a subject, and that a cure is named.
func want(t *testing.T, r doctor.Report, area, subject string, status doctor.Status, words ...string) {
	t.Helper()
	f := find(t, r, area, subject)
	for _, word := range words {
		if !strings.Contains(f.Message+" "+f.Cure, word) {
			t.Errorf("%s, %s: got %q → %q, want %q in it", area, subject, f.Message, f.Cure, word)
		}
	}
	if f.Status != status || (status != doctor.OK) != (f.Cure != "") {
		t.Errorf("%s, %s: got %s, %q → %q; want %s, and a cure where it is not ok", area, subject, f.Status, f.Message, f.Cure, status)
	}
}

func TestAnInstallationInOrderHasNoFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.User, h.options.Folder = email, h.folder
	r := app.Doctor(t.Context(), h.options)
	if n := r.Failures(); n != 0 {
		t.Errorf("%d failures, want none: %+v", n, r.Findings)
	}
	for area, subject := range map[string]string{
		"configuration": "settings", "database": "migrations", "clock": "Postgres", "temporal": "namespace", "credentials": email, "storage": email, "folder": email,
	} {
		want(t, r, area, subject, doctor.OK)
	}
	want(t, r, "temporal", "fairness", doctor.OK)
	want(t, r, "database", "workers", doctor.OK, "Workers: 1")
	want(t, r, "database", "waits", doctor.OK, "Nothing waits for people")
	want(t, r, "database", "mail senders", doctor.OK, "The last attempt failed at no mail sender's server")
	want(t, r, "database", "encryption", doctor.OK)
	want(t, r, "network", strings.TrimPrefix(h.options.Settings.DriveEndpoint, "http://"), doctor.OK)
	if len(r.Settings) < 30 {
		t.Errorf("got %d settings, want each of serve and worker", len(r.Settings))
	}
}

func TestAnInterruptedLookSaysNothingOfWhatItDidNotSee(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.Settings.DatabaseURL = "postgres://ada@" + silent(t) + "/platen"
	h.options.Settings.TemporalAddress = silent(t)
	h.options.Settings.DriveEndpoint = "http://" + silent(t)
	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, interrupt)
	r := app.Doctor(ctx, h.options)
	if !r.Interrupted || r.Failures() > 0 {
		t.Errorf("got interrupted %t and %+v, want no failure", r.Interrupted, r.Findings)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "Interrupted: not everything was looked at.") {
		t.Errorf("got %v and %s, want it to say that it was interrupted", err, text.String())
	}
}

// silent takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l := testkit.Listen(t)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func TestAPartThatSaysNothingIsGivenUpInTime(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.Limit = time.Second
	h.options.Settings.DatabaseURL = "postgres://ada@" + silent(t) + "/platen"
	h.options.Settings.TemporalAddress = silent(t)
	h.options.Settings.DriveEndpoint = "http://" + silent(t)
	begun := time.Now()
	r := app.Doctor(t.Context(), h.options)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %v with a second for each check, want all given up", took)
	}
	want(t, r, "database", "server", doctor.Failure, "no answer within 1s")
	want(t, r, "temporal", "server", doctor.Failure, "no answer within 1s")
	want(t, r, "network", strings.TrimPrefix(h.options.Settings.DriveEndpoint, "http://"), doctor.Failure, "no answer within 1s")
	want(t, r, "credentials", "users", doctor.Warning)
}

func TestSettingsThatCannotBeReadAreFailures(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.Settings.DriveKind = "dropbox"
	h.options.Settings.SecretKeys = "canary-key"
	h.options.Settings.ServiceAccountFile = "/nowhere/key.json"
	h.options.Known = func(variable string) bool { return variable != testkit.StackVariable } // which tests have
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "configuration", testkit.StackVariable, doctor.Warning, "No program reads this variable")
	want(t, r, "configuration", "PLATEN_DRIVE_KIND", doctor.Failure, "serve, worker")
	want(t, r, "configuration", "PLATEN_SECRET_KEYS", doctor.Failure, "PLATEN_SECRET_KEYS")
	want(t, r, "configuration", "PLATEN_SERVICE_ACCOUNT_FILE", doctor.Failure, "no such file", "name a file")
	wantNoSecret(t, r, "canary-key")
	inDirectory := h.options
	inDirectory.Settings.ServiceAccountFile = t.TempDir()
	want(t, app.Doctor(t.Context(), inDirectory), "configuration", "PLATEN_SERVICE_ACCOUNT_FILE", doctor.Failure, "is a directory", "name the file in it")
	states := map[string]string{}
	for _, s := range r.Settings {
		states[s.Variable] = s.State
	}
	for variable, state := range map[string]string{"PLATEN_DRIVE_KIND": "unreadable", "PLATEN_DATABASE_URL": "set", "PLATEN_QUEUE": "default"} {
		if states[variable] != state {
			t.Errorf("%s: got %q, want %q", variable, states[variable], state)
		}
	}
}

// wantNoSecret looks for a secret in what is printed.
func wantNoSecret(t *testing.T, r doctor.Report, secret string) {
	t.Helper()
	var text, json bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.PrintJSON(&json); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), secret) || strings.Contains(json.String(), secret) {
		t.Errorf("the report has the secret %s:\n%s", secret, text.String())
	}
}
