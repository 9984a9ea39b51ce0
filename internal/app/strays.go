package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/preview"
)

const (
	// strayAge is far beyond what one request of the API may take.
	strayAge    = time.Hour
	straysEvery = 15 * time.Minute
	// strayTimeout bounds the drive calls for one of them.
	strayTimeout = time.Minute
)

// keepStraysSwept removes now and then what requests left behind that died
// between copying a template and storing its document or removing its sample,
// and the templates of removed documents that could not be trashed at once. It
// may run in any number of processes, and be cut off anywhere.
func keepStraysSwept(ctx context.Context, store *postgres.Store, drives *google.Connector, previews *preview.Previewer, log *slog.Logger) {
	tick := time.NewTicker(straysEvery)
	defer tick.Stop()
	for {
		if err := errors.Join(sweepStrays(ctx, store, drives), sweepPreviews(ctx, store, previews, log)); err != nil && ctx.Err() == nil {
			log.Error("sweep of copies without a document failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweepPreviews goes on past copies whose drive does not answer, and tells of
// the first of them. Those that stay where they are for too long are given up.
func sweepPreviews(ctx context.Context, store *postgres.Store, previews *preview.Previewer, log *slog.Logger) error {
	var failed error
	var last postgres.PreviewCopy
	for {
		found, err := store.PreviewCopies(ctx, strayAge, last)
		if err != nil {
			return errors.Join(failed, err)
		}
		if len(found) == 0 {
			break
		}
		last = found[len(found)-1]
		left := make([]preview.Left, len(found))
		for i, f := range found {
			left[i] = preview.Left{Key: f.Key, OwnerID: f.OwnerID}
		}
		if err := previews.Sweep(ctx, left); err != nil && failed == nil {
			failed = err
		}
		if ctx.Err() != nil {
			return failed
		}
	}
	given, err := store.GiveUpPreviewCopies(ctx)
	for _, g := range given {
		log.Warn("a preview's copy is given up; it may still be in its owner's drive", "copy", g.Key, "owner", g.OwnerID, "since", g.CreatedAt)
	}
	return errors.Join(failed, err)
}

func sweepStrays(ctx context.Context, store *postgres.Store, drives *google.Connector) error {
	strays := func(ctx context.Context, after postgres.Stray) ([]postgres.Stray, error) {
		return store.Strays(ctx, strayAge, after)
	}
	return errors.Join(
		trashAll(ctx, strays, drives, store.RemoveStray),
		trashAll(ctx, store.RemovedTemplates, drives, store.TemplateRemoved),
	)
}

// trashAll goes on past drives that cannot be opened any more, and tells of the
// first of them.
func trashAll(ctx context.Context, next func(ctx context.Context, after postgres.Stray) ([]postgres.Stray, error), drives *google.Connector, done func(ctx context.Context, documentID string) error) error {
	var failed error
	var last postgres.Stray
	for {
		found, err := next(ctx, last)
		if err != nil || len(found) == 0 {
			return errors.Join(failed, err)
		}
		for _, stray := range found {
			err := trashStray(ctx, stray, drives)
			if err == nil {
				err = done(ctx, stray.DocumentID)
			}
			if err != nil && failed == nil {
				failed = fmt.Errorf("trash the template of %s: %w", stray.DocumentID, err)
			}
		}
		last = found[len(found)-1]
	}
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

// sweepAfter is how long after its end an output's files are looked through,
// when no setting says otherwise: far beyond what the drive's list lags behind.
const sweepAfter = time.Hour

// keepLeftoversSwept looks now and then for files that ended outputs left in
// the drive: copies whose making was never answered and which the drive's list
// did not show when the run looked, and what runs left that were ended from
// outside. It may run in any number of processes, and be cut off anywhere.
func keepLeftoversSwept(ctx context.Context, after time.Duration, store *postgres.Store, trash trasher, log *slog.Logger) {
	if after == 0 {
		after = sweepAfter
	}
	tick := time.NewTicker(min(after, straysEvery))
	defer tick.Stop()
	for {
		files, err := sweepLeftovers(ctx, after, store, trash)
		if err != nil && ctx.Err() == nil {
			log.Warn("files left behind by outputs were not all looked for; they are looked for again", "error", err)
		}
		if files > 0 {
			log.Info("files left behind by outputs were removed", "files", files)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// A trasher removes what an ended output left in the drive.
type trasher func(context.Context, activities.Step) (activities.LeftoversResult, error)

// sweepLeftovers goes on past outputs whose drive does not answer, and tells of
// the first of them.
func sweepLeftovers(ctx context.Context, after time.Duration, store *postgres.Store, trash trasher) (files int, failed error) {
	var last postgres.EndedOutput
	for {
		due, err := store.Leftovers(ctx, after, last)
		if err != nil || len(due) == 0 {
			return files, errors.Join(failed, err)
		}
		for _, o := range due {
			n, err := sweepOutput(ctx, o, store, trash)
			files += n
			if err != nil && failed == nil {
				failed = fmt.Errorf("files of %s: %w", o.OutputID, err)
			}
		}
		if ctx.Err() != nil {
			return files, failed
		}
		last = due[len(due)-1]
	}
}

func sweepOutput(ctx context.Context, o postgres.EndedOutput, store *postgres.Store, trash trasher) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, strayTimeout)
	defer cancel()
	result, err := trash(ctx, activities.Step{AutomationID: o.AutomationID, OutputID: o.OutputID})
	if err != nil {
		return result.Files, err
	}
	return result.Files, store.LeftoversSwept(ctx, o)
}
