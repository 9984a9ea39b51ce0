package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

func migrateBehindWalls(ctx context.Context, pool *pgxpool.Pool) error {
	if err := postgres.Migrate(ctx, pool); err != nil {
		return err
	}
	return postgres.MakeRoles(ctx, pool, fmt.Sprintf("walls_%d", os.Getpid()), nil, slog.New(slog.DiscardHandler))
}

// walled is a harness whose database has roles, and the database as serve opens it.
func walled(t *testing.T) (*harness, *postgres.DB) {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	f := &harness{t: t, box: box, pool: testkit.Database(t, "walled", migrateBehindWalls)}
	f.DB = f.another()
	serve, err := postgres.Open(t.Context(), f.pool.Config().ConnString(), box, postgres.Options{Part: postgres.PartFront})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(serve.Close)
	return f, serve
}

// A table without a wall is closed to every program, once there are roles.
func TestEveryTableHasAWall(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	for _, table := range f.tables(`relname <> 'roles' AND NOT relrowsecurity OR relname <> 'roles' AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'platen_tenant')`) {
		t.Errorf("table %s has no wall: say in walls.go which rows a caller sees, and what each part may do", table)
	}
}

func (f *harness) tables(condition string) []string {
	f.t.Helper()
	rows, err := f.pool.Query(f.t.Context(), `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND (`+condition+`) ORDER BY 1`)
	f.must(err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		f.must(rows.Scan(&name))
		names = append(names, name)
	}
	f.must(rows.Err())
	return names
}

// fill makes rows of a user in every table that has data of tenants.
func (f *harness) fill(team *platen.Team) platen.User {
	f.t.Helper()
	ctx := f.t.Context()
	u := f.user(team)
	w := f.workflow(u)
	p := f.running(w)
	_, _, err := f.Tokens.CreateToken(ctx, u.ID, "walls", now().AddDate(1, 0, 0))
	f.must(err)
	f.must(f.Connections.SaveDriveConnection(ctx, u.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}))
	output := p.Documents[0].OutputID
	for _, statement := range []string{
		`INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, test, payload, state, created_at) VALUES ('evt_` + u.ID + `', '` + w.ID + `', '` + p.AutomationID + `', '` + output + `', 1, 'x', false, '', 'PENDING', now())`,
		`INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, answer, retry_after) VALUES ('evt_` + u.ID + `', 1, now(), '0', 200, '', 'secret', '0')`,
		`INSERT INTO mails (id, output_id, automation_id, workflow_id, state) VALUES ('` + output + `', '` + output + `', '` + p.AutomationID + `', '` + w.ID + `', 'PENDING')`,
		`INSERT INTO output_words (document_id, word, created_at, output_id) VALUES ('` + p.Documents[0].Document.ID + `', 'x', now(), '` + output + `')`,
		`INSERT INTO number_series (holder_id, name, next) VALUES ('` + u.ID + `', 'invoices', 2)`,
		`INSERT INTO numbers (holder_id, series, number, up_to, automation_id) VALUES ('` + u.ID + `', 'invoices', 1, 1, '` + p.AutomationID + `')`,
		`INSERT INTO notices (kind, subject, owner_id, pending_at) VALUES ('connection', '` + u.ID + `', '` + u.ID + `', now())`,
		`INSERT INTO endpoints (owner_id, url_hash) VALUES ('` + u.ID + `', sha256('x'))`,
		`INSERT INTO test_receivers (id, workflow_id, url, secret, created_at, updated_at) VALUES ('trc_` + u.ID + `', '` + w.ID + `', 'https://tests.example', 'x', now(), now())`,
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
		f.exec(statement)
	}
	return u
}

func sqlTeam(team *platen.Team) string {
	if team == nil {
		return "NULL"
	}
	return "'" + team.ID + "'"
}

