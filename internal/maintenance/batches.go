package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// Batches is where batches are stored.
type Batches interface {
	// SweepBatches forgets those that nobody goes on storing.
	SweepBatches(ctx context.Context) error
}

// SweepBatches forgets batches that are stored in part alone: their process died, or their
// sender went away.
func SweepBatches(store Batches) Job {
	return Job{Name: "batch sweep", Every: 10 * time.Minute, Do: func(ctx context.Context, _ *slog.Logger) error {
		return store.SweepBatches(ctx)
	}}
}
