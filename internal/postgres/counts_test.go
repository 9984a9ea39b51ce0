package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAutomationsAreCountedInSpansWithoutTestsAndWithoutThoseOfOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.tested(f.User(nil))
	from := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	put := func(id, state string, at time.Time) {
		f.Exec(`UPDATE automations SET state = $2, accepted_at = $3::timestamptz, finished_at = CASE WHEN $2 = 'FAILED' THEN $3::timestamptz END WHERE id = $1`, id, state, at)
	}
	put(f.Planned(w).AutomationID, "RUNNING", from.Add(-time.Second)) // before
	put(f.Planned(w).AutomationID, "RUNNING", from)
	put(f.Planned(w).AutomationID, "FAILED", from.Add(59*time.Minute))
	put(f.Planned(w).AutomationID, "FAILED", from.Add(2*time.Hour))
	put(f.Planned(w).AutomationID, "RUNNING", from.Add(3*time.Hour)) // after
	put(f.runOf(f.try(w)).AutomationID, "FAILED", from)              // a test
	put(f.Planned(f.Workflow(f.User(nil))).AutomationID, "FAILED", from)
	got, err := f.Automations.CountAutomations(t.Context(), w.Owner, "", platen.Spans{From: from, Each: time.Hour, Number: 3})
	f.Must(err)
	want := []platen.AutomationCount{{From: from, Accepted: 2, Failed: 1}, {From: from.Add(time.Hour)}, {From: from.Add(2 * time.Hour), Accepted: 1, Failed: 1}}
	ofOne, err := f.Automations.CountAutomations(t.Context(), w.Owner, f.Workflow(w.Owner).ID, platen.Spans{From: from, Each: time.Hour, Number: 3})
	f.Must(err)
	if ofOne[0].Accepted != 0 || len(ofOne) != 3 {
		t.Errorf("of a workflow without runs: got %+v", ofOne)
	}
	_, err = f.Automations.CountAutomations(t.Context(), f.User(nil), w.ID, platen.Spans{From: from, Each: time.Hour, Number: 3})
	storetest.WantKind(t, "of somebody else", err, platen.KindNotFound, "workflow_not_found")
	if len(got) != len(want) {
		t.Fatalf("got %d spans, want %d", len(got), len(want))
	}
	for i, n := range got {
		if !n.From.Equal(want[i].From) || n.Accepted != want[i].Accepted || n.Failed != want[i].Failed {
			t.Errorf("span %d: got %+v, want %+v", i, n, want[i])
		}
	}
}
