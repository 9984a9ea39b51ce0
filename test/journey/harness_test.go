// Package journey tests the whole as its users see it: over HTTP, from a
// template in the drive and a workflow made over /v0 to the signed event and
// the PDF behind its link. Postgres and Temporal are the shared stack's; each
// test runs the service's own parts in process, on a database, a task queue, a
// user and a drive account of its own.
//
// What one package does is tested in that package, and death of the program in
// test/chaos.
package journey

import (
	"cmp"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
	"github.com/platenhq/platen/internal/testkit"
)

// Journeys wait more than they compute: twice as many go on at a time as there are
// cores, unless -parallel says otherwise. Those that measure how long others wait have
// the machine for themselves.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// patience bounds every wait: long enough for a busy machine on which steps
// run a second time, and whose next try is as far away as the first has been,
// far longer than anything takes. Lists of a drive like Google's lag five minutes now and
// then.
const patience = 6 * time.Minute

const (
	email = "ada@journey.example"
	// robot is the user's account in a drive like Google's.
	robot = "ada@journey.iam.gserviceaccount.com"
)

// A harness is Platen with one user, for one test.
type harness struct {
	api, hooks, drive string // addresses; api ends in /v0
	token, driveToken string
	ownerID           string
	queue             string
	secretKeys        string
	database          *pgxpool.Pool
	temporal          client.Client
	files             *driveapi.Service // the user's drive, by the client that everybody has
	docs              *docsapi.Service
	parts             *testkit.Parts
	log               *testkit.Journal // theirs
	worker            config.Work
	telemetry         *telemetry.Telemetry // of all parts
}

// options of a harness. The zero value is what most tests want.
type options struct {
	// schedule is config.Work's RetrySchedule, as its flag takes it.
	schedule string
	// idle leaves the worker out until startWorker is called.
	idle bool
	// between returns the address at which serve and worker reach the drive,
	// which is at the one that it is given. nil: there.
	between func(drive string) string
	// likeGoogle has the drive behave like Google's, a hundred times as fast unless
	// speedVariable says otherwise, and the user's account there be a service account.
	likeGoogle bool
	// smtp is host:port of a mail server. Empty: no mail is sent.
	smtp string
	// bounces is the address that mails come back to, which are taken with bounceKey. Empty:
	// they go to the sender.
	bounces string
	// near lets serve reach this machine, for what it tests.
	near bool
	// seal is what PDFs are sealed with. The zero value: nothing is.
	seal config.SealKey
	// server is the address of a Postgres of the test's own; empty: the stack's.
	server string
	// temporal is the address of a Temporal of the test's own; empty: the stack's.
	temporal string
	// through returns the address at which the programs reach a database, which is at the
	// one that it is given. nil: there.
	through func(database string) string
	// provider lets users sign in to the console; nil: none does.
	provider *testkit.OpenID
}

// speedVariable names the environment variable that says how many times as fast as
// Google's the drives are that behave like it. 100 if unset.
const speedVariable = "PLATEN_JOURNEY_SPEED"

func open(t *testing.T, o options) *harness {
	t.Helper()
	stack, speed := testkit.Running(t), testkit.Number(t, speedVariable, 100)
	stack.TemporalAddress = cmp.Or(o.temporal, stack.TemporalAddress)
	pool := testkit.DatabaseOn(t, cmp.Or(o.server, stack.DatabaseURL), "journey", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.MigrateBehindWalls(ctx, pool.Config().ConnString())
	})
	parts := testkit.NewParts(t)
	h := &harness{
		database:   pool,
		queue:      "journey-" + strings.ToLower(rand.Text()),
		secretKeys: app.NewSecretKey(),
		parts:      parts,
		log:        parts.Log,
	}
	running := parts.Running
	apiListener, hooksListener, driveListener := testkit.Listen(t), testkit.Listen(t), testkit.Listen(t)
	h.api = "http://" + apiListener.Addr().String() + "/v0"
	h.hooks = "http://" + hooksListener.Addr().String()
	h.drive = "http://" + driveListener.Addr().String()
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	logging := config.Log{LogLevel: config.Of(slog.LevelDebug), LogFormat: config.LogText}
	database := config.Database{DatabaseURL: testkit.Narrow(pool)}
	if o.through != nil {
		database.DatabaseURL = o.through(database.DatabaseURL)
	}
	secrets := config.Secrets{SecretKeys: platen.Secret(h.secretKeys)}
	cloud := config.Cloud{DriveEndpoint: h.drive}
	if o.between != nil {
		cloud.DriveEndpoint = o.between(h.drive)
	}
	h.worker = config.Defaults[config.Work]()
	h.telemetry = telemetry.New("journey")
	h.worker.Telemetry = h.telemetry
	h.worker.Log, h.worker.Database, h.worker.Secrets, h.worker.Cloud = logging, database, secrets, cloud
	h.worker.TemporalAddress, h.worker.TemporalNamespace = stack.TemporalAddress, stack.TemporalNamespace
	h.worker.APIURL, h.worker.HooksURL = h.api, h.hooks
	h.worker.Queue, h.worker.WorkerOpen, h.worker.RetrySchedule = h.queue, config.Of[config.OpenRuns](50), waits(t, o.schedule)
	h.worker.AllowPrivate = config.Of([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	h.worker.PicturesPrivate = h.worker.AllowPrivate
	var mail config.Mail
	if o.smtp != "" {
		mail.SMTPFrom = "Example Ltd <invoices@example.com>"
		h.worker.MailServer = config.MailServer{Mail: mail, SMTPURL: platen.Secret("smtp://" + o.smtp), SMTPBounces: o.bounces, SMTPClearText: config.Switch{Setting: config.Of(true)}}
	}
	h.worker.SealKey = o.seal
	h.worker.BuildID = "" // no versioning, as long as a test gives it none
	parts.Start(running, t, "drive", func(ready func()) error {
		c := config.Defaults[config.DriveServer]()
		c.Log, c.Telemetry, c.Database, c.Drive = logging, h.telemetry, database, driveListener.Addr().String()
		c.DriveURL = cloud.DriveEndpoint // also in its links
		if o.likeGoogle {
			c.Like, c.Speed = config.LikeGoogle, config.Of(int(speed))
		}
		return app.Drive(running, c, log, driveListener, ready)
	})
	parts.Start(running, t, "serve", func(ready func()) error {
		c := config.Defaults[config.Serve]()
		c.Log, c.Telemetry, c.Database, c.Secrets, c.Cloud = logging, h.telemetry, database, secrets, cloud
		c.API, c.Hooks = apiListener.Addr().String(), hooksListener.Addr().String()
		c.Mail, c.Seal = mail, o.seal.Seal
		if o.bounces != "" {
			c.SMTPBounceKey = bounceKey
		}
		if o.near {
			c.AllowPrivate = h.worker.AllowPrivate
		}
		c.RateLimit, c.UnauthenticatedLimit = config.Of(0), config.Of(0)
		if o.provider != nil {
			c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = o.provider.URL, o.provider.ClientID, platen.Secret(o.provider.ClientSecret)
		}
		return app.Serve(running, c, log, apiListener, hooksListener, ready)
	})
	if !o.idle {
		h.startWorker(t, running, log)
	}
	h.moveIn(t, o, database, secrets)
	h.dialTemporal(t, stack)
	return h
}

// waits reads what the flag of a schedule takes.
func waits(t *testing.T, text string) config.Setting[[]time.Duration] {
	t.Helper()
	var all []time.Duration
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' }) {
		wait, err := time.ParseDuration(one)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, wait)
	}
	return config.Of(all)
}

