package chaos

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// checkNumbers: each automation with a plan has the number of its plan, and the series of
// each owner gave every number below its next one, once. A number without a document is
// that of an automation that was cancelled.
func (w *witness) checkNumbers(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `
		SELECT s.holder_id, s.next - 1, count(n.number), count(DISTINCT n.automation_id), coalesce(min(n.number), 1), coalesce(max(n.up_to), 0)
		FROM number_series s
		LEFT JOIN numbers n ON n.holder_id = s.holder_id AND n.series = s.name
		GROUP BY s.holder_id, s.name`)
	if err != nil {
		w.t.Fatal(err)
	}
	type series struct {
		Holder                                       string
		Given, Numbers, Automations, Lowest, Highest int64
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[series])
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range all {
		if s.Numbers != s.Given || s.Automations != s.Given || s.Lowest != 1 || s.Highest != s.Given {
			w.fault("number", "the series of %s: got %d numbers from %d to %d of %d automations, want %d", s.Holder, s.Numbers, s.Lowest, s.Highest, s.Automations, s.Given)
		}
		w.counts["numbers"] += int(s.Given)
	}
	w.checkPlanNumbers(ctx)
	var void, unexplained int
	err = w.db.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE a.state <> 'CANCELLED' AND NOT EXISTS (SELECT FROM outputs o WHERE o.id = ANY (n.output_ids) AND o.verdict = 'REJECTED'))
		FROM numbers n
		JOIN automations a ON a.id = n.automation_id
		WHERE NOT EXISTS (SELECT FROM outputs o WHERE o.id = ANY (n.output_ids) AND o.state = 'DONE')`).Scan(&void, &unexplained)
	if err != nil {
		w.t.Fatal(err)
	}
	if unexplained > 0 {
		w.fault("number", "%d numbers have no document, and their automations were not cancelled", unexplained)
	}
	w.counts["void numbers"] = void
}

func (w *witness) checkPlanNumbers(ctx context.Context) {
	w.t.Helper()
	var others int
	err := w.db.QueryRow(ctx, `
		SELECT count(*)
		FROM plans p
		LEFT JOIN numbers n ON n.automation_id = p.automation_id
		WHERE n.number IS DISTINCT FROM (p.plan->'numbers'->>'events')::bigint OR n.number IS NULL`).Scan(&others)
	if err != nil {
		w.t.Fatal(err)
	}
	if others > 0 {
		w.fault("number", "%d plans have no number, or another than their automation drew", others)
	}
}
