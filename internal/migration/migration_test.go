package migration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/migration"
	"github.com/platenhq/platen/internal/testkit"
)

const (
	tables = "-- +goose Up\nCREATE TABLE shelf.books (id bigint PRIMARY KEY, title text NOT NULL);\n"
	// An index that is built beside writers waits for every snapshot, also for
	// that of a process that waits inside Postgres.
	index   = "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY books_title ON shelf.books (title);\n"
	authors = "-- +goose Up\nCREATE TABLE shelf.authors (id bigint PRIMARY KEY);\n"
)

var silent = slog.New(slog.DiscardHandler)

// shelf is a schema with these migrations.
func shelf(files map[string]string) migration.Schema {
	all := fstest.MapFS{}
	for name, sql := range files {
		all[name] = &fstest.MapFile{Data: []byte(sql)}
	}
	return migration.Schema{Name: "shelf", Files: all, Lock: 0x7368656c66}
}

func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return testkit.Database(t, "migration", func(context.Context, *pgxpool.Pool) error { return nil })
}

func wantMissing(t *testing.T, s migration.Schema, pool *pgxpool.Pool, applied bool, missing int) {
	t.Helper()
	gotApplied, gotMissing, err := s.Count(t.Context(), pool)
	if err != nil || gotApplied > 0 != applied || gotMissing != missing {
		t.Errorf("got %d applied, %d missing, %v; want some applied: %t, %d missing", gotApplied, gotMissing, err, applied, missing)
	}
}

