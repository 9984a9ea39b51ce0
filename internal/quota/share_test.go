package quota_test

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/quota"
	"github.com/platenhq/platen/internal/testkit"
)

// A harness plays workers on a clock that jumps from event to event. The quotas are
// in a real Postgres, each worker with a store of its own; the drive counts calls,
// and answers 429 where Google would.
type harness struct {
	t       *testing.T
	clock   time.Time
	events  events
	workers []quota.Budgets
	account platen.QuotaAccount
	drive   counter

	waiting map[string][]*automation // by owner, in the order of their coming
	open    map[string]int
	parked  map[string]int
	tries   map[string]int // later tries under way, by worker and owner
	done    []*automation
	asked   int
	random  *rand.Rand // when refused ones come back, and to which worker
}

type automation struct {
	id, owner string
	came, end time.Time
	random    *rand.Rand // how long its calls take, independent of other events
	steps     []step
	step      int
	tried     bool // its step was refused before
	isParked  bool
}

var began = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)

func newHarness(t *testing.T) *harness {
	t.Helper()
	pool := testkit.Database(t, "platen", postgres.Migrate)
	h := &harness{
		t: t, clock: began, account: platen.QuotaAccount{Project: "p", Account: "a", Shared: true},
		waiting: map[string][]*automation{}, open: map[string]int{}, parked: map[string]int{}, tries: map[string]int{},
		drive: counter{limits: quota.OfGoogle().Account}, random: rand.New(rand.NewPCG(1, 1)),
	}
	for range 2 {
		db := postgres.New(pool, nil)
		db.Quotas.Now = func() time.Time { return h.clock }
		h.workers = append(h.workers, quota.Budgets{Store: db.Quotas, Limits: quota.OfGoogle()})
	}
	return h
}

// Places of a worker's options and of platen.Places, with Google.
const (
	placesOpen, placesOfOwner, parkedOfOwner, triesOfOwner = 64, 48, 100, 4
)

// comes has an owner's automations accepted at a moment.
func (h *harness) comes(after time.Duration, owner string, n int, steps []step) {
	h.at(after, func() {
		for i := range n {
			id := fmt.Sprintf("%s-%d", owner, i)
			seed := fnv.New64()
			_, _ = seed.Write([]byte(id))
			h.waiting[owner] = append(h.waiting[owner], &automation{id: id, owner: owner, came: h.clock, steps: steps, random: rand.New(rand.NewPCG(seed.Sum64(), 1))})
		}
		h.start()
	})
}

// start has waiting automations take the free places, owners in turns.
func (h *harness) start() {
	for {
		total, next := 0, ""
		for _, n := range h.open {
			total += n
		}
		for _, owner := range slices.Sorted(maps.Keys(h.waiting)) {
			if len(h.waiting[owner]) > 0 && h.open[owner] < placesOfOwner && h.open[owner]+h.parked[owner] < parkedOfOwner && (next == "" || h.open[owner] < h.open[next]) {
				next = owner
			}
		}
		if next == "" || total >= placesOpen {
			return
		}
		a := h.waiting[next][0]
		h.waiting[next] = h.waiting[next][1:]
		h.open[next]++
		h.in(20*time.Millisecond, func() { h.try(a, 0) })
	}
}

// A step is what one asks for and keeps, and its calls.
type step struct {
	asks, later platen.Usage
	calls       []call
}

type call struct {
	cost        platen.Usage
	least, most time.Duration
}

// withPDF are the steps of an output with a PDF and without its original, at the pace
// of Google; without, it is a copy that is filled.
var withPDF = []step{
	{
		asks:  platen.Usage{platen.DriveUnits: 50, platen.DocsWrites: 1, platen.DocsReads: 1},
		later: platen.Usage{platen.DocsWrites: 1, platen.DocsReads: 1},
		calls: []call{{platen.Usage{platen.DriveUnits: 50}, time.Second, 2 * time.Second}},
	}, {
		asks: platen.Usage{platen.DocsWrites: 1, platen.DocsReads: 1},
		calls: []call{
			{platen.Usage{platen.DocsReads: 1}, 400 * time.Millisecond, 800 * time.Millisecond},
			{platen.Usage{platen.DocsWrites: 1}, 600 * time.Millisecond, 1400 * time.Millisecond},
		},
	}, {
		asks: platen.Usage{platen.DriveUnits: 255},
		calls: []call{
			{platen.Usage{platen.DriveUnits: 200}, time.Second, 2500 * time.Millisecond},
			{platen.Usage{platen.DriveUnits: 50}, 500 * time.Millisecond, 900 * time.Millisecond},
		},
	}, {
		asks: platen.Usage{platen.DriveUnits: 50},
		calls: []call{
			{platen.Usage{platen.DriveUnits: 50}, 300 * time.Millisecond, 700 * time.Millisecond},
		},
	},
}

