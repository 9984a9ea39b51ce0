package postgres

import (
	"context"

	"github.com/platenhq/platen"
)

// InsertEvents writes one batch of known order.
func InsertEvents(ctx context.Context, s *Store, events []platen.SourceEvent) ([]error, error) {
	return s.insertEvents(ctx, events)
}

// Takes is the rule by which batches are written side by side.
func Takes(batches, events, next, flushers int) bool {
	return load{batches: batches, events: events}.takes(next, flushers)
}
