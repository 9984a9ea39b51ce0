package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// eventLimit bounds the wait for the event of one automation: steps that fail
// on a very busy machine are tried again after a while.
const eventLimit = 3 * time.Minute

// oneByOne sends n events, each when the one before was received.
func (s *sender) oneByOne(ctx context.Context, n int) (load, error) {
	l := load{}
	begun := time.Now()
	for range n {
		came := make(chan time.Time, 1)
		sent := time.Now()
		if err := s.send(ctx, func(at time.Time) { came <- at }); err != nil {
			return l, err
		}
		select {
		case at := <-came:
			l.latencies = append(l.latencies, at.Sub(sent))
		case <-time.After(eventLimit):
			return l, fmt.Errorf("no event within %v", eventLimit)
		case <-ctx.Done():
			return l, ctx.Err()
		}
	}
	l.took = time.Since(begun)
	return l, nil
}

// saturate keeps so many automations in flight: the next event is sent when
// one comes back. After ramp it counts for window, then waits until all are
// back. It returns the rate in the window, and how many there were in all.
func (s *sender) saturate(ctx context.Context, inFlight int, ramp, window time.Duration) (perSecond float64, completed int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, inFlight)
	full := make(chan struct{})
	var done atomic.Int64
	var feeding, sending sync.WaitGroup
	feeding.Go(func() {
		for {
			select {
			case <-full:
				return
			case <-ctx.Done():
				return
			case slots <- struct{}{}:
			}
			sending.Go(func() {
				if err := s.send(ctx, func(time.Time) { done.Add(1); <-slots }); err != nil {
					cancel(err)
				}
			})
		}
	})
	stopFeeding := sync.OnceFunc(func() { close(full); feeding.Wait(); sending.Wait() })
	defer stopFeeding()
	if err := pause(ctx, ramp); err != nil {
		return 0, 0, context.Cause(ctx)
	}
	before, begun := done.Load(), time.Now()
	if err := pause(ctx, window); err != nil {
		return 0, 0, context.Cause(ctx)
	}
	perSecond = float64(done.Load()-before) / time.Since(begun).Seconds()
	stopFeeding()
	for waited := time.Now(); len(slots) > 0; {
		if time.Since(waited) > eventLimit {
			return 0, 0, fmt.Errorf("%d events did not come within %v", len(slots), eventLimit)
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return 0, 0, context.Cause(ctx)
		}
	}
	return perSecond, int(done.Load()), nil
}

// openLoop sends events at random moments, so many per second on average,
// whether or not earlier ones came back. Latencies count from the moment that
// an event was due, so that a slow answer hides nothing.
func (s *sender) openLoop(ctx context.Context, perSecond float64, length time.Duration) (load, error) {
	var mu sync.Mutex
	var errs error
	var l load
	var waiting sync.WaitGroup
	begun := time.Now()
	for due := begun; due.Sub(begun) < length; due = due.Add(time.Duration(rand.ExpFloat64() / perSecond * float64(time.Second))) {
		if err := pause(ctx, time.Until(due)); err != nil {
			return l, err
		}
		waiting.Go(func() {
			came := make(chan time.Time, 1)
			err := s.send(ctx, func(at time.Time) { came <- at })
			var at time.Time
			if err == nil {
				select {
				case at = <-came:
				case <-time.After(eventLimit):
					err = fmt.Errorf("no event within %v", eventLimit)
				case <-ctx.Done():
					err = ctx.Err()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = errors.Join(errs, err)
				return
			}
			l.latencies = append(l.latencies, at.Sub(due))
		})
	}
	waiting.Wait()
	l.took = time.Since(begun)
	return l, errs
}

// groupPatience is how long events are waited for after the last one was sent.
const groupPatience = 30 * time.Second

// A sequence is what came of events that were sent at set times.
type sequence struct {
	at        []time.Duration // since the first was due, in order of sending
	latencies []time.Duration // of one that was not received, for how long it was waited for
	missing   int
}

func (t *sequence) append(later sequence) {
	t.at = append(t.at, later.at...)
	t.latencies = append(t.latencies, later.latencies...)
	t.missing += later.missing
}

// groups sends so many groups of events, at moments that vary by up to half of
// every, whether or not earlier ones came back. accepted may be nil; it is
// called when all of a group are accepted. Latencies count from before the POST.
func (s *sender) groups(ctx context.Context, groups, size int, every time.Duration, accepted func(ctx context.Context, group int) error) (sequence, error) {
	sent, came := make([]time.Time, groups*size), make([]time.Time, groups*size)
	var mu sync.Mutex // of came and errs
	var errs error
	all := make(chan struct{}, groups*size)
	var sending sync.WaitGroup
	begun := time.Now()
	for group := range groups {
		due := begun.Add(time.Duration(group)*every + rand.N(every/2))
		if err := pause(ctx, time.Until(due)); err != nil {
			return sequence{}, err
		}
		sending.Go(func() {
			failed := make([]error, size)
			var posting sync.WaitGroup
			for k := range size {
				n := group*size + k
				sent[n] = time.Now()
				posting.Go(func() {
					failed[k] = s.send(ctx, func(at time.Time) {
						mu.Lock()
						defer mu.Unlock()
						came[n] = at
						all <- struct{}{}
					})
				})
			}
			posting.Wait()
			err := errors.Join(failed...)
			if err == nil && accepted != nil {
				err = accepted(ctx, group)
			}
			mu.Lock()
			defer mu.Unlock()
			errs = errors.Join(errs, err)
		})
	}
	sending.Wait()
	enough := time.After(groupPatience)
	for range groups * size {
		select {
		case <-all:
			continue
		case <-ctx.Done():
		case <-enough:
		}
		break
	}
	mu.Lock()
	defer mu.Unlock()
	t, now := sequence{}, time.Now()
	for n, at := range came {
		if at.IsZero() {
			at = now
			t.missing++
		}
		t.at = append(t.at, sent[n].Sub(begun))
		t.latencies = append(t.latencies, at.Sub(sent[n]))
	}
	return t, errors.Join(errs, ctx.Err())
}
