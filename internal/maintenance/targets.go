package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// OverduePlacements knows outputs that nobody tries to store.
type OverduePlacements interface {
	// ResumePlacements has those tried that nobody has tried for age.
	ResumePlacements(ctx context.Context, age time.Duration, limit int) (ids []string, err error)
}

// StoreOverdueOutputs has each output stored whose target is to have it, and whose run is
// gone.
func StoreOverdueOutputs(store OverduePlacements) Job {
	return Job{Name: "overdue targets", Every: 15 * time.Minute, Do: func(ctx context.Context, log *slog.Logger) error {
		ids, err := store.ResumePlacements(ctx, overdueAfter, overdueAtOnce)
		if len(ids) > 0 {
			log.Warn("outputs were to be stored at targets, and nobody tried to for an hour", "count", len(ids))
		}
		return err
	}}
}
