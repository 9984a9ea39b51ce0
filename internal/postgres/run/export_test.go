package run

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// ExplainClaim is how Postgres carries out a claim, as JSON; nothing is claimed.
func ExplainClaim(ctx context.Context, db *postgres.DB, by platen.Claimer) (plan []byte, err error) {
	undo := errors.New("nothing is claimed")
	err = onConn(ctx, db.Pool(), func(conn *pgx.Conn) error {
		seen, err := takeTurn(ctx, conn, by)
		if err != nil {
			return err
		}
		args := claimArgs(seen.Room(), by.Worker, seen, time.Minute)
		if err := conn.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+claimStatement, args).Scan(&plan); err != nil {
			return err
		}
		return undo
	})
	if errors.Is(err, undo) {
		return plan, nil
	}
	return nil, err
}

// Plant runs a statement as one of this package's.
func Plant(ctx context.Context, db *postgres.DB, sql string) error {
	_, err := db.Pool().Exec(ctx, sql)
	return err
}
