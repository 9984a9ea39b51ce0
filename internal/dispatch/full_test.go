package dispatch_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// fullQueue has nothing to claim while so many runs are open, and many
// notifications.
type fullQueue struct {
	dispatch.Queue
	dispatch.Running
	open    int
	crowded bool
	claims  atomic.Int64
	claimed chan struct{}
	heard   func()
	more    bool // hear notifications until there is another claim
}

func (q *fullQueue) Claim(_ context.Context, _ int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	if q.claims.Add(1) == 1 {
		close(q.claimed)
	}
	return nil, by.Occupancy(q.open, 0, platen.Others{}), nil
}

func (q *fullQueue) Listen(ctx context.Context, wake func(platen.Waking)) error {
	<-q.claimed
	for n := 0; n < 1000 || q.more && q.claims.Load() == 1 && ctx.Err() == nil; n++ {
		wake(platen.Waking{Crowded: q.crowded})
		runtime.Gosched()
	}
	q.heard()
	return nil
}

func (*fullQueue) OverdueAutomations(context.Context, time.Duration, platen.Automation) ([]platen.Automation, error) {
	return nil, nil
}

func TestNotificationsDoNotHaveAFullQueueRead(t *testing.T) {
	t.Parallel()
	places := platen.Places{Open: 12, OwnerOpen: 9, Parked: 10, OwnerParked: 10}
	for name, tt := range map[string]struct {
		open    int
		crowded bool
		more    bool // than the first claim
	}{
		"full":                                {open: 12},
		"places for new owners":               {open: 9, more: true},
		"places for new owners, many events":  {open: 9, crowded: true},
		"places for anybody, however crowded": {open: 2, crowded: true, more: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			q := &fullQueue{open: tt.open, crowded: tt.crowded, more: tt.more, claimed: make(chan struct{}), heard: cancel}
			d := dispatch.New(dispatch.Options{Queue: q, Running: q, Starter: starter{}, Places: places, FullPoll: time.Hour, Poll: time.Hour, Log: slog.New(slog.DiscardHandler)})
			if err := d.Run(ctx); err != nil {
				t.Fatalf("Run: %v", err)
			}
			if n := q.claims.Load(); n > 1 != tt.more {
				t.Errorf("a thousand notifications made %d claims; want more than the first: %t", n, tt.more)
			}
		})
	}
}

// crowdedQueue has nothing to claim, and says once that events crowd in.
type crowdedQueue struct {
	fullQueue
	limits chan int
}

func (q *crowdedQueue) Claim(_ context.Context, _ int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	seen := by.Occupancy(0, 0, platen.Others{})
	q.limits <- seen.Room()
	return nil, seen, nil
}

func (q *crowdedQueue) Listen(ctx context.Context, wake func(platen.Waking)) error {
	<-q.claimed
	wake(platen.Waking{Crowded: true})
	<-ctx.Done()
	return nil
}

func TestAThirdOfTheRunsIsOpenWhileEventsCrowdIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := &crowdedQueue{fullQueue: fullQueue{claimed: make(chan struct{})}, limits: make(chan int)}
		d := dispatch.New(dispatch.Options{Queue: q, Running: q, Starter: starter{}, Places: platen.PlacesFor(12, 1000, 100), Poll: 2 * time.Second, Log: slog.New(slog.DiscardHandler)})
		ended := make(chan error)
		go func() { ended <- d.Run(ctx) }()
		before := <-q.limits
		close(q.claimed)
		during, after := <-q.limits, <-q.limits // at the notification, and at the next look into the queue
		if before != 12 || during != 4 || after != 12 {
			t.Errorf("runs open at most: got %d before, %d at the notification, %d after; want 12, 4, 12", before, during, after)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}
