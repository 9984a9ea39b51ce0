package drive

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestATurnGoesToTheAccountThatHasTheFewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := newTurns(2)
		for range 2 {
			if !all.take(t.Context(), "busy", time.Minute) {
				t.Fatal("got no turn of two that were free")
			}
		}
		var order []string
		var done sync.WaitGroup
		for _, account := range []string{"busy", "busy", "calm", "", "calm"} {
			done.Go(func() {
				if all.take(t.Context(), account, time.Minute) {
					order = append(order, account)
				}
			})
			synctest.Wait()
		}
		for _, account := range []string{"busy", "calm", "", "busy", "busy"} {
			all.give(account)
			synctest.Wait()
		}
		done.Wait()
		if want := []string{"calm", "", "calm", "busy", "busy"}; !slices.Equal(order, want) {
			t.Errorf("order: got %q, want %q", order, want)
		}
		all.give("calm")
		all.give("busy")
		if all.free != 2 || len(all.held) != 0 {
			t.Errorf("got %d free and %v held after all, want 2 and none", all.free, all.held)
		}
	})
}

func TestWhoDoesNotWaitAnyMoreTakesNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := newTurns(1)
		if !all.take(t.Context(), "a", time.Minute) {
			t.Fatal("got no turn")
		}
		gone, leave := context.WithCancel(t.Context())
		refused := make(chan bool, 2)
		go func() { refused <- all.take(t.Context(), "b", time.Second) }()
		go func() { refused <- all.take(gone, "c", time.Minute) }()
		synctest.Wait()
		if <-refused {
			t.Error("got a turn, want none within a second")
		}
		leave()
		if <-refused {
			t.Error("got a turn, want none for a client that is gone")
		}
		all.give("a")
		if all.free != 1 || len(all.waiting) != 0 {
			t.Errorf("got %d free and %d waiting, want 1 and none", all.free, len(all.waiting))
		}
	})
}
