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

// OwnersUsage returns what owners used in the months from first to last, by month, then owner.
// An empty ownerID stands for all of them.
func (s *Usage) OwnersUsage(ctx context.Context, first, last time.Time, ownerID string) ([]platen.OwnerUsage, error) {
	type row struct {
		postgres.UsageRow
		Email string `db:"email"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		WITH used AS (`+postgres.SumsOfUsage+`
			WHERE month BETWEEN @first::date AND @last::date AND (@owner = '' OR owner_id = @owner)
			GROUP BY owner_id, month
		)
		SELECT used.*, CASE WHEN u.deleted_at IS NULL THEN coalesce(u.email, '') ELSE '' END AS email
		FROM used
		LEFT JOIN users u ON u.id = used.owner_id
		ORDER BY used.month, used.owner_id`, pgx.NamedArgs{"first": first, "last": last, "owner": ownerID})
	if err != nil {
		return nil, fmt.Errorf("list usage of owners: %w", err)
	}
	found := make([]platen.OwnerUsage, len(rows))
	for i, r := range rows {
		r.Month = r.Month.UTC()
		found[i] = platen.OwnerUsage{MonthUsage: platen.MonthUsage(r.UsageRow), Email: r.Email}
	}
	return found, nil
}

// SetLimit sets how many documents an owner may have in a month; nil takes the limit back. An
// event that was accepted is carried out in any case.
func (s *Usage) SetLimit(ctx context.Context, ownerID string, documents *int64) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		var err error
		if documents == nil {
			_, err = postgres.Execute(ctx, tx, `
				DELETE FROM usage_limits
				WHERE owner_id = @owner`, pgx.NamedArgs{"owner": ownerID})
		} else {
			_, err = postgres.Execute(ctx, tx, `
				INSERT INTO usage_limits (owner_id, documents)
				VALUES (@owner, @documents)
				ON CONFLICT (owner_id) DO UPDATE
				SET documents = excluded.documents, updated_at = now()`, pgx.NamedArgs{"owner": ownerID, "documents": *documents})
		}
		return postgres.Subject{}, err
	})
	if err != nil {
		return fmt.Errorf("set the limit of %s: %w", ownerID, err)
	}
	return nil
}
