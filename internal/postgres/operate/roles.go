package operate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// A Login is a role with a password that a program connects with. It may take the roles
// of its parts and nothing else.
type Login struct {
	Name, Password string
	Parts          []postgres.Part
}

// MakeRoles makes a role for each part, called prefix_part, and the logins, and raises
// the walls. The login of pool owns the tables, and may create roles or finds them
// there. It may be called again at any time. Passwords become those that are given where
// the login may set any; else they stay, and log says so.
// A login that may not create roles gets KindForbidden with code "roles_not_made". A login of
// logins that may take a role of another prefix is left alone, for an installation in another
// database of the server connects with it: KindConflict with code "login_of_another".
func MakeRoles(ctx context.Context, pool *pgxpool.Pool, prefix string, logins []Login, log *slog.Logger) error {
	statements := rolesSQL(prefix, "current_user", logins)
	var mayMake bool
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user`).Scan(&mayMake); err != nil {
			return err
		}
		for _, statement := range statements {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		for _, part := range postgres.Parts() {
			if _, err := postgres.Execute(ctx, tx, `
				INSERT INTO roles (part, role)
				VALUES (@part, @role)
				ON CONFLICT (part) DO UPDATE
				SET role = excluded.role`, pgx.NamedArgs{"part": string(part), "role": roleName(prefix, part)}); err != nil {
				return err
			}
		}
		return nil
	})
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == postgres.InsufficientPrivilege {
		return platen.Errorf(platen.KindForbidden, "roles_not_made",
			"this login may not make roles (%s): have an administrator of Postgres run what 'platen roles --print' prints, then call it again", refused.Message)
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == loginOfAnother {
		return &platen.Error{Kind: platen.KindConflict, Code: "login_of_another", Message: refused.Message, Err: err}
	}
	if err != nil {
		return fmt.Errorf("make roles: %w", postgres.Classify(err))
	}
	if !mayMake && len(logins) > 0 {
		log.InfoContext(ctx, "passwords of logins stay as an administrator of Postgres set them: this login may set none")
	}
	return RaiseWalls(ctx, pool, log)
}

func roleName(prefix string, part postgres.Part) string { return prefix + "_" + string(part) }

// RolesSQL is what an administrator of Postgres runs before MakeRoles, where the owner
// of the tables may not make roles.
func RolesSQL(prefix, owner string, logins []Login) string {
	return strings.Join(rolesSQL(prefix, postgres.Literal(owner), logins), ";\n") + ";\n"
}

// rolesSQL makes what is missing. What is there needs no right to make it.
func rolesSQL(prefix, owner string, logins []Login) []string {
	var statements []string
	for _, part := range postgres.Parts() {
		role := roleName(prefix, part)
		// What owns the tables may take every role, so that one login goes on working.
		statements = append(statements, made(role, "NOLOGIN"), member(role, owner))
	}
	for _, login := range logins {
		statements = append(statements, ours(login.Name, prefix), made(login.Name, "LOGIN NOINHERIT"), password(login))
		for _, part := range login.Parts {
			statements = append(statements, member(roleName(prefix, part), postgres.Literal(login.Name)))
		}
	}
	return statements
}

// loginOfAnother is the SQLSTATE that ours raises (PostgreSQL manual, appendix A:
// object_in_use).
const loginOfAnother = "55006"

// ours returns the statement that fails if a login may take the role of a part of another
// prefix. Roles and passwords are of the whole server: with another password, the programs of
// the other installation would lose each connection that they open from then on.
func ours(login, prefix string) string {
	var own, parts []string
	for _, part := range postgres.Parts() {
		own = append(own, postgres.Literal(roleName(prefix, part)))
		parts = append(parts, string(part))
	}
	return fmt.Sprintf(`DO $ours$ DECLARE other text; BEGIN
	SELECT r.rolname INTO other
	FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles l ON l.oid = m.member
	WHERE l.rolname = %[1]s AND r.rolname ~ '_(%[2]s)$' AND r.rolname NOT IN (%[3]s)
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'the login %% takes the role %%, which is another installation''s: give this one a login with another name, or the prefix of that role', %[1]s, other
			USING ERRCODE = '%[4]s';
	END IF;
END $ours$`, postgres.Literal(login), strings.Join(parts, "|"), strings.Join(own, ", "), loginOfAnother)
}

// made makes a role unless it is there.
func made(role, options string) string {
	return fmt.Sprintf(`DO $make$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN
		CREATE ROLE %s %s;
	END IF;
END $make$`, postgres.Literal(role), postgres.Quoted(role), options)
}

// member makes the role that the expression to names a member of a role that may take
// it, unless it is. From Postgres 16 on, who makes a role without being a superuser is a
// member that may not (createrole_self_grant).
func member(role, to string) string {
	return fmt.Sprintf(`DO $grant$ DECLARE given boolean; BEGIN
	EXECUTE format('SELECT EXISTS (
		SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles o ON o.oid = m.member
		WHERE r.rolname = %%L AND o.rolname = %%L AND %%s
	)', %[1]s, %[2]s, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'm.set_option' ELSE 'true' END) INTO given;
	IF NOT given THEN
		EXECUTE format('GRANT %%I TO %%I', %[1]s, %[2]s);
	END IF;
END $grant$`, postgres.Literal(role), to)
}

// password returns the statement that sets the password of a login, if the current role
// may. Postgres may log the statement, so it has the SCRAM verifier and not the
// password.
func password(login Login) string {
	return fmt.Sprintf(`DO $password$ BEGIN
	IF (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
		ALTER ROLE %s LOGIN NOINHERIT PASSWORD %s;
	END IF;
END $password$`, postgres.Quoted(login.Name), postgres.Literal(verifier(login.Password)))
}

// RaiseWalls grants each part its privileges on each table, and enables row-level
// security on tables with data of tenants. It changes nothing where that is done, and
// nothing at all in a database without roles. It waits for a table in use, as migrations
// do.
func RaiseWalls(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	roles, err := postgres.PartRoles(ctx, pool)
	if err != nil || len(roles) == 0 {
		return err
	}
	for _, w := range walls {
		if err := raise(ctx, pool, w, roles, log); err != nil {
			return fmt.Errorf("raise the wall of %s: %w", w.table, postgres.Classify(err))
		}
	}
	if err := defineSealedCounts(ctx, pool); err != nil {
		return err
	}
	var statements []string
	for name, parts := range functions {
		for _, part := range parts {
			if roles[part] == "" {
				continue
			}
			statements = append(statements, fmt.Sprintf("GRANT EXECUTE ON FUNCTION public.%s TO %s", name, postgres.Quoted(roles[part])))
		}
	}
	statements = append(statements, schemaSQL(roles)...)
	for _, statement := range statements {
		if _, err := pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("grant: %w", postgres.Classify(err))
		}
	}
	return nil
}

// schemaSQL opens the schemas. The tables of the drive are its own; operators' pages open new
// accounts of it, and may do nothing with one that is there.
func schemaSQL(roles map[postgres.Part]string) []string {
	others := make([]string, 0, len(roles))
	for _, part := range postgres.Parts() {
		if roles[part] != "" {
			others = append(others, postgres.Quoted(roles[part]))
		}
	}
	drive := postgres.Quoted(roles[postgres.PartDrive])
	return []string{
		`GRANT USAGE ON SCHEMA public TO ` + strings.Join(others, ", "),
		// Events of workflows with an order get numbers, and rows of batches.
		`GRANT USAGE ON SEQUENCE public.automation_order TO ` + postgres.Quoted(roles[postgres.PartAccept]) + ", " + postgres.Quoted(roles[postgres.PartWork]),
		// Before Postgres 15 everybody may make tables there.
		`DO $revoke$ BEGIN
			REVOKE CREATE ON SCHEMA public FROM PUBLIC;
		EXCEPTION WHEN insufficient_privilege THEN NULL;
		END $revoke$`,
		`DO $drive$ BEGIN
			IF to_regnamespace('drive') IS NOT NULL THEN
				GRANT USAGE ON SCHEMA drive TO ` + drive + `;
				GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA drive TO ` + drive + `;
				GRANT USAGE ON ALL SEQUENCES IN SCHEMA drive TO ` + drive + `;
				REVOKE INSERT, UPDATE, DELETE ON drive.migrations FROM ` + drive + `;
			END IF;` + opensAccounts(roles[postgres.PartOperator]) + `
		END $drive$`,
	}
}

// opensAccounts lets a role open new accounts of the drive; empty: there is none.
func opensAccounts(role string) string {
	if role == "" {
		return ""
	}
	const open = `drive.open_account(text, text, text, text, text, bytea)`
	return `
			IF to_regprocedure('` + open + `') IS NOT NULL THEN
				GRANT USAGE ON SCHEMA drive TO ` + postgres.Quoted(role) + `;
				GRANT EXECUTE ON FUNCTION ` + open + ` TO ` + postgres.Quoted(role) + `;
			END IF;`
}

const (
	// tenantPolicy is of PartAPI, partPolicy of the parts that work across tenants.
	tenantPolicy = "platen_tenant"
	partPolicy   = "platen_part"
)

// raise puts up one wall in a transaction, unless it is as it should be: its policy says
// in its comment of what it was made.
func raise(ctx context.Context, pool *pgxpool.Pool, w wall, roles map[postgres.Part]string, log *slog.Logger) error {
	statements := w.statements(roles)
	sum := sha256.Sum256([]byte(strings.Join(statements, ";")))
	mark := hex.EncodeToString(sum[:])
	var raised bool
	err := pool.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT
			FROM pg_policy p
			WHERE p.polrelid = to_regclass(@table) AND p.polname = @policy AND obj_description(p.oid, 'pg_policy') = @mark
		) OR to_regclass(@table) IS NULL`,
		pgx.NamedArgs{"table": "public." + w.table, "policy": tenantPolicy, "mark": mark}).Scan(&raised)
	if err != nil || raised {
		return err
	}
	statements = append(statements, fmt.Sprintf("COMMENT ON POLICY %s ON public.%s IS %s", tenantPolicy, w.table, postgres.Literal(mark)))
	for pause := time.Second; ; pause = min(2*pause, 16*time.Second) {
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for _, statement := range append([]string{`SET LOCAL lock_timeout = '200ms'`}, statements...) {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
		if refused, ok := errors.AsType[*pgconn.PgError](err); err == nil || !ok || refused.Code != lockNotAvailable {
			return err
		}
		log.Warn("a wall waits for a table that is in use, and is tried again", "table", w.table, "pause", pause.String())
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

const lockNotAvailable = "55P03"

// statements returns those that set up the wall, from any earlier state.
func (w wall) statements(roles map[postgres.Part]string) []string {
	table := "public." + w.table
	all := make([]string, 0, len(roles))
	var across []string
	for _, part := range postgres.Parts() {
		if roles[part] == "" {
			continue
		}
		all = append(all, postgres.Quoted(roles[part]))
		if part != postgres.PartAPI && w.grants[part] != "" {
			across = append(across, postgres.Quoted(roles[part]))
		}
	}
	statements := []string{fmt.Sprintf("REVOKE ALL ON %s FROM %s", table, strings.Join(all, ", "))}
	for _, part := range slices.Sorted(maps.Keys(w.grants)) {
		if roles[part] == "" {
			continue
		}
		statements = append(statements, fmt.Sprintf("GRANT %s ON %s TO %s", w.grants[part], table, postgres.Quoted(roles[part])))
	}
	visible := strings.ReplaceAll(w.visible, "{table}", w.table)
	writable := visible
	if w.writable != "" {
		writable = w.writable
	}
	statements = append(statements,
		fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", table),
		fmt.Sprintf("DROP POLICY IF EXISTS %s ON %s", tenantPolicy, table),
		fmt.Sprintf("DROP POLICY IF EXISTS %s ON %s", partPolicy, table),
		fmt.Sprintf("CREATE POLICY %s ON %s TO %s USING (%s) WITH CHECK (%s)", tenantPolicy, table, postgres.Quoted(roles[postgres.PartAPI]), visible, writable))
	if len(across) > 0 {
		statements = append(statements, fmt.Sprintf("CREATE POLICY %s ON %s TO %s USING (true) WITH CHECK (true)", partPolicy, table, strings.Join(across, ", ")))
	}
	for _, b := range w.bounds {
		statements = append(statements, fmt.Sprintf("DROP POLICY IF EXISTS %s ON %s", b.name, table))
		if roles[b.part] == "" {
			continue
		}
		using := ""
		if b.command == "UPDATE" {
			using = "USING (true) "
		}
		statements = append(statements, fmt.Sprintf("CREATE POLICY %s ON %s AS RESTRICTIVE FOR %s TO %s %sWITH CHECK (%s)", b.name, table, b.command, postgres.Quoted(roles[b.part]), using, b.holds))
	}
	return statements
}
