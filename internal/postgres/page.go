package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// Lists that grow with every event have no whole: the zero page is their end,
// read backwards.

// bounded is paged with the bound of such a list.
func bounded(p platen.Page, args pgx.NamedArgs) pgx.NamedArgs {
	// A page asks for one entry more than it shows.
	if p.Limit <= 0 || p.Limit > platen.MaxList+1 {
		p.Limit = platen.MaxList
	}
	return paged(p, args)
}

func direction(p platen.Page) string {
	if p == (platen.Page{}) {
		return " DESC"
	}
	return ""
}

func inOrder[T any](p platen.Page, found []T) []T {
	if p == (platen.Page{}) {
		slices.Reverse(found)
	}
	return found
}

// paged adds a page's arguments: every list continues after (@after_time,
// @after_id) in the order of (created_at, id), and ends at @limit.
func paged(p platen.Page, args pgx.NamedArgs) pgx.NamedArgs {
	args["after_time"], args["after_id"] = p.After.CreatedAt, p.After.ID
	args["limit"] = nil // no limit
	if p.Limit > 0 {
		args["limit"] = p.Limit
	}
	return args
}
