// Package app puts the parts of Platen together: Serve, Work and Drive each
// open what they need, run until their context ends, and close it in order.
// Both programs call them, so what runs on one machine is what runs in
// production. Nothing else opens connections or owns lifetimes, and no rule of
// the product stands here.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for schedules, where the machine has no time zones

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/quota"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/telemetry"
)

// Logger returns the logger that the settings ask for, on standard error.
func Logger(c config.Log) *slog.Logger { return LoggerTo(os.Stderr, c) }

// LoggerTo returns it on w.
func LoggerTo(w io.Writer, c config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel.Value(), ReplaceAttr: withoutContents}
	if c.LogFormat == config.LogText {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// withoutContents logs of a value with parts its type alone, unless it says itself
// how it is logged: a connection or a source event that is logged whole, by mistake,
// shows neither its credential nor its body.
func withoutContents(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindAny {
		return a
	}
	value := a.Value.Any()
	switch value.(type) {
	case nil, error, fmt.Stringer, *slog.Source, slog.Level, []string:
		return a
	}
	switch of := reflect.TypeOf(value); of.Kind() {
	case reflect.Struct, reflect.Map, reflect.Pointer, reflect.Slice, reflect.Array, reflect.Interface, reflect.Func:
		a.Value = slog.StringValue("[" + of.String() + "]")
	}
	return a
}

// logEnding returns what writes one line for each automation that ended: those that
// FAILED as warnings.
func logEnding(log *slog.Logger) func(context.Context, platen.Ending) {
	return func(ctx context.Context, e platen.Ending) {
		level := slog.LevelInfo
		if e.State == platen.AutomationFailed {
			level = slog.LevelWarn
		}
		attrs := []slog.Attr{
			slog.String("automation", e.AutomationID), slog.String("workflow", e.WorkflowID), slog.String("owner", e.OwnerID),
			slog.String("state", string(e.State)), slog.Int("attempt", e.Attempt), slog.Float64("ms", milliseconds(e.FinishedAt.Sub(e.AcceptedAt))),
		}
		if !e.StartedAt.IsZero() {
			attrs = append(attrs, slog.Float64("waited_ms", milliseconds(e.StartedAt.Sub(e.AcceptedAt))))
		}
		if e.Test {
			attrs = append(attrs, slog.Bool("test", true))
		}
		if e.Code != "" {
			attrs = append(attrs, slog.String("code", e.Code))
		}
		log.LogAttrs(ctx, level, "automation ended", attrs...)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// noteEnding returns what logs, counts and traces each automation that ended.
func noteEnding(log *slog.Logger, m *telemetry.Metrics, traces *telemetry.Traces) func(context.Context, platen.Ending) {
	logged := logEnding(log)
	return func(ctx context.Context, e platen.Ending) {
		logged(ctx, e)
		traces.Run(ctx, e.AutomationID, e.Attempt, e.StartedAt, e.FinishedAt, string(e.State), e.Code)
		m.Ended(e, traces.ID(e.AutomationID))
	}
}

// openDatabase opens the service's database for a part with the keys of its secrets, and
// waits for it as long as it does not answer.
func openDatabase(ctx context.Context, part postgres.Part, d config.Database, s config.Secrets, wait time.Duration, log *slog.Logger, m *telemetry.Metrics, traces *telemetry.Traces) (*postgres.DB, *secret.Box, error) {
	box, err := s.Box()
	if err != nil {
		return nil, nil, err
	}
	db, err := awaitDatabase(ctx, d, box, wait, log, postgres.Options{Part: part, Ended: noteEnding(log, m, traces), Tracer: traces.Statements()}, func(ctx context.Context, db *postgres.DB) error {
		return errors.Join(fits(ctx, db), checkStanding(ctx, db.Pool(), d, log))
	})
	if err != nil {
		return nil, nil, fmt.Errorf("open the database: %w", err)
	}
	return db, box, nil
}

// awaitDatabase opens the service's database with one login and role, and waits for it as
// long as it does not answer. A database that the check refuses is closed.
func awaitDatabase(ctx context.Context, d config.Database, box *secret.Box, wait time.Duration, log *slog.Logger, o postgres.Options, check func(context.Context, *postgres.DB) error) (*postgres.DB, error) {
	o.Application, o.AllowUnsafeDurability = application(o.Part), d.AllowUnsafeDurability.Value()
	return await(ctx, wait, log, "Postgres", func(ctx context.Context) (*postgres.DB, error) {
		db, err := postgres.Open(ctx, d.DatabaseURL, box, o)
		if err != nil {
			return nil, err
		}
		if err := check(ctx, db); err != nil {
			db.Close()
			return nil, err
		}
		return db, nil
	})
}

// openAccept opens the database for accepting events, which no other part does.
func openAccept(ctx context.Context, c config.Serve, box *secret.Box, log *slog.Logger, traces *telemetry.Traces) (*postgres.DB, error) {
	o := postgres.Options{Part: postgres.PartAccept, MaxConns: acceptConns, Tracer: traces.Statements()}
	db, err := awaitDatabase(ctx, c.Database, box, c.StartWait.Value(), log, o, func(context.Context, *postgres.DB) error { return nil })
	if err != nil {
		return nil, fmt.Errorf("open the database to accept events: %w", err)
	}
	return db, nil
}

// application is what connections are called in pg_stat_activity: the program that a
// part belongs to, and its build.
func application(part postgres.Part) string {
	program := "serve"
	switch part {
	case postgres.PartWork:
		program = "worker"
	case postgres.PartDrive:
		program = "drive"
	}
	return "platen " + program + " " + Version()
}

// acceptConns are for the flushers of the batcher, its notifications and the questions
// for source keys, with some to spare.
const acceptConns = 6

// checkStanding says when a login may do more than its program needs, and refuses it
// where that was asked for.
func checkStanding(ctx context.Context, pool *pgxpool.Pool, d config.Database, log *slog.Logger) error {
	standing, err := postgres.ReadStanding(ctx, pool)
	if err != nil {
		return err
	}
	if hosts := postgres.ClearText(pool.Config()); hosts != "" {
		log.Warn("the connection to Postgres may be in clear text: add sslmode=verify-full to the address of the database", "hosts", hosts)
	}
	excess := standing.Excess()
	switch {
	case excess == "":
		return nil
	case d.RequireRoles.Value():
		return platen.Errorf(platen.KindInvalid, "role_excessive",
			"%s: run 'platen roles' and give this program the login that it makes, or unset PLATEN_REQUIRE_ROLES", excess)
	}
	log.Warn("the login is not restricted by roles and row-level security: 'platen roles' makes logins that are", "reason", excess)
	return nil
}

// fits answers nil when the database has the tables of this program and its
// secrets open with the keys.
func fits(ctx context.Context, db *postgres.DB) error {
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	return db.CheckSecrets(ctx)
}

// Migrate brings the service's and the drive's schema up to this release, as
// Upgrade does, on a database that answers.
func Migrate(ctx context.Context, databaseURL string) error {
	pool, err := openToChange(ctx, databaseURL, 0, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = upgrade(ctx, pool, slog.New(slog.DiscardHandler))
	return err
}

// Upgrade brings the service's and the drive's schema up to this release, and
// returns the names of the migrations that it applied; none when there was
// nothing to do. It is safe to run at any time, also several times at once. It
// waits for a database that does not answer. What an operator applied has an entry in
// the audit, with the last migration.
func Upgrade(ctx context.Context, databaseURL string, wait time.Duration, log *slog.Logger) (applied []string, err error) {
	pool, err := openToChange(ctx, databaseURL, wait, log)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	applied, err = upgrade(ctx, pool, log)
	if err != nil || len(applied) == 0 {
		return applied, err
	}
	return applied, admin.Act(ctx, postgres.New(pool, nil).Audit, admin.ByCommand("platen migrate"), func(ctx context.Context) error {
		platen.About(ctx, applied[len(applied)-1])
		return nil
	})
}

// openToChange opens a database whose tables or roles are to be changed, once it answers.
func openToChange(ctx context.Context, databaseURL string, wait time.Duration, log *slog.Logger) (*pgxpool.Pool, error) {
	// An index of a large table takes longer than statements of a login may.
	c, err := postgres.ReadURL(databaseURL, postgres.Session{
		Application: "platen migrate " + Version(), Settings: map[string]string{"statement_timeout": "0"},
	})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	_, err = await(ctx, wait, log, "Postgres", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, postgres.CheckSessions(ctx, c.ConnConfig)
	})
	if err != nil {
		return nil, fmt.Errorf("reach the database (--database-url, PLATEN_DATABASE_URL): %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

func upgrade(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) (applied []string, err error) {
	service, err := postgres.Upgrade(ctx, pool, log)
	if err != nil {
		return nil, fmt.Errorf("migrate the service's schema: %w", err)
	}
	files, err := store.Upgrade(ctx, pool, log)
	if err != nil {
		return nil, fmt.Errorf("migrate the drive's schema: %w", err)
	}
	if err := operate.RaiseWalls(ctx, pool, log); err != nil {
		return nil, err
	}
	for _, name := range service {
		applied = append(applied, "service "+name)
	}
	for _, name := range files {
		applied = append(applied, "drive "+name)
	}
	return applied, nil
}

// connector opens users' drives by the connections that the database keeps, which
// it reads again when remember is over.
func connector(c config.Cloud, q config.GoogleQuotas, db *postgres.DB, remember time.Duration, log *slog.Logger, m *telemetry.Metrics) (*google.Connector, error) {
	options := google.Options{Connections: db.Connections.DriveConnection, Withdrawn: markBroken(db.Connections, log), Remember: remember, Transport: telemetry.TraceDrive(m.DriveCalls(google.NewTransport()))}
	if limits := quotas(c, q); limits != (platen.Quotas{}) {
		options.Budgets = quota.Budgets{Store: db.Quotas, Limits: limits}
	}
	return newConnector(c, options)
}

// newConnector opens drives of the kind and at the addresses that were chosen.
func newConnector(c config.Cloud, options google.Options) (*google.Connector, error) {
	options.Kind = c.Kind()
	switch options.Kind {
	case platen.DriveGoogle:
		options.ServiceAccountFile = c.ServiceAccountFile
		options.OAuthClientID, options.OAuthClientSecret = c.OAuthClientID, string(c.OAuthClientSecret)
		if c.OAuthEndpoint != "" {
			options.TokenURL = strings.TrimRight(c.OAuthEndpoint, "/") + "/token"
		}
	case platen.DrivePlaten:
		base := strings.TrimRight(c.DriveEndpoint, "/") + "/"
		options.DriveEndpoint, options.DocsEndpoint, options.SlidesEndpoint = base+"drive/v3/", base, base
	}
	connector, err := google.NewConnector(options)
	if err != nil {
		return nil, fmt.Errorf("prepare the cloud drive: %w", err)
	}
	return connector, nil
}

// markBroken notes that a user's connection has ended, and says so in the log once.
func markBroken(connections *postgres.Connections, log *slog.Logger) func(context.Context, string, platen.DriveConnection, string) {
	return func(ctx context.Context, userID string, c platen.DriveConnection, reason string) {
		switch first, err := connections.MarkBroken(ctx, userID, c, reason); {
		case err != nil:
			log.Error("a broken drive connection could not be noted; the drive is asked again", "user", userID, "reason", reason, "error", err)
		case first:
			log.Warn("a drive connection is broken; the user's runs wait until the drive is connected again", "user", userID, "reason", reason)
		}
	}
}

// quotas returns Google's quotas with the settings over them. Our own drive has only
// those of the settings: it has no quotas unless it emulates Google.
func quotas(c config.Cloud, q config.GoogleQuotas) platen.Quotas {
	if c.Kind() == platen.DriveGoogle {
		return q.Over(quota.OfGoogle())
	}
	return q.Over(platen.Quotas{})
}

// publicURL is the configured address, or the one that is listened on.
func publicURL(configured string, l net.Listener, suffix string) string {
	if configured != "" {
		return strings.TrimRight(configured, "/")
	}
	return LocalURL(l.Addr()) + suffix
}

// LocalURL is where a listener answers to this machine: one that listens on
// every address does on localhost, while 0.0.0.0 is an address to nobody.
func LocalURL(listening net.Addr) string {
	address := listening.String()
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsUnspecified() {
		address = net.JoinHostPort("localhost", strconv.Itoa(int(at.Port())))
	}
	return "http://" + address
}
