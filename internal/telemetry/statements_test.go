package telemetry

import "testing"

func TestStatementsAreNamedByOperationsAndTables(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"begin":                      "BEGIN",
		"commit":                     "COMMIT",
		"SELECT current_setting($1)": "SELECT",
		"SELECT a.id FROM automations a JOIN workflows w ON w.id = a.w":     "SELECT automations workflows",
		"INSERT INTO outputs (id, name) VALUES ($1, 'FROM secrets')":        "INSERT outputs",
		"UPDATE events SET state = 'SENT' -- FROM nowhere\nWHERE id = $1":   "UPDATE events",
		"DELETE FROM orphans WHERE a IS DISTINCT FROM b":                    "DELETE orphans",
		"SELECT id FROM sources FOR NO KEY UPDATE":                          "SELECT sources",
		"SELECT pg_notify($1, $2)":                                          "SELECT",
		"SELECT n FROM unnest(@ids::text[]) WITH ORDINALITY AS asked (n)":   "SELECT",
		"INSERT INTO a (b) SELECT c FROM d ON CONFLICT DO UPDATE SET b = 1": "INSERT a SELECT d",
		`WITH known AS (SELECT 1 FROM sources s), stored AS (INSERT INTO automations (id) SELECT id FROM known)
			SELECT id FROM known`: "SELECT sources INSERT automations",
		`WITH due AS MATERIALIZED (SELECT id FROM errands FOR UPDATE SKIP LOCKED) UPDATE errands e SET n = 1 FROM due`: "SELECT errands UPDATE errands",
	} {
		if got := summarize(text); got != want {
			t.Errorf("%s:\n got %q\nwant %q", text, got, want)
		}
	}
}
