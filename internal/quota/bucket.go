package quota

import (
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// What is kept of a budget for owners who used nothing of it within a minute.
const (
	// reserve is a thirtieth, at least one: it is there at any time.
	reserve = 30
	// fairPart of a budget that is given out evenly is theirs, if they come, at any
	// time of the coming minute: so nobody uses up a minute at its beginning.
	fairPart = 0.75
)

// A bucket is what one limit leaves, now and in the coming minutes.
type bucket struct {
	now    time.Time
	limit  platen.Usage
	even   bool
	level  platen.Usage // what is free now
	events []event      // by time
	// promised is what events take out again.
	promised platen.Usage
}

// An event is what is free from then on; below zero, it is promised to somebody.
type event struct {
	at   time.Time
	free platen.Usage
}

func newBucket(now time.Time, limit platen.Usage, even bool, uses []platen.QuotaUse) *bucket {
	b := &bucket{now: now, limit: limit, even: even, level: limit}
	for _, u := range uses {
		if u.Until.After(now) {
			b.level = b.level.Minus(u.Usage)
			b.events = append(b.events, event{u.Until, u.Usage})
		}
	}
	slices.SortStableFunc(b.events, func(x, y event) int { return x.at.Compare(y.at) })
	return b
}

// promise takes usage out of the bucket from a time on, for a minute.
func (b *bucket) promise(at time.Time, usage platen.Usage) {
	b.insert(event{at.Add(platen.QuotaWindow), usage})
	if at.After(b.now) {
		b.insert(event{at, platen.Usage{}.Minus(usage)})
		b.promised = b.promised.Plus(usage)
		return
	}
	b.level = b.level.Minus(usage)
}

func (b *bucket) insert(e event) {
	i, _ := slices.BinarySearchFunc(b.events, e.at, func(x event, at time.Time) int {
		if x.at.After(at) {
			return 1
		}
		return -1
	})
	b.events = slices.Insert(b.events, i, e)
}

// earliest is when usage may be taken that begins so much later, and the kind for
// which it has to wait.
func (b *bucket) earliest(usage platen.Usage, newcomer bool, lead time.Duration) (at time.Time, by platen.QuotaKind) {
	at = b.now
	for kind, n := range usage {
		if b.isAmpleOf(platen.QuotaKind(kind), n, b.promised[kind]) {
			continue
		}
		if t := b.earliestOf(platen.QuotaKind(kind), n, newcomer, b.now.Add(lead)).Add(-lead); t.After(at) {
			at, by = t, platen.QuotaKind(kind)
		}
	}
	return at, by
}

// kept is what of a limit is left for newcomers: so much at any time, and so much
// more by each second within the coming minute.
func (b *bucket) kept(kind platen.QuotaKind, n int) (now, rate float64) {
	limit := b.limit[kind]
	now = float64(min(max(1, limit/reserve), max(0, limit-n)))
	if b.even {
		rate = fairPart * float64(limit) / platen.QuotaWindow.Seconds()
	}
	return now, rate
}

// isAmple tells whether there is enough, also when others take what they ask for.
func (b *bucket) isAmple(usage, others platen.Usage) bool {
	for kind, n := range usage {
		if !b.isAmpleOf(platen.QuotaKind(kind), n, others[kind]) {
			return false
		}
	}
	return true
}

func (b *bucket) isAmpleOf(kind platen.QuotaKind, n, others int) bool {
	if n == 0 || b.limit[kind] == 0 {
		return true
	}
	keep, rate := b.kept(kind, n)
	return float64(b.level[kind]-n-others)-keep >= rate*platen.QuotaWindow.Seconds()
}

// earliestOf returns the first moment, at or after from, from which on n stay free
// beside all promises. A ticket that is no newcomer also leaves free the reserve for
// each later moment within a minute.
func (b *bucket) earliestOf(kind platen.QuotaKind, n int, newcomer bool, from time.Time) time.Time {
	keep, rate := 0.0, 0.0
	if !newcomer {
		keep, rate = b.kept(kind, n)
	}
	at := from
	level := b.level[kind]
	for _, e := range b.events {
		spare := float64(level-n) - keep
		switch {
		case !e.at.After(from):
		case spare < 0:
			at = e.at
		case spare < rate*platen.QuotaWindow.Seconds():
			if t := e.at.Add(-seconds(spare / rate)); t.After(at) {
				at = t
			}
		}
		level += e.free[kind]
	}
	return at
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
