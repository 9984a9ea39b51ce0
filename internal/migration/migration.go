// Package migration brings a schema of Postgres up to date from the migrations that
// a program was built with, and tells what a database lacks of them. The
// service's tables and those of our own drive are each one Schema, in a database
// that they may share.
//
// What a migration does, and what is said to whom when one is missing, is not
// decided here.
package migration

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// A Schema is the tables of one part of the product.
type Schema struct {
	// Name is that of the schema in Postgres. What was applied is kept in its
	// table migrations.
	Name string
	// Files are the migrations, such as 00100_baseline.sql, for goose. The first makes the
	// tables; a database with one of a lower number is refused.
	Files fs.FS
	// Lock is the advisory lock that processes which upgrade wait for.
	Lock int64
}

// New is the Schema whose migrations are the files of the folder migrations of
// files, which is how a program embeds them.
func New(name string, files fs.FS, lock int64) (Schema, error) {
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return Schema{}, fmt.Errorf("read the migrations of %s: %w", name, err)
	}
	return Schema{Name: name, Files: folder, Lock: lock}, nil
}

// Upgrade applies the migrations that the database does not have, and returns
// their names in their order, such as "00100_baseline". Any number of processes
// may call it at once: one works, the others wait and find nothing to do. A migration
// that does not get a lock in its lock_timeout is tried again until ctx ends; log says
// at WARN who uses the tables. A database that this program does not know is ErrUnknown.
func (s Schema) Upgrade(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) (applied []string, err error) {
	// The lock has a connection of its own: a pool of one would wait for itself.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := s.lock(ctx, conn); err != nil {
		return nil, fmt.Errorf("wait for the lock: %w", err)
	}
	if err := s.create(ctx, conn); err != nil {
		return nil, fmt.Errorf("create the schema %s: %w", s.Name, err)
	}
	if _, _, err := s.count(ctx, conn); err != nil {
		return nil, err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	// Migrations of work done side by side may land in any order: each stands
	// alone, so one with a lower number is applied late rather than refused.
	provider, err := goose.NewProvider(goose.DialectPostgres, db, s.Files, goose.WithTableName(s.Name+".migrations"), goose.WithAllowOutofOrder(true))
	if err != nil {
		return nil, err
	}
	return s.apply(ctx, provider, conn, log)
}

// A migration that did not get a lock in its lock_timeout is tried again after
// lockedPause, which doubles up to maxLockedPause: others wait behind each try.
const (
	lockedPause    = time.Second
	maxLockedPause = 16 * time.Second
)

// apply applies what is missing. A migration that bounds how long it waits for a lock
// is tried again until it gets it, or ctx ends.
func (s Schema) apply(ctx context.Context, provider *goose.Provider, conn *pgx.Conn, log *slog.Logger) (applied []string, err error) {
	for pause := lockedPause; ; pause = min(2*pause, maxLockedPause) {
		results, err := provider.Up(ctx)
		waiting := ""
		if partial, ok := errors.AsType[*goose.PartialError](err); ok {
			results, waiting = partial.Applied, nameOf(partial.Failed)
		}
		for _, r := range results {
			applied = append(applied, nameOf(r))
		}
		if refused, ok := errors.AsType[*pgconn.PgError](err); err == nil || !ok || refused.Code != lockNotAvailable {
			return applied, err
		}
		users, unknown := s.users(ctx, conn)
		if unknown != nil {
			return applied, errors.Join(err, fmt.Errorf("read who uses the tables of %s: %w", s.Name, unknown))
		}
		log.Warn("a migration waits for a table that is in use, and is tried again", "migration", waiting, "users", users, "pause", pause.String())
		select {
		case <-ctx.Done():
			return applied, err
		case <-time.After(pause):
		}
	}
}

func nameOf(r *goose.MigrationResult) string {
	return strings.TrimSuffix(path.Base(r.Source.Path), ".sql")
}

// users names the transactions of this database that hold tables of the schema, the
// oldest first, ten at most, such as "pid 4711 since 12:00:00: automations, outputs".
func (s Schema) users(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, _ := conn.Query(ctx, `
		SELECT format('pid %s since %s: %s', a.pid, to_char(a.xact_start, 'HH24:MI:SS'), string_agg(DISTINCT c.relname, ', '))
		FROM pg_locks l
		JOIN pg_class c ON c.oid = l.relation
		JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND c.relnamespace = to_regnamespace(@schema) AND c.relkind IN ('r', 'p') AND a.xact_start IS NOT NULL
		GROUP BY a.pid, a.xact_start
		ORDER BY a.xact_start
		LIMIT 10`, pgx.NamedArgs{"schema": s.Name}) // rows have its error, too
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// lock asks for the lock until it has it. Waiting inside Postgres would hold a
// snapshot, and CREATE INDEX CONCURRENTLY waits for those.
func (s Schema) lock(ctx context.Context, conn *pgx.Conn) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var locked bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(@lock)`, pgx.NamedArgs{"lock": s.Lock}).Scan(&locked)
		if err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// create makes the schema where it is missing: that takes a right to the
// database, which nobody needs for one that is there, such as public.
func (s Schema) create(ctx context.Context, conn *pgx.Conn) error {
	var there bool
	err := conn.QueryRow(ctx, `SELECT to_regnamespace(@name) IS NOT NULL`, pgx.NamedArgs{"name": s.Name}).Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{s.Name}.Sanitize())
	return err
}

// SQLSTATEs.
const (
	undefinedTable   = "42P01"
	lockNotAvailable = "55P03"
)

// ErrUnknown says that a database has migrations before the first of this program: a build
// that was never released made its tables.
var ErrUnknown = errors.New("the database was made by a build before the first release, and cannot be upgraded: remove it and start with an empty one (of platen-dev: remove its data directory)")

// Count counts the migrations that the database has, and those of this program
// that it does not have. More than the program knows are fine: those of the next
// release work beside it. A database that this program does not know is ErrUnknown.
func (s Schema) Count(ctx context.Context, pool *pgxpool.Pool) (applied, missing int, err error) {
	return s.count(ctx, pool)
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (s Schema) count(ctx context.Context, q querier) (applied, missing int, err error) {
	rows, _ := q.Query(ctx, `SELECT version_id FROM `+pgx.Identifier{s.Name, "migrations"}.Sanitize()+` WHERE is_applied`) // rows have its error, too
	versions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if refused, ok := errors.AsType[*pgconn.PgError](err); err != nil && (!ok || refused.Code != undefinedTable) {
		return 0, 0, fmt.Errorf("read migrations: %w", err)
	}
	names, err := fs.Glob(s.Files, "*.sql")
	if err != nil {
		return 0, 0, fmt.Errorf("read migrations: %w", err)
	}
	for i, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, 0, fmt.Errorf("read migrations: %w", err)
		}
		if i == 0 && slices.ContainsFunc(versions, func(v int64) bool { return 0 < v && v < version }) { // goose has one of 0
			return 0, 0, ErrUnknown
		}
		if !slices.Contains(versions, version) {
			missing++
		}
	}
	return len(versions), missing, nil
}
