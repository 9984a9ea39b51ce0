package dispatch_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/dispatch"
)

// fullQueue has no room, and many notes.
type fullQueue struct {
	dispatch.Queue
	claims  atomic.Int64
	claimed chan struct{}
	noted   func()
}

func (q *fullQueue) Claim(context.Context, int, int, time.Duration) ([]platen.Automation, bool, error) {
	if q.claims.Add(1) == 1 {
		close(q.claimed)
	}
	return nil, true, nil
}

func (q *fullQueue) Listen(_ context.Context, wake func()) error {
	<-q.claimed
	for range 1000 {
		wake()
		runtime.Gosched()
	}
	q.noted()
	return nil
}

func (*fullQueue) Overdue(context.Context, time.Duration, platen.Automation) ([]platen.Automation, error) {
	return nil, nil
}

func TestNotesDoNotHaveAFullQueueRead(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q := &fullQueue{claimed: make(chan struct{}), noted: cancel}
	d := dispatch.New(dispatch.Options{Queue: q, Starter: starter{}, FullPoll: time.Hour, Poll: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := d.Run(ctx); err != nil {
		t.Fatalf("Run: %v", err)
	}
	if n := q.claims.Load(); n != 1 {
		t.Errorf("a thousand notes made %d claims, want the first alone", n)
	}
}
