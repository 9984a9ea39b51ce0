package conformance

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

// patience bounds every wait; section 6 has an event arrive "within about a
// minute".
const patience = time.Minute

// receivers are in the network of this machine.
func receivers() config.Setting[[]netip.Prefix] {
	return config.Of([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
}

// A stack is the whole service with the users of this suite, on the shared
// Postgres and Temporal.
type harness struct {
	api, hooks, drive string // addresses; api ends in /v0
	contract          *contract
	proxies           proxies

	ada, bea client // of one team
	cyd      client // of another
	dan      client // of no team, and with no connection to the drive
	expired  client
	revoked  client

	files *driveapi.Service // ada's drive
	docs  *docsapi.Service
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	shared := testkit.Running(t)
	pool := testkit.Database(t, "conformance", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.MigrateBehindWalls(ctx, pool.Config().ConnString())
	})
	parts := testkit.NewParts(t)
	running := parts.Running
	apiListener, hooksListener, driveListener := testkit.Listen(t), testkit.Listen(t), testkit.Listen(t)
	s := &harness{
		api:   "http://" + apiListener.Addr().String() + "/v0",
		hooks: "http://" + hooksListener.Addr().String(),
		drive: "http://" + driveListener.Addr().String(),
	}
	logger := slog.New(slog.NewTextHandler(parts.Log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	logging := config.Log{LogLevel: config.Of(slog.LevelWarn), LogFormat: config.LogText}
	database := config.Database{DatabaseURL: testkit.Narrow(pool)}
	secrets := config.Secrets{SecretKeys: platen.Secret(app.NewSecretKey())}
	cloud := config.Cloud{DriveEndpoint: s.drive}
	parts.Start(running, t, "drive", func(ready func()) error {
		return app.Drive(running, config.DriveServer{Log: logging, Database: database, Drive: driveListener.Addr().String()}, logger, driveListener, ready)
	})
	parts.Start(running, t, "serve", func(ready func()) error {
		c := config.Defaults[config.Serve]()
		c.Log, c.Database, c.Secrets, c.Cloud = logging, database, secrets, cloud
		c.API, c.Hooks = apiListener.Addr().String(), hooksListener.Addr().String()
		c.AllowPrivate = receivers()
		c.RateLimit = config.Of(0) // the suite is faster than any one client
		return app.Serve(running, c, logger, apiListener, hooksListener, ready)
	})
	parts.Start(running, t, "worker", func(ready func()) error {
		c := config.Defaults[config.Work]()
		c.Log, c.Database, c.Secrets, c.Cloud = logging, database, secrets, cloud
		c.TemporalAddress, c.TemporalNamespace = shared.TemporalAddress, shared.TemporalNamespace
		c.Queue, c.AllowPrivate = "conformance-"+strings.ToLower(rand.Text()), receivers()
		return app.Work(running, c, logger, ready)
	})
	s.contract = fetchContract(t, strings.TrimSuffix(s.api, "/v0"))
	s.proxies = startProxies(t, s)
	s.moveIn(t, database, secrets)
	return s
}

// moveIn makes the users, as an operator does.
func (s *harness) moveIn(t *testing.T, d config.Database, keys config.Secrets) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	admin, err := app.OpenAdmin(ctx, d, keys)
	must(err)
	defer admin.Close()
	for _, name := range []string{"Print room", "Post room"} {
		must(admin.DB.Users.CreateTeam(ctx, platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: name}))
	}
	user := func(name, team string, connected bool) client {
		t.Helper()
		email := strings.ToLower(name) + "@conformance.example"
		c := client{stack: s, name: name, email: email}
		c.id, err = admin.CreateUser(ctx, name, email, team)
		must(err)
		c.token, err = admin.CreateToken(ctx, email, "suite", 0)
		must(err)
		if connected {
			c.driveToken, err = admin.CreateDriveToken(ctx, name, email)
			must(err)
			must(admin.ConnectUser(ctx, email, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(c.driveToken)}))
		}
		return c
	}
	s.ada, s.bea = user("Ada", "Print room", true), user("Bea", "Print room", true)
	s.cyd, s.dan = user("Cyd", "Post room", true), user("Dan", "", false)
	s.expired, s.revoked = s.ada, s.cyd
	_, s.expired.token, err = admin.DB.Tokens.CreateToken(ctx, s.ada.id, "expired", time.Now().Add(-time.Hour))
	must(err)
	revoked, text, err := admin.DB.Tokens.CreateToken(ctx, s.cyd.id, "revoked", time.Time{})
	must(err)
	must(admin.DB.Tokens.RevokeToken(ctx, revoked))
	s.revoked.token = text

	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.ada.driveToken}))
	s.files, err = driveapi.NewService(ctx, authorized, option.WithEndpoint(s.drive+"/drive/v3/"))
	must(err)
	s.docs, err = docsapi.NewService(ctx, authorized, option.WithEndpoint(s.drive+"/"))
	must(err)
}

// file makes a file in ada's drive and returns its id.
func (s *harness) file(t *testing.T, mimeType string) string {
	t.Helper()
	made, err := s.files.Files.Create(&driveapi.File{Name: "Template", MimeType: mimeType}).Context(t.Context()).Fields("id").Do()
	if err != nil {
		t.Fatalf("make a file in the drive: %v", err)
	}
	return made.Id
}

// template makes a text document in ada's drive that says text.
func (s *harness) template(t *testing.T, text string) string {
	t.Helper()
	id := s.file(t, platen.MIMEDocs)
	_, err := s.docs.Documents.BatchUpdate(id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{
		{InsertText: &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}},
	}}).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("write into a template: %v", err)
	}
	return id
}

// text is what a document of ada's drive says.
func (s *harness) text(t *testing.T, id string) string {
	t.Helper()
	d, err := s.docs.Documents.Get(id).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("read document %s: %v", id, err)
	}
	var b strings.Builder
	for _, element := range d.Body.Content {
		if element.Paragraph != nil {
			for _, part := range element.Paragraph.Elements {
				if part.TextRun != nil {
					b.WriteString(part.TextRun.Content)
				}
			}
		}
	}
	return strings.TrimSpace(b.String())
}
