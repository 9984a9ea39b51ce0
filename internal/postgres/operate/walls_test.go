package operate_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// A table without a wall is closed to every program, once there are roles.
func TestEveryTableHasAWall(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	for _, table := range f.Tables(`relname <> 'roles' AND NOT relrowsecurity OR relname <> 'roles' AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'platen_tenant')`) {
		t.Errorf("table %s has no wall: say in walls.go which rows a caller sees, and what each part may do", table)
	}
}

func TestACallerSeesNothingOfAnotherTenantWithoutAnyFilter(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	red := f.Team("Red")
	ada, bea, dan := f.Fill(red), f.Fill(red), f.Fill(nil)
	count := func(u platen.User, table string) (n int) {
		t.Helper()
		err := serve.Pool().QueryRow(platen.WithCaller(t.Context(), u), `SELECT count(*) FROM `+table).Scan(&n)
		if err != nil {
			t.Errorf("%s: %v", table, err)
		}
		return n
	}
	// What /v0 may read at all.
	f.Exec(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ` + fmt.Sprintf("walls_%d_api", os.Getpid()))
	for _, table := range f.Tables(`EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.policyname = 'platen_tenant' AND p.qual <> 'true')`) {
		all := f.Count(`SELECT count(*) FROM ` + table)
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
	f.Fill(nil)
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
	one, err := postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Part: postgres.PartFront, MaxConns: 1})
	f.Must(err)
	t.Cleanup(one.Close)
	ada, dan := f.Fill(nil), f.Fill(nil)
	for i, u := range []platen.User{ada, dan, ada} {
		var owner string
		f.Must(one.Pool().QueryRow(platen.WithCaller(t.Context(), u), `SELECT min(owner_id) FROM workflows`).Scan(&owner))
		if owner != u.ID {
			t.Errorf("turn %d: got the workflow of %s, want that of %s", i, owner, u.ID)
		}
		var n int
		f.Must(one.Pool().QueryRow(t.Context(), `SELECT count(*) FROM workflows`).Scan(&n))
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
	f.Must(operate.MakeRoles(t.Context(), f.Owner, prefix, []operate.Login{{Name: name, Password: `o'h\no`, Parts: []postgres.Part{postgres.PartDrive}}}, slog.New(slog.DiscardHandler)))
	config := f.Owner.Config()
	config.ConnConfig.User, config.ConnConfig.Password = name, `o'h\no`
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	f.Must(err)
	t.Cleanup(pool.Close)
	standing, err := postgres.ReadStanding(t.Context(), pool)
	if err != nil || standing.Excess() != "" || !standing.Member[postgres.PartDrive] || standing.Member[postgres.PartWork] {
		t.Errorf("got %+v, %v; want a login of the drive and nothing else", standing, err)
	}
	for _, table := range f.Tables(`relname <> 'roles'`) {
		if _, err := pool.Exec(t.Context(), `SELECT FROM `+table); err == nil {
			t.Errorf("the login of the drive reads %s", table)
		}
	}
	work := f.Owner.Config()
	work.ConnConfig.User, work.ConnConfig.Password = name, `o'h\no`
	_, err = postgres.TakeRole(t.Context(), work, postgres.PartWork)
	storetest.WantKind(t, "the drive's login as worker", err, platen.KindInvalid, "role_not_member")
}

func TestWallsAreRaisedOnceAndAgainWhereOneChanged(t *testing.T) {
	t.Parallel()
	f, _ := walled(t)
	made := func() int { return f.Count(`SELECT max(xmin::text::bigint) FROM pg_policy`) }
	before := made()
	f.Must(operate.RaiseWalls(t.Context(), f.Owner, slog.New(slog.DiscardHandler)))
	if after := made(); after != before {
		t.Errorf("policies were made once more although nothing had changed")
	}
	f.Exec(`DROP POLICY platen_tenant ON events`)
	f.Must(operate.RaiseWalls(t.Context(), f.Owner, slog.New(slog.DiscardHandler)))
	if n := f.Count(`SELECT count(*) FROM pg_policies WHERE tablename = 'events'`); n != 2 {
		t.Errorf("got %d policies of events, want 2", n)
	}
}

// Roles are of the whole server. A login that another installation connects with keeps its
// password, for that one would lose its next connection, and not at once.
func TestALoginOfAnotherInstallationIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	name := fmt.Sprintf("walls_%d_shared", os.Getpid())
	log := slog.New(slog.DiscardHandler)
	made := func(prefix, password string) error {
		return operate.MakeRoles(t.Context(), f.Owner, prefix, []operate.Login{{Name: name, Password: password, Parts: []postgres.Part{postgres.PartDrive}}}, log)
	}
	opens := func(password string) error {
		config := f.Owner.Config().ConnConfig
		config.User, config.Password = name, password
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			return err
		}
		return conn.Close(t.Context())
	}
	f.Must(made(name+"_first", "of the first"))
	err := made(name+"_second", "of the second")
	if refused, ok := errors.AsType[*platen.Error](err); !ok || refused.Code != "login_of_another" || !strings.Contains(refused.Message, name+"_first_drive") {
		t.Errorf("got %v, want login_of_another with the role that the login may take", err)
	}
	f.Must(opens("of the first"))
	f.Must(made(name+"_first", "changed"))
	f.Must(opens("changed"))

	administrators := operate.RolesSQL(name+"_second", "postgres", []operate.Login{{Name: name, Password: "of the second"}})
	if _, err := f.Owner.Exec(t.Context(), administrators); err == nil {
		t.Error("what an administrator runs takes the login")
	}
	f.Must(opens("changed"))
}

// Where Postgres is somebody else's, who owns the tables makes roles without being a
// superuser.
func TestAnOwnerWhoIsNoSuperuserTakesTheRolesThatItMade(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	name := fmt.Sprintf("walls_%d_owner", os.Getpid())
	f.Exec(fmt.Sprintf(`CREATE ROLE %s LOGIN CREATEROLE CREATEDB PASSWORD 'of the owner'`, name))
	of := func(database string) *pgxpool.Pool {
		config := f.Owner.Config()
		config.ConnConfig.User, config.ConnConfig.Password = name, "of the owner"
		if database != "" {
			config.ConnConfig.Database = database
		}
		pool, err := pgxpool.NewWithConfig(t.Context(), config)
		f.Must(err)
		t.Cleanup(pool.Close)
		return pool
	}
	_, err := of("").Exec(t.Context(), `CREATE DATABASE `+name)
	f.Must(err)
	owner := of(name)
	f.Must(postgres.Migrate(t.Context(), owner))
	log := slog.New(slog.DiscardHandler)
	for range 2 {
		f.Must(operate.MakeRoles(t.Context(), owner, name, nil, log))
	}
	for _, part := range postgres.Parts() {
		taking := owner.Config()
		_, err := postgres.TakeRole(t.Context(), taking, part)
		f.Must(err)
		pool, err := pgxpool.NewWithConfig(t.Context(), taking)
		f.Must(err)
		t.Cleanup(pool.Close)
		var role string
		if err := pool.QueryRow(t.Context(), `SELECT current_user`).Scan(&role); err != nil || role == name {
			t.Errorf("%s: got the role %q and %v, want that of the part", part, role, err)
		}
	}
}
