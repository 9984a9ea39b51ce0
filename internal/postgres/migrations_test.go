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

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/testkit"
)

var (
	createdTable = regexp.MustCompile(`(?i)CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)`)
	alteredTable = regexp.MustCompile(`(?i)ALTER TABLE (?:IF EXISTS )?(\w+)`)
	createdIndex = regexp.MustCompile(`(?is)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?\w+\s+ON (\w+)`)
)

// An index that is made in the ordinary way keeps everybody from writing to its
// table until it is done. A change of a table that waits for its lock has everybody wait.
func TestMigrationsKeepNobodyFromTablesInUse(t *testing.T) {
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
		for _, m := range alteredTable.FindAllStringSubmatch(text, -1) {
			if !fresh[m[1]] && !strings.Contains(text, "lock_timeout") {
				t.Errorf("%s: got %q, want a lock_timeout before it: others wait behind it", name, m[0])
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
	if err != nil || applied != versions || applied < 2 { // goose has one of 0
		t.Errorf("%d migrations of %d versions, %v; want each once", applied, versions, err)
	}
}

// Both would wait for each other if one waited inside Postgres.
func TestManyMigrateAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	name := "migrate_" + fmt.Sprint(time.Now().UnixNano())
	f.Exec(`CREATE DATABASE ` + name)
	t.Cleanup(func() {
		pool, err := pgxpool.New(context.Background(), f.Owner.Config().ConnString())
		if err != nil {
			t.Error(err)
			return
		}
		defer pool.Close()
		if _, err := pool.Exec(context.Background(), `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	config := f.Owner.Config().Copy()
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
		f.Must(<-failed)
	}
}

// The tables of builds before the first release differ from those of the baseline, which
// has a higher number than any of theirs.
func TestADatabaseOfABuildBeforeTheFirstReleaseIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Exec(`UPDATE migrations SET version_id = 93 WHERE version_id = 100`)
	for what, err := range map[string]error{"the check": f.CheckSchema(t.Context()), "migrating": postgres.Migrate(t.Context(), f.Owner)} {
		if err == nil || !strings.Contains(err.Error(), "remove its data directory") {
			t.Errorf("%s: got %v, want what to do", what, err)
		}
	}
	storetest.WantKind(t, "the check", f.CheckSchema(t.Context()), platen.KindInvalid, "schema_outdated")
	if n := f.Count(`SELECT count(*) FROM migrations WHERE version_id = 100`); n != 0 {
		t.Error("migrating applied the baseline")
	}
}
