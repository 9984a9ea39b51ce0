package run_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

type harness struct{ *storetest.Harness }

func newHarness(t testing.TB) *harness { return &harness{storetest.New(t)} }

// stored is an automation as it is stored.
func (f *harness) stored(id string) platen.Automation {
	f.T.Helper()
	rows, err := f.Owner.Query(f.T.Context(), `
		SELECT `+postgres.AutomationColumns+`
		FROM automations a
		WHERE a.id = $1`, id)
	f.Must(err)
	found, err := postgres.ScanAutomations(rows)
	if f.Must(err); len(found) != 1 {
		f.T.Fatalf("there is no automation %s", id)
	}
	return found[0]
}
