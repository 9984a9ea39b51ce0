package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/template/preview"
)

const (
	// strayAge is far beyond what one request of the API may take.
	strayAge    = time.Hour
	straysEvery = 15 * time.Minute
	// strayTimeout bounds the drive calls for one of them: it is far more than a
	// drive needs that answers.
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
		p := newPass(strayTimeout)
		if err := errors.Join(sweepStrays(ctx, store, drives, p, log), sweepPreviews(ctx, store, previews, p, log), p.failure()); err != nil && ctx.Err() == nil {
			log.Error("sweep of copies without a document failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// A pass goes once over what is left behind in the drives of many owners. A
// drive that does not answer in time is waited for once in it: what else there
// is of its owner waits for the next pass.
type pass struct {
	timeout time.Duration // for one of them
	hung    map[string]bool
	failed  int
	first   error
}

func newPass(timeout time.Duration) *pass { return &pass{timeout: timeout, hung: map[string]bool{}} }

// try does something in the drive of an owner, unless that does not answer in
// this pass, and goes on past what fails.
func (p *pass) try(ctx context.Context, ownerID string, do func(ctx context.Context) error) {
	if p.hung[ownerID] || ctx.Err() != nil {
		return
	}
	within, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	err := do(within)
	if err == nil {
		return
	}
	if timeout, ok := errors.AsType[net.Error](err); within.Err() != nil || ok && timeout.Timeout() {
		p.hung[ownerID] = true
	}
	if p.failed++; p.first == nil {
		p.first = err
	}
}

// failure tells of the first that failed.
func (p *pass) failure() error {
	if p.failed > 1 {
		return fmt.Errorf("%d of them failed, the first: %w", p.failed, p.first)
	}
	return p.first
}

// sweepPreviews goes on past copies whose drive does not answer. Those that stay
// where they are for too long are given up.
func sweepPreviews(ctx context.Context, store *postgres.Store, previews *preview.Previewer, p *pass, log *slog.Logger) error {
	var last postgres.PreviewCopy
	for {
		found, err := store.PreviewCopies(ctx, strayAge, last)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		for _, f := range found {
			p.try(ctx, f.OwnerID, func(ctx context.Context) error {
				if err := previews.Sweep(ctx, preview.Left{Key: f.Key, OwnerID: f.OwnerID}); err != nil {
					return fmt.Errorf("remove the copy of the preview %s: %w", f.Key, err)
				}
				return nil
			})
		}
		last = found[len(found)-1]
	}
	given, err := store.GiveUpPreviewCopies(ctx)
	for _, g := range given {
		log.Warn("a preview's copy is given up; it may still be in its owner's drive", "copy", g.Key, "owner", g.OwnerID, "since", g.CreatedAt)
	}
	return err
}

func sweepStrays(ctx context.Context, store *postgres.Store, drives *google.Connector, p *pass, log *slog.Logger) error {
	strays := func(ctx context.Context, after postgres.Stray) ([]postgres.Stray, error) {
		return store.Strays(ctx, strayAge, after)
	}
	trash := func(done func(ctx context.Context, documentID string) error) func(context.Context, postgres.Stray) error {
		return func(ctx context.Context, stray postgres.Stray) error {
			if err := trashStray(ctx, stray, drives, log); err != nil {
				return fmt.Errorf("trash the template of %s: %w", stray.DocumentID, err)
			}
			return done(ctx, stray.DocumentID)
		}
	}
	return errors.Join(
		trashAll(ctx, strays, trash(store.RemoveStray), p),
		trashAll(ctx, store.RemovedTemplates, trash(store.TemplateRemoved), p),
	)
}

// trashAll goes on past drives that cannot be opened any more.
func trashAll(ctx context.Context, next func(ctx context.Context, after postgres.Stray) ([]postgres.Stray, error), trash func(context.Context, postgres.Stray) error, p *pass) error {
	var last postgres.Stray
	for {
		found, err := next(ctx, last)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, stray := range found {
			p.try(ctx, stray.OwnerID, func(ctx context.Context) error { return trash(ctx, stray) })
		}
		last = found[len(found)-1]
	}
}

// trashStray leaves a file alone that the drive does not let go: it would not do
// so the next time either.
func trashStray(ctx context.Context, stray postgres.Stray, drives *google.Connector, log *slog.Logger) error {
	drive, err := drives.Drive(ctx, stray.OwnerID)
	if err != nil {
		return err
	}
	copies, err := drive.FindByKey(ctx, stray.DocumentID)
	if err != nil {
		return err
	}
	for _, f := range copies {
		err := drive.Trash(ctx, f.ID)
		if platen.IsFileKept(err) {
			log.Warn("a template that nobody uses stays in its owner's drive, which does not let the account trash it", "document", stray.DocumentID, "owner", stray.OwnerID, "file", f.ID)
		} else if err != nil {
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
		swept, err := sweepLeftovers(ctx, after, store, trash)
		if err != nil && ctx.Err() == nil {
			log.Warn("files left behind by outputs were not all looked for; they are looked for again", "error", err)
		}
		if swept.Files > 0 {
			log.Info("files left behind by outputs were removed", "files", swept.Files)
		}
		if swept.Kept > 0 {
			log.Warn("files left behind by outputs stay in their owners' drives, which let the accounts neither delete nor trash them", "files", swept.Kept)
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
func sweepLeftovers(ctx context.Context, after time.Duration, store *postgres.Store, trash trasher) (swept activities.LeftoversResult, failed error) {
	var last postgres.EndedOutput
	for {
		due, err := store.Leftovers(ctx, after, last)
		if err != nil || len(due) == 0 {
			return swept, errors.Join(failed, err)
		}
		for _, o := range due {
			of, err := sweepOutput(ctx, o, store, trash)
			swept.Files, swept.Kept = swept.Files+of.Files, swept.Kept+of.Kept
			if err != nil && failed == nil {
				failed = fmt.Errorf("files of %s: %w", o.OutputID, err)
			}
		}
		if ctx.Err() != nil {
			return swept, failed
		}
		last = due[len(due)-1]
	}
}

func sweepOutput(ctx context.Context, o postgres.EndedOutput, store *postgres.Store, trash trasher) (activities.LeftoversResult, error) {
	ctx, cancel := context.WithTimeout(ctx, strayTimeout)
	defer cancel()
	result, err := trash(ctx, activities.Step{AutomationID: o.AutomationID, OutputID: o.OutputID})
	if err != nil {
		return result, err
	}
	return result, store.LeftoversSwept(ctx, o)
}
