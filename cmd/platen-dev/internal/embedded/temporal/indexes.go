package temporal

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// leanIndexes makes the indexes of Temporal's list of runs that a run without
// the attribute has no entry in. Its schema has one index for each attribute
// that anybody may ever use, more than seventy, and enters every run into all
// of them when it starts and again when it ends, most often as NULL: two thirds
// of what a run costs Postgres.
//
// No query is slower for it: queries look for values, never for NULL. The names
// stay, for Temporal's own migrations go by them; run again, it finds nothing to
// do but what such a migration made.
func (s store) leanIndexes(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.url(s.database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `
		SELECT c.relname AS name, pg_get_indexdef(c.oid) AS definition, a.attname AS column
		FROM pg_index i
		JOIN pg_class c ON c.oid = i.indexrelid
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[1]
		WHERE i.indrelid = 'executions_visibility'::regclass
			AND NOT i.indisunique AND i.indpred IS NULL AND NOT a.attnotnull
		ORDER BY c.relname`)
	if err != nil {
		return err
	}
	type index struct{ Name, Definition, Column string }
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[index])
	if err != nil {
		return err
	}
	for _, i := range found {
		name, column := pgx.Identifier{i.Name}.Sanitize(), pgx.Identifier{i.Column}.Sanitize()
		// Statements sent together are one transaction.
		if _, err := conn.Exec(ctx, "DROP INDEX "+name+"; "+i.Definition+" WHERE "+column+" IS NOT NULL"); err != nil {
			return fmt.Errorf("make index %s anew: %w", i.Name, err)
		}
	}
	return nil
}