// try makes one attempt of a step on one of the workers; a later one comes when it
// was told to, and needs a share of its owner's there, as in package worker.
func (h *harness) try(a *automation, worker int) {
	share := fmt.Sprintf("%d %s", worker, a.owner)
	if a.tried {
		if h.tries[share] >= triesOfOwner {
			h.in(5*time.Second+a.between(0, 10*time.Second), func() { h.try(a, 1-worker) })
			return
		}
		h.tries[share]++
	}
	s, w := a.steps[a.step], h.workers[worker]
	t := platen.QuotaTicket{ID: a.id, QuotaAccount: h.account, OwnerID: a.owner, Asks: s.asks, Later: s.later}
	h.asked++
	within, cancel := context.WithTimeout(h.t.Context(), 5*time.Second)
	defer cancel()
	err := w.Take(within, t)
	if refused, ok := errors.AsType[*platen.Error](err); ok && refused.Code == platen.CodeQuotaUsedUp {
		if a.tried {
			h.tries[share]--
		}
		a.tried = true
		h.park(a, true)
		h.in(refused.RetryAfter+time.Duration(h.random.IntN(200))*time.Millisecond, func() { h.try(a, h.random.IntN(2)) })
		return
	}
	if err != nil {
		h.t.Fatalf("take for step %d of %s: %v", a.step, a.id, err)
	}
	h.park(a, false)
	h.call(a, w, t, s, 0, platen.Usage{}, func() {
		if a.tried {
			h.tries[share]--
			a.tried = false
		}
		if a.step++; a.step < len(a.steps) {
			h.in(10*time.Millisecond, func() { h.try(a, worker) })
			return
		}
		a.end = h.clock
		h.done = append(h.done, a)
		h.open[a.owner]--
		h.start()
	})
}

// call makes the calls of a step from the i-th on, settles it, and goes on. A call
// arrives at the drive at some moment while it is made.
func (h *harness) call(a *automation, w quota.Budgets, t platen.QuotaTicket, s step, i int, used platen.Usage, then func()) {
	if i == len(s.calls) {
		if err := w.Settle(h.t.Context(), t, used, s.later); err != nil {
			h.t.Fatal(err)
		}
		then()
		return
	}
	c := s.calls[i]
	takes := a.between(c.least, c.most)
	h.in(a.between(0, takes), func() {
		if kind, ok := h.drive.take(h.clock, c.cost); !ok {
			if err := w.Refused(h.t.Context(), t.QuotaAccount, kind, false); err != nil {
				h.t.Fatal(err)
			}
		}
	})
	h.in(takes, func() { h.call(a, w, t, s, i+1, used.Plus(c.cost), then) })
}

func (a *automation) between(least, most time.Duration) time.Duration {
	return least + time.Duration(a.random.Int64N(int64(most-least)+1))
}

func (h *harness) park(a *automation, parked bool) {
	if a.isParked == parked {
		return
	}
	n := 1
	if !parked {
		n = -1
	}
	a.isParked = parked
	h.parked[a.owner] += n
	h.open[a.owner] -= n
	h.start()
}

// A counter counts as Google does, in any minute.
type counter struct {
	limits  platen.Usage
	arrived [len(platen.Usage{})][]time.Time // of the last minute, an entry for each unit but of Drive
	calls   int
	refused int
	most    platen.Usage
	total   platen.Usage

	lastWrite time.Time
}

