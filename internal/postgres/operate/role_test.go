package operate_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/postgres/operate"
)

// Every test of the stores holds the statements of this package against the role of the
// operators' pages, but for those that commands alone run.
func TestAStatementBeyondTheRoleOfOperatorsPagesIsFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Must(f.Users.DisableUser(t.Context(), f.User(nil).ID))
	if refused := f.Beyond(); len(refused) > 0 {
		t.Errorf("got %q, want that all is permitted", refused)
	}
	for _, sql := range []string{`SELECT body FROM automations`, `SELECT hash FROM tokens`, `UPDATE workflows SET name = 'x'`} {
		f.Must(operate.Plant(t.Context(), f.DB, sql))
		if refused := f.Beyond(); len(refused) != 1 || !strings.Contains(refused[0], sql) {
			t.Errorf("%s: got %q, want that it is refused", sql, refused)
		}
	}
}
