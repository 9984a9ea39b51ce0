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

// LimitUsage sets how many documents the owner with an e-mail address may have in a month; nil
// takes the limit back. It returns what the limit leaves room for.
func (a *Admin) LimitUsage(ctx context.Context, email string, documents *int64) (platen.UsageRoom, error) {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return platen.UsageRoom{}, err
	}
	platen.About(ctx, u.ID)
	if act := platen.ActOf(ctx); act != nil {
		act.Entry.OwnerID = u.ID
	}
	return a.DB.Usage.SetLimit(ctx, u.ID, documents)
}
