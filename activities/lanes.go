package activities

import (
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// lanes keep what one process does at places of owners, such as targets and mail servers, from
// holding up what it does elsewhere. The zero value is ready.
type lanes struct {
	owners, ones, failing turns
	breakers              breakers
	queues                queues
}

// bounds are how many attempts are made at once: of an owner, at one place, and of an owner at
// places whose last attempt failed, so that one that hangs leaves room for others. allFailing is
// the same of all owners; 0: no bound.
type bounds struct{ ofOwner, atOne, failing, allFailing int }

// ofAll stands for the owner where those of all are counted.
const ofAll = ""

// take takes places of the owner and at one place; not ok: others have them.
func (l *lanes) take(ownerID, id string, most bounds, now time.Time) (giveBack func(), ok bool) {
	var taken []func()
	giveBack = func() {
		for _, back := range taken {
			back()
		}
	}
	take := func(of *turns, key string, most int) {
		if ok {
			var back func()
			if back, ok = of.take(key, most); ok {
				taken = append(taken, back)
			}
		}
	}
	ok = true
	take(&l.owners, ownerID, most.ofOwner)
	take(&l.ones, id, most.atOne)
	if l.breakers.failed(id) {
		take(&l.failing, ownerID, most.failing)
		if most.allFailing > 0 {
			take(&l.failing, ofAll, most.allFailing)
		}
	}
	if ok = ok && l.breakers.begin(id, now); !ok {
		giveBack()
	}
	return giveBack, ok
}

// queues have what waits for a place come back one after the other. If thousands came back at
// once, they would keep what can be stored from its turn. The zero value is ready.
type queues struct {
	mu   sync.Mutex
	last map[string]time.Time // by place, when the last one comes back
}

// queueStep lies between two that wait for a place.
const queueStep = 100 * time.Millisecond

// refuse is why with a RetryAfter of its own.
func (q *queues) refuse(why *platen.Error, id string, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := now.Add(why.RetryAfter)
	if next := q.last[id].Add(queueStep); next.After(at) {
		at = next
	}
	if q.last == nil || len(q.last) > 1000 {
		q.last = map[string]time.Time{}
	}
	q.last[id] = at
	refusal := *why
	refusal.RetryAfter = at.Sub(now)
	return &refusal
}

// breakers keep this process from calling places that fail. Each is open for a while after
// some failures in a row, and half-open for one attempt then.
type breakers struct {
	mu  sync.Mutex
	all map[string]breaker
}

type breaker struct {
	failures int
	until    time.Time // it is open
	checked  time.Time // when the place was changed or tested, as known at the last failure
	last     *platen.Error
}

// A breaker opens after so many failures, for so long. What waits looks in between whether
// the place was tested or changed.
const (
	breakerFailures = 5
	breakerCoolDown = time.Minute
	breakerLook     = 10 * time.Second
	// signInCoolDown is after one refused password: servers lock an account after a few.
	signInCoolDown = 15 * time.Minute
)

// open returns the breaker of a place, if it is open.
func (b *breakers) open(id string, now time.Time) (of breaker, isOpen bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of = b.all[id]
	return of, of.until.After(now)
}

// look is when what waits for an open breaker looks again.
func (b breaker) look(now time.Time) time.Duration { return min(b.until.Sub(now), breakerLook) }

// begin is false where the breaker is open, or another attempt was begun since it was.
func (b *breakers) begin(id string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.all[id]
	if of.until.After(now) {
		return false
	}
	if of.failures >= breakerFailures {
		of.until = now.Add(breakerCoolDown) // for all but this attempt
		b.all[id] = of
	}
	return true
}

// failed tells whether the last attempt at a place failed.
func (b *breakers) failed(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all[id].failures > 0
}

func (b *breakers) close(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, id)
}

// note notes what became of an attempt; nil: it did not fail at the place.
func (b *breakers) note(id string, checked time.Time, failure *platen.Error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if failure == nil {
		delete(b.all, id)
		return
	}
	if b.all == nil {
		b.all = map[string]breaker{}
	}
	of := b.all[id]
	of.failures++
	of.checked, of.last = checked, failure
	switch {
	case failure.Code == platen.CodeSenderSignInRefused:
		of.failures, of.until = breakerFailures, now.Add(signInCoolDown)
	case of.failures >= breakerFailures:
		of.until = now.Add(breakerCoolDown)
	}
	b.all[id] = of
}