func (h *harness) startWorker(t *testing.T, running context.Context, log *slog.Logger) {
	t.Helper()
	h.parts.Start(running, t, "worker", func(ready func()) error { return app.Work(running, h.worker, log, ready) })
}

// moveIn makes the user, the tokens and the connection to the drive account,
// as an operator does.
func (h *harness) moveIn(t *testing.T, o options, d config.Database, s config.Secrets) {
	t.Helper()
	ctx, account := t.Context(), email
	if o.likeGoogle {
		account = robot
	}
	admin, err := app.OpenAdmin(ctx, d, s)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	h.ownerID, err = admin.CreateUser(ctx, "Ada Lovelace", email, "")
	must(err)
	h.token, err = admin.CreateToken(ctx, email, "journey", 0)
	must(err)
	h.driveToken, err = admin.CreateDriveToken(ctx, "Ada Lovelace", account)
	must(err)
	must(admin.ConnectUser(ctx, email, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(h.driveToken)}))

	h.authorize(t)
}

// authorize makes the clients of the user's drive.
func (h *harness) authorize(t *testing.T) {
	t.Helper()
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: h.driveToken}))
	var err error
	if h.files, err = driveapi.NewService(t.Context(), authorized, option.WithEndpoint(h.drive+"/drive/v3/")); err != nil {
		t.Fatal(err)
	}
	if h.docs, err = docsapi.NewService(t.Context(), authorized, option.WithEndpoint(h.drive+"/")); err != nil {
		t.Fatal(err)
	}
}

func (h *harness) dialTemporal(t *testing.T, stack testkit.Stack) {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{
		HostPort: stack.TemporalAddress, Namespace: stack.TemporalNamespace,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatalf("reach Temporal: %v", err)
	}
	t.Cleanup(c.Close)
	h.temporal = c
}

// eventually waits for what becomes true without anybody saying so. check
// says what it saw instead.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: not within %v: %v", what, patience, err)
		}
	}
}

// An automationRow is what the service keeps of an accepted event.
type automationRow struct {
	id, state, reason string
}

func (h *harness) automations(t *testing.T, workflowID string) []automationRow {
	t.Helper()
	rows, err := h.database.Query(t.Context(), `
		SELECT id, state, reason
		FROM automations
		WHERE workflow_id = $1
		ORDER BY accepted_at`, workflowID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []automationRow
	for rows.Next() {
		var a automationRow
		if err := rows.Scan(&a.id, &a.state, &a.reason); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// finished waits until the workflow's only automation has ended in that state.
func (h *harness) finished(t *testing.T, workflowID string, state platen.AutomationState) automationRow {
	t.Helper()
	var a automationRow
	eventually(t, "automation "+string(state), func() error {
		all := h.automations(t, workflowID)
		if len(all) != 1 || all[0].state != string(state) {
			return fmt.Errorf("got %v", all)
		}
		a = all[0]
		return nil
	})
	return a
}

// events returns type and state of the workflow's events.
func (h *harness) events(t *testing.T, workflowID string) []string {
	t.Helper()
	rows, err := h.database.Query(t.Context(), `
		SELECT type || ' ' || state
		FROM events
		WHERE workflow_id = $1
		ORDER BY created_at`, workflowID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
