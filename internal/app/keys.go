package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/postgres"
)

const keysEvery = 15 * time.Minute

// keepKeysSwept forgets now and then what is kept to know repeats by, when it
// is old enough. It may run in any number of processes, and be cut off anywhere.
func keepKeysSwept(ctx context.Context, store *postgres.Store, log *slog.Logger) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	for {
		if err := store.SweepKeys(ctx); err != nil && ctx.Err() == nil {
			log.Error("sweep of idempotency keys failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
