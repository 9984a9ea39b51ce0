package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// Usage is what owners used.
type Usage interface {
	// FoldUsage adds what was counted since to its months.
	FoldUsage(ctx context.Context) error
}

// FoldUsage keeps few entries of usage beside the sums of months, so that a sum reads few rows.
func FoldUsage(store Usage) Job {
	return Job{Name: "usage", Every: 10 * time.Second, Do: func(ctx context.Context, _ *slog.Logger) error {
		return store.FoldUsage(ctx)
	}}
}
