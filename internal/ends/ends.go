// Package ends tells those who wait in this process that an automation has ended. Its
// cost does not grow with their number: one statement looks for all of them, and none of
// them holds a connection to the database.
//
// What they are answered does not belong here, nor what an automation is.
package ends

import (
	"context"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/admission"
)

// Find returns those of the automations that have ended.
type Find func(ctx context.Context, automationIDs []string) ([]string, error)

// Options of New; the zero value is ready to use.
type Options struct {
	// Places is how many may wait at once, and how many of one key. Default: 1,500, and
	// 1,000 of one key. Each holds an open connection of a client, and a host has 2,000.
	Places admission.Places
	// Pause is between two looks, at least. Default: 25 ms.
	Pause time.Duration
	// Done ends all waits: the program stops. Default: it never does.
	Done <-chan struct{}
}

const (
	defaultPause = 25 * time.Millisecond
	// share bounds the part of the time that looks take: the pause after a look is so
	// many times as long as the look.
	share = 10
	// maxPause is between two looks while the database does not answer, at most.
	maxPause = time.Second
	// lookTimeout bounds one look.
	lookTimeout = 5 * time.Second
)

// An Ends is one for a process. It is safe for concurrent use.
type Ends struct {
	find   Find
	pause  time.Duration
	done   <-chan struct{}
	places *admission.Keyed

	mu      sync.Mutex
	waiting map[string][]chan struct{} // by automation; each is closed when that has ended
	looking bool                       // a goroutine looks for them
}

// New returns one for whom nobody waits. It does nothing while that is so.
func New(find Find, o Options) *Ends {
	if o.Places == (admission.Places{}) {
		o.Places = admission.Places{Total: 1500, PerKey: 1000}
	}
	if o.Pause == 0 {
		o.Pause = defaultPause
	}
	return &Ends{find: find, pause: o.Pause, done: o.Done, places: admission.NewKeyed(o.Places), waiting: map[string][]chan struct{}{}}
}

// Wait waits until an automation has ended, at most so long. Key is whose place it takes.
// Not kept: it did not wait that long, because no place was free, the program stops, or
// ctx ended.
func (e *Ends) Wait(ctx context.Context, key, automationID string, most time.Duration) (ended, kept bool) {
	if most <= 0 {
		return false, true
	}
	leave, ok := e.places.TryTake(key)
	if !ok {
		return false, false
	}
	defer leave()
	over := make(chan struct{})
	e.enter(automationID, over)
	defer e.leave(automationID, over)
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-over:
		return true, true
	case <-timer.C:
		return false, true
	case <-e.done:
	case <-ctx.Done():
	}
	return false, false
}

func (e *Ends) enter(automationID string, over chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting[automationID] = append(e.waiting[automationID], over)
	if !e.looking {
		e.looking = true
		go e.look()
	}
}

func (e *Ends) leave(automationID string, over chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rest := e.waiting[automationID]
	for i, other := range rest {
		if other == over {
			rest = append(rest[:i], rest[i+1:]...)
			break
		}
	}
	if len(rest) == 0 {
		delete(e.waiting, automationID)
		return
	}
	e.waiting[automationID] = rest
}

// look goes on until nobody waits.
func (e *Ends) look() {
	for {
		ids := e.asked()
		if len(ids) == 0 {
			return
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
		ended, err := e.find(ctx, ids)
		cancel()
		pause := min(max(e.pause, share*time.Since(begun)), maxPause)
		if err != nil {
			pause = maxPause // those who wait are answered in time all the same
		}
		e.tell(ended)
		time.Sleep(pause)
	}
}

// asked returns what is waited for. After none look must end: the next one who waits
// begins another.
func (e *Ends) asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	ids := make([]string, 0, len(e.waiting))
	for id := range e.waiting {
		ids = append(ids, id)
	}
	e.looking = len(ids) > 0
	return ids
}

func (e *Ends) tell(ended []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ended {
		for _, over := range e.waiting[id] {
			close(over)
		}
		delete(e.waiting, id)
	}
}