func (c *counter) take(now time.Time, cost platen.Usage) (platen.QuotaKind, bool) {
	c.calls++
	if cost[platen.DocsWrites] > 0 {
		c.lastWrite = now
	}
	for kind, n := range cost {
		c.total[kind] += n
		if n == 0 || platen.QuotaKind(kind) == platen.DriveUnits {
			continue
		}
		c.arrived[kind] = slices.DeleteFunc(c.arrived[kind], func(at time.Time) bool { return !at.After(now.Add(-time.Minute)) })
		if len(c.arrived[kind])+n > c.limits[kind] {
			c.refused++
			return platen.QuotaKind(kind), false
		}
		c.arrived[kind] = append(c.arrived[kind], now)
		c.most[kind] = max(c.most[kind], len(c.arrived[kind]))
	}
	return 0, true
}

type scheduled struct {
	at time.Time
	n  int
	do func()
}

type events struct {
	all []scheduled
	n   int
}

func (e *events) Len() int { return len(e.all) }
func (e *events) Less(i, j int) bool {
	if e.all[i].at.Equal(e.all[j].at) {
		return e.all[i].n < e.all[j].n
	}
	return e.all[i].at.Before(e.all[j].at)
}
func (e *events) Swap(i, j int) { e.all[i], e.all[j] = e.all[j], e.all[i] }
func (e *events) Push(x any)    { e.all = append(e.all, x.(scheduled)) }
func (e *events) Pop() any {
	last := e.all[len(e.all)-1]
	e.all = e.all[:len(e.all)-1]
	return last
}

func (h *harness) at(after time.Duration, do func()) {
	h.events.n++
	heap.Push(&h.events, scheduled{began.Add(after), h.events.n, do})
}

func (h *harness) in(after time.Duration, do func()) { h.at(h.clock.Sub(began)+after, do) }

// run plays until nothing is left to do.
func (h *harness) run() {
	for h.events.Len() > 0 {
		next := heap.Pop(&h.events).(scheduled)
		h.clock = next.at
		next.do()
	}
}

// took is how long an owner's only automation took from its coming.
func (h *harness) took(owner string) time.Duration {
	for _, a := range h.done {
		if a.owner == owner {
			return a.end.Sub(a.came)
		}
	}
	h.t.Fatalf("%s: got no automation done, want one", owner)
	return 0
}

// Of eleven owners with one automation, four are there from the beginning, and the
// others come one by one. The thousand make no PDFs: what is scarce is changes of
// documents.
func TestAnOwnerWithAThousandAutomationsHoldsUpNoneOfElevenWithOne(t *testing.T) {
	t.Parallel()
	const few, many = 11, 1000
	alone, together := newHarness(t), newHarness(t)
	for i := range few {
		after := time.Duration(max(0, i-3)) * 97 * time.Second
		alone.comes(after, fmt.Sprint("few", i), 1, withPDF)
		together.comes(after, fmt.Sprint("few", i), 1, withPDF)
	}
	together.comes(0, "many", many, withPDF[:2])
	alone.run()
	together.run()

	if got := len(together.done); got != many+few {
		t.Fatalf("got %d automations done, want %d", got, many+few)
	}
	for i := range few {
		owner := fmt.Sprint("few", i)
		if got, undisturbed := together.took(owner), alone.took(owner); got > 2*undisturbed {
			t.Errorf("%s: got %v, want at most twice the %v that it takes alone", owner, got, undisturbed)
		}
	}
	d, writes := together.drive, platen.DocsWrites
	if d.refused*100 >= d.calls || d.most[writes] > d.limits[writes] {
		t.Errorf("got %d of %d calls refused, and at most %v in a minute; want less than 1 %%, and at most %v", d.refused, d.calls, d.most, d.limits)
	}
	minutes := d.lastWrite.Sub(began).Minutes()
	used := float64(d.total[writes]) / (float64(d.limits[writes]) * minutes)
	t.Logf("%d calls, %d refused; at most %d changes of documents in a minute, %.1f %% used in %.1f minutes; %d asks", d.calls, d.refused, d.most[writes], 100*used, minutes, together.asked)
	if used < 0.9 {
		t.Errorf("got %.3f of the changes of documents used in %.1f minutes, want at least 0.9", used, minutes)
	}
}
