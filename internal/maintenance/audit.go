package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// Audit is what is kept of who did what.
type Audit interface {
	// Sweep removes entries older than kept.
	Sweep(ctx context.Context, kept time.Duration) (swept int64, err error)
}

// SweepAudit removes entries of the audit that are older than kept; 0: none.
func SweepAudit(store Audit, kept time.Duration) Job {
	return Job{Name: "audit sweep", Every: time.Hour, Do: func(ctx context.Context, log *slog.Logger) error {
		if kept == 0 {
			return nil
		}
		swept, err := store.Sweep(ctx, kept)
		if swept > 0 {
			log.Info("entries of the audit have expired", "entries", swept, "kept", kept.String())
		}
		return err
	}}
}
