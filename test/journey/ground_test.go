package journey

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

// stored is how many automations there are where statements are watched: enough for a
// read from end to end to be seen.
const stored = 12_000

// away is how long a database elsewhere takes for a question and its answer.
const away = 2 * time.Millisecond

// Each version of Postgres as nobody configured it, with a table's worth of history: the
// main job is done, by no statement that is compiled, forbidden to itself, or reads a
// large table from end to end.
func TestAnEventBecomesADocumentOnEachPostgres(t *testing.T) {
	installed := testkit.Installed(t)
	if len(installed) == 0 {
		t.Skip("no Postgres is installed where this test looks: apt-get install postgresql, and make stock for other versions")
	}
	for _, major := range slices.Sorted(maps.Keys(installed)) {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			server := testkit.Postgres(t, installed[major])
			h := open(t, options{server: server.URL})
			r := newReceiver(t)
			w := h.simple(t, r)
			sent(t, w, r)
			h.finished(t, w.ID, platen.AutomationCompleted)
			h.multiply(t, stored)
			mark := server.Mark()
			for range 3 {
				sent(t, w, r)
			}
			for _, list := range []string{"/workflows/", "/automations/?limit=100", "/automations/?state=FAILED"} {
				h.call(t, http.MethodGet, list, nil, nil, http.StatusOK)
			}
			h.call(t, http.MethodDelete, "/workflows/"+w.ID+"/", nil, nil, http.StatusNoContent)
			explained, wrong := server.Plans(mark)
			if explained < 20 {
				t.Errorf("%d statements were explained, want those of an event and more", explained)
			}
			for _, one := range wrong {
				t.Error(one)
			}
			h.planted(t, server)
		})
	}
}

// planted runs statements that the server's plans must report.
func (h *harness) planted(t *testing.T, server *testkit.Server) {
	t.Helper()
	for _, one := range []struct{ needs, setting, statement, says string }{
		{"true", "jit = off", "SELECT count(*) FROM automations WHERE reason = 'planted'", "automations reads"},
		{"true", "enable_seqscan = off", "SELECT count(*) FROM workers WHERE workers IS NOT NULL", "is forbidden"},
		{"pg_jit_available()", "jit_above_cost = 0", "SELECT count(*) FROM workers", "is compiled"},
	} {
		mark, can := server.Mark(), false
		err := pgx.BeginFunc(t.Context(), h.database, func(tx pgx.Tx) error {
			if err := tx.QueryRow(t.Context(), "SELECT "+one.needs).Scan(&can); err != nil || !can {
				return err
			}
			_, err := tx.Exec(t.Context(), "SET LOCAL "+one.setting)
			if err == nil {
				_, err = tx.Exec(t.Context(), one.statement)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, wrong := server.Plans(mark); can && !strings.Contains(strings.Join(wrong, "\n"), one.says) {
			t.Errorf("%s with %s: got %q, want that it %s", one.statement, one.setting, wrong, one.says)
		}
	}
}

// A database of somebody else's is far away, speaks TLS, and stands behind a pooler.
func TestAnEventBecomesADocumentThroughAPoolerFarAwayOverTLS(t *testing.T) {
	t.Parallel()
	installed := testkit.Installed(t)
	if len(installed) == 0 {
		t.Skip("no Postgres is installed where this test looks: apt-get install postgresql")
	}
	server := testkit.Postgres(t, installed[slices.Sorted(maps.Keys(installed))[0]])
	for name, through := range map[string]func(string) string{
		"TLS": func(database string) string { return farAway(t, database) },
		"pooler": func(database string) string {
			return testkit.Pooler(t, database, "session", nil, "server_tls_sslmode = require")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, options{server: server.URL, through: through})
			r := newReceiver(t)
			w := h.simple(t, r)
			sent(t, w, r)
			h.finished(t, w.ID, platen.AutomationCompleted)
		})
	}
}

// farAway is the same database at the other end of a long line.
func farAway(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = testkit.Away(t, u.Host, away)
	return u.String()
}

func sent(t *testing.T, w workflow, r *receiver) {
	t.Helper()
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	if e := r.next(t).event; len(e.Data.Documents) != 1 || e.Data.Documents[0].Name != "Simple for Ada" {
		t.Errorf("event: got %+v, want Simple for Ada", e)
	}
}

// multiply stores so many automations more, each with its plan, output, event and
// delivery, like the one there is.
func (h *harness) multiply(t *testing.T, n int) {
	t.Helper()
	for _, table := range []struct{ name, ids, times string }{
		{"automations", "id", "accepted_at finished_at"},
		{"plans", "automation_id", ""},
		{"outputs", "id automation_id", ""},
		{"events", "id automation_id output_id", "created_at"},
		{"deliveries", "event_id", ""},
	} {
		var columns []string
		if err := h.database.QueryRow(t.Context(), `
			SELECT array_agg(column_name::text ORDER BY ordinal_position)
			FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`, table.name).Scan(&columns); err != nil {
			t.Fatal(err)
		}
		values := slices.Clone(columns)
		for i, column := range columns {
			if slices.Contains(strings.Fields(table.ids), column) {
				values[i] = fmt.Sprintf("left(%s, 4) || 'x' || lpad(n::text, 15, '0')", column)
			}
			if slices.Contains(strings.Fields(table.times), column) {
				values[i] = column + " - n * interval '1 second'"
			}
		}
		for _, statement := range []string{
			fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM (SELECT * FROM %[1]s LIMIT 1) t CROSS JOIN generate_series(1, %[4]d) n",
				table.name, strings.Join(columns, ", "), strings.Join(values, ", "), n),
			"VACUUM ANALYZE " + table.name,
		} {
			if _, err := h.database.Exec(t.Context(), statement); err != nil {
				t.Fatalf("fill %s: %v", table.name, err)
			}
		}
	}
}
