package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
)

const database = "database"

// database looks at the server, and by its clock at that of this machine.
func (e *examination) database(ctx context.Context) {
	pool, err := limited(ctx, e.Limit, e.openPool)
	if shared, ok := errors.AsType[*platen.Error](err); ok && shared.Code == "sessions_shared" {
		e.add(Finding{
			database, "pooler", Failure, "A pooler gives the session of one connection to others (transaction or statement mode).",
			"Set the pooler to session mode, or name its address for sessions or that of Postgres in PLATEN_DATABASE_URL.",
		})
		return
	}
	if err != nil {
		e.add(Finding{database, "server", Failure, "Postgres cannot be used: " + sentence(err), e.databaseCure(err)})
		return
	}
	defer pool.Close()
	e.add(Finding{database, "pooler", OK, "Each connection keeps its session.", ""})
	for subject, check := range map[string]func(context.Context, *pgxpool.Pool) (Finding, error){
		"server": e.server, "settings": e.sessionSettings, "statement log": e.statementLog, "migrations": e.migrations, "connections": e.connections, "privileges": e.privileges, "keys": e.keys, "durability": e.durability, "walls": e.walls, "encryption": e.encryption, "workers": e.workers, "waits": e.waits, "mail senders": e.mailSenders,
	} {
		f, err := limited(ctx, e.Limit, func(ctx context.Context) (Finding, error) { return check(ctx, pool) })
		if err != nil {
			f = Finding{Status: Failure, Message: sentence(err), Cure: e.databaseCure(err)}
		}
		f.Area, f.Subject = database, subject
		e.add(f)
	}
	e.databaseClock(ctx, pool)
}

// openPool opens the database and calls it.
func (e *examination) openPool(ctx context.Context) (*pgxpool.Pool, error) {
	if e.Settings.DatabaseURL == "" {
		return nil, errNoDatabase
	}
	pool, err := e.Pool(ctx)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// errNoDatabase says that there is no database to look at.
var errNoDatabase = errors.New("PLATEN_DATABASE_URL is not set")

// isRefused tells of an error of Postgres, which is not what a check looks for.
func isRefused(err error) bool {
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok
}

// databaseCure is what to do about a database that cannot be used.
func (e *examination) databaseCure(err error) string {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	ours, isOurs := errors.AsType[*platen.Error](err)
	_, unreadable := errors.AsType[*pgconn.ParseConfigError](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, errNoDatabase):
		return "Set PLATEN_DATABASE_URL, as for serve and worker."
	case isOurs && ours.Code == "postgres_too_old":
		return "Update Postgres to 14 or later."
	case unreadable:
		return "Write PLATEN_DATABASE_URL as postgres://user:password@host:5432/database; characters such as @ and / of the password in percent-encoding."
	case unknown:
		return "Correct the host in PLATEN_DATABASE_URL, or have DNS know it."
	case untrusted:
		return "Name the certificate authority of Postgres in PLATEN_DATABASE_URL (sslrootcert), or a host that its certificate has."
	case !ok:
		return "Start Postgres, or correct host and port in PLATEN_DATABASE_URL; look at the firewall between them."
	case strings.HasPrefix(refused.Code, "28"):
		return "Correct user and password in PLATEN_DATABASE_URL, and allow this machine in pg_hba.conf."
	case refused.Code == "3D000":
		return "Create the database" + e.createDatabase() + "."
	case refused.Code == "53300":
		return "Raise max_connections of Postgres, or run fewer programs."
	case refused.Code == "42501":
		return "Grant the rights that the message names, or let the role that runs 'platen migrate' run the programs, too."
	case strings.HasPrefix(refused.Code, "57P"):
		return "Wait until Postgres has started."
	}
	return "Look at the log of Postgres."
}

// createDatabase is the command that makes the database, for a role that may.
func (e *examination) createDatabase() string {
	c, err := pgx.ParseConfig(e.Settings.DatabaseURL)
	if err != nil {
		return ""
	}
	return ": createdb " + c.Database + " --owner " + c.User
}

func (e *examination) server(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	var version, encoding string
	var standby bool
	err := pool.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_encoding'), pg_is_in_recovery()`).Scan(&version, &encoding, &standby)
	switch {
	case err != nil:
		return Finding{}, err
	case encoding != "UTF8":
		return Finding{
			Status: Failure, Message: "The database keeps texts as " + encoding + ", which not every name fits into.",
			Cure: "Make a database with createdb --encoding UTF8 --template template0, and copy what is in this one with pg_dump.",
		}, nil
	case standby:
		return Finding{Status: Failure, Message: "This Postgres is a standby, which takes no changes.", Cure: "Give the address of the primary in PLATEN_DATABASE_URL."}, nil
	}
	return Finding{Status: OK, Message: "Postgres " + version + "."}, nil
}

