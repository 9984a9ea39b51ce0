package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Templates is where the store knows of copies of templates that no document
// uses. Both lists are oldest first, in pages; after is the last one of the page
// before.
type Templates interface {
	// DiscardOrphans discards the documents that were reserved longer than age ago
	// and never completed, and returns them until ForgetOrphan forgets them.
	DiscardOrphans(ctx context.Context, age time.Duration, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error)
	ForgetOrphan(ctx context.Context, documentID string) error
	// RemovedTemplates returns those of removed documents, which no output under
	// way is copied from, until MarkTemplateTrashed notes that they are trashed.
	RemovedTemplates(ctx context.Context, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error)
	MarkTemplateTrashed(ctx context.Context, documentID string) error
}

// TemplateDrive is the drive of a user, as far as templates are trashed there.
type TemplateDrive interface {
	FindByKey(ctx context.Context, key string) ([]platen.File, error)
	// Trash returns an error that satisfies platen.IsFileKept if the file has to stay.
	Trash(ctx context.Context, fileID string) error
}

// SweepTemplates trashes template copies of requests that died before they stored the
// document, and templates of removed documents that could not be trashed at once.
func SweepTemplates(store Templates, drives func(ctx context.Context, ownerID string) (TemplateDrive, error)) Job {
	return sweepJob("template sweep", sweepEvery, templateSweep{store, drives}.sweep)
}

type templateSweep struct {
	store  Templates
	drives func(ctx context.Context, ownerID string) (TemplateDrive, error)
}

func (s templateSweep) sweep(ctx context.Context, p *pass, log *slog.Logger) error {
	reserved := func(ctx context.Context, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
		return s.store.DiscardOrphans(ctx, orphanAge, after)
	}
	ownerOf := func(t platen.OrphanedTemplate) string { return t.OwnerID }
	trash := func(forget func(ctx context.Context, documentID string) error) func(context.Context, platen.OrphanedTemplate) error {
		return func(ctx context.Context, t platen.OrphanedTemplate) error {
			if err := s.trash(ctx, t, log); err != nil {
				return fmt.Errorf("trash the template of %s: %w", t.DocumentID, err)
			}
			return forget(ctx, t.DocumentID)
		}
	}
	return errors.Join(
		each(ctx, p, reserved, ownerOf, trash(s.store.ForgetOrphan)),
		each(ctx, p, s.store.RemovedTemplates, ownerOf, trash(s.store.MarkTemplateTrashed)),
	)
}

// trash leaves a file alone that the drive does not let go: it would not do so
// the next time either.
func (s templateSweep) trash(ctx context.Context, t platen.OrphanedTemplate, log *slog.Logger) error {
	drive, err := s.drives(ctx, t.OwnerID)
	if err != nil {
		return err
	}
	copies, err := drive.FindByKey(ctx, t.DocumentID)
	if err != nil {
		return err
	}
	for _, f := range copies {
		err := drive.Trash(ctx, f.ID)
		if platen.IsFileKept(err) {
			log.Warn("a template that nobody uses stays in its owner's drive, which does not let the account trash it", "document", t.DocumentID, "owner", t.OwnerID, "file", f.ID)
		} else if err != nil {
			return err
		}
	}
	return nil
}
