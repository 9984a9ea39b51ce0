package run_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/postgres/run"
)

// Every test of the stores holds the statements of this package against the worker's role.
func TestAStatementBeyondTheRoleOfTheWorkerIsFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Must(f.Queue.Register(t.Context(), "wrk_1", 6))
	if refused := f.Beyond(); len(refused) > 0 {
		t.Errorf("got %q, want that all is permitted", refused)
	}
	for _, sql := range []string{`SELECT hash FROM tokens`, `UPDATE workflows SET name = 'x'`, `DELETE FROM users`} {
		f.Must(run.Plant(t.Context(), f.DB.DB, sql))
		if refused := f.Beyond(); len(refused) != 1 || !strings.Contains(refused[0], sql) {
			t.Errorf("%s: got %q, want that it is refused", sql, refused)
		}
	}
}
