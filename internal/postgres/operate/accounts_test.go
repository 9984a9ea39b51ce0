package operate_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// Roles are of the whole server, and tests run side by side.
var makingRoles sync.Mutex

// officed is a harness behind walls, and the database as the operators' pages open it: with
// a login that may take their role and no other.
func officed(t *testing.T) (*harness, *operate.DB) {
	t.Helper()
	f, _ := walled(t)
	prefix := fmt.Sprintf("walls_%d", os.Getpid())
	login := operate.Login{Name: prefix + "_office", Password: "of the office", Parts: []postgres.Part{postgres.PartOperator}}
	makingRoles.Lock()
	err := operate.MakeRoles(t.Context(), f.Owner, prefix, []operate.Login{login}, slog.New(slog.DiscardHandler))
	makingRoles.Unlock()
	f.Must(err)
	config := f.Owner.Config()
	of := strings.Replace(config.ConnString(), "//"+config.ConnConfig.User+":"+config.ConnConfig.Password+"@", "//"+login.Name+":of%20the%20office@", 1)
	of = strings.Replace(of, "//"+config.ConnConfig.User+"@", "//"+login.Name+":of%20the%20office@", 1)
	office, err := postgres.Open(t.Context(), of, f.Box, postgres.Options{Part: postgres.PartOperator})
	f.Must(err)
	t.Cleanup(office.Close)
	var user string
	f.Must(office.Pool().QueryRow(t.Context(), `SELECT session_user`).Scan(&user))
	if user != login.Name {
		t.Fatalf("the pages connect as %s, want %s", user, login.Name)
	}
	return f, operate.New(office)
}

func (f *harness) operator(team *platen.Team) platen.User {
	f.T.Helper()
	u := f.User(team)
	f.Must(f.Users.SetOperator(f.T.Context(), u.ID, true))
	return u
}

// What the pages do, they do with a login that may do nothing else.
func TestTheLoginOfOperatorsPagesDoesAllThatTheyDo(t *testing.T) {
	t.Parallel()
	f, office := officed(t)
	red, blue := f.Team("Red"), f.Team("Blue")
	op, ada := f.operator(nil), f.Fill(red)
	f.Exec(`UPDATE automations SET state = 'FAILED', failure_code = 'x', finished_at = now()`)
	f.Exec(`DELETE FROM pauses WHERE scope = 'user'`)
	ctx, _ := storetest.Acting(t.Context(), op, "POST /console/operator/x")

	_, err := office.Overview(ctx)
	f.Must(err)
	i, err := office.Installation(ctx, 24*time.Hour)
	f.Must(err)
	if i.FailedByCode["x"] != 1 || len(i.Connections) == 0 {
		t.Errorf("got %+v, want one failure and the connections by program", i)
	}
	f.Queue.Settings = platen.WorkerSettings{Build: "v1", RetentionData: time.Hour}
	f.Must(f.Queue.Register(t.Context(), "wrk_1", 6))
	workers, err := office.Workers(ctx)
	f.Must(err)
	if len(workers) != 1 || workers[0].Settings != f.Queue.Settings {
		t.Errorf("got workers %+v, want one with %+v", workers, f.Queue.Settings)
	}
	paused, err := office.Pauses.Pauses(ctx)
	f.Must(err)
	was, err := office.Pauses.Resume(ctx, paused[0].Scope, paused[0].ID)
	if err != nil || !was {
		t.Errorf("resume: %v, %v", was, err)
	}
	all, err := office.Users.UserStandings(ctx, platen.UserQuery{Search: "ADA"})
	if err != nil || len(all) != 2 {
		t.Errorf("got %d users, %v; want 2", len(all), err)
	}
	one, err := office.Users.UserStanding(ctx, ada.ID)
	if err != nil || one.Team == nil || one.Team.ID != red.ID || one.LiveTokens != 1 || one.Workflows != 1 || one.State != platen.UserActive || one.OperatorSince != nil {
		t.Errorf("got %+v, %v", one, err)
	}
	is, err := office.Users.ActsAsOperator(ctx, op.ID, "")
	if err != nil || !is {
		t.Errorf("the operator is one: %v, %v", is, err)
	}
	teams, err := office.Users.TeamStandings(ctx, "", 10)
	if err != nil || len(teams) != 2 || teams[1].Members != 1 || teams[1].Workflows != 1 {
		t.Errorf("got teams %+v, %v", teams, err)
	}
	f.Must(office.Users.CreateTeam(ctx, platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: "Green"}))
	bob := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Bob", Email: "bob@example.org", Team: blue}
	f.Must(office.Users.CreateUser(ctx, bob))
	id, _, err := office.Tokens.CreateToken(ctx, bob.ID, "laptop", time.Time{})
	f.Must(err)
	once := platen.NewID(platen.PrefixToken)
	for n, want := range []string{"", "token_exists"} {
		_, err := office.Tokens.CreateTokenOnce(ctx, once, bob.ID, "once", time.Time{})
		if storetest.CodeOf(err) != want {
			t.Errorf("token, time %d: got %v, want code %q", n+1, err, want)
		}
	}
	f.Must(office.Tokens.RevokeToken(ctx, id))
	tokens, err := office.Tokens.TokensOf(ctx, bob.ID)
	if err != nil || len(tokens) != 2 || tokens[1].Live(time.Now()) || !tokens[0].Live(time.Now()) {
		t.Errorf("got tokens %+v, %v", tokens, err)
	}
	f.Must(office.Users.MoveUser(ctx, ada.ID, blue, true))
	f.Must(office.Users.DisableUser(ctx, ada.ID))
	f.Must(office.Users.EnableUser(ctx, ada.ID))
	connections, err := office.Connections.ConnectionStandings(ctx, platen.ConnectionQuery{})
	if err != nil || len(connections) != 1 || connections[0].UserID != ada.ID || connections[0].Kind != platen.ConnectionToken {
		t.Errorf("got connections %+v, %v", connections, err)
	}
	stored, err := office.Connections.StoredConnection(ctx, ada.ID)
	f.Must(err)
	if removed, err := office.Connections.RemoveDriveConnection(ctx, ada.ID, stored); err != nil || !removed {
		t.Errorf("disconnect: %v, %v", removed, err)
	}
	f.Must(office.Users.DeleteUser(ctx, ada.ID))
	want, err := f.Rotation.Counts(t.Context())
	f.Must(err)
	got, err := office.Rotation.CountsOnly(ctx)
	if err != nil || !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("got counts %+v, %v; want %+v", got, err, want)
	}
	entries, err := office.Audit.Entries(ctx, platen.AuditQuery{UserID: op.ID})
	if err != nil || len(entries) != 1 { // they have one id, that of the act
		t.Errorf("got %+v, %v; want the entry of what the operator did", entries, err)
	}
	f.Must(office.CheckSchema(ctx))
}

