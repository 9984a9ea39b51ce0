package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// Reviews is where reviews are stored.
type Reviews interface {
	// WakeOverdueReviews has those looked after that were due longer than age ago, and
	// returns how many.
	WakeOverdueReviews(ctx context.Context, age time.Duration) (int, error)
}

// reviewOverdueAfter is after how long a review counts as one that nobody looks after.
const reviewOverdueAfter = 15 * time.Minute

// WakeReviews has outputs looked after whose reminder or end is overdue: Temporal, or the
// database, was put back to an earlier moment, or somebody ended their run.
func WakeReviews(store Reviews) Job {
	return Job{Name: "reviews", Every: 10 * time.Minute, Do: func(ctx context.Context, log *slog.Logger) error {
		n, err := store.WakeOverdueReviews(ctx, reviewOverdueAfter)
		if n > 0 {
			log.Warn("nobody looked after outputs that wait for an approval; somebody does now", "outputs", n)
		}
		return err
	}}
}
