package testkit

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var templates struct {
	sync.Mutex
	made map[string]error
}

// Database clones a database for this test alone, which is dropped some time
// after it: Postgres takes longer for that than most tests do for theirs. The
// template called name is made once per test binary by migrate; tests that
// pass the same name must pass the same migrate. It skips the test with -short, as in
// make unit.
func Database(t testing.TB, name string, migrate func(context.Context, *pgxpool.Pool) error) *pgxpool.Pool {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Postgres, which make stack starts")
	}
	return DatabaseOn(t, Running(t).DatabaseURL, name, migrate)
}

// DatabaseOn is Database on the server of another address than the stack's.
func DatabaseOn(t testing.TB, server, name string, migrate func(context.Context, *pgxpool.Pool) error) *pgxpool.Pool {
	t.Helper()
	ctx := context.Background()
	template := fmt.Sprintf("template_%s_%d", name, os.Getpid())
	if err := makeTemplate(ctx, server, template, migrate); err != nil {
		t.Fatalf("make template database %s: %v", name, err)
	}
	clone := "test_" + strings.ToLower(rand.Text())
	if err := making.execute(ctx, server, "CREATE DATABASE "+clone+" TEMPLATE "+template+""); err != nil {
		t.Fatalf("clone database: %v", err)
	}
	pool, err := pgxpool.New(ctx, withDatabase(server, clone))
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() {
		pool.Close()
		if shared, err := readStack(); err == nil && shared.DatabaseURL == server { // else the server goes with the test
			go drop(server, clone)
		}
	})
	return pool
}

// drop removes a database. One whose program ends before that goes with its
// server, which is made for the tests and thrown away.
func drop(server, database string) {
	if err := dropping.execute(context.Background(), server, "DROP DATABASE IF EXISTS "+database+" WITH (FORCE)"); err != nil {
		fmt.Fprintf(os.Stderr, "drop database %s: %v\n", database, err)
	}
}

func makeTemplate(ctx context.Context, server, template string, migrate func(context.Context, *pgxpool.Pool) error) error {
	templates.Lock()
	defer templates.Unlock()
	made := server + " " + template
	if err, done := templates.made[made]; done {
		return err
	}
	if templates.made == nil {
		templates.made = map[string]error{}
	}
	err := func() error {
		if err := making.execute(ctx, server, "DROP DATABASE IF EXISTS "+template); err != nil {
			return err
		}
		if err := making.execute(ctx, server, "CREATE DATABASE "+template); err != nil {
			return err
		}
		pool, err := pgxpool.New(ctx, withDatabase(server, template))
		if err != nil {
			return err
		}
		defer pool.Close()
		return migrate(ctx, pool)
	}()
	templates.made[made] = err
	return err
}

// A line is a connection to the shared server that stays, since Postgres takes longer for a
// new one than for most statements. making does not wait for dropping, which waits for the
// disk.
type line struct {
	sync.Mutex
	conn *pgx.Conn
}

var making, dropping line

// execute carries out a statement on a server. Servers of tests get a connection of their
// own, which does not outlive them.
func (l *line) execute(ctx context.Context, server, statement string) error {
	if shared, err := readStack(); err != nil || shared.DatabaseURL != server {
		return execute(ctx, server, statement)
	}
	l.Lock()
	defer l.Unlock()
	if l.conn == nil || l.conn.IsClosed() {
		var err error
		if l.conn, err = pgx.Connect(ctx, server); err != nil {
			return err
		}
	}
	_, err := l.conn.Exec(ctx, statement)
	return err
}

func execute(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// Narrow is the address of a test's database for programs of the product that run in the
// test: each pool has four connections at most. Postgres takes longer to start one than
// most tests have it work.
func Narrow(pool *pgxpool.Pool) string {
	u, err := url.Parse(pool.Config().ConnString())
	if err != nil {
		return pool.Config().ConnString()
	}
	q := u.Query()
	q.Set("pool_max_conns", "4")
	u.RawQuery = q.Encode()
	return u.String()
}

// withDatabase returns the address of another database on the same server.
func withDatabase(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + database
	return u.String()
}