func TestTheLoginOfOperatorsPagesReadsNothingOfTenantsAndMakesNoOperator(t *testing.T) {
	t.Parallel()
	f, office := officed(t)
	op, ada := f.operator(nil), f.Fill(nil)
	token := `INSERT INTO tokens (id, user_id, name, hash, scopes) VALUES ('tok_x', '%s', 'x', sha256('x'), '{}')`
	for _, sql := range []string{
		`SELECT body FROM automations`, `SELECT data_key FROM automations`, `SELECT failure FROM automations`, `SELECT payload FROM events`, `SELECT answer FROM deliveries`,
		`SELECT key FROM sources`, `SELECT fields FROM sources`, `SELECT name FROM source_names`, `SELECT secret FROM outgoing_webhooks`, `SELECT url FROM outgoing_webhooks`, `SELECT pdf_password FROM documents`, `SELECT name FROM workflows`,
		`SELECT plan FROM plans`, `SELECT files FROM outputs`, `SELECT word FROM output_words`, `SELECT answer FROM idempotency_keys`, `SELECT hash FROM tokens`, `SELECT sent_to FROM mails`, `SELECT whom FROM mails`, `SELECT message FROM mails`, `SELECT FROM pictures`,
		`UPDATE users SET operator_since = now()`, `INSERT INTO users (id, name, email, operator_since) VALUES ('usr_x', 'x', 'x', now())`,
		`UPDATE tokens SET hash = sha256('x')`, `UPDATE tokens SET scopes = '{}'`, `UPDATE tokens SET user_id = '` + op.ID + `'`, `UPDATE workflows SET owner_id = '` + op.ID + `'`, `UPDATE drive_connections SET secret = 'x'`,
		`DELETE FROM users`, `DELETE FROM tokens`, `DELETE FROM audit`, `UPDATE audit SET actor_id = 'x'`, `TRUNCATE audit`, `INSERT INTO pauses (scope, id, reason, paused_by) VALUES ('all', '', '', '')`,
		// Bounds of rows.
		fmt.Sprintf(token, op.ID), `UPDATE users SET email = 'eve@example.org' WHERE id = '` + op.ID + `'`, `UPDATE users SET team_id = NULL WHERE id = '` + op.ID + `'`,
		`SET ROLE walls`, `SET ROLE ` + fmt.Sprintf("walls_%d_front", os.Getpid()),
	} {
		if _, err := office.Pool().Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: got no error, want that it is refused", sql)
		}
	}
	if _, err := office.Pool().Exec(t.Context(), fmt.Sprintf(token, ada.ID)); err != nil {
		t.Errorf("a token of somebody else: %v", err)
	}
	storetest.WantKind(t, "make an operator", office.Users.SetOperator(t.Context(), ada.ID, true), platen.KindInternal, "")
}

