package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
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
	if p == (platen.Page{}) {
		return " DESC"
	}
	return ""
}

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
	args["limit"] = nil // no limit
	if p.Limit > 0 {
		args["limit"] = p.Limit
	}
	return args
}
