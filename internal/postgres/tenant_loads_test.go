package postgres_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// The dashboard is read by a login that may see the view alone, as docs/production.md
// makes it.
func TestTheDashboardOfUsersShowsWhoseWorkFailsAndWaits(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	busy, idle := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	failed, parked := f.Running(busy), f.Running(busy)
	_, err := f.Automations.FailAutomation(t.Context(), failed.AutomationID, 1, "plan_unreadable", "words")
	f.Must(err)
	f.Exec(`UPDATE automations SET accepted_at = now() - interval '3 days' WHERE id = $1`, failed.AutomationID)
	f.Exec(`UPDATE automations SET parked_at = now() WHERE id = $1`, parked.AutomationID)
	f.Accept(busy, 3)
	_, overdue := f.Delivered(busy)
	f.Exec(`UPDATE events SET state = 'PENDING', next_at = now() - interval '1 hour' WHERE id = $1`, overdue)
	f.Delivered(idle)
	f.Exec(`INSERT INTO endpoints (owner_id, url_hash, disabled) VALUES ($1, sha256('\x01'), 'refused')`, busy.Owner.ID)

	login := fmt.Sprintf("grafana_%d", os.Getpid())
	f.Exec(`CREATE ROLE ` + login)
	defer func() { f.Exec(`DROP OWNED BY ` + login); f.Exec(`DROP ROLE ` + login) }()
	f.Exec(`GRANT SELECT ON tenant_loads TO ` + login)
	raw, err := os.ReadFile("../../deploy/grafana/platen-users.json")
	f.Must(err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ RawSQL string }
		}
	}
	f.Must(json.Unmarshal(raw, &dashboard))
	f.Must(pgx.BeginFunc(t.Context(), f.Owner, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL ROLE `+login); err != nil {
			return err
		}
		for _, p := range dashboard.Panels {
			rows, err := tx.Query(t.Context(), p.Targets[0].RawSQL)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Title, err)
			}
			found, err := pgx.CollectRows(rows, pgx.RowToMap)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Title, err)
			}
			if len(found) != 1 || found[0]["user"] != busy.Owner.ID {
				t.Errorf("%s: got %v, want %s alone", p.Title, found, busy.Owner.ID)
			}
		}
		return nil
	}))
	if len(dashboard.Panels) != 4 {
		t.Errorf("the dashboard has %d tables, want 4", len(dashboard.Panels))
	}
	got := f.loads(busy.Owner)
	if want := "waiting 3, open 0, parked 1, failed 1, overdue 1, disabled 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	err = pgx.BeginFunc(t.Context(), f.Owner, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SET LOCAL ROLE `+login+`; SELECT id FROM automations`)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("the login of the dashboard reads automations: %v", err)
	}
}

func (f *harness) loads(of platen.User) (text string) {
	f.T.Helper()
	f.Must(f.Owner.QueryRow(f.T.Context(), `
		SELECT format('waiting %s, open %s, parked %s, failed %s, overdue %s, disabled %s', waiting, open, parked, failed_within_a_day, events_overdue, endpoints_disabled)
		FROM tenant_loads WHERE owner_id = $1`, of.ID).Scan(&text))
	return text
}
