package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"go.temporal.io/api/serviceerror"
	sdk "go.temporal.io/sdk/worker"
)

// A starting worker answers its starts with these errors, and then with none.
type starting struct {
	sdk.Worker
	errs   []error
	starts int
	stops  int
}

func (s *starting) Start() error {
	s.starts++
	if len(s.errs) < s.starts {
		return nil
	}
	return s.errs[s.starts-1]
}

func (s *starting) Stop() { s.stops++ }

func TestAWorkerThatStartsWaitsForATemporalThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	away := fmt.Errorf("failed reaching server: %w", serviceerror.NewDeadlineExceeded("context deadline exceeded"))
	refused := serviceerror.NewPermissionDenied("no", "")
	for name, c := range map[string]struct {
		errs   []error
		starts int
		want   error
	}{
		"for a while":          {[]error{away, away}, 3, nil},
		"and is refused after": {[]error{away, refused}, 2, refused},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &starting{errs: c.errs}
			w := &Worker{workers: []sdk.Worker{s}, failed: make(chan error, 1), log: slog.New(slog.DiscardHandler)}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if err := w.Run(ctx, cancel); !errors.Is(err, c.want) || s.starts != c.starts {
				t.Errorf("%s: got %v after %d starts, want %v after %d", name, err, s.starts, c.want, c.starts)
			}
			if began := c.want == nil; began != (s.stops == 1) {
				t.Errorf("%s: it was stopped %d times, want once if it began: %t", name, s.stops, began)
			}
		})
	}
}

func TestAWorkerThatIsStoppedWhileItWaitsForTemporalEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &starting{errs: make([]error, 100)}
		for i := range s.errs {
			s.errs[i] = serviceerror.NewUnavailable("away")
		}
		w := &Worker{workers: []sdk.Worker{s, s}, failed: make(chan error, 1), log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithTimeout(t.Context(), 10*startAgain)
		defer cancel()
		if err := w.Run(ctx, func() { t.Error("it is ready, want that it waits") }); err != nil || s.stops != 0 {
			t.Errorf("got %v, stopped %d times; want no error, and no worker that began", err, s.stops)
		}
	})
}
