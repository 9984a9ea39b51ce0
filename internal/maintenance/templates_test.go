package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// unused are templates that no document uses, each list in pages of one, and what
// the store was told of them.
type unused struct {
	reserved, removed []string
	forgotten, noted  []string
}

func nextOf(all []string, after platen.OrphanedTemplate) []platen.OrphanedTemplate {
	rest := all[slices.Index(all, after.DocumentID)+1:]
	if len(rest) == 0 {
		return nil
	}
	return []platen.OrphanedTemplate{{DocumentID: rest[0], OwnerID: "usr_" + rest[0]}}
}

func (u *unused) DiscardOrphans(_ context.Context, age time.Duration, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
	if age != orphanAge {
		return nil, errors.New("so young")
	}
	return nextOf(u.reserved, after), nil
}

func (u *unused) RemovedTemplates(_ context.Context, after platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
	return nextOf(u.removed, after), nil
}

func (u *unused) ForgetOrphan(_ context.Context, id string) error {
	u.forgotten = append(u.forgotten, id)
	return nil
}

func (u *unused) MarkTemplateTrashed(_ context.Context, id string) error {
	u.noted = append(u.noted, id)
	return nil
}

// bin is a drive that has one file for each key.
type bin struct{ trashed *[]string }

func (bin) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	return []platen.File{{ID: "copy of " + key}}, nil
}

func (b bin) Trash(_ context.Context, id string) error {
	*b.trashed = append(*b.trashed, id)
	return nil
}

func TestTemplatesThatNoDocumentUsesAreTrashedAndForgotten(t *testing.T) {
	t.Parallel()
	store := &unused{reserved: []string{"doc_1", "doc_away", "doc_2"}, removed: []string{"doc_away", "doc_3"}}
	var trashed []string
	away := errors.New("away")
	drives := func(_ context.Context, ownerID string) (TemplateDrive, error) {
		if ownerID == "usr_doc_away" {
			return nil, away
		}
		return bin{&trashed}, nil
	}
	err := SweepTemplates(store, drives).Do(t.Context(), slog.New(slog.DiscardHandler))
	if !errors.Is(err, away) {
		t.Errorf("got %v, want it to tell of a drive that is away", err)
	}
	if want := []string{"copy of doc_1", "copy of doc_2", "copy of doc_3"}; !slices.Equal(trashed, want) {
		t.Errorf("trashed %q, want %q", trashed, want)
	}
	if !slices.Equal(store.forgotten, []string{"doc_1", "doc_2"}) || !slices.Equal(store.noted, []string{"doc_3"}) {
		t.Errorf("forgot %q and noted %q, want what was trashed, each of its kind", store.forgotten, store.noted)
	}
}
