// Package postgres is the service's database: hand-written SQL on pgx,
// migrations embedded, and one store for each aggregate over one pool, in a
// file of its name. It owns every transaction, seals what must be secret at
// rest, and classifies what Postgres answers into platen.Error once, here.
//
// It knows the domain only. No decision of the product that could be
// made without a row in hand belongs here, no HTTP, no Temporal. Statements that
// one part alone runs are in the packages below, by the role that runs them: accept, run and
// operate. Nobody else writes SQL against these tables.
//
// Roles and LISTEN need a session: a pooler between this package and Postgres runs in
// session mode, which Open checks.
package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
)

// A DB is the service's database: one pool, and a store for each aggregate on
// it. A store's public methods own their transactions; what they share takes
// one. A DB and its stores are safe for concurrent use.
type DB struct {
	pool  *pgxpool.Pool
	vault Vault
	// ended is called for each automation that ended here. Never nil.
	ended func(context.Context, platen.Ending)

	Users       *Users
	Tokens      *Tokens
	Connections *Connections

	Workflows *Workflows
	Documents *Documents
	Sources   *Sources
	Webhooks  *Webhooks
	Receivers *Receivers
	Forms     *PublicForms

	Batches     *Batches
	Automations *Automations
	Plans       *Plans
	Outputs     *Outputs
	Numbers     *Numbers
	Usage       *Usage
	Outbox      *Outbox
	Mails       *Mails
	Targets     *Targets
	MailSenders *MailSenders
	Schedules   *Schedules
	Reviews     *Reviews

	Events     *Events
	Deliveries *Deliveries
	Endpoints  *Endpoints

	Idempotency       *Idempotency
	OrphanedTemplates *OrphanedTemplates
	TemplateVersions  *TemplateVersions
	Previews          *Previews
	Pictures          *Pictures

	Quotas *Quotas

	Audit *Audit
}

// Options of Open; the zero value is ready to use.
type Options struct {
	// MaxConns bounds the pool. Default: pool_max_conns of the URL, else DefaultMaxConns.
	MaxConns int32
	// AllowUnsafeDurability opens a server that may lose what it acknowledged
	// when it crashes (fsync, full_page_writes or synchronous_commit off).
	// "Accepted" then means nothing: for throw-away data only.
	AllowUnsafeDurability bool
	// Ended is called for each automation that this process ended, once, after that was
	// stored. It must not block. Default: nobody is.
	Ended func(context.Context, platen.Ending)
	// Part is whose role the connections take, where the database has roles. With
	// PartFront they act as PartAPI where the context carries a caller
	// (platen.WithCaller). Empty: they stay what they connect as.
	Part Part
	// Application is the name of the program, as pg_stat_activity shows it, where the URL
	// says none. Default: platen.
	Application string
	// Tracer receives each statement. Default: none.
	Tracer pgx.QueryTracer
}

// DefaultMaxConns is the size of a pool when neither URL nor Options say one.
const DefaultMaxConns = 12

// Open connects to the database at url and checks that it keeps what it
// acknowledges, and that each connection keeps its session. It does not migrate. A server
// that does not answer is KindUnavailable, one that is configured to lose data and a pooler
// that shares sessions KindInvalid.
func Open(ctx context.Context, url string, sealer Sealer, options Options) (*DB, error) {
	config, err := poolConfig(url, options)
	if err != nil {
		return nil, err
	}
	if err := CheckSessions(ctx, config.ConnConfig); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if options.Part != "" {
		if _, err := TakeRole(ctx, config, options.Part); err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", Classify(err))
	}
	if !options.AllowUnsafeDurability {
		if err := checkDurability(ctx, pool); err != nil {
			pool.Close()
			return nil, fmt.Errorf("open database: %w", err)
		}
	}
	db := New(pool, sealer)
	if options.Ended != nil {
		db.ended = options.Ended
	}
	return db, nil
}

func poolConfig(url string, options Options) (*pgxpool.Config, error) {
	config, err := ReadURL(url, Session{Application: options.Application})
	if err != nil {
		return nil, err
	}
	if options.MaxConns > 0 {
		config.MaxConns = options.MaxConns
	}
	config.ConnConfig.Tracer = options.Tracer
	return config, nil
}

// New makes a DB on a pool that the caller opened and will close.
func New(pool *pgxpool.Pool, sealer Sealer) *DB {
	db := &DB{pool: pool, vault: Vault{sealer}, ended: func(context.Context, platen.Ending) {}}

	db.Users, db.Tokens, db.Connections = &Users{db}, &Tokens{db}, &Connections{db}
	db.Workflows, db.Documents, db.Sources, db.Webhooks = &Workflows{db}, &Documents{db}, &Sources{db}, &Webhooks{db}

	db.Numbers, db.Usage, db.Batches = &Numbers{db}, &Usage{db}, &Batches{db: db}
	db.Outbox, db.Mails, db.MailSenders, db.Targets = &Outbox{db}, &Mails{db}, &MailSenders{db}, &Targets{db}
	db.Reviews, db.Schedules = &Reviews{db}, &Schedules{db}
	db.Automations, db.Plans, db.Outputs = newAutomations(db), newPlans(db), newOutputs(db)

	db.Forms, db.Receivers = &PublicForms{db}, &Receivers{db}

	db.Events, db.Deliveries, db.Endpoints = &Events{db}, newDeliveries(db), newEndpoints(db)

	db.TemplateVersions = &TemplateVersions{db}
	db.Idempotency, db.OrphanedTemplates, db.Previews, db.Pictures = &Idempotency{db}, &OrphanedTemplates{db}, &Previews{db}, &Pictures{db}
	db.Quotas = &Quotas{db: db}
	db.Audit = &Audit{db}
	return db
}

// Pool is for statements outside a transaction, for migrations and for metrics. Statements
// belong into this package and those below it.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Vault seals what must be secret at rest, and opens it.
func (db *DB) Vault() Vault { return db.vault }

// Close waits for connections in use and closes the pool.
func (db *DB) Close() { db.pool.Close() }

// CheckDurability answers nil when the server keeps what it acknowledges, else
// KindInvalid.
func (db *DB) CheckDurability(ctx context.Context) error { return checkDurability(ctx, db.pool) }

// checkDurability refuses settings under which Postgres acknowledges commits
// that a crash takes back.
func checkDurability(ctx context.Context, pool *pgxpool.Pool) error {
	for _, setting := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		var value string
		if err := pool.QueryRow(ctx, `SELECT current_setting(@setting)`, pgx.NamedArgs{"setting": setting}).Scan(&value); err != nil {
			return fmt.Errorf("read setting %s: %w", setting, Classify(err))
		}
		if value == "off" {
			return platen.Errorf(platen.KindInvalid, "unsafe_durability",
				"the database runs with %s = off and may lose what it acknowledged: switch it on, or allow unsafe durability for throw-away data", setting)
		}
	}
	return nil
}

// InTx runs do in a transaction and commits when it returns nil. The error of
// do comes back as it is; those of begin and commit are classified.
func (db *DB) InTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", Classify(err))
	}
	if err := do(tx); err != nil {
		// The connection may be the reason; the pool throws it away then.
		_ = tx.Rollback(context.WithoutCancel(ctx))
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit: %w", Classify(err))
	}
	return nil
}
