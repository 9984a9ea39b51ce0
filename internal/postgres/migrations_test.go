package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/testkit"
)

var (
	createdTable = regexp.MustCompile(`(?i)CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)`)
	createdIndex = regexp.MustCompile(`(?is)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?\w+\s+ON (\w+)`)
)

// An index that is made in the ordinary way keeps everybody from writing to its
// table until it is done.
func TestMigrationsMakeIndexesOfTablesInUseWithoutKeepingOthersFromWriting(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("got %d migrations and %v, want some", len(names), err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		fresh := map[string]bool{}
		for _, m := range createdTable.FindAllStringSubmatch(text, -1) {
			fresh[m[1]] = true
		}
		for _, m := range createdIndex.FindAllStringSubmatch(text, -1) {
			if m[1] == "" && !fresh[m[2]] {
				t.Errorf("%s: got %q, want CONCURRENTLY: the table was there before", name, m[0])
			}
		}
		if strings.Contains(text, "CONCURRENTLY") && !strings.Contains(text, "-- +goose NO TRANSACTION") {
			t.Errorf("%s: got CONCURRENTLY inside a transaction, want +goose NO TRANSACTION", name)
		}
	}
}

func TestMigrationsRunOnceHoweverManyStartThem(t *testing.T) {
	t.Parallel()
	pool := testkit.Database(t, "empty", func(context.Context, *pgxpool.Pool) error { return nil })
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			if err := postgres.Migrate(t.Context(), pool); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	running.Wait()
	if err := postgres.Migrate(t.Context(), pool); err != nil {
		t.Errorf("Migrate again: %v", err)
	}
	var applied, versions int
	err := pool.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT version_id) FROM migrations`).Scan(&applied, &versions)
	if err != nil || applied != versions || applied < 2 {
		t.Errorf("%d migrations of %d versions, %v; want each once", applied, versions, err)
	}
}

// Both would wait for each other if one waited inside Postgres.
func TestManyMigrateAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	name := "migrate_" + fmt.Sprint(time.Now().UnixNano())
	f.exec(`CREATE DATABASE ` + name)
	t.Cleanup(func() {
		pool, err := pgxpool.New(context.Background(), f.pool.Config().ConnString())
		if err != nil {
			t.Error(err)
			return
		}
		defer pool.Close()
		if _, err := pool.Exec(context.Background(), `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	config := f.pool.Config().Copy()
	config.ConnConfig.Database = name
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			pool, err := pgxpool.NewWithConfig(context.Background(), config.Copy())
			if err == nil {
				err = postgres.Migrate(context.Background(), pool)
				pool.Close()
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		f.must(<-failed)
	}
}

func TestAMigrationThatWaitsForWorkersToLetATableGoHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	pool := testkit.Database(t, "waiting", postgres.Migrate)
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(pool.Exec(t.Context(), `DELETE FROM migrations WHERE version_id = 46`))
	long, err := pool.Begin(t.Context())
	must(nil, err)
	t.Cleanup(func() { _ = long.Rollback(context.WithoutCancel(t.Context())) })
	must(long.Exec(t.Context(), `SELECT count(*) FROM automations`))
	migrated := make(chan error, 1)
	go func() { migrated <- postgres.Migrate(t.Context(), pool) }()
	waits := `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'automations'::regclass AND NOT granted)`
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for waiting := false; !waiting; {
		select {
		case err := <-migrated:
			t.Fatalf("the migration ended with %v, want it to wait for the table", err)
		case <-tick.C:
			must(nil, pool.QueryRow(t.Context(), waits).Scan(&waiting))
		}
	}
	// The lock_timeout of the migration is 200 ms.
	within, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
	defer cancel()
	if _, err := pool.Exec(within, `SELECT count(*) FROM automations`); err != nil {
		t.Errorf("a statement behind the migration: got %v, want it to go on", err)
	}
	must(nil, long.Rollback(t.Context()))
	if err := <-migrated; err != nil {
		t.Errorf("when the table is free: got %v, want it applied", err)
	}
}
