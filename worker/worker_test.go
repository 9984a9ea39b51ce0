package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"go.temporal.io/api/serviceerror"
	sdk "go.temporal.io/sdk/worker"
)

// A factory makes workers. Like the SDK's, each answers every start as it answered the
// first.
type factory struct {
	errs    []error // of the starts, nil after them
	starts  int
	stops   int
	onStart func()
}

func (f *factory) build() sdk.Worker {
	return &fakeWorker{factory: f, start: sync.OnceValue(func() error {
		f.starts++
		if f.onStart != nil {
			f.onStart()
		}
		if len(f.errs) < f.starts {
			return nil
		}
		return f.errs[f.starts-1]
	})}
}

func (f *factory) worker() *Worker {
	return &Worker{workers: []func() sdk.Worker{f.build}, failed: make(chan error, 1), log: slog.New(slog.DiscardHandler)}
}

type fakeWorker struct {
	sdk.Worker
	factory *factory
	start   func() error
}

func (w *fakeWorker) Start() error { return w.start() }
func (w *fakeWorker) Stop()        { w.factory.stops++ }

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
			f := &factory{errs: c.errs}
			ctx, cancel := context.WithTimeout(t.Context(), 10*startAgain)
			defer cancel()
			if err := f.worker().Run(ctx, cancel); !errors.Is(err, c.want) || f.starts != c.starts {
				t.Errorf("%s: got %v after %d starts, want %v after %d", name, err, f.starts, c.want, c.starts)
			}
			if began := c.want == nil; began != (f.stops == 1) {
				t.Errorf("%s: it was stopped %d times, want once if it began: %t", name, f.stops, began)
			}
		})
	}
}

func TestAWorkerThatIsStoppedWhileItWaitsForTemporalEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &factory{errs: make([]error, 100)}
		for i := range f.errs {
			f.errs[i] = serviceerror.NewUnavailable("away")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*startAgain)
		defer cancel()
		if err := f.worker().Run(ctx, func() { t.Error("it is ready, want that it waits") }); err != nil || f.stops != 0 {
			t.Errorf("got %v, stopped %d times; want no error, and no worker that began", err, f.stops)
		}
	})
}

func TestAWorkerThatBeganWhenItWasStoppedIsStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &factory{onStart: cancel}
	if err := f.worker().Run(ctx, func() { t.Error("it is ready, want that it ends") }); err != nil || f.stops != 1 {
		t.Errorf("got %v, stopped %d times; want no error, and that it is stopped once", err, f.stops)
	}
}
