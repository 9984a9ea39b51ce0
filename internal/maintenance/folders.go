package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// Folders is what is known of the folders of outputs.
type Folders interface {
	// SweepUnused forgets those that no output went into for long.
	SweepUnused(ctx context.Context) error
}

// SweepFolders forgets folders of outputs that are not used any more: those of
// workflows and customers that are gone. The folders themselves stay in the drive.
func SweepFolders(store Folders) Job {
	return Job{Name: "folder sweep", Every: 6 * time.Hour, Do: func(ctx context.Context, _ *slog.Logger) error {
		return store.SweepUnused(ctx)
	}}
}