func (e *examination) migrations(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	err := errors.Join(postgres.New(pool, nil).CheckSchema(ctx), store.New(pool).CheckSchema(ctx))
	if isRefused(err) {
		return Finding{}, err
	}
	if err != nil {
		return Finding{Status: Failure, Message: "Migrations: " + sentence(err), Cure: "Run 'platen migrate' of this release."}, nil
	}
	return Finding{Status: OK, Message: "The database has every migration of this release."}, nil
}

// sessionSettings looks whether the address of the database sets something in another way
// than the programs do.
func (e *examination) sessionSettings(_ context.Context, pool *pgxpool.Pool) (Finding, error) {
	if others := postgres.OtherSettings(pool.Config()); len(others) > 0 {
		return Finding{Status: Warning, Message: "The address of the database sets " + strings.Join(others, ", ") + ".", Cure: "Take these out of PLATEN_DATABASE_URL: each program sets what it needs."}, nil
	}
	return Finding{Status: OK, Message: "Connections set what they need themselves; jit, time zone and search path of the server do not matter."}, nil
}

// statementLog looks whether the server writes what statements are called with into its
// log. What failed statements are called with is not there: connections see to that.
func (e *examination) statementLog(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	rows, _ := pool.Query(ctx, `
		SELECT name
		FROM (VALUES
			(1, 'log_statement', current_setting('log_statement') IN ('mod', 'all') AND current_setting('log_parameter_max_length') <> '0'),
			(2, 'log_min_duration_statement', current_setting('log_min_duration_statement') <> '-1' AND current_setting('log_parameter_max_length') <> '0'),
			(3, 'log_min_duration_sample', current_setting('log_min_duration_sample') <> '-1' AND current_setting('log_parameter_max_length') <> '0'),
			(4, 'log_transaction_sample_rate', current_setting('log_transaction_sample_rate') <> '0' AND current_setting('log_parameter_max_length') <> '0'),
			(5, 'auto_explain.log_min_duration', coalesce(current_setting('auto_explain.log_min_duration', true), '-1') <> '-1' AND coalesce(current_setting('auto_explain.log_parameter_max_length', true), '0') <> '0'),
			(6, 'pgaudit.log_parameter', coalesce(current_setting('pgaudit.log_parameter', true), 'off') = 'on')
		) logs (at, name, on_now)
		WHERE on_now
		ORDER BY at`) // rows have its error, too
	on, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return Finding{}, err
	}
	if len(on) > 0 {
		return Finding{
			Status: Warning, Message: "Postgres writes statements with their values, which are customers' data, into its log (" + strings.Join(on, ", ") + ").",
			Cure: "Have a superuser run ALTER DATABASE " + pgx.Identifier{pool.Config().ConnConfig.Database}.Sanitize() + " SET log_parameter_max_length = 0 (auto_explain and pgaudit have settings of their own), then start the programs again.",
		}, nil
	}
	return Finding{Status: OK, Message: "Postgres writes no values of statements into its log."}, nil
}

// connections counts what is left beside what is used, and what the programs may open.
func (e *examination) connections(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	var most, used int
	// Of sessions of other roles Postgres shows a role without pg_read_all_stats the
	// database and the role alone.
	err := pool.QueryRow(ctx, `
		SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - coalesce(current_setting('reserved_connections', true), '0')::int,
			(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL AND datid IS NOT NULL AND usesysid IS NOT NULL)`).Scan(&most, &used)
	if err != nil {
		return Finding{}, err
	}
	open := e.Connections
	message := fmt.Sprintf("%d of %d connections are in use; one serve, worker and drive open up to %d, %d and %d.", used, most, open.Serve, open.Worker, open.Drive)
	if all := open.Serve + open.Worker + open.Drive; most < all || most-used < open.Serve {
		return Finding{Status: Warning, Message: message, Cure: fmt.Sprintf("Raise max_connections to %d for each machine that runs all three, and one program more while it is replaced; or give each program fewer with pool_max_conns in its address.", all)}, nil
	}
	return Finding{Status: OK, Message: message}, nil
}

