package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// An EndingToken is an access token that ends soon.
type EndingToken struct {
	ID, UserID string
	ExpiresAt  time.Time
}

// WarnOfTokens has one line a day in the log for each access token that ends
// within platen.TokenWarning.
func WarnOfTokens(ending func(ctx context.Context, within time.Duration) ([]EndingToken, error)) Job {
	return Job{Name: "token warning", Every: 24 * time.Hour, Do: func(ctx context.Context, log *slog.Logger) error {
		tokens, err := ending(ctx, platen.TokenWarning)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			log.Warn("an access token ends soon; make another with 'platen token create', and revoke this one when it is in place",
				"token", t.ID, "user", t.UserID, "expires", t.ExpiresAt.UTC().Format(time.RFC3339))
		}
		return nil
	}}
}
