package doctor_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/mailbox"
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
	if err := admin.DB.Queue.Register(t.Context(), "worker", 8); err != nil {
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
	want(t, r, "database", "encryption", doctor.OK)
	want(t, r, "network", strings.TrimPrefix(h.options.Settings.DriveEndpoint, "http://"), doctor.OK)
	if len(r.Settings) < 30 {
		t.Errorf("got %d settings, want each of serve and worker", len(r.Settings))
	}
}

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

func TestOtherKeysThanTheDatabasesAreAFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.options.Settings.SecretKeys = platen.Secret(app.NewSecretKey())
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "database", "keys", doctor.Failure, "PLATEN_SECRET_KEYS")
	want(t, r, "credentials", email, doctor.Failure, "keys")
	wantNoSecret(t, r, string(h.options.Settings.SecretKeys))
}

func TestATemporalThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	closed := testkit.Listen(t)
	nobody := closed.Addr().String()
	_ = closed.Close()

	away := h.options
	away.Settings.TemporalAddress, away.Settings.TemporalAPIKey = nobody, "canary-api-key"
	r := app.Doctor(t.Context(), away)
	want(t, r, "temporal", "server", doctor.Failure, "PLATEN_TEMPORAL_ADDRESS")
	wantNoSecret(t, r, "canary-api-key")

	none := h.options
	none.Settings.TemporalNamespace = "nothing-" + strings.ToLower(rand.Text())
	r = app.Doctor(t.Context(), none)
	want(t, r, "temporal", "namespace", doctor.Failure, "namespace create")
	want(t, r, "temporal", "search attributes", doctor.Failure)

}

// A poller stays in Temporal's list for minutes after its worker has gone.
func TestAnInstallationWithoutAWorkerIsNotInOrder(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	if err := h.admin.DB.Queue.Unregister(t.Context(), "worker"); err != nil {
		t.Fatal(err)
	}
	want(t, app.Doctor(t.Context(), h.options), "database", "workers", doctor.Failure, "nothing starts", "platen worker")
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

func TestAMailServerIsSignedInAt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	box := mailbox.Box{User: "ada", Password: "correct-horse"}
	h.options.Settings.MailServer = config.MailServer{
		Mail:    config.Mail{SMTPFrom: "a@example.com"},
		SMTPURL: platen.Secret("smtp://ada:correct-horse@" + box.Start(t)),
	}
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "network", "mail server", doctor.Failure, "STARTTLS", "PLATEN_SMTP_URL")
	wantNoSecret(t, r, "correct-horse")
	var open mailbox.Box
	h.options.Settings.SMTPURL = platen.Secret("smtp://" + open.Start(t))
	h.options.Settings.SMTPClearText = config.Switch{Setting: config.Of(true)}
	want(t, app.Doctor(t.Context(), h.options), "network", "mail server", doctor.OK)
	if n := len(open.Mails()); n != 0 {
		t.Errorf("got %d mails, want none", n)
	}
}

// answering is a drive that answers every call in one way.
func answering(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestADriveThatRefusesSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.connect(t, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "canary-token"})
	for name, c := range map[string]struct {
		status int
		body   string
		word   string
	}{
		"unauthenticated": {401, `{"error":{"code":401,"status":"UNAUTHENTICATED","message":"no"}}`, "connect again"},
		"APIs off":        {403, `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"off","errors":[{"reason":"accessNotConfigured"}]}}`, "Enable the Drive, Docs and Slides APIs"},
		"not allowed":     {403, `{"error":{"code":403,"errors":[{"reason":"domainPolicy"}],"message":"no"}}`, "Admin console"},
		"broken":          {500, `oh`, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := h.options
			o.Settings.DriveEndpoint = answering(t, c.status, c.body)
			r := app.Doctor(t.Context(), o)
			want(t, r, "credentials", email, doctor.Failure, c.word)
			wantNoSecret(t, r, "canary-token")
		})
	}
}

