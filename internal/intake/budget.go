// Package intake bounds the memory that requests take before anybody knows what
// they are worth. A process has one Budget, and each request a Holding of it
// that grows with what is read. EachPart reads a form without holding it.
//
// It knows no error of ours: how a refusal is written is the business of the host.
package intake

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrFull says that there was no room within the patience of the budget, or
// that too many wait for room already. A repeat may do better.
var ErrFull = errors.New("no room for the bytes of a request")

// Limits are those of a Budget.
type Limits struct {
	// Bytes bounds what all requests hold together.
	Bytes int64
	// Caller bounds what the requests of one caller with credentials hold.
	Caller int64
	// Unauthenticated bounds what all requests without credentials hold together.
	Unauthenticated int64
	// Waiting bounds how many requests wait for room at once; the next is
	// refused at once.
	Waiting int
	// Patience is how long a request waits for room.
	Patience time.Duration
}

// A Budget is the bytes that requests may hold at once. It is safe for
// concurrent use. A nil Budget bounds nothing.
type Budget struct {
	limits Limits

	mu      sync.Mutex
	held    int64
	callers map[string]int64 // what each holds; "" are all without credentials
	waiting []*waiter        // in the order in which they came
}

type waiter struct {
	caller string
	bytes  int64
	let    chan struct{} // closed when it has the bytes
}

// NewBudget returns an empty budget.
func NewBudget(l Limits) *Budget {
	return &Budget{limits: l, callers: map[string]int64{}}
}

// share is how much a caller may hold.
func (b *Budget) share(caller string) int64 {
	if caller == "" {
		return min(b.limits.Unauthenticated, b.limits.Bytes)
	}
	return min(b.limits.Caller, b.limits.Bytes)
}

// ownRoom tells whether the caller's share has room for so many bytes more.
func (b *Budget) ownRoom(caller string, n int64) bool {
	return b.callers[caller]+n <= b.share(caller)
}

func (b *Budget) room(n int64) bool { return b.held+n <= b.limits.Bytes }

func (b *Budget) add(caller string, n int64) {
	b.held += n
	if b.callers[caller] += n; b.callers[caller] == 0 {
		delete(b.callers, caller)
	}
}

// take waits until the caller may hold n bytes more.
func (b *Budget) take(ctx context.Context, caller string, n int64) error {
	b.mu.Lock()
	// Nobody overtakes a request that waits for room which all have in common.
	crowded := slices.ContainsFunc(b.waiting, func(w *waiter) bool { return b.ownRoom(w.caller, w.bytes) })
	if !crowded && b.ownRoom(caller, n) && b.room(n) {
		b.add(caller, n)
		b.mu.Unlock()
		return nil
	}
	if n > b.share(caller) || len(b.waiting) >= b.limits.Waiting {
		b.mu.Unlock()
		return ErrFull
	}
	w := &waiter{caller, n, make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()

	patience := time.NewTimer(b.limits.Patience)
	defer patience.Stop()
	select {
	case <-w.let:
		return nil
	case <-ctx.Done():
		return b.leave(w, ctx.Err())
	case <-patience.C:
		return b.leave(w, ErrFull)
	}
}

// leave ends the wait of w with err, unless it was let in meanwhile.
func (b *Budget) leave(w *waiter, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, w)
	if i < 0 {
		return nil
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.admit() // those behind it
	return err
}

func (b *Budget) give(caller string, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(caller, -n)
	b.admit()
}

// move gives what one caller holds to another, whose share it may exceed: it is
// read already.
func (b *Budget) move(from, to string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(from, -n)
	b.add(to, n)
	b.admit()
}

// admit lets in those that wait, in their order. One whose own share is used up
// lets others pass.
func (b *Budget) admit() {
	if len(b.waiting) == 0 {
		return
	}
	var rest []*waiter
	for i, w := range b.waiting {
		if !b.ownRoom(w.caller, w.bytes) {
			rest = append(rest, w)
			continue
		}
		if !b.room(w.bytes) {
			rest = append(rest, b.waiting[i:]...)
			break
		}
		b.add(w.caller, w.bytes)
		close(w.let)
	}
	b.waiting = rest
}
