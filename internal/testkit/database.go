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

// Database clones a database for this test alone and drops it afterwards. The
// template called name is made once per test binary by migrate; tests that
// pass the same name must pass the same migrate.
func Database(t testing.TB, name string, migrate func(context.Context, *pgxpool.Pool) error) *pgxpool.Pool {
	t.Helper()
	ctx := context.Background()
	server := Running(t).DatabaseURL
	template := fmt.Sprintf("template_%s_%d", name, os.Getpid())
	if err := makeTemplate(ctx, server, template, migrate); err != nil {
		t.Fatalf("make template database %s: %v", name, err)
	}
	clone := "test_" + strings.ToLower(rand.Text())
	if err := execute(ctx, server, "CREATE DATABASE "+clone+" TEMPLATE "+template+" STRATEGY FILE_COPY"); err != nil {
		t.Fatalf("clone database: %v", err)
	}
	pool, err := pgxpool.New(ctx, withDatabase(server, clone))
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() {
		pool.Close()
		if err := execute(ctx, server, "DROP DATABASE IF EXISTS "+clone+" WITH (FORCE)"); err != nil {
			t.Errorf("drop database: %v", err)
		}
	})
	return pool
}

func makeTemplate(ctx context.Context, server, template string, migrate func(context.Context, *pgxpool.Pool) error) error {
	templates.Lock()
	defer templates.Unlock()
	if err, done := templates.made[template]; done {
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
	templates.made[template] = err
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
