package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
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
	got, err := f.Automations.CountAutomations(t.Context(), w.Owner, platen.Spans{From: from, Each: time.Hour, Number: 3})
	f.Must(err)
	want := []platen.AutomationCount{{From: from, Accepted: 2, Failed: 1}, {From: from.Add(time.Hour)}, {From: from.Add(2 * time.Hour), Accepted: 1, Failed: 1}}
	if len(got) != len(want) {
		t.Fatalf("got %d spans, want %d", len(got), len(want))
	}
	for i, n := range got {
		if !n.From.Equal(want[i].From) || n.Accepted != want[i].Accepted || n.Failed != want[i].Failed {
			t.Errorf("span %d: got %+v, want %+v", i, n, want[i])
		}
	}
}
