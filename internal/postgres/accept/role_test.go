package accept_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// Every test of the stores holds the statements of this package against its role.
func TestAStatementBeyondTheRoleOfAcceptIsFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Must(storetest.Send(t.Context(), f.DB.DB, storetest.Event(f.Workflow(f.User(nil)))))
	if refused := f.Beyond(); len(refused) > 0 {
		t.Errorf("got %q, want that all is permitted", refused)
	}
	for _, sql := range []string{`SELECT body FROM automations`, `UPDATE workflows SET name = 'x'`, `DELETE FROM pauses`} {
		f.Must(accept.Plant(t.Context(), f.DB.DB, sql))
		if refused := f.Beyond(); len(refused) != 1 || !strings.Contains(refused[0], sql) {
			t.Errorf("%s: got %q, want that it is refused", sql, refused)
		}
	}
}