// The other roles of serve know who is an operator, and make none.
func TestNoOtherRoleOfServeMakesAnOperatorOrAToken(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	op, ada := f.operator(nil), f.Fill(nil)
	is, err := serve.Users.ActsAsOperator(t.Context(), op.ID, "")
	if err != nil || !is {
		t.Errorf("the operator: %v, %v; want true", is, err)
	}
	for _, sql := range []string{`UPDATE users SET operator_since = now()`, `UPDATE users SET disabled_at = NULL`, `INSERT INTO tokens (id, user_id, name, hash) VALUES ('tok_x', '` + ada.ID + `', 'x', sha256('x'))`, `SELECT sealed_counts()`} {
		for who, ctx := range map[string]func() error{
			"the front": func() error { _, err := serve.Pool().Exec(t.Context(), sql); return err },
			"a caller":  func() error { _, err := serve.Pool().Exec(platen.WithCaller(t.Context(), op), sql); return err },
		} {
			if err := ctx(); err == nil {
				t.Errorf("%s: %s: got no error, want that it is refused", who, sql)
			}
		}
	}
}

func TestWhoActsAsAnOperator(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	op, other := f.operator(nil), f.operator(nil)
	user := f.User(nil)
	w := f.Workflow(op)
	token := func(u platen.User, expires time.Time, scopes ...platen.Scope) string {
		t.Helper()
		id, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "x", expires, scopes...)
		f.Must(err)
		return id
	}
	full, revoked := token(op, time.Time{}), token(op, time.Time{})
	f.Must(f.Tokens.RevokeToken(t.Context(), revoked))
	f.Must(f.Users.DisableUser(t.Context(), other.ID))
	for name, c := range map[string]struct {
		user, token string
		want        bool
	}{
		"a full token":               {op.ID, full, true},
		"a sign-in at a provider":    {op.ID, "", true},
		"a token that may read":      {op.ID, token(op, time.Time{}, platen.ScopeRead), false},
		"a token that may write":     {op.ID, token(op, time.Time{}, platen.ScopeWrite), false},
		"a token of one workflow":    {op.ID, token(op, time.Time{}, platen.ScopeWrite, platen.Scope("workflow:"+w.ID)), false},
		"a token that expired":       {op.ID, token(op, time.Now().Add(-time.Minute)), false},
		"a token that was revoked":   {op.ID, revoked, false},
		"somebody else's token":      {op.ID, token(user, time.Time{}), false},
		"a token that nobody made":   {op.ID, "tok_none", false},
		"a user who is no operator":  {user.ID, "", false},
		"an operator, disabled":      {other.ID, "", false},
		"nobody":                     {"", "", false},
		"a token of a user, for one": {user.ID, full, false},
	} {
		if got, err := f.Users.ActsAsOperator(t.Context(), c.user, c.token); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v; want %v", name, got, err, c.want)
		}
	}
	f.Must(f.Users.SetOperator(t.Context(), op.ID, false))
	f.Must(f.Users.SetOperator(t.Context(), op.ID, false))
	if got, err := f.Users.ActsAsOperator(t.Context(), op.ID, full); err != nil || got {
		t.Errorf("who was one: got %v, %v; want false", got, err)
	}
	all, err := f.Users.Operators(t.Context())
	if err != nil || len(all) != 1 || !all[other.ID] {
		t.Errorf("got operators %v, %v; want %s", all, err, other.ID)
	}
}