// workers looks whether any is there, by what they say themselves every few seconds:
// Temporal lists a poller for minutes after it has gone.
func (e *examination) workers(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	o, err := postgres.New(pool, nil).Overview(ctx)
	if err != nil {
		return Finding{}, err
	}
	waiting := ""
	if o.Backlog > o.Paused {
		waiting = fmt.Sprintf(" %d automations wait to start, the oldest for %v.", o.Backlog-o.Paused, o.OldestAge.Round(time.Second))
	}
	const cure = "Start 'platen worker' with the same PLATEN_DATABASE_URL, and read its log if it runs."
	switch {
	case o.Workers == 0:
		return Finding{Status: Failure, Message: "No worker is there: events are accepted, and nothing starts." + waiting, Cure: cure}, nil
	case o.Backlog > o.Paused && o.OldestAge > longWait:
		return Finding{Status: Warning, Message: fmt.Sprintf("Workers: %d.%s", o.Workers, waiting), Cure: "Look at 'platen status' for what runs wait for, and start more workers if all places are taken."}, nil
	}
	return Finding{Status: OK, Message: fmt.Sprintf("Workers: %d, which take %d runs.%s", o.Workers, o.Carried, waiting)}, nil
}

// waits looks at what waits for people, and for others of its key.
func (e *examination) waits(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	o, err := postgres.New(pool, nil).Overview(ctx)
	if err != nil {
		return Finding{}, err
	}
	days := func(d time.Duration) string { return fmt.Sprintf("%.1f days", d.Hours()/24) }
	message := "Nothing waits for people, or behind another of its key."
	if o.Reviews+o.Behind > 0 {
		message = fmt.Sprintf("Outputs that wait for approval: %d, the oldest for %s. Automations behind another of their key: %d, the oldest for %s.", o.Reviews, days(o.OldestReview), o.Behind, days(o.OldestBehind))
	}
	switch {
	case o.ReviewsUnsent > 0:
		return Finding{Status: Warning, Message: fmt.Sprintf("%s The mails about %d did not go out.", message, o.ReviewsUnsent), Cure: "Look at the mail server with this command; each output's review.unsent says why. Those who are signed in can answer meanwhile."}, nil
	case o.OldestReview > longReview:
		return Finding{Status: Warning, Message: message, Cure: "Tell the owner: approvers and deputies are those of the document's approval. Expired outputs fail by themselves."}, nil
	case o.OldestBehind > longBehind:
		return Finding{Status: Warning, Message: message, Cure: "Find what is before them with 'platen automation list': it may wait for an approval, or for a retry. Cancel it if it is not to be made."}, nil
	}
	return Finding{Status: OK, Message: message}, nil
}

// mailSenders looks whether servers of owners fail now: mails that leave by them wait.
func (e *examination) mailSenders(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	o, err := postgres.New(pool, nil).Overview(ctx)
	if err != nil {
		return Finding{}, err
	}
	if o.SendersFailing > 0 {
		return Finding{Status: Warning, Message: fmt.Sprintf("Mail senders whose server fails now: %d. Their mails wait for a day at most.", o.SendersFailing), Cure: "Their owners read why with 'platen senders list', and correct it. If all fail, look whether the worker reaches mail servers."}, nil
	}
	return Finding{Status: OK, Message: "The last attempt failed at no mail sender's server."}, nil
}

// How long an output may wait for people, and an automation behind another of its key, before
// that is a warning. The alerts have the same.
const (
	longReview = 14 * 24 * time.Hour
	longBehind = 24 * time.Hour
)

// longWait is how long an event may wait to be started before that is a warning.
const longWait = 5 * time.Minute

// privileges looks whether this role may change all of our tables but those of the
// migrations. Ours are those of the role that has those of the migrations.
func (e *examination) privileges(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	standing, err := postgres.ReadStanding(ctx, pool)
	if err != nil {
		return Finding{}, err
	}
	if standing.Excess() == "" {
		return Finding{Status: OK, Message: "The login " + standing.Login + " has the rights of its program."}, nil
	}
	rows, _ := pool.Query(ctx, `
		SELECT n.nspname || '.' || c.relname
		FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_class m ON m.relnamespace = n.oid AND m.relname = 'migrations' AND m.relowner = c.relowner
		WHERE n.nspname IN ('public', 'drive') AND c.relkind IN ('r', 'p') AND c.relname <> 'migrations'
			AND NOT (has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
				AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
		ORDER BY 1`) // rows have its error, too
	lacking, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return Finding{}, err
	}
	if len(lacking) > 0 {
		return Finding{
			Status: Failure, Message: fmt.Sprintf("The role may not read and change %d tables, such as %s.", len(lacking), lacking[0]),
			Cure: "Grant USAGE on their schemas, and SELECT, INSERT, UPDATE, DELETE on Platen's tables in them, to the role of PLATEN_DATABASE_URL.",
		}, nil
	}
	return Finding{Status: OK, Message: "The role may read and change all tables."}, nil
}