func TestAUserWithoutADriveAndOneOfAnotherDriveAreSaid(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	if _, err := h.admin.CreateUser(t.Context(), "Bob", "bob@doctor.example", ""); err != nil {
		t.Fatal(err)
	}
	h.connect(t, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "canary-refresh"})
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "credentials", "bob@doctor.example", doctor.Warning, "platen user connect")
	want(t, r, "credentials", email, doctor.Failure, "PLATEN_DRIVE_KIND")
	wantNoSecret(t, r, "canary-refresh")
}

func TestTheDrivesOfFiftyUsersAreLookedAt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for i := range 60 {
		if _, err := h.admin.CreateUser(t.Context(), "Bob", fmt.Sprintf("bob-%d@doctor.example", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	want(t, app.Doctor(t.Context(), h.options), "credentials", "users", doctor.OK, "50 users were looked at, and those of 11 others were not")
}

func TestAFullStorageIsAFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for used, status := range map[int]doctor.Status{50: doctor.OK, 96: doctor.Warning, 100: doctor.Failure} {
		o := h.options
		o.Settings.DriveEndpoint = answering(t, 200, fmt.Sprintf(`{"storageQuota":{"limit":"104857600","usage":"%d"}}`, used<<20))
		want(t, app.Doctor(t.Context(), o), "storage", email, status, fmt.Sprintf("%d MiB of 100 MiB are left", 100-used))
	}
}

func TestAFolderSaysWhatMayBeDoneThere(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const kind = `"mimeType":"application/vnd.google-apps.folder"`
	for name, c := range map[string]struct {
		body   string
		status doctor.Status
		word   string
	}{
		"a reader":          {`{` + kind + `,"capabilities":{}}`, doctor.Failure, "content manager"},
		"a contributor":     {`{` + kind + `,"driveId":"d","capabilities":{"canAddChildren":true}}`, doctor.Warning, "a shared drive"},
		"a content manager": {`{` + kind + `,"driveId":"d","capabilities":{"canAddChildren":true,"canTrashChildren":true}}`, doctor.OK, "a shared drive"},
		"a file":            {`{"mimeType":"text/plain"}`, doctor.Failure, "no folder"},
		"a folder in trash": {`{` + kind + `,"trashed":true}`, doctor.Failure, "trash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := h.options
			o.User, o.Folder = email, "folder"
			o.Settings.DriveEndpoint = answering(t, 200, c.body)
			want(t, app.Doctor(t.Context(), o), "folder", email, c.status, c.word)
		})
	}
	o := h.options
	o.User, o.Folder = email, "unknown"
	want(t, app.Doctor(t.Context(), o), "folder", email, doctor.Failure, "does not see the folder")
}

func TestAClockThatIsOffIsSaidWithItsSide(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	driveHost := strings.TrimPrefix(h.options.Settings.DriveEndpoint, "http://")
	for off, c := range map[time.Duration]struct {
		status doctor.Status
		words  string
	}{
		10 * time.Second: {doctor.Warning, "10s ahead of"},
		-5 * time.Minute: {doctor.Failure, "5m0s behind"},
	} {
		o := h.options
		o.Now = func() time.Time { return time.Now().Add(off) }
		r := app.Doctor(t.Context(), o)
		want(t, r, "clock", "Postgres", c.status, c.words, "NTP")
		want(t, r, "clock", driveHost, c.status, "NTP")
	}
}

func TestAHostThatCannotBeReachedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	closed := testkit.Listen(t)
	nobody := closed.Addr().String()
	_ = closed.Close()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	for address, word := range map[string]string{
		"http://" + nobody:       "Start what answers there",
		"http://nowhere.invalid": "DNS",
		tls.URL:                  "certificate authority",
	} {
		o := h.options
		o.Settings.DriveEndpoint = address
		_, host, _ := strings.Cut(address, "://")
		want(t, app.Doctor(t.Context(), o), "network", host, doctor.Failure, word)
	}
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
