package postgres

import (
	"context"
	"time"

	"github.com/platenhq/platen"
)

// InsertEvents writes one batch of known order.
func InsertEvents(ctx context.Context, s *Store, events []platen.SourceEvent) ([]error, error) {
	return s.insertEvents(ctx, events)
}

// Reconnect has a store go on with new connections.
func Reconnect(s *Store) { s.pool.Reset() }

// Takes is the rule by which batches are written side by side.
func Takes(batches, events, next, flushers int) bool {
	return load{batches: batches, events: events}.takes(next, flushers)
}

// LetSourceKeysExpire has every key looked up again.
func LetSourceKeysExpire(k *SourceKeys) {
	k.now = func() time.Time { return time.Now().Add(knownFor) }
}
