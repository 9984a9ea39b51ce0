package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

// unmigrated makes a database without any table.
func unmigrated(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return testkit.Database(t, "app_empty", func(context.Context, *pgxpool.Pool) error { return nil })
}

// migrated makes a database with the tables of all parts.
func migrated(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return testkit.Database(t, "app_admin", func(ctx context.Context, pool *pgxpool.Pool) error {
		return errors.Join(postgres.Migrate(ctx, pool), store.Migrate(ctx, pool))
	})
}

// starts tells how each program begins on a database: nil when it was ready.
func starts(t *testing.T, pool *pgxpool.Pool, keys string) map[string]error {
	t.Helper()
	database, secrets := config.Database{DatabaseURL: pool.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(keys)}
	cloud := config.Cloud{DriveEndpoint: "http://127.0.0.1:1"}
	log := slog.New(slog.DiscardHandler)
	programs := map[string]func(ctx context.Context, ready func()) error{
		"serve": func(ctx context.Context, ready func()) error {
			c := config.Defaults[config.Serve]()
			c.Database, c.Secrets, c.Cloud = database, secrets, cloud
			return Serve(ctx, c, log, testkit.Listen(t), testkit.Listen(t), ready)
		},
		"worker": func(ctx context.Context, ready func()) error {
			c := config.Defaults[config.Work]()
			c.Database, c.Secrets, c.Cloud = database, secrets, cloud
			c.TemporalAddress, c.StartWait = "127.0.0.1:1", config.Of(time.Duration(0))
			return Work(ctx, c, log, ready)
		},
		"drive": func(ctx context.Context, ready func()) error {
			c := config.Defaults[config.DriveServer]()
			c.Database = database
			return Drive(ctx, c, log, testkit.Listen(t), ready)
		},
	}
	began := map[string]error{}
	for name, program := range programs {
		ctx, stop := context.WithCancel(t.Context())
		began[name] = program(ctx, stop)
		stop()
	}
	return began
}

func TestNoProgramStartsOnADatabaseThatWasNotMigrated(t *testing.T) {
	t.Parallel()
	for name, err := range starts(t, unmigrated(t), secret.NewKey()) {
		if err == nil || !strings.Contains(err.Error(), "platen migrate") || strings.Contains(err.Error(), "SQLSTATE") {
			t.Errorf("%s: got %v, want an error that says to run 'platen migrate'", name, err)
		}
	}
}

func TestNoProgramStartsWithKeysThatDoNotOpenWhatIsStored(t *testing.T) {
	t.Parallel()
	pool, right, wrong := migrated(t), secret.NewKey(), secret.NewKey()
	connect(t, pool, right)
	for name, err := range starts(t, pool, wrong) {
		if name == "drive" { // it stores nothing sealed
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "PLATEN_SECRET_KEYS") || !strings.Contains(err.Error(), "drive connections") {
			t.Errorf("%s: got %v, want an error that names the keys and what they do not open", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), right)) {
			t.Errorf("%s: the error quotes a key: %v", name, err)
		}
	}
	for _, keys := range []string{right, wrong + "," + right} {
		if err := starts(t, pool, keys)["serve"]; err != nil {
			t.Errorf("with the right key: got %v, want it to start", err)
		}
	}
}

// connect stores a secret under the keys.
func connect(t *testing.T, pool *pgxpool.Pool, keys string) {
	t.Helper()
	box, err := secret.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	a := &admin.Admin{DB: operate.New(postgres.New(pool, box))}
	if _, err := a.CreateUser(t.Context(), "Ada", "ada@example.com", ""); err != nil {
		t.Fatal(err)
	}
	if err := a.ConnectUser(t.Context(), "ada@example.com", platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}); err != nil {
		t.Fatal(err)
	}
}

func TestOperatorsAreToldToMigrateAndWhichKeysAreWrong(t *testing.T) {
	t.Parallel()
	opened := func(pool *pgxpool.Pool, keys string) error {
		a, err := OpenAdmin(t.Context(), config.Database{DatabaseURL: pool.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(keys)})
		if err == nil {
			a.Close()
		}
		return err
	}
	if err := opened(unmigrated(t), ""); err == nil || !strings.Contains(err.Error(), "platen migrate") {
		t.Errorf("on an empty database: got %v, want an error that says to run 'platen migrate'", err)
	}
	pool, right := migrated(t), secret.NewKey()
	connect(t, pool, right)
	if err := opened(pool, secret.NewKey()); err == nil || !strings.Contains(err.Error(), "PLATEN_SECRET_KEYS") {
		t.Errorf("with another key: got %v, want an error that names the keys", err)
	}
	for _, keys := range []string{"", right} { // most commands need none
		if err := opened(pool, keys); err != nil {
			t.Errorf("with %d keys: %v", len(keys), err)
		}
	}
}

func TestNoProgramOpensADriveWithoutAChoiceOfIt(t *testing.T) {
	t.Parallel()
	c := config.Defaults[config.Serve]()
	c.Database, c.Secrets = config.Database{DatabaseURL: migrated(t).Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(secret.NewKey())}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := Serve(ctx, c, slog.New(slog.DiscardHandler), testkit.Listen(t), testkit.Listen(t), stop)
	for _, want := range []string{"PLATEN_DRIVE_KIND", "google", "platen"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that names %s", err, want)
		}
	}
}

