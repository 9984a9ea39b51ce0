package accept

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// InsertEvents writes one batch of known order.
func InsertEvents(ctx context.Context, db *postgres.DB, events []platen.SourceEvent) ([]error, error) {
	results, _, err := insertEvents(ctx, db, events)
	return results, err
}

// Takes is the rule by which batches are written side by side.
func Takes(batches, events, next, flushers int) bool {
	return load{batches: batches, events: events}.takes(next, flushers)
}

// LetSourceKeysExpire has every key looked up again.
func LetSourceKeysExpire(k *SourceKeys) {
	k.now = func() time.Time { return time.Now().Add(knownFor) }
}

// LetSourceKeysAge has the clock of what is known of keys go forward.
func LetSourceKeysAge(k *SourceKeys, by time.Duration) {
	k.now = func() time.Time { return time.Now().Add(by) }
}

// Plant runs a statement as one of this package's.
func Plant(ctx context.Context, db *postgres.DB, sql string) error {
	_, err := db.Pool().Exec(ctx, sql)
	return err
}
