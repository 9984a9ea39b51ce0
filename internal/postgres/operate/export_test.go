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
