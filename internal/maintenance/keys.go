package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// Keys is what is kept to know repeats by.
type Keys interface {
	// SweepExpired forgets what is old enough.
	SweepExpired(ctx context.Context) error
}

// SweepKeys forgets keys of requests and of events, and pictures and counts of public forms
// whose time is over.
func SweepKeys(store Keys) Job {
	return Job{Name: "key sweep", Every: 15 * time.Minute, Do: func(ctx context.Context, _ *slog.Logger) error {
		return store.SweepExpired(ctx)
	}}
}
