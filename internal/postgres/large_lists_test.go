package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// fillWithOutputs makes 100,000 runs of a workflow, ten of them failed.
func (f *harness) fillWithOutputs(w platen.Workflow) {
	f.T.Helper()
	p := f.Planned(w)
	_, _, err := f.Outputs.RecordOutput(f.T.Context(), p.Documents[0].OutputID, storetest.Named("Invoice of Ada"), storetest.EventFor)
	f.Must(err)
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = $1`, p.AutomationID)
	// Ten failed, the last of them long ago.
	f.Exec(`
		INSERT INTO automations
		SELECT r.*
		FROM automations a, generate_series(1, 100000) n, LATERAL jsonb_populate_record(a, jsonb_build_object(
			'id', 'aut_' || lpad(n::text, 16, '0'), 'accepted_at', a.accepted_at + n * interval '1 second',
			'state', CASE WHEN n % 5000 = 1 AND n < 50000 THEN 'FAILED' ELSE a.state END)) r
		WHERE a.id = $1`, p.AutomationID)
	f.Exec(`
		INSERT INTO outputs
		SELECT r.*
		FROM outputs o, generate_series(1, 100000) n, LATERAL jsonb_populate_record(o, jsonb_build_object(
			'id', 'out_' || lpad(n::text, 16, '0'), 'automation_id', 'aut_' || lpad(n::text, 16, '0'), 'created_at', o.created_at + n * interval '1 second',
			'state', CASE WHEN n % 5000 = 1 AND n < 50000 THEN 'FAILED' ELSE o.state END)) r
		WHERE o.id = $1`, p.Documents[0].OutputID)
	f.Exec(`ANALYZE output_words`)
	f.Exec(`ANALYZE automations`)
	f.Exec(`ANALYZE outputs`)
}

// A page of a list reads about as many rows as it shows, wherever it is and whichever
// state it shows: plans say so, and clocks would not.
func TestAPageOfALongListReadsLittle(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.fillWithOutputs(w)
	last, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{Page: platen.Page{Limit: 60}}) // the oldest
	f.Must(err)
	end := platen.Position{CreatedAt: last[len(last)-1].CreatedAt, ID: last[len(last)-1].ID}
	newest := platen.Page{Limit: 51, Newest: true}
	for name, page := range map[string]platen.Page{"first page": newest, "last page": {Limit: 51, Newest: true, After: end}, "between two days": newest} {
		var since, until time.Time
		if name == "between two days" {
			since, until = end.CreatedAt.Add(24*time.Hour/2), end.CreatedAt.Add(24*time.Hour)
		}
		for _, state := range []string{"", "FAILED", "REVIEW", "PENDING", "RUNNING", "ACCEPTED", "SKIPPED", "CANCELLED"} {
			plans, err := postgres.ExplainLists(t.Context(), f.DB.DB, w, page, state, since, until)
			f.Must(err)
			for list, text := range plans {
				if strings.HasPrefix(list, "outputs") && state != "" && state != "FAILED" && state != "REVIEW" && state != "PENDING" || !strings.HasPrefix(list, "outputs") && state == "PENDING" {
					continue // nothing has this state
				}
				var plan []struct{ Plan storetest.PlanNode }
				f.Must(json.Unmarshal(text, &plan))
				if read := plan[0].Plan.Read(); read > 500 {
					t.Errorf("%s, %s of %q: %.0f rows are read, want 500 at most: %s", list, name, state, read, text)
				}
			}
		}
	}
}

// Of 100,000 events ten failed, the last of them long ago.
func TestAPageOfEventsReadsLittle(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	_, id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Named("Invoice of Ada"), storetest.EventFor)
	f.Must(err)
	f.Exec(`UPDATE events SET state = 'DELIVERED', created_at = '2026-01-01T00:00:00Z' WHERE id = $1`, id)
	f.Exec(`
		INSERT INTO events
		SELECT r.*
		FROM events e, generate_series(1, 100000) n, LATERAL jsonb_populate_record(e, jsonb_build_object(
			'id', 'evt_' || lpad(n::text, 16, '0'), 'attempt', n + 1, 'created_at', e.created_at + n * interval '1 second',
			'state', CASE WHEN n % 5000 = 1 AND n < 50000 THEN 'FAILED' ELSE 'DELIVERED' END)) r
		WHERE e.id = $1`, id)
	f.Exec(`ANALYZE events`)
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	newest := platen.Page{Limit: 26, Newest: true}
	for name, query := range map[string]platen.EventQuery{
		"first page": {Page: newest}, "last page": {Page: platen.Page{Limit: 26, Newest: true, After: platen.Position{CreatedAt: first.Add(20 * time.Second), ID: "evt_1"}}},
		"failed": {Page: newest, States: []platen.EventState{platen.EventFailed}}, "held": {Page: newest, States: []platen.EventState{platen.EventHeld}},
		"of an hour": {Page: newest, Since: first.Add(5 * time.Hour), Until: first.Add(6 * time.Hour)},
	} {
		list, count, err := postgres.ExplainEvents(t.Context(), f.DB.DB, w, query)
		f.Must(err)
		for what, text := range map[string][]byte{"list": list, "count": count} {
			var plan []struct{ Plan storetest.PlanNode }
			f.Must(json.Unmarshal(text, &plan))
			if read := plan[0].Plan.Read(); read > 200 {
				t.Errorf("%s, %s: %.0f rows are read, want 200 at most: %s", name, what, read, text)
			}
		}
	}
	if n, err := f.Events.CountEvents(t.Context(), w.Owner, w.ID, first.Add(20_000*time.Second)); err != nil || n != (platen.EventCounts{Failed: 6}) {
		t.Errorf("since a time: got %+v, %v; want the six that failed after it", n, err)
	}
	_, err = f.Events.CountEvents(t.Context(), f.User(nil), w.ID, first)
	storetest.WantKind(t, "of somebody else", err, platen.KindNotFound, "workflow_not_found")
}

// Walls let no condition use an index that could tell rows of others by what it fails
// with. What a page asks for is compared by operators that Postgres trusts.
func TestAPageOfOutputsReadsLittleBehindWalls(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	w := f.Workflow(f.User(nil))
	f.fillWithOutputs(w)
	plans, err := postgres.ExplainLists(platen.WithCaller(t.Context(), w.Owner), serve, w, platen.Page{Limit: 51, Newest: true}, "", time.Time{}, time.Time{})
	f.Must(err)
	for _, list := range []string{"outputs", "outputs by name"} {
		var plan []struct{ Plan storetest.PlanNode }
		f.Must(json.Unmarshal(plans[list], &plan))
		if read := plan[0].Plan.Read(); read > 1000 || plan[0].Plan.Rows != 51 {
			t.Errorf("%s: %.0f rows are read for %.0f, want 1,000 at most for 51: %s", list, read, plan[0].Plan.Rows, plans[list])
		}
	}
}
