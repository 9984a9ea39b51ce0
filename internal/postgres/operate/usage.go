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