func TestOperatorsSpareThemselvesAndTheLastOfThem(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	one, two := f.operator(nil), f.operator(nil)
	ctx, _ := storetest.Acting(t.Context(), one, "POST /console/operator/users/{user}/disable")
	storetest.WantKind(t, "disable oneself", f.Users.DisableUser(ctx, one.ID), platen.KindForbidden, "operator_self")
	storetest.WantKind(t, "delete oneself", f.Users.DeleteUser(ctx, one.ID), platen.KindForbidden, "operator_self")
	storetest.WantKind(t, "move another", f.Users.MoveUser(ctx, two.ID, nil, false), platen.KindForbidden, "operator_by_command")
	_, _, err := f.Tokens.CreateToken(ctx, two.ID, "x", time.Time{})
	storetest.WantKind(t, "a token for another", err, platen.KindForbidden, "operator_by_command")
	_, _, err = f.Tokens.CreateToken(ctx, one.ID, "x", time.Time{})
	storetest.WantKind(t, "a token for oneself", err, platen.KindForbidden, "operator_by_command")
	f.Must(f.Users.DisableUser(ctx, two.ID))
	f.Must(f.Users.DisableUser(ctx, two.ID))
	storetest.WantKind(t, "enable another", f.Users.EnableUser(ctx, two.ID), platen.KindForbidden, "operator_by_command")
	// Two is not in any more, but a request of theirs may be under way.
	late, _ := storetest.Acting(t.Context(), two, "POST /console/operator/users/{user}/disable")
	storetest.WantKind(t, "disable the last", f.Users.DisableUser(late, one.ID), platen.KindForbidden, "operator_last")
	storetest.WantKind(t, "delete the last", f.Users.DeleteUser(late, one.ID), platen.KindForbidden, "operator_last")
	f.Must(f.Users.EnableUser(t.Context(), two.ID)) // a command may
	f.Must(f.Users.DisableUser(t.Context(), one.ID))
	f.Must(f.Users.DisableUser(t.Context(), two.ID))
}

func TestTwoOperatorsDoNotDisableEachOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for range 5 {
		one, two := f.operator(nil), f.operator(nil)
		errs := make(chan error, 2)
		for _, pair := range [][2]platen.User{{one, two}, {two, one}} {
			go func() {
				ctx, _ := storetest.Acting(t.Context(), pair[0], "POST /console/operator/users/{user}/disable")
				errs <- f.Users.DisableUser(ctx, pair[1].ID)
			}()
		}
		first, second := <-errs, <-errs
		if (first == nil) == (second == nil) {
			t.Fatalf("got %v and %v, want that one of them is refused", first, second)
		}
		f.Exec(`UPDATE users SET operator_since = NULL`)
	}
}

// Programs of this release begin beside roles that an earlier one made.
func TestWithoutARoleForOperatorsOnlyTheirPagesAreMissing(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	f.Exec(`DELETE FROM roles WHERE part = 'accounts'`)
	f.Must(operate.RaiseWalls(t.Context(), f.Owner, slog.New(slog.DiscardHandler)))
	serve, err := postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Part: postgres.PartFront})
	f.Must(err)
	serve.Close()
	_, err = postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Part: postgres.PartOperator})
	storetest.WantKind(t, "the pages", err, platen.KindInvalid, "roles_incomplete")
}

// Plans say whether a page reads as much as it shows; clocks would not.
func TestAPageOfUsersReadsLittle(t *testing.T) {
	t.Parallel()
	f, office := officed(t)
	f.operator(nil)
	f.Exec(`
		INSERT INTO users (id, name, email)
		SELECT 'usr_' || lpad(n::text, 14, '0'), 'User ' || n, 'user' || lpad(n::text, 6, '0') || '@example.org'
		FROM generate_series(1, 10000) n`)
	f.Exec(`
		INSERT INTO tokens (id, user_id, name, hash)
		SELECT 'tok_' || n, 'usr_' || lpad(n::text, 14, '0'), 'x', sha256(n::text::bytea)
		FROM generate_series(1, 10000) n`)
	f.Exec(`ANALYZE users`)
	f.Exec(`ANALYZE tokens`)
	look := func(what string, most float64, plan []byte, err error) {
		t.Helper()
		f.Must(err)
		var read []struct{ Plan storetest.PlanNode }
		f.Must(json.Unmarshal(plan, &read))
		if n := read[0].Plan.Read(); n > most {
			t.Errorf("%s: %.0f rows are read, want %.0f at most: %s", what, n, most, plan)
		}
	}
	for what, q := range map[string]platen.UserQuery{"first page of users": {Limit: 51}, "last page of users": {Limit: 51, After: "usr_00000000009950"}} {
		plan, err := operate.ExplainUsers(t.Context(), office, q)
		look(what, 300, plan, err)
	}
	// A part of a name is looked for in all of them, which are few.
	plan, err := operate.ExplainUsers(t.Context(), office, platen.UserQuery{Limit: 51, Search: "user 99"})
	look("search for users", 25_000, plan, err)
}
