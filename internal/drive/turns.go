package drive

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turns bounds how many office files are worked on at a time. A free turn goes to the
// account that has the fewest of them, so that nobody waits behind all that another
// account asks for. It is safe for concurrent use.
type turns struct {
	mu      sync.Mutex
	free    int
	held    map[string]int // by account; "" are all who have no credentials
	waiting []*turn        // in the order in which they came
}

type turn struct {
	account string
	let     chan struct{} // closed when it has come
}

func newTurns(n int) *turns { return &turns{free: n, held: map[string]int{}} }

// take waits for a turn of the account; false: none came within the patience, or ctx
// ended before.
func (t *turns) take(ctx context.Context, account string, patience time.Duration) bool {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.held[account]++
		t.mu.Unlock()
		return true
	}
	w := &turn{account, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.mu.Unlock()

	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-w.let:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	return i < 0 // it came meanwhile
}

// give ends a turn of the account and lets the next one begin.
func (t *turns) give(account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held[account]--; t.held[account] == 0 {
		delete(t.held, account)
	}
	next := 0
	for i, w := range t.waiting {
		if t.held[w.account] < t.held[t.waiting[next].account] {
			next = i
		}
	}
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	w := t.waiting[next]
	t.waiting = slices.Delete(t.waiting, next, next+1)
	t.held[w.account]++
	close(w.let)
}
