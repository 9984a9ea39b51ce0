package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// A Part is what takes a role of its own in the database. A role may do what its
// part does and nothing else.
type Part string

// The parts. Their roles have no password: logins are members of them, and a program
// takes a role on each of its connections (SET ROLE).
const (
	// PartAPI is a request of /v0, or of a preview page, on behalf of a user: row-level
	// security shows it what that user may see.
	PartAPI Part = "api"
	// PartFront is the rest of serve: it finds callers by their tokens and documents by
	// their links, and sweeps. It works across tenants and reads no data of events.
	PartFront Part = "front"
	// PartAccept stores source events. It works across tenants and reads none of them.
	PartAccept Part = "accept"
	// PartWork is the worker: dispatch, runs and deliveries, across tenants.
	PartWork Part = "work"
	// PartDrive is our own drive, in a schema of its own.
	PartDrive Part = "drive"
	// PartOperator is the operators' pages of serve: it changes users, teams, tokens and
	// connections across tenants, and reads nothing that tenants or their senders made.
	PartOperator Part = "accounts"
)

// Parts returns every part.
func Parts() []Part { return []Part{PartAPI, PartFront, PartAccept, PartWork, PartDrive, PartOperator} }

// InsufficientPrivilege is the SQLSTATE of what a role may not do.
const InsufficientPrivilege = "42501"

// Quoted is a name as SQL has it.
func Quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// Literal returns a SQL string for any setting of standard_conforming_strings.
func Literal(text string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	return `E'` + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `'`, `''`) + `'`
}

// PartRoles are the roles of the parts; none in a database without walls.
func PartRoles(ctx context.Context, q Querier) (map[Part]string, error) {
	type row struct {
		Part string `db:"part"`
		Role string `db:"role"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT part, role
		FROM roles`, nil)
	if err != nil {
		return nil, fmt.Errorf("read roles: %w", err)
	}
	roles := make(map[Part]string, len(rows))
	for _, r := range rows {
		roles[Part(r.Part)] = r.Role
	}
	for _, part := range Parts() {
		// Programs of this release work beside roles that an earlier one made; only the
		// operators' pages need theirs.
		if len(roles) > 0 && roles[part] == "" && part != PartOperator {
			return nil, platen.Errorf(platen.KindInvalid, "roles_incomplete", "the database has no role for %s: run 'platen roles'", part)
		}
	}
	return roles, nil
}
