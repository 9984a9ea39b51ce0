package postgres_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	createdTable = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
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
