package model

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/testkit"
)

const patience = 30 * time.Second

// A service is the API, the host of source addresses and a drive, on a
// database of their own. There is no worker: what is accepted stays accepted.
type service struct {
	api, hooks, drive string // addresses; api ends in /v0
	database          *pgxpool.Pool
	admin             *app.Admin
	client            *http.Client
	log               *journal

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
		return app.Migrate(ctx, pool.Config().ConnString())
	})
	running, stop := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	apiListener, hooksListener, driveListener := listen(t), listen(t), listen(t)
	s := &service{
		api:      "http://" + apiListener.Addr().String() + "/v0",
		hooks:    "http://" + hooksListener.Addr().String(),
		drive:    "http://" + driveListener.Addr().String(),
		database: pool,
		client:   &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 4}},
		log:      &journal{},
		accounts: map[string]*account{},
	}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		parts.Wait()
		if t.Failed() {
			t.Logf("errors in the log of the service:\n%s", s.log.text())
		}
	})
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelError}))
	start := func(name string, run func(ready func()) error) {
		t.Helper()
		ready, ended := make(chan struct{}), make(chan error, 1)
		parts.Go(func() { ended <- run(func() { close(ready) }) })
		select {
		case <-ready:
		case err := <-ended:
			t.Fatalf("%s did not start: %v", name, err)
		case <-time.After(patience):
			t.Fatalf("%s was not ready within %v", name, patience)
		}
	}
	database := config.Database{DatabaseURL: pool.Config().ConnString()}
	secrets := config.Secrets{SecretKeys: app.NewSecretKey()}
	start("drive", func(ready func()) error {
		c := byDefault[config.DriveServer](t)
		c.Database = database
		return app.Drive(running, c, log, driveListener, ready)
	})
	start("serve", func(ready func()) error {
		c := byDefault[config.Serve](t)
		c.Database, c.Secrets, c.DriveEndpoint = database, secrets, s.drive
		c.RateLimit, c.StrangerLimit = "0", "0" // a long run sends more than any client
		return app.Serve(running, c, log, apiListener, hooksListener, ready)
	})
	var err error
	if s.admin, err = app.OpenAdmin(t.Context(), database, secrets); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.admin.Close)
	for _, name := range []string{"A", "B", "C", "D"} {
		s.accounts[name] = s.openAccount(t, name)
	}
	return s
}

// byDefault is the configuration of a part as it is without any flags.
func byDefault[T any](t *testing.T) T {
	t.Helper()
	var c T
	if err := kong.ApplyDefaults(&c); err != nil {
		t.Fatal(err)
	}
	return c
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

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A journal keeps what the service logs.
type journal struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buffer.Write(p)
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buffer.String()
}
