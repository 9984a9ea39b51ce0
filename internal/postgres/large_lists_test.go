package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// A planNode is a step of a plan that was carried out.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Rows     float64    `json:"Actual Rows"`
	Loops    float64    `json:"Actual Loops"`
	Removed  float64    `json:"Rows Removed by Filter"`
	Rechecks float64    `json:"Rows Removed by Index Recheck"`
	Below    []planNode `json:"Plans"`
}

// read is how many rows of tables a plan looked at.
func (n planNode) read() (rows float64) {
	if n.Relation != "" {
		rows = n.Loops * (n.Rows + n.Removed + n.Rechecks)
	}
	for _, below := range n.Below {
		rows += below.read()
	}
	return rows
}

// fillWithOutputs makes 100,000 runs of a workflow, ten of them failed.
func (f *harness) fillWithOutputs(w platen.Workflow) {
	f.t.Helper()
	p := f.planned(w)
	_, _, err := f.Outputs.RecordOutput(f.t.Context(), p.Documents[0].OutputID, named("Invoice of Ada"), eventFor)
	f.must(err)
	f.exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = $1`, p.AutomationID)
	// Ten failed, the last of them long ago.
	f.exec(`
		INSERT INTO automations
		SELECT r.*
		FROM automations a, generate_series(1, 100000) n, LATERAL jsonb_populate_record(a, jsonb_build_object(
			'id', 'aut_' || lpad(n::text, 16, '0'), 'accepted_at', a.accepted_at + n * interval '1 second',
			'state', CASE WHEN n % 5000 = 1 AND n < 50000 THEN 'FAILED' ELSE a.state END)) r
		WHERE a.id = $1`, p.AutomationID)
	f.exec(`
		INSERT INTO outputs
		SELECT r.*
		FROM outputs o, generate_series(1, 100000) n, LATERAL jsonb_populate_record(o, jsonb_build_object(
			'id', 'out_' || lpad(n::text, 16, '0'), 'automation_id', 'aut_' || lpad(n::text, 16, '0'), 'created_at', o.created_at + n * interval '1 second',
			'state', CASE WHEN n % 5000 = 1 AND n < 50000 THEN 'FAILED' ELSE o.state END)) r
		WHERE o.id = $1`, p.Documents[0].OutputID)
	f.exec(`ANALYZE output_words`)
	f.exec(`ANALYZE automations`)
	f.exec(`ANALYZE outputs`)
}

// A page of a list reads about as many rows as it shows, wherever it is and whichever
// state it shows: plans say so, and clocks would not.
func TestAPageOfALongListReadsLittle(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	f.fillWithOutputs(w)
	last, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{Page: platen.Page{Limit: 60}}) // the oldest
	f.must(err)
	end := platen.Position{CreatedAt: last[len(last)-1].CreatedAt, ID: last[len(last)-1].ID}
	newest := platen.Page{Limit: 51, Newest: true}
	for name, page := range map[string]platen.Page{"first page": newest, "last page": {Limit: 51, Newest: true, After: end}, "between two days": newest} {
		var since, until time.Time
		if name == "between two days" {
			since, until = end.CreatedAt.Add(24*time.Hour/2), end.CreatedAt.Add(24*time.Hour)
		}
		for _, state := range []string{"", "FAILED", "PENDING", "RUNNING", "ACCEPTED", "SKIPPED", "CANCELLED"} {
			plans, err := postgres.ExplainLists(t.Context(), f.DB, w, page, state, since, until)
			f.must(err)
			for list, text := range plans {
				if strings.HasPrefix(list, "outputs") && state != "" && state != "FAILED" && state != "PENDING" || !strings.HasPrefix(list, "outputs") && state == "PENDING" {
					continue // nothing has this state
				}
				var plan []struct{ Plan planNode }
				f.must(json.Unmarshal(text, &plan))
				if read := plan[0].Plan.read(); read > 500 {
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
	w := f.workflow(f.user(nil))
	p := f.planned(w)
	_, id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, named("Invoice of Ada"), eventFor)
	f.must(err)
	f.exec(`UPDATE events SET state = 'DELIVERED', created_at = '2026-01-01T00:00:00Z' WHERE id = $1`, id)
	f.exec(`
		INSERT INTO events
		SELECT r.*
		FROM events e, generate_series(1, 100000) n, LATERAL jsonb_populate_record(e, jsonb_build_object(
			'id', 'evt_' || lpad(n::text, 16, '0'), 'attempt', n + 1, 'created_at', e.created_at + n * interval '1 second',
			'state', CASE WHEN n % 5000 = 1 AND n < 50000 THEN 'FAILED' ELSE 'DELIVERED' END)) r
		WHERE e.id = $1`, id)
	f.exec(`ANALYZE events`)
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	newest := platen.Page{Limit: 26, Newest: true}
	for name, query := range map[string]platen.EventQuery{
		"first page": {Page: newest}, "last page": {Page: platen.Page{Limit: 26, Newest: true, After: platen.Position{CreatedAt: first.Add(20 * time.Second), ID: "evt_1"}}},
		"failed": {Page: newest, States: []platen.EventState{platen.EventFailed}}, "held": {Page: newest, States: []platen.EventState{platen.EventHeld}},
		"of an hour": {Page: newest, Since: first.Add(5 * time.Hour), Until: first.Add(6 * time.Hour)},
	} {
		list, count, err := postgres.ExplainEvents(t.Context(), f.DB, w, query)
		f.must(err)
		for what, text := range map[string][]byte{"list": list, "count": count} {
			var plan []struct{ Plan planNode }
			f.must(json.Unmarshal(text, &plan))
			if read := plan[0].Plan.read(); read > 200 {
				t.Errorf("%s, %s: %.0f rows are read, want 200 at most: %s", name, what, read, text)
			}
		}
	}
	if n, err := f.Events.CountEvents(t.Context(), w.Owner, w.ID, first.Add(20_000*time.Second)); err != nil || n != (platen.EventCounts{Failed: 6}) {
		t.Errorf("since a time: got %+v, %v; want the six that failed after it", n, err)
	}
	_, err = f.Events.CountEvents(t.Context(), f.user(nil), w.ID, first)
	wantKind(t, "of somebody else", err, platen.KindNotFound, "workflow_not_found")
}

// Walls let no condition use an index that could tell rows of others by what it fails
// with. What a page asks for is compared by operators that Postgres trusts.
func TestAPageOfOutputsReadsLittleBehindWalls(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	w := f.workflow(f.user(nil))
	f.fillWithOutputs(w)
	plans, err := postgres.ExplainLists(platen.WithCaller(t.Context(), w.Owner), serve, w, platen.Page{Limit: 51, Newest: true}, "", time.Time{}, time.Time{})
	f.must(err)
	for _, list := range []string{"outputs", "outputs by name"} {
		var plan []struct{ Plan planNode }
		f.must(json.Unmarshal(plans[list], &plan))
		if read := plan[0].Plan.read(); read > 1000 || plan[0].Plan.Rows != 51 {
			t.Errorf("%s: %.0f rows are read for %.0f, want 1,000 at most for 51: %s", list, read, plan[0].Plan.Rows, plans[list])
		}
	}
}
