package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Usage is the store of what all owners used.
type Usage struct {
	*postgres.Usage
	db *DB
}

// OwnersUsage returns what owners used in the months from first to last, by month, then owner,
// with their limits as they are now. In the present month it has each owner with a limit.
// An empty ownerID stands for all of them.
func (s *Usage) OwnersUsage(ctx context.Context, first, last time.Time, ownerID string) ([]platen.OwnerUsage, error) {
	type row struct {
		postgres.UsageRow
		Email string `db:"email"`
		Limit *int64 `db:"most"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		WITH used AS (`+postgres.SumsOfUsage+`
			WHERE month BETWEEN @first::date AND @last::date AND (@owner = '' OR owner_id = @owner)
			GROUP BY owner_id, month
		), limited AS (
			SELECT owner_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date AS month, 0::bigint AS documents, 0::bigint AS pages, 0::bigint AS bytes, 0::bigint AS mails
			FROM usage_limits
			WHERE @owner = '' OR owner_id = @owner
		), listed AS (
			SELECT * FROM used
			UNION ALL
			SELECT * FROM limited l
			WHERE month BETWEEN @first::date AND @last::date AND NOT EXISTS (SELECT FROM used WHERE used.owner_id = l.owner_id AND used.month = l.month)
		)
		SELECT used.*, l.documents AS most, CASE WHEN u.deleted_at IS NULL THEN coalesce(u.email, '') ELSE '' END AS email
		FROM listed used
		LEFT JOIN users u ON u.id = used.owner_id
		LEFT JOIN usage_limits l ON l.owner_id = used.owner_id
		ORDER BY used.month, used.owner_id`, pgx.NamedArgs{"first": first, "last": last, "owner": ownerID})
	if err != nil {
		return nil, fmt.Errorf("list usage of owners: %w", err)
	}
	found := make([]platen.OwnerUsage, len(rows))
	for i, r := range rows {
		r.Month = r.Month.UTC()
		found[i] = platen.OwnerUsage{MonthUsage: platen.MonthUsage(r.UsageRow), Email: r.Email, Limit: r.Limit}
	}
	return found, nil
}

// SetLimit sets how many documents an owner may have in a month; nil takes the limit back. An
// event that was accepted is carried out in any case. It returns what the limit leaves room for.
func (s *Usage) SetLimit(ctx context.Context, ownerID string, documents *int64) (platen.UsageRoom, error) {
	type row struct {
		Most *int64 `db:"most"`
		Used *int64 `db:"used"`
	}
	var room platen.UsageRoom
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		args := pgx.NamedArgs{"owner": ownerID, "documents": documents}
		if documents == nil {
			_, err := postgres.Execute(ctx, tx, `
				DELETE FROM usage_limits
				WHERE owner_id = @owner`, args)
			return postgres.Subject{}, err
		}
		if _, err := postgres.Execute(ctx, tx, `
				INSERT INTO usage_limits (owner_id, documents)
				VALUES (@owner, @documents)
				ON CONFLICT (owner_id) DO UPDATE
				SET documents = excluded.documents, updated_at = now(), near_at = NULL, reached_at = NULL`, args); err != nil {
			return postgres.Subject{}, err
		}
		r, _, err := postgres.CollectOne[row](ctx, tx, `
				SELECT most, used
				FROM usage_standing(@owner, false)`, args)
		if err == nil && r.Most != nil {
			room = platen.UsageRoom{Most: *r.Most, Used: *r.Used}
		}
		return postgres.Subject{}, err
	})
	if err != nil {
		return room, fmt.Errorf("set the limit of %s: %w", ownerID, err)
	}
	return room, nil
}
