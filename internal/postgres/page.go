package postgres

import (
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Lists that grow with every event have no whole: the zero page is their end,
// read backwards.

// boundedPageArgs are pageArgs with the bound of such a list.
func boundedPageArgs(p platen.Page, args pgx.NamedArgs) pgx.NamedArgs {
	// A page asks for one entry more than it shows.
	if p.Limit <= 0 || p.Limit > platen.MaxList+1 {
		p.Limit = platen.MaxList
	}
	return pageArgs(p, args)
}

func direction(p platen.Page) string {
	if p.Newest || p == (platen.Page{}) {
		return " DESC"
	}
	return ""
}

// beyond compares an entry's position with that of the last entry of the page before.
func beyond(p platen.Page) string {
	if p.Newest {
		return "<"
	}
	return ">"
}

// endOfTime is later than every entry.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

func putInOrder[T any](p platen.Page, found []T) []T {
	if p == (platen.Page{}) {
		slices.Reverse(found)
	}
	return found
}

// pageArgs adds the arguments of a page: every list continues after (@after_time,
// @after_id) in the order of (created_at, id), and ends at @limit.
func pageArgs(p platen.Page, args pgx.NamedArgs) pgx.NamedArgs {
	args["after_time"], args["after_id"] = p.After.CreatedAt, p.After.ID
	if p.Newest && p.After == (platen.Position{}) {
		args["after_time"] = endOfTime
	}
	args["limit"] = nil // no limit
	if p.Limit > 0 {
		args["limit"] = p.Limit
	}
	return args
}

// only narrows a list to states. A single one stands in the statement itself, where the
// planner sees which partial index has it, also in a plan that it keeps.
func only[S ~string](column string, states []S) string {
	if len(states) == 1 && strings.Trim(string(states[0]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
		return column + " = '" + string(states[0]) + "'"
	}
	return "(@states::text[] IS NULL OR " + column + " = ANY (@states))"
}