// walls looks whether the programs are kept apart in the database, and tenants by
// row-level security.
func (e *examination) walls(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	standing, err := postgres.ReadStanding(ctx, pool)
	if err != nil {
		return Finding{}, err
	}
	switch excess := standing.Excess(); {
	case excess == "":
		return Finding{Status: OK, Message: "Each program has a role of its own, and row-level security is on."}, nil
	case len(standing.Roles) == 0:
		return Finding{Status: Warning, Message: "The walls are off: " + excess + ".", Cure: "Run 'platen roles', with a login for each program."}, nil
	}
	// Commands need the login that owns the tables; the programs need not.
	beyond, connected, err := postgres.LoginsBeyondWalls(ctx, pool)
	switch {
	case err != nil:
		return Finding{}, err
	case len(beyond) > 0:
		return Finding{Status: Warning, Message: fmt.Sprintf("Row-level security is on, but programs connect as %s, which it does not bind.", strings.Join(beyond, ", ")), Cure: "Give each program the login that 'platen roles' made for it, and set PLATEN_REQUIRE_ROLES."}, nil
	case connected == 0:
		return Finding{Status: Warning, Message: "Row-level security is on, and no program is connected, so it was not seen whether each has its own login.", Cure: "Run 'platen doctor' again while the programs run."}, nil
	}
	return Finding{Status: OK, Message: "Row-level security is on, and the programs that are connected have logins of their own. This command has " + standing.Login + "."}, nil
}

// keys tries the keys on what is stored.
func (e *examination) keys(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	const cure = "Give the keys that this database was used with in PLATEN_SECRET_KEYS, the newest first."
	if e.Settings.SecretKeys == "" {
		return Finding{Status: Warning, Message: "No keys were given, so stored secrets were not looked at.", Cure: "Set PLATEN_SECRET_KEYS, as for serve and worker."}, nil
	}
	box, err := secret.ParseKeys(string(e.Settings.SecretKeys))
	if err != nil {
		return Finding{Status: Failure, Message: "The keys cannot be read.", Cure: "Give keys that 'platen key' made in PLATEN_SECRET_KEYS."}, nil
	}
	db := postgres.New(pool, box)
	if db.CheckSchema(ctx) != nil {
		return Finding{Status: Warning, Message: "There are no tables to try the keys on.", Cure: "Run 'platen migrate'."}, nil
	}
	if err := db.CheckSecrets(ctx); isRefused(err) {
		return Finding{}, err
	} else if err != nil {
		return Finding{Status: Failure, Message: "Stored secrets: " + sentence(err), Cure: cure}, nil
	}
	return Finding{Status: OK, Message: "The keys open what is stored."}, nil
}

func (e *examination) durability(ctx context.Context, pool *pgxpool.Pool) (Finding, error) {
	err := postgres.New(pool, nil).CheckDurability(ctx)
	switch {
	case isRefused(err):
		return Finding{}, err
	case err == nil:
		return Finding{Status: OK, Message: "Postgres keeps what it acknowledges."}, nil
	case e.Settings.AllowUnsafeDurability.Value():
		return Finding{Status: Warning, Message: "Durability: " + sentence(err), Cure: "Keep nothing here that must not be lost (PLATEN_ALLOW_UNSAFE_DURABILITY is set)."}, nil
	}
	return Finding{Status: Failure, Message: "Durability: " + sentence(err), Cure: "Set fsync, full_page_writes and synchronous_commit of Postgres to on."}, nil
}

// encryption looks at how the address of the database asks for TLS.
func (e *examination) encryption(_ context.Context, pool *pgxpool.Pool) (Finding, error) {
	if hosts := postgres.ClearText(pool.Config()); hosts != "" {
		return Finding{Status: Warning, Message: "The connection to Postgres may be in clear text (" + hosts + ").", Cure: "Add sslmode=verify-full to PLATEN_DATABASE_URL, and sslrootcert=FILE for an authority of your own."}, nil
	}
	return Finding{Status: OK, Message: "The connection to Postgres is encrypted, or does not leave this machine."}, nil
}

// databaseClock compares this machine's clock with that of Postgres.
func (e *examination) databaseClock(ctx context.Context, pool *pgxpool.Pool) {
	before := e.Now()
	theirs, err := limited(ctx, e.Limit, func(ctx context.Context) (at time.Time, err error) {
		return at, pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&at)
	})
	if err != nil {
		e.add(Finding{clock, "Postgres", Warning, "The clock of Postgres was not read: " + sentence(err), e.databaseCure(err)})
		return
	}
	e.clock("Postgres", before, e.Now(), theirs, 0)
}
