package postgres_test

import (
	"testing"

	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestDataOfAutomationsIsUnreadableAtRest(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	a, e := f.Delivered(w)
	if f.ShowsCanary() {
		t.Errorf("got rows in which %q stands", storetest.Canary)
	}
	f.Reads(u, w, a, e)
	f.Exec(`UPDATE automations SET data_key = NULL`)
	if body, err := f.Another().Automations.SourceData(t.Context(), a); err == nil {
		t.Errorf("without its key: got %q, want an error", body)
	}
}
