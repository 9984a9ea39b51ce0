package operate

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/postgres"
)

// sealedCounts is the function by which a role counts what each key seals without reading
// any of it.
const sealedCounts = "sealed_counts"

// defineSealedCounts makes the function anew, for the values that this release seals. It
// runs as the owner of the tables.
func defineSealedCounts(ctx context.Context, pool *pgxpool.Pool) error {
	var kinds []string
	for _, of := range sealedValues() {
		kinds = append(kinds, `SELECT `+postgres.Literal(of.what)+`::text AS what, c.key, c.n FROM (`+of.count()+`) c`)
	}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, statement := range []string{
			`SELECT pg_advisory_xact_lock(hashtextextended('platen.` + sealedCounts + `', 0))`,
			`CREATE OR REPLACE FUNCTION public.` + sealedCounts + `() RETURNS TABLE (what text, key text, n bigint)
				LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
				AS $counts$` + strings.Join(kinds, " UNION ALL ") + `$counts$`,
			`REVOKE ALL ON FUNCTION public.` + sealedCounts + `() FROM PUBLIC`,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("define %s: %w", sealedCounts, postgres.Classify(err))
	}
	return nil
}

// CountsOnly is Counts for a role that may read none of what is sealed. In a database
// without roles it is Counts. It waits 30 seconds at most.
func (s *Rotation) CountsOnly(ctx context.Context) ([]SealedCount, error) {
	var defined bool
	if err := s.db.Pool().QueryRow(ctx, `SELECT to_regproc('public.`+sealedCounts+`') IS NOT NULL`).Scan(&defined); err != nil {
		return nil, fmt.Errorf("look for %s: %w", sealedCounts, postgres.Classify(err))
	}
	if !defined {
		return s.Counts(ctx)
	}
	type row struct {
		What string `db:"what"`
		Key  string `db:"key"`
		N    int    `db:"n"`
	}
	var rows []row
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := postgres.Execute(ctx, tx, `SET LOCAL statement_timeout = '30s'`, nil); err != nil {
			return err
		}
		var err error
		rows, err = postgres.Collect[row](ctx, tx, `
			SELECT what, key, n
			FROM `+sealedCounts+`()`, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count what each key seals: %w", err)
	}
	counts := make([]SealedCount, len(rows))
	for i, r := range rows {
		counts[i] = SealedCount{What: r.What, Key: r.Key, Count: r.N}
	}
	return counts, nil
}