func TestACallerSeesNothingOfAnotherTenantWithoutAnyFilter(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	red := f.team("Red")
	ada, bea, dan := f.fill(red), f.fill(red), f.fill(nil)
	count := func(u platen.User, table string) (n int) {
		t.Helper()
		err := serve.Pool().QueryRow(platen.WithCaller(t.Context(), u), `SELECT count(*) FROM `+table).Scan(&n)
		if err != nil {
			t.Errorf("%s: %v", table, err)
		}
		return n
	}
	// What /v0 may read at all.
	f.exec(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ` + fmt.Sprintf("walls_%d_api", os.Getpid()))
	for _, table := range f.tables(`EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.policyname = 'platen_tenant' AND p.qual <> 'true')`) {
		all := f.count(`SELECT count(*) FROM ` + table)
		if all == 0 {
			t.Errorf("%s is empty: have fill make a row of it", table)
		}
		alone := count(dan, table)
		if alone == 0 && table != "teams" { // Dan has none
			t.Errorf("%s: its owner sees no row", table)
		}
		of := count(ada, table)
		mate := count(bea, table)
		if mate != of {
			t.Errorf("%s: Bea sees %d rows, and her mate Ada %d; want as many", table, mate, of)
		}
		if of != all-alone && of+mate != all-alone { // some are a user's own, also in a team
			t.Errorf("%s: Ada sees %d of %d rows, and Dan %d; want that nobody sees another's and somebody sees each", table, of, all, alone)
		}
	}
}

func TestARequestWithoutACallerReadsNoDataOfEvents(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	f.fill(nil)
	for _, sql := range []string{`SELECT body FROM automations`, `SELECT payload FROM events`, `SELECT answer FROM deliveries`, `UPDATE workflows SET name = 'x'`, `DELETE FROM tokens`} {
		if _, err := serve.Pool().Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: got no error, want that it is refused", sql)
		}
	}
}

// Connections are used again by others: none keeps whom it acted for.
func TestAConnectionActsForWhoeverTakesIt(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	one, err := postgres.Open(t.Context(), f.pool.Config().ConnString(), f.box, postgres.Options{Part: postgres.PartFront, MaxConns: 1})
	f.must(err)
	t.Cleanup(one.Close)
	ada, dan := f.fill(nil), f.fill(nil)
	for i, u := range []platen.User{ada, dan, ada} {
		var owner string
		f.must(one.Pool().QueryRow(platen.WithCaller(t.Context(), u), `SELECT min(owner_id) FROM workflows`).Scan(&owner))
		if owner != u.ID {
			t.Errorf("turn %d: got the workflow of %s, want that of %s", i, owner, u.ID)
		}
		var n int
		f.must(one.Pool().QueryRow(t.Context(), `SELECT count(*) FROM workflows`).Scan(&n))
		if n != 2 {
			t.Errorf("turn %d: without a caller got %d workflows, want 2", i, n)
		}
	}
}

func TestALoginOfAProgramMayDoNothingBeforeItTakesItsRole(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	name := fmt.Sprintf("walls_%d_login", os.Getpid())
	prefix := fmt.Sprintf("walls_%d", os.Getpid())
	f.must(postgres.MakeRoles(t.Context(), f.pool, prefix, []postgres.Login{{Name: name, Password: `o'h\no`, Parts: []postgres.Part{postgres.PartDrive}}}, slog.New(slog.DiscardHandler)))
	config := f.pool.Config()
	config.ConnConfig.User, config.ConnConfig.Password = name, `o'h\no`
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	f.must(err)
	t.Cleanup(pool.Close)
	standing, err := postgres.ReadStanding(t.Context(), pool)
	if err != nil || standing.Excess() != "" || !standing.Member[postgres.PartDrive] || standing.Member[postgres.PartWork] {
		t.Errorf("got %+v, %v; want a login of the drive and nothing else", standing, err)
	}
	for _, table := range f.tables(`relname <> 'roles'`) {
		if _, err := pool.Exec(t.Context(), `SELECT FROM `+table); err == nil {
			t.Errorf("the login of the drive reads %s", table)
		}
	}
	work := f.pool.Config()
	work.ConnConfig.User, work.ConnConfig.Password = name, `o'h\no`
	_, err = postgres.TakeRole(t.Context(), work, postgres.PartWork)
	wantKind(t, "the drive's login as worker", err, platen.KindInvalid, "role_not_member")
}

func TestWallsAreRaisedOnceAndAgainWhereOneChanged(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	made := func() int { return f.count(`SELECT max(xmin::text::bigint) FROM pg_policy`) }
	before := made()
	f.must(postgres.RaiseWalls(t.Context(), f.pool, slog.New(slog.DiscardHandler)))
	if after := made(); after != before {
		t.Errorf("policies were made once more although nothing had changed")
	}
	f.exec(`DROP POLICY platen_tenant ON events`)
	f.must(postgres.RaiseWalls(t.Context(), f.pool, slog.New(slog.DiscardHandler)))
	if n := f.count(`SELECT count(*) FROM pg_policies WHERE tablename = 'events'`); n != 2 {
		t.Errorf("got %d policies of events, want 2", n)
	}
}

// Where Postgres is somebody else's, who owns the tables makes roles without being a
// superuser.
func TestAnOwnerWhoIsNoSuperuserTakesTheRolesThatItMade(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	name := fmt.Sprintf("walls_%d_owner", os.Getpid())
	f.exec(fmt.Sprintf(`CREATE ROLE %s LOGIN CREATEROLE CREATEDB PASSWORD 'of the owner'`, name))
	of := func(database string) *pgxpool.Pool {
		config := f.pool.Config()
		config.ConnConfig.User, config.ConnConfig.Password = name, "of the owner"
		if database != "" {
			config.ConnConfig.Database = database
		}
		pool, err := pgxpool.NewWithConfig(t.Context(), config)
		f.must(err)
		t.Cleanup(pool.Close)
		return pool
	}
	_, err := of("").Exec(t.Context(), `CREATE DATABASE `+name)
	f.must(err)
	owner := of(name)
	f.must(postgres.Migrate(t.Context(), owner))
	log := slog.New(slog.DiscardHandler)
	for range 2 {
		f.must(postgres.MakeRoles(t.Context(), owner, name, nil, log))
	}
	for _, part := range postgres.Parts() {
		taking := owner.Config()
		_, err := postgres.TakeRole(t.Context(), taking, part)
		f.must(err)
		pool, err := pgxpool.NewWithConfig(t.Context(), taking)
		f.must(err)
		t.Cleanup(pool.Close)
		var role string
		if err := pool.QueryRow(t.Context(), `SELECT current_user`).Scan(&role); err != nil || role == name {
			t.Errorf("%s: got the role %q and %v, want that of the part", part, role, err)
		}
	}
}
