package operate

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// ExplainUsers is how Postgres reads a page of users, as JSON.
func ExplainUsers(ctx context.Context, db *DB, q platen.UserQuery) (plan []byte, err error) {
	err = db.Pool().QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+userStandings, userStandingArgs(q)).Scan(&plan)
	return plan, err
}

// Plant runs a statement as one of this package's.
func Plant(ctx context.Context, db *DB, sql string) error {
	_, err := db.Pool().Exec(ctx, sql)
	return err
}
