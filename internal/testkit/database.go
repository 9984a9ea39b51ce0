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
	if err := execute(ctx, server, "CREATE DATABASE "+clone+" TEMPLATE "+template+""); err != nil {
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

// dropping lets one database be dropped at a time.
var dropping sync.Mutex

// drop removes a database. One whose program ends before that goes with its
// server, which is made for the tests and thrown away.
func drop(server, database string) {
	dropping.Lock()
	defer dropping.Unlock()
	if err := execute(context.Background(), server, "DROP DATABASE IF EXISTS "+database+" WITH (FORCE)"); err != nil {
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
		if err := execute(ctx, server, "DROP DATABASE IF EXISTS "+template); err != nil {
			return err
		}
		if err := execute(ctx, server, "CREATE DATABASE "+template); err != nil {
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

func execute(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
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
