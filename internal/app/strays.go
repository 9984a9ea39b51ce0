package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/postgres"
)

const (
	// strayAge is far beyond what one request of the API may take.
	strayAge    = time.Hour
	straysEvery = 15 * time.Minute
	// strayTimeout bounds the drive calls for one of them.
	strayTimeout = time.Minute
)

// keepStraysSwept removes now and then what requests left behind that died
// between copying a template and storing its document, and the templates of
// removed documents that could not be trashed at once. It may run in any
// number of processes, and be cut off anywhere.
func keepStraysSwept(ctx context.Context, store *postgres.Store, drives *google.Connector, log *slog.Logger) {
	tick := time.NewTicker(straysEvery)
	defer tick.Stop()
	for {
		if err := sweepStrays(ctx, store, drives); err != nil && ctx.Err() == nil {
			log.Error("sweep of templates without a document failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func sweepStrays(ctx context.Context, store *postgres.Store, drives *google.Connector) error {
	strays, err := store.Strays(ctx, strayAge)
	if err != nil {
		return err
	}
	removed, err := store.RemovedTemplates(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		trashAll(ctx, strays, drives, store.RemoveStray),
		trashAll(ctx, removed, drives, store.TemplateRemoved),
	)
}

// trashAll goes on past drives that cannot be opened any more.
func trashAll(ctx context.Context, strays []postgres.Stray, drives *google.Connector, done func(ctx context.Context, documentID string) error) error {
	var all error
	for _, stray := range strays {
		if err := trashStray(ctx, stray, drives); err != nil {
			all = errors.Join(all, fmt.Errorf("trash the template of %s: %w", stray.DocumentID, err))
			continue
		}
		if err := done(ctx, stray.DocumentID); err != nil {
			return errors.Join(all, err)
		}
	}
	return all
}

func trashStray(ctx context.Context, stray postgres.Stray, drives *google.Connector) error {
	ctx, cancel := context.WithTimeout(ctx, strayTimeout)
	defer cancel()
	drive, err := drives.Drive(ctx, stray.OwnerID)
	if err != nil {
		return err
	}
	copies, err := drive.FindByKey(ctx, stray.DocumentID)
	if err != nil {
		return err
	}
	for _, f := range copies {
		if err := drive.Trash(ctx, f.ID); err != nil {
			return err
		}
	}
	return nil
}