func TestManyProcessesUpgradeAtOnceAndOneOfThemDoesTheWork(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := shelf(map[string]string{"00001_books.sql": tables, "00002_titles.sql": index})
	wantMissing(t, s, pool, false, 2)
	var (
		processes sync.WaitGroup
		mu        sync.Mutex
		applied   []string
	)
	for range 4 {
		processes.Go(func() {
			own, err := pgxpool.NewWithConfig(t.Context(), pool.Config())
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			names, err := s.Upgrade(t.Context(), own, silent)
			if err != nil {
				t.Errorf("upgrade: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			applied = append(applied, names...)
		})
	}
	processes.Wait()
	if want := []string{"00001_books", "00002_titles"}; !slices.Equal(applied, want) {
		t.Errorf("all of them together applied %v, want %v", applied, want)
	}
	wantMissing(t, s, pool, true, 0)
}

func TestALaterReleaseAppliesWhatIsNewAlsoUnderALowerNumber(t *testing.T) {
	t.Parallel()
	pool := database(t)
	first := shelf(map[string]string{"00001_books.sql": tables, "00003_titles.sql": index})
	second := shelf(map[string]string{"00001_books.sql": tables, "00002_authors.sql": authors, "00003_titles.sql": index})
	if _, err := first.Upgrade(t.Context(), pool, silent); err != nil {
		t.Fatal(err)
	}
	wantMissing(t, second, pool, true, 1)
	applied, err := second.Upgrade(t.Context(), pool, silent)
	if want := []string{"00002_authors"}; err != nil || !slices.Equal(applied, want) {
		t.Errorf("the later release applied %v, %v; want %v", applied, err, want)
	}
	wantMissing(t, first, pool, true, 0) // the previous release works beside it
}

func TestADatabaseOlderThanTheFirstMigrationIsRefused(t *testing.T) {
	t.Parallel()
	pool := database(t)
	if _, err := shelf(map[string]string{"00001_books.sql": tables}).Upgrade(t.Context(), pool, silent); err != nil {
		t.Fatal(err)
	}
	baseline := shelf(map[string]string{"00002_baseline.sql": authors})
	if applied, err := baseline.Upgrade(t.Context(), pool, silent); !errors.Is(err, migration.ErrUnknown) || len(applied) != 0 {
		t.Errorf("upgrade: got %v, %v; want ErrUnknown", applied, err)
	}
	if _, _, err := baseline.Count(t.Context(), pool); !errors.Is(err, migration.ErrUnknown) {
		t.Errorf("count: got %v, want ErrUnknown", err)
	}
}

func TestTwoSchemasOfOneDatabaseKeepTheirVersionsApart(t *testing.T) {
	t.Parallel()
	pool := database(t)
	attic := migration.Schema{Name: "attic", Lock: 0x6174746963, Files: fstest.MapFS{
		"00001_boxes.sql": {Data: []byte("-- +goose Up\nCREATE TABLE attic.boxes (id bigint);\n")},
	}}
	books := shelf(map[string]string{"00001_books.sql": tables})
	for _, s := range []migration.Schema{attic, books} {
		if applied, err := s.Upgrade(t.Context(), pool, silent); err != nil || len(applied) != 1 {
			t.Errorf("%s: applied %v, %v; want its one migration", s.Name, applied, err)
		}
	}
}

func TestASchemaThatIsThereNeedsNoRightToTheDatabase(t *testing.T) {
	t.Parallel()
	pool := database(t)
	for _, statement := range []string{
		`CREATE SCHEMA shelf`, `CREATE ROLE tenant_of_shelf LOGIN`, `GRANT ALL ON SCHEMA shelf TO tenant_of_shelf`,
	} {
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, statement := range []string{`DROP OWNED BY tenant_of_shelf`, `DROP ROLE tenant_of_shelf`} {
			if _, err := pool.Exec(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
	})
	config := pool.Config()
	config.ConnConfig.RuntimeParams["role"] = "tenant_of_shelf"
	tenant, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer tenant.Close()
	if _, err := shelf(map[string]string{"00001_books.sql": tables}).Upgrade(t.Context(), tenant, silent); err != nil {
		t.Errorf("upgrade as the role that may use the schema alone: %v", err)
	}
}

func TestAMigrationThatFailsIsAppliedNextTime(t *testing.T) {
	t.Parallel()
	pool := database(t)
	broken := shelf(map[string]string{"00001_books.sql": tables, "00002_authors.sql": "-- +goose Up\nCREATE TABLE nowhere.authors (id bigint);\n"})
	if _, err := broken.Upgrade(t.Context(), pool, silent); err == nil {
		t.Fatal("got no error of a migration into a schema that does not exist")
	}
	wantMissing(t, broken, pool, true, 1)
	mended := shelf(map[string]string{"00001_books.sql": tables, "00002_authors.sql": authors})
	applied, err := mended.Upgrade(t.Context(), pool, silent)
	if want := []string{"00002_authors"}; err != nil || !slices.Equal(applied, want) {
		t.Errorf("after the cure applied %v, %v; want %v", applied, err, want)
	}
}

// A notice tells the first line that is written to it.
type notice chan string

func (n notice) Write(line []byte) (int, error) {
	select {
	case n <- string(bytes.TrimSpace(line)):
	default:
	}
	return len(line), nil
}

func TestAMigrationThatWaitsForATableSaysWhoUsesIt(t *testing.T) {
	t.Parallel()
	pool := database(t)
	if _, err := shelf(map[string]string{"00001_books.sql": tables}).Upgrade(t.Context(), pool, silent); err != nil {
		t.Fatal(err)
	}
	long, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = long.Rollback(context.WithoutCancel(t.Context())) })
	var pid int
	if err := long.QueryRow(t.Context(), `SELECT pg_backend_pid() FROM (SELECT count(*) FROM shelf.books) AS books`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	said, upgraded := make(notice, 1), make(chan error, 1)
	go func() {
		second := shelf(map[string]string{"00001_books.sql": tables, "00002_pages.sql": "-- +goose Up\nSET LOCAL lock_timeout = '50ms';\nALTER TABLE shelf.books ADD COLUMN pages int;\n"})
		_, err := second.Upgrade(t.Context(), pool, slog.New(slog.NewTextHandler(said, nil)))
		upgraded <- err
	}()
	select {
	case got := <-said:
		for _, want := range []string{"level=WARN", "migration=00002_pages", fmt.Sprintf("pid %d since", pid), ": books"} {
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q in it", got, want)
			}
		}
	case err := <-upgraded:
		t.Fatalf("the migration ended with %v, want it to wait for the table", err)
	}
	if _, err := pool.Exec(t.Context(), `SELECT count(*) FROM shelf.books`); err != nil {
		t.Errorf("a statement behind the migration: got %v, want it to go on", err)
	}
	if err := long.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-upgraded; err != nil {
		t.Errorf("when the table is free: got %v, want it applied", err)
	}
}
