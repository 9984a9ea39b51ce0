package postgres

import (
	"context"
	"fmt"
	"sync"
)

// turns lets one goroutine of this process at a time have what a key names. The zero
// value is ready to use.
type turns struct {
	mu   sync.Mutex
	open map[string]*turn
}

type turn struct {
	free  chan struct{} // has room for the one who has it
	users int           // who have it or wait
}

// take waits until nobody has the key, and returns what gives it back.
func (t *turns) take(ctx context.Context, key string) (release func(), err error) {
	t.mu.Lock()
	one := t.open[key]
	if one == nil {
		if t.open == nil {
			t.open = map[string]*turn{}
		}
		one = &turn{free: make(chan struct{}, 1)}
		t.open[key] = one
	}
	one.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.open, key)
		}
	}
	select {
	case one.free <- struct{}{}:
		return func() { <-one.free; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, fmt.Errorf("wait for a turn: %w", classify(ctx.Err()))
	}
}
