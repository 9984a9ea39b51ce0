package admin

import (
	"context"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Usage is what owners used in the months from first to last: all of them, or the one whose id
// or e-mail address of is. A deleted owner is known by the id alone.
func (a *Admin) Usage(ctx context.Context, first, last time.Time, of string) ([]platen.OwnerUsage, error) {
	owner := of
	if strings.Contains(of, "@") {
		u, err := a.DB.Users.UserByEmail(ctx, of)
		if err != nil {
			return nil, err
		}
		owner = u.ID
	}
	return a.DB.Usage.OwnersUsage(ctx, first, last, owner)
}
