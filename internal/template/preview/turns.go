package preview

import (
	"context"
	"sync"

	"github.com/platenhq/platen/internal/platen"
)

// turns are the places at which samples are filled: so many at once, and so
// many of one key, for a caller who keeps asking for the same must not take
// them all.
type turns struct {
	places chan struct{}
	each   int
	mu     sync.Mutex
	owned  map[string]*owned
}

// owned are the places of a key, as long as anybody has or wants one.
type owned struct {
	places chan struct{}
	users  int
}

func newTurns(atOnce, each int) *turns {
	return &turns{places: make(chan struct{}, atOnce), each: each, owned: map[string]*owned{}}
}

// take waits for a place, and returns what gives it back. KindRateLimited with
// code "preview_busy": it would take too long.
func (t *turns) take(ctx context.Context, key string) (release func(), err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	own := t.join(key)
	// Its own comes first: a caller who waits for that keeps none from the others.
	if !takePlace(wait, own.places) {
		t.leave(key)
		return nil, refuseBusy()
	}
	if !takePlace(wait, t.places) {
		<-own.places
		t.leave(key)
		return nil, refuseBusy()
	}
	return func() {
		<-t.places
		<-own.places
		t.leave(key)
	}, nil
}

func (t *turns) join(key string) *owned {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.owned[key]
	if o == nil {
		o = &owned{places: make(chan struct{}, t.each)}
		t.owned[key] = o
	}
	o.users++
	return o
}

func (t *turns) leave(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.owned[key]
	if o.users--; o.users == 0 {
		delete(t.owned, key)
	}
}

func takePlace(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func refuseBusy() error {
	return &platen.Error{Kind: platen.KindRateLimited, Code: "preview_busy", RetryAfter: patience,
		Message: "As many previews are being made as this service makes at once. Try again in a moment."}
}
