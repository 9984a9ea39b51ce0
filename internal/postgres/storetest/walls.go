package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
)

func migrateBehindWalls(ctx context.Context, pool *pgxpool.Pool) error {
	if err := postgres.Migrate(ctx, pool); err != nil {
		return err
	}
	return operate.MakeRoles(ctx, pool, fmt.Sprintf("walls_%d", os.Getpid()), nil, slog.New(slog.DiscardHandler))
}

// Walled is a Harness, and its database as serve opens it.
func Walled(t *testing.T) (*Harness, *postgres.DB) {
	t.Helper()
	f := New(t)
	serve, err := postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Part: postgres.PartFront})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(serve.Close)
	return f, serve
}

// Tables are the tables of the schema public that meet a condition.
func (f *Harness) Tables(condition string) []string {
	f.T.Helper()
	rows, err := f.Owner.Query(f.T.Context(), `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND (`+condition+`) ORDER BY 1`)
	f.Must(err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		f.Must(rows.Scan(&name))
		names = append(names, name)
	}
	f.Must(rows.Err())
	return names
}

// Fill makes rows of a user in every table that has data of tenants.
func (f *Harness) Fill(team *platen.Team) platen.User {
	f.T.Helper()
	ctx := f.T.Context()
	u := f.User(team)
	w := f.Workflow(u)
	p := f.Running(w)
	_, _, err := f.Tokens.CreateToken(ctx, u.ID, "walls", Now().AddDate(1, 0, 0))
	f.Must(err)
	f.Must(f.Connections.SaveDriveConnection(ctx, u.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}))
	output := p.Documents[0].OutputID
	for _, statement := range []string{
		`INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, test, payload, state, created_at) VALUES ('evt_` + u.ID + `', '` + w.ID + `', '` + p.AutomationID + `', '` + output + `', 1, 'x', false, '', 'PENDING', now())`,
		`INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, answer, retry_after) VALUES ('evt_` + u.ID + `', 1, now(), '0', 200, '', 'secret', '0')`,
		`INSERT INTO mails (id, output_id, automation_id, workflow_id, state) VALUES ('` + output + `', '` + output + `', '` + p.AutomationID + `', '` + w.ID + `', 'PENDING')`,
		`INSERT INTO targets (id, workflow_id, name, settings, secret, created_at, updated_at) VALUES ('tgt_` + u.ID + `', '` + w.ID + `', 'Archive', '{"kind": "webdav", "url": "https://secret.example"}', 'secret', now(), now())`,
		`INSERT INTO mail_senders (id, owner_id, name, settings, password, created_at, updated_at) VALUES ('snd_` + u.ID + `', '` + u.ID + `', 'Accounting', '{"from": "secret@example.com", "host": "secret.example"}', 'secret', now(), now())`,
		`INSERT INTO schedules (id, workflow_id, name, cron, time_zone, data, next_at, created_at, updated_at) VALUES ('sch_` + u.ID + `', '` + w.ID + `', 'Nightly', '0 0 * * *', 'UTC', 'secret', now(), now(), now())`,
		`INSERT INTO schedule_files (schedule_id, file_id, name, mime_type, size, made_at, changed_at, state, noted_at) VALUES ('sch_` + u.ID + `', 'file', 'secret.csv', 'text/csv', 1, now(), now(), 'PENDING', now())`,
		`INSERT INTO placements (id, output_id, target_id, target_name, automation_id, workflow_id, state) VALUES ('` + output + `.tgt_` + u.ID + `', '` + output + `', 'tgt_` + u.ID + `', 'Archive', '` + p.AutomationID + `', '` + w.ID + `', 'PENDING')`,
		`INSERT INTO reviews (output_id, round, automation_id, workflow_id, terms, sha256, expires_at) VALUES ('` + output + `', 1, '` + p.AutomationID + `', '` + w.ID + `', '{"by": ["secret@example.com"], "expireDays": 1}', 'x', now())`,
		`INSERT INTO review_answers (output_id, round, place, approves, detail, user_id) VALUES ('` + output + `', 1, 0, true, 'sealed', '')`,
		`INSERT INTO review_corrections (output_id, round, body, detail, user_id) VALUES ('` + output + `', 2, 'sealed', 'sealed', '')`,
		`INSERT INTO output_words (document_id, word, created_at, output_id) VALUES ('` + p.Documents[0].Document.ID + `', 'x', now(), '` + output + `')`,
		`INSERT INTO number_series (holder_id, name, next) VALUES ('` + u.ID + `', 'invoices', 2)`,
		`INSERT INTO numbers (holder_id, series, number, up_to, automation_id) VALUES ('` + u.ID + `', 'invoices', 1, 1, '` + p.AutomationID + `')`,
		`INSERT INTO usage_months (owner_id, month, documents) VALUES ('` + u.ID + `', '2026-01-01', 1)`,
		`INSERT INTO usage_limits (owner_id, documents) VALUES ('` + u.ID + `', 1000000)`,
		`INSERT INTO usage_entries (owner_id, month, documents) VALUES ('` + u.ID + `', '2026-01-01', 1)`,
		`INSERT INTO notices (kind, subject, owner_id, pending_at) VALUES ('connection', '` + u.ID + `', '` + u.ID + `', now())`,
		`INSERT INTO endpoints (owner_id, url_hash) VALUES ('` + u.ID + `', sha256('x'))`,
		`INSERT INTO test_receivers (id, workflow_id, url, secret, created_at, updated_at) VALUES ('trc_` + u.ID + `', '` + w.ID + `', 'https://tests.example', 'x', now(), now())`,
		`INSERT INTO receivers (id, workflow_id, name, url, events, secret, created_at, updated_at) VALUES ('rcv_` + u.ID + `', '` + w.ID + `', 'Accounts', 'https://accounts.example', '{DOCUMENTS_CREATED}', 'x', now(), now())`,
		`INSERT INTO batches (id, workflow_id, user_id, name, state, test, request_id, created_at) VALUES ('bat_` + u.ID + `', '` + w.ID + `', '` + u.ID + `', '', 'RUNNING', false, '', now())`,
		`INSERT INTO batch_rows (batch_id, number, automation_id, state, body) VALUES ('bat_` + u.ID + `', 1, '` + p.AutomationID + `', 'RUNNING', '')`,
		`INSERT INTO public_forms (id, workflow_id, key, key_hash, enabled, title, text, shows_pages, per_day, per_address) VALUES ('frm_` + u.ID + `', '` + w.ID + `', 'sealed', sha256('` + u.ID + `'), true, '', '', true, 1, 1)`,
		`INSERT INTO failures_done (workflow_id, cause, done_at) VALUES ('` + w.ID + `', sha256('` + u.ID + `'), now())`,
		`INSERT INTO public_form_uses (form_id, day, address, used) VALUES ('frm_` + u.ID + `', '2026-01-01', '', 1)`,
		`INSERT INTO errands (kind, id) VALUES ('DELIVER', 'evt_` + u.ID + `')`,
		`INSERT INTO output_folders (owner_id, parent_id, name_sha256, folder_id, made) VALUES ('` + u.ID + `', '', sha256('x'), 'f', true)`,
		`INSERT INTO idempotency_keys (user_id, key, fingerprint, claim, claimed_until, created_at) VALUES ('` + u.ID + `', 'k', '', 'c', now(), now())`,
		`INSERT INTO source_event_keys (source_id, key_hash, accepted_at, automation_id, body_hash) VALUES ('` + w.Source.ID + `', sha256('` + u.ID + `'), now(), '` + p.AutomationID + `', 'hash')`,
		`INSERT INTO source_names (source_id, name, seen_at) VALUES ('` + w.Source.ID + `', 'Name', now())`,
		`INSERT INTO pauses (scope, id, reason, paused_by) VALUES ('workflow', '` + w.ID + `', '', ''), ('user', '` + u.ID + `', '', '')`,
		`INSERT INTO template_versions (id, document_id, number, cause, sha256, size, created_at, created_by, data_key, content) VALUES ('ver_` + u.ID + `', '` + p.Documents[0].Document.ID + `', 1, 'KEPT', sha256('x'), 1, now(), '` + u.ID + `', 'secret', 'secret')`,
		`INSERT INTO preview_copies (key, owner_id) VALUES ('` + u.ID + `', '` + u.ID + `')`,
		`INSERT INTO audit (id, actor, actor_id, token_id, action, owner_id, team_id, workflow_id, object_id, outcome, request_id) VALUES ('aud_` + u.ID + `', 'user', '` + u.ID + `', '', 'x', '` + u.ID + `', ` + sqlTeam(team) + `, '', '', 'done', '')`,
	} {
		f.Exec(statement)
	}
	return u
}

func sqlTeam(team *platen.Team) string {
	if team == nil {
		return "NULL"
	}
	return "'" + team.ID + "'"
}
