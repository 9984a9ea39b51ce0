package model

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	runs "github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/testkit"
)

const patience = time.Minute

// A service is the API, the host of source addresses and a drive, on a
// database of their own. There is no worker: what is accepted stays accepted.
type service struct {
	api, hooks, drive string // addresses; api ends in /v0
	database          *pgxpool.Pool
	admin             *admin.Admin
	order             *runs.Order
	client            *http.Client

	// The drive's accounts and their files are made once; each run connects
	// users of its own to them.
	accounts map[string]*account

	runs   int
	steps  int // of all runs, those of shrinking included
	caught int // the step that failed first; 0: none
}

// An account of the drive has one file of each kind, by kind.
type account struct {
	name, token string
	files       map[string]string
	service     *driveapi.Service
}

// Kinds of files in a drive.
const (
	fileText    = "text document"
	fileSlides  = "presentation"
	filePicture = "picture"
	fileTrashed = "trashed document"
)

func openService(t *testing.T) *service {
	t.Helper()
	pool := testkit.Database(t, "model", func(ctx context.Context, pool *pgxpool.Pool) error {
		if os.Getenv("PLATEN_MODEL_WALLS") == "off" { // for walls_test.go
			return app.Migrate(ctx, pool.Config().ConnString())
		}
		return app.MigrateBehindWalls(ctx, pool.Config().ConnString())
	})
	parts := testkit.NewParts(t)
	running := parts.Running
	apiListener, hooksListener, driveListener := testkit.Listen(t), testkit.Listen(t), testkit.Listen(t)
	s := &service{
		api:      "http://" + apiListener.Addr().String() + "/v0",
		hooks:    "http://" + hooksListener.Addr().String(),
		drive:    "http://" + driveListener.Addr().String(),
		database: pool,
		client:   &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 4}},
		accounts: map[string]*account{},
	}
	t.Cleanup(s.client.CloseIdleConnections)
	log := slog.New(slog.NewTextHandler(parts.Log, &slog.HandlerOptions{Level: slog.LevelError}))
	database := config.Database{DatabaseURL: testkit.Narrow(pool)}
	secrets := config.Secrets{SecretKeys: platen.Secret(app.NewSecretKey())}
	parts.Start(running, t, "drive", func(ready func()) error {
		c := config.Defaults[config.DriveServer]()
		c.Database = database
		return app.Drive(running, c, log, driveListener, ready)
	})
	parts.Start(running, t, "serve", func(ready func()) error {
		c := config.Defaults[config.Serve]()
		c.Database, c.Secrets, c.DriveEndpoint = database, secrets, s.drive
		c.RateLimit, c.UnauthenticatedLimit = config.Of(0), config.Of(0) // a long run sends more than any client
		return app.Serve(running, c, log, apiListener, hooksListener, ready)
	})
	var err error
	if s.admin, err = app.OpenAdmin(t.Context(), database, secrets); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.admin.Close)
	s.admin.DB.Plans.Decide = func(p *platen.Plan, event []byte) error { return fill.Decide(p, event, time.UTC) }
	s.order = runs.New(s.admin.DB.DB).Order
	s.order.Key = func(formula string, e platen.OrderedEvent) (string, error) { return fill.Key(formula, e, time.UTC) }
	for _, name := range []string{"A", "B", "C", "D"} {
		s.accounts[name] = s.openAccount(t, name)
	}
	return s
}

func (s *service) openAccount(t *testing.T, name string) *account {
	t.Helper()
	ctx := t.Context()
	token, err := s.admin.CreateDriveToken(ctx, "Account "+name, name+"@drive.example")
	if err != nil {
		t.Fatal(err)
	}
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}))
	drive, err := driveapi.NewService(ctx, authorized, option.WithEndpoint(s.drive+"/drive/v3/"))
	if err != nil {
		t.Fatal(err)
	}
	a := &account{name: name, token: token, files: map[string]string{}, service: drive}
	for kind, mimeType := range map[string]string{
		fileText: platen.MIMEDocs, fileTrashed: platen.MIMEDocs, fileSlides: platen.MIMESlides, filePicture: "image/png",
	} {
		made, err := drive.Files.Create(&driveapi.File{Name: kind, MimeType: mimeType}).Context(ctx).Fields("id").Do()
		if err != nil {
			t.Fatalf("make a %s: %v", kind, err)
		}
		a.files[kind] = made.Id
	}
	if _, err := drive.Files.Update(a.files[fileTrashed], &driveapi.File{Trashed: true}).Context(ctx).Do(); err != nil {
		t.Fatalf("trash a document: %v", err)
	}
	return a
}