// A program opens the database several times, and Postgres may be without room for any of
// these connections.
func TestAProgramStartsAlthoughAConnectionIsRefused(t *testing.T) {
	t.Parallel()
	pool := migrated(t)
	log := slog.New(slog.DiscardHandler)
	operator := *pool.Config().ConnConfig
	operator.User, operator.Password = operator.Database+"_office", "of this test"
	at := func(address, user, password string) string {
		u := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Host: address, Path: "/" + operator.Database, RawQuery: "sslmode=disable"}
		return u.String()
	}
	server := net.JoinHostPort(operator.Host, strconv.Itoa(int(operator.Port)))
	logins := config.RoleLogins{OperatorDatabaseURL: at(server, operator.User, operator.Password)}
	if err := MakeRoles(t.Context(), pool.Config().ConnString(), "", logins, 0, log); err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]func(ctx context.Context, address string, ready func()) error{
		"serve": func(ctx context.Context, address string, ready func()) error {
			c := config.Defaults[config.Serve]()
			c.Database = config.Database{DatabaseURL: at(address, pool.Config().ConnConfig.User, pool.Config().ConnConfig.Password)}
			c.OperatorDatabaseURL = at(address, operator.User, operator.Password)
			c.Secrets, c.Cloud = config.Secrets{SecretKeys: platen.Secret(secret.NewKey())}, config.Cloud{DriveEndpoint: "http://127.0.0.1:1"}
			return Serve(ctx, c, log, testkit.Listen(t), testkit.Listen(t), ready)
		},
		"drive": func(ctx context.Context, address string, ready func()) error {
			c := config.Defaults[config.DriveServer]()
			c.Database = config.Database{DatabaseURL: at(address, pool.Config().ConnConfig.User, pool.Config().ConnConfig.Password)}
			return Drive(ctx, c, log, testkit.Listen(t), ready)
		},
	} {
		refused := 0
		for made := int32(1); refused < int(made); {
			refused++
			var connections atomic.Int32
			address := testkit.Refusing(t, server, func(n int) string {
				connections.Store(int32(n))
				if n == refused {
					return "53300" // too_many_connections
				}
				return ""
			})
			ctx, stop := context.WithCancel(t.Context())
			err := start(ctx, address, func() {
				made = connections.Load()
				stop()
			})
			stop()
			if err != nil {
				t.Fatalf("%s, with connection %d refused: %v", name, refused, err)
			}
		}
		t.Logf("%s: each of %d connections was refused in turn", name, refused)
	}
}

// A worker whose Temporal is away waits for it, and an orchestrator must not take it for
// one that works.
func TestAProgramThatWaitsAtItsStartIsNotReady(t *testing.T) {
	t.Parallel()
	pool := migrated(t)
	c := config.Defaults[config.Work]()
	c.Database, c.Secrets = config.Database{DatabaseURL: pool.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(secret.NewKey())}
	c.Cloud, c.TemporalAddress = config.Cloud{DriveEndpoint: "http://127.0.0.1:1"}, "127.0.0.1:1"
	log := &testkit.Journal{}
	l := testkit.Listen(t)
	stop, err := Observe(t.Context(), &c.Observe, "worker", l, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Work(ctx, c, slog.New(slog.NewTextHandler(log, nil)), func() {}) }()
	err = program.Within(time.Minute, func() error {
		if !strings.Contains(log.String(), "Temporal") {
			return errors.New("it does not wait for Temporal yet: " + log.String())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	answer, err := http.Get(LocalURL(l.Addr()) + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz of a worker that waits for Temporal: got %s, want 503", answer.Status)
	}
	cancel()
	<-ended
}

// A database that is put in place of another under a running program, such as a
// restore, is noticed by probes.
func TestProbesNoticeADatabaseThatDoesNotFit(t *testing.T) {
	t.Parallel()
	pool := migrated(t)
	c := config.Defaults[config.Serve]()
	c.Database, c.Secrets = config.Database{DatabaseURL: pool.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(secret.NewKey())}
	c.Cloud = config.Cloud{DriveEndpoint: "http://127.0.0.1:1"}
	parts := testkit.NewParts(t)
	api := testkit.Listen(t)
	parts.Start(parts.Running, t, "serve", func(ready func()) error {
		return Serve(parts.Running, c, slog.New(slog.NewTextHandler(parts.Log, nil)), api, testkit.Listen(t), ready)
	})
	want := func(when string, want int) {
		t.Helper()
		// An answer is kept for up to two seconds.
		err := program.Within(20*time.Second, func() error {
			answer, err := http.Get(LocalURL(api.Addr()) + "/readyz")
			if err != nil {
				return err
			}
			if _ = answer.Body.Close(); answer.StatusCode != want {
				return fmt.Errorf("got %d, want %d", answer.StatusCode, want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	want("with nothing sealed", http.StatusOK)
	connect(t, pool, secret.NewKey())
	want("with a secret under other keys", http.StatusServiceUnavailable)
	if _, err := pool.Exec(t.Context(), `DELETE FROM drive_connections`); err != nil {
		t.Fatal(err)
	}
	want("without it", http.StatusOK)
	if _, err := pool.Exec(t.Context(), `DELETE FROM migrations WHERE version_id = 100`); err != nil {
		t.Fatal(err)
	}
	want("with an older schema", http.StatusServiceUnavailable)
}
