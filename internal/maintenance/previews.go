package maintenance

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Previews is where the store knows of copies that previews made.
type Previews interface {
	// PreviewCopies returns those that were noted longer than age ago and not
	// forgotten; oldest first, in pages; after is the last one of the page before.
	PreviewCopies(ctx context.Context, age time.Duration, after platen.PreviewCopy) ([]platen.PreviewCopy, error)
	// GiveUpPreviewCopies forgets those that were looked for in vain for too
	// long, and returns them.
	GiveUpPreviewCopies(ctx context.Context) ([]platen.PreviewCopy, error)
}

// SweepPreviews removes copies of templates that previews did not remove: their
// process died, or their drive did not answer. Those that stay where they are for
// too long are given up.
func SweepPreviews(store Previews, remove func(ctx context.Context, c platen.PreviewCopy) error) Job {
	return sweepJob("preview sweep", sweepEvery, previewSweep{store, remove}.sweep)
}

type previewSweep struct {
	store  Previews
	remove func(ctx context.Context, c platen.PreviewCopy) error
}

func (s previewSweep) sweep(ctx context.Context, p *pass, log *slog.Logger) error {
	copies := func(ctx context.Context, after platen.PreviewCopy) ([]platen.PreviewCopy, error) {
		return s.store.PreviewCopies(ctx, orphanAge, after)
	}
	ownerOf := func(c platen.PreviewCopy) string { return c.OwnerID }
	err := each(ctx, p, copies, ownerOf, func(ctx context.Context, c platen.PreviewCopy) error {
		if err := s.remove(ctx, c); err != nil {
			return fmt.Errorf("remove the copy of the preview %s: %w", c.Key, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	given, err := s.store.GiveUpPreviewCopies(ctx)
	for _, c := range given {
		log.Warn("a preview's copy is given up; it may still be in its owner's drive", "copy", c.Key, "owner", c.OwnerID, "since", c.CreatedAt)
	}
	return err
}
