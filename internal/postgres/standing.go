package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
)

// A Standing is what a login may do beside what its program needs.
type Standing struct {
	// Login is whom the program connects as.
	Login string
	// Roles are those of the parts; none: the walls are off.
	Roles map[Part]string
	// Member tells which of them the login may take.
	Member map[Part]bool
	// Superuser may do anything; Owner owns the tables, and row-level security does not
	// bind it.
	Superuser, Owner bool
}

// Excess says what keeps the login from being behind walls; empty: it is.
func (s Standing) Excess() string {
	switch {
	case len(s.Roles) == 0:
		return "the database has no roles for the parts of the programs, so each program may read and change everything"
	case s.Superuser:
		return fmt.Sprintf("the login %s is a superuser or passes row-level security by", s.Login)
	case s.Owner:
		return fmt.Sprintf("the login %s owns the tables", s.Login)
	}
	return ""
}

// ReadStanding looks at the login that q is connected as. A database without tables has
// no roles.
func ReadStanding(ctx context.Context, pool *pgxpool.Pool) (Standing, error) {
	return readStanding(ctx, pool)
}

func readStanding(ctx context.Context, q Querier) (Standing, error) {
	type row struct {
		Login     string `db:"login"`
		Superuser bool   `db:"superuser"`
		Owner     bool   `db:"owner"`
	}
	r, _, err := CollectOne[row](ctx, q, `
		SELECT u.rolname AS login, u.rolsuper OR u.rolbypassrls AS superuser,
			EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('public.workflows') AND c.relowner = u.oid) AS owner
		FROM pg_roles u
		WHERE u.rolname = session_user`, nil)
	if err != nil {
		return Standing{}, fmt.Errorf("read the rights of the login: %w", err)
	}
	s := Standing{Login: r.Login, Superuser: r.Superuser, Owner: r.Owner, Member: map[Part]bool{}}
	s.Roles, err = PartRoles(ctx, q)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && (refused.Code == undefinedTable || refused.Code == InsufficientPrivilege) {
		return s, nil // of a database that was not migrated
	}
	if err != nil {
		return Standing{}, err
	}
	for part, role := range s.Roles {
		var member bool
		err := q.QueryRow(ctx, `
			SELECT coalesce((
				SELECT pg_has_role(session_user, oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
				FROM pg_roles
				WHERE rolname = @role
			), false)`,
			pgx.NamedArgs{"role": role}).Scan(&member)
		if err != nil {
			return Standing{}, fmt.Errorf("read the rights of the login: %w", Classify(err))
		}
		s.Member[part] = member
	}
	return s, nil
}

const undefinedTable = "42P01"

// take answers nil where the login may take the role of each part, else KindInvalid with
// code "role_not_member".
func (s Standing) take(parts ...Part) error {
	for _, part := range parts {
		if s.Roles[part] == "" {
			return platen.Errorf(platen.KindInvalid, "roles_incomplete", "the database has no role for %s: run 'platen roles'", part)
		}
		if !s.Member[part] {
			return platen.Errorf(platen.KindInvalid, "role_not_member",
				"the login %s is no member of %s: run 'platen roles' with the address of this program, or GRANT %s TO %s", s.Login, s.Roles[part], Quoted(s.Roles[part]), Quoted(s.Login))
		}
	}
	return nil
}

// TakeRole has each connection of a pool take the role of a part, where the database has
// roles: for pools that are not this package's. It is called before the pool is made.
// Without a part it only looks.
func TakeRole(ctx context.Context, config *pgxpool.Config, part Part) (Standing, error) {
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return Standing{}, Classify(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	s, err := readStanding(ctx, conn)
	if err != nil || len(s.Roles) == 0 || part == "" {
		return s, err
	}
	if err := s.take(part); err != nil {
		return s, err
	}
	role := s.Roles[part]
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config('role', $1, false)`, role)
		return err
	}
	if part == PartFront {
		if err := s.take(PartAPI); err != nil {
			return s, err
		}
		config.PrepareConn = callers{front: role, api: s.Roles[PartAPI]}.prepare
	}
	return s, nil
}

// callers has a connection act for the caller of the request that takes it, and for the
// front where there is none.
type callers struct{ front, api string }

// An identity is what a connection acts as.
type identity struct{ role, user, team string }

const identityKey = "platen.identity"

func (c callers) prepare(ctx context.Context, conn *pgx.Conn) (bool, error) {
	want := identity{role: c.front}
	if caller, ok := platen.CallerOf(ctx); ok {
		want = identity{role: c.api, user: caller.ID}
		if caller.Team != nil {
			want.team = caller.Team.ID
		}
	}
	data := conn.PgConn().CustomData()
	is, known := data[identityKey].(identity)
	if !known {
		is = identity{role: c.front}
	}
	if is == want {
		return true, nil
	}
	delete(data, identityKey)
	_, err := conn.Exec(ctx, `
		SELECT set_config('role', $1, false), set_config('platen.user_id', $2, false), set_config('platen.team_id', $3, false)`,
		want.role, want.user, want.team)
	if err != nil {
		return false, err // the pool closes the connection
	}
	data[identityKey] = want
	return true, nil
}

// LoginsBeyondWalls are the logins of connected programs that row-level security does not
// bind, and how many sessions have a login that it binds. A login without
// pg_read_all_stats sees of sessions of others the login alone.
func LoginsBeyondWalls(ctx context.Context, pool *pgxpool.Pool) (beyond []string, bound int, err error) {
	rows, _ := pool.Query(ctx, `
		SELECT a.usename, bool_or(u.rolsuper OR u.rolbypassrls OR c.relowner = u.oid) AS beyond, count(*) AS sessions
		FROM pg_stat_activity a
		JOIN pg_roles u ON u.oid = a.usesysid
		LEFT JOIN pg_class c ON c.oid = to_regclass('public.workflows')
		WHERE a.datname = current_database()
			AND (a.application_name ~ '^platen (serve|worker|drive)' OR NOT (u.rolsuper OR u.rolbypassrls OR c.relowner = u.oid))
		GROUP BY a.usename
		ORDER BY a.usename`) // rows have its error, too
	type login struct {
		Usename  string
		Beyond   bool
		Sessions int
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[login])
	if err != nil {
		return nil, 0, fmt.Errorf("read the logins of programs: %w", Classify(err))
	}
	for _, l := range all {
		if l.Beyond {
			beyond = append(beyond, l.Usename)
		} else {
			bound += l.Sessions
		}
	}
	return beyond, bound, nil
}
