package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc/codes"

	"github.com/platenhq/platen/internal/outage"
	"github.com/platenhq/platen/internal/platen"
)

// Pauses between tries to reach a part at start.
const (
	awaitFirst = 250 * time.Millisecond
	awaitMost  = 5 * time.Second
)

// await opens a part that may not answer yet: machines start in any order. It
// goes on for at most limit and says so with each try; an error that does not
// pass by itself, such as a wrong password, comes back at once.
func await[T any](ctx context.Context, limit time.Duration, log *slog.Logger, part string, open func(context.Context) (T, error)) (T, error) {
	began := time.Now()
	for pause := awaitFirst; ; pause = min(2*pause, awaitMost) {
		opened, err := open(ctx)
		if err == nil || !isAway(err) {
			return opened, err
		}
		left := limit - time.Since(began)
		if left <= 0 || ctx.Err() != nil {
			if limit > 0 {
				err = fmt.Errorf("%s did not answer within %v (--start-wait): %w", part, limit, err)
			}
			return opened, err
		}
		log.Warn("a part does not answer yet", "part", part, "tries_end_in", left.Round(time.Second).String(), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(min(pause, left)):
		}
	}
}

// isAway tells whether a part may answer later: by the kind that the store gave
// its error, by what Postgres told the drive, by Temporal's code.
func isAway(err error) bool {
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case platen.KindOf(err) == platen.KindUnavailable:
		return true
	case platen.KindOf(err) == platen.KindInvalid: // also of a connection that was refused for it
		return false
	case outage.OfPostgres(err):
		return true
	}
	switch serviceerror.ToStatus(err).Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}
