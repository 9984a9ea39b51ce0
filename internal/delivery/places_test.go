package delivery_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// A busy receiver has many events due at once and takes its time for each.
type busy struct {
	mailbox
	latency time.Duration

	mu       sync.Mutex
	inFlight int
	most     int
}

func (b *busy) RecordDelivery(context.Context, platen.Delivery, platen.EventState, time.Duration) error {
	return nil
}

func (b *busy) UpdateEndpoint(_ context.Context, _ platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.state, time.Now())
	return nil
}

func (b *busy) Send(_ context.Context, e platen.Event, _ platen.Endpoint, attempt int) (platen.Delivery, error) {
	b.mu.Lock()
	b.inFlight++
	b.most = max(b.most, b.inFlight)
	b.mu.Unlock()
	time.Sleep(b.latency)
	b.mu.Lock()
	b.inFlight--
	b.mu.Unlock()
	return platen.Delivery{EventID: e.ID, Attempt: attempt, Status: 200, Duration: b.latency}, nil
}

// deliver delivers so many events from 64 runs at a time, and from runs of their
// own where those do not wait, and returns how many a second.
func (b *busy) deliver(t *testing.T, events int) float64 {
	t.Helper()
	d := &delivery.Deliverer{Events: b, Endpoints: b, Sender: b, Breaker: delivery.DefaultBreaker()}
	attempt := func(n int, inRun bool) delivery.Result {
		made, err := d.Attempt(t.Context(), delivery.Due{EventID: fmt.Sprint("evt_", n), Attempt: 1, InRun: inRun})
		if err != nil {
			t.Error(err)
		}
		return made
	}
	began := time.Now()
	due := make(chan int)
	var delivering sync.WaitGroup
	for range 64 {
		delivering.Go(func() {
			for n := range due {
				if made := attempt(n, true); made.Postponed {
					delivering.Go(func() {
						for made.Postponed {
							time.Sleep(made.Wait)
							made = attempt(n, false)
						}
					})
				}
			}
		})
	}
	for n := range events {
		due <- n
	}
	close(due)
	delivering.Wait()
	return float64(events) / time.Since(began).Seconds()
}

func TestAReceiverThatAnswersQuicklyGetsSeveralTimesAsManyEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &busy{latency: 200 * time.Millisecond}
		got := b.deliver(t, 1000)
		if four := 4 / b.latency.Seconds(); got < 4*four {
			t.Errorf("events a second: got %.0f, want at least four times the %.0f that four places take", got, four)
		}
		if b.most > 32 {
			t.Errorf("events at once: got %d, want 32 at most", b.most)
		}
	})
}

func TestAReceiverThatTakesLongerThanASecondGetsFourEventsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &busy{latency: 1100 * time.Millisecond}
		b.deliver(t, 100)
		if b.most != 4 {
			t.Errorf("events at once: got %d, want 4", b.most)
		}
	})
}
