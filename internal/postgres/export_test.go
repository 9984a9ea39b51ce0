package postgres

import (
	"context"

	"github.com/platenhq/platen"
)

// InsertEvents writes one batch of known order.
func InsertEvents(ctx context.Context, s *Store, events []platen.SourceEvent) ([]error, error) {
	return s.insertEvents(ctx, events)
}
