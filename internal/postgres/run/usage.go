package run

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/postgres"
)

// Usage is the store of what owners used, for the worker.
type Usage struct{ db *postgres.DB }

// usageFolded is how many entries a statement adds to their months.
const usageFolded = 10_000

// FoldUsage adds entries to their months and deletes them, and notes which owners have most or
// all of the documents of this month by that. Any number of workers may do it at the same
// time: each takes other entries, and locks months in their order.
func (s *Usage) FoldUsage(ctx context.Context) error {
	for {
		type row struct {
			Taken int `db:"taken"`
		}
		folded, _, err := postgres.CollectOne[row](ctx, s.db.Pool(), `
			WITH taken AS (
				DELETE FROM usage_entries
				WHERE id IN (
					SELECT id
					FROM usage_entries
					ORDER BY id
					LIMIT @most
					FOR UPDATE SKIP LOCKED
				)
				RETURNING owner_id, month, documents, pages, bytes, mails
			), added AS (
				INSERT INTO usage_months AS m (owner_id, month, documents, pages, bytes, mails)
				SELECT owner_id, month, sum(documents), sum(pages), sum(bytes), sum(mails)
				FROM taken
				GROUP BY owner_id, month
				ORDER BY owner_id, month
				ON CONFLICT (owner_id, month) DO UPDATE
				SET documents = m.documents + excluded.documents, pages = m.pages + excluded.pages, bytes = m.bytes + excluded.bytes, mails = m.mails + excluded.mails
				RETURNING owner_id, month, documents
			), near AS (
				-- In a month each is noted once.
				UPDATE usage_limits l
				SET near_at = CASE WHEN l.near_at >= t.month THEN l.near_at ELSE now() END,
					reached_at = CASE WHEN a.documents >= l.documents AND coalesce(l.reached_at < t.month, true) THEN now() ELSE l.reached_at END
				FROM added a
				CROSS JOIN (SELECT date_trunc('month', now(), 'UTC') AS month) t
				WHERE l.owner_id = a.owner_id AND a.month = (t.month AT TIME ZONE 'UTC')::date AND a.documents * 5 >= l.documents * 4
					AND (coalesce(l.near_at < t.month, true) OR a.documents >= l.documents AND coalesce(l.reached_at < t.month, true))
			)
			SELECT count(*) AS taken
			FROM taken`, pgx.NamedArgs{"most": usageFolded})
		if err != nil {
			return fmt.Errorf("add usage to its months: %w", err)
		}
		if folded.Taken < usageFolded {
			return nil
		}
	}
}
