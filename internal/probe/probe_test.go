package probe

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestManyWhoAskCostOneCheck(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]error{"good": nil, "bad": errors.New("no database")} {
		synctest.Test(t, func(t *testing.T) {
			checks := 0
			p := New(func(context.Context) error {
				checks++
				<-time.After(timeout / 2)
				return says
			})
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if err := p.Err(t.Context()); !errors.Is(err, says) {
						t.Errorf("%s: got %v, want %v", name, err, says)
					}
				})
			}
			all.Wait()
			if checks != 1 {
				t.Errorf("%s: got %d checks, want 1", name, checks)
			}
		})
	}
}

func TestAnAnswerIsKeptForAWhileAndABadOneForLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("no database")
		var says error
		p := New(func(context.Context) error { return says })
		want := func(when string, want error) {
			t.Helper()
			if err := p.Err(t.Context()); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", when, err, want)
			}
		}
		want("at first", nil)
		says = bad
		<-time.After(keptGood - 1)
		want("while the good answer is kept", nil)
		<-time.After(1)
		want("after that", bad)
		says = nil
		<-time.After(keptBad - 1)
		want("while the bad answer is kept", bad)
		<-time.After(1)
		want("at last", nil)
	})
}

func TestACheckHasATimeoutAndDoesNotEndWithTheOneWhoAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begun := time.Now()
		err := New(func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}).Err(ctx)
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took != timeout {
			t.Errorf("got %v after %v, want the deadline's after %v", err, took, timeout)
		}
	})
}
