// Package admission decides who may come in: how many at once and how many of one key
// (Keyed), how much of something (Weighted), and how often (Rate). It counts in this
// process only, and forgets a key that holds nothing and waits for nothing.
//
// It knows no protocol and has no words for users: it answers with ErrFull or with a time
// to wait, and its callers say what that means. Where nobody has a key, a channel or the
// semaphore of golang.org/x/sync is enough.
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrFull says that there was no room within the patience, or that too many wait for room
// already. A repeat may do better.
var ErrFull = errors.New("no room beside what others hold")

// Limits are those of a Weighted.
type Limits struct {
	// Total bounds what all keys hold together.
	Total int64
	// Share returns how much of Total one key may hold. Default: all.
	Share func(key string) int64
	// Waiting bounds how many wait for room at once; the next one is refused at once.
	Waiting int
	// Patience is how long one waits. Default: until its context ends.
	Patience time.Duration
}

// A Weighted gives out amounts of something that all keys share, such as bytes of memory.
// Those who wait are let in by the order in which they came: nobody passes one who waits
// for room that all have in common. One whose own share is used up lets others pass. It
// is safe for concurrent use.
type Weighted struct {
	limits Limits
	// byFewest lets in whose key holds the fewest, and by the order in which they came
	// only those who are equal in that.
	byFewest bool

	mu      sync.Mutex
	all     int64
	held    map[string]int64 // of keys that hold something
	waiting []*waiter        // in the order in which they came
}

type waiter struct {
	key    string
	amount int64
	let    chan struct{} // closed when it holds the amount
}

// NewWeighted returns a Weighted that nobody holds anything of.
func NewWeighted(l Limits) *Weighted { return &Weighted{limits: l, held: map[string]int64{}} }

// Take waits until the key may hold so much more; Give gives it back. It fails with ErrFull
// at once for more than the key's whole share, and with the error of ctx when that ends
// first. An amount of 0 is there at once.
func (w *Weighted) Take(ctx context.Context, key string, amount int64) error {
	w.mu.Lock()
	switch {
	case w.enter(key, amount):
		w.mu.Unlock()
		return nil
	case amount > w.share(key), len(w.waiting) >= w.limits.Waiting:
		w.mu.Unlock()
		return ErrFull
	}
	one := &waiter{key, amount, make(chan struct{})}
	w.waiting = append(w.waiting, one)
	w.mu.Unlock()

	var over <-chan time.Time // nil: never
	if w.limits.Patience > 0 {
		over = time.After(w.limits.Patience)
	}
	select {
	case <-one.let:
		return nil
	case <-ctx.Done():
		return w.leave(one, ctx.Err())
	case <-over:
		return w.leave(one, ErrFull)
	}
}

// TryTake is Take for one who does not wait. False: there is no room now.
func (w *Weighted) TryTake(key string, amount int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.enter(key, amount)
}

// Give gives back what the key took.
func (w *Weighted) Give(key string, amount int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(key, -amount)
	w.admit()
}

// Move gives what one key holds to another, whose share it may exceed.
func (w *Weighted) Move(from, to string, amount int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(from, -amount)
	w.add(to, amount)
	w.admit()
}

func (w *Weighted) share(key string) int64 {
	if w.limits.Share == nil {
		return w.limits.Total
	}
	return min(w.limits.Share(key), w.limits.Total)
}

// hasShare tells whether the key's own share has room.
func (w *Weighted) hasShare(key string, amount int64) bool {
	return amount <= w.share(key)-w.held[key]
}

func (w *Weighted) add(key string, amount int64) {
	w.all += amount
	if w.held[key] += amount; w.held[key] == 0 {
		delete(w.held, key)
	}
}

// enter takes the amount where there is room and nobody who waits comes first.
func (w *Weighted) enter(key string, amount int64) bool {
	if amount <= 0 {
		return true
	}
	if !w.hasShare(key, amount) || amount > w.limits.Total-w.all || w.next() >= 0 {
		return false
	}
	w.add(key, amount)
	return true
}

// next returns which of those who wait comes next, -1 for none.
func (w *Weighted) next() int {
	next := -1
	for i, one := range w.waiting {
		if w.hasShare(one.key, one.amount) && (next < 0 || w.byFewest && w.held[one.key] < w.held[w.waiting[next].key]) {
			next = i
		}
	}
	return next
}

// admit lets in those for whom there is room now.
func (w *Weighted) admit() {
	for i := w.next(); i >= 0 && w.waiting[i].amount <= w.limits.Total-w.all; i = w.next() {
		one := w.waiting[i]
		w.waiting = slices.Delete(w.waiting, i, i+1)
		w.add(one.key, one.amount)
		close(one.let)
	}
}

// leave ends a wait with err, unless it was let in meanwhile.
func (w *Weighted) leave(one *waiter, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.waiting, one)
	if i < 0 {
		return nil
	}
	w.waiting = slices.Delete(w.waiting, i, i+1)
	w.admit() // those behind it
	return err
}
