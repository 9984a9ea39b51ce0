package chaos

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

const (
	// calmFor is how long nothing is wrong, and deadFor how long nothing but two
	// owners' drives is.
	calmFor, deadFor = 5 * time.Second, 8 * time.Second
	// onset is how long the first tries at a dead drive may be felt.
	onset = 2 * time.Second
	// fewest are the events that a median is taken of.
	fewest = 8
	// stuck is how many events each owner of a dead drive gets at once: together
	// more than there are places for runs.
	stuck = 10
	// A neighbour's event may take noSlower times as long while others' drives
	// are dead, and jitter.
	noSlower, jitter = 2.0, 100 * time.Millisecond
	// keepsUp is what the median event may take before: beyond it the machine
	// does not keep up with the load, and the times tell of the machine.
	keepsUp = 500 * time.Millisecond
	// patience is how long an event of a neighbour may wait while half of the
	// places for runs are free, and seldom in how many more of the looks one may
	// than before.
	patience, seldom = 300 * time.Millisecond, 0.2
	// A neighbour gets crowd events at once, again and again: more than one place.
	crowd, crowdEvery = 20, 2 * time.Second
	// lookEvery is how often the places and the machine are looked at.
	lookEvery = 200 * time.Millisecond
)

// A window is a time in which events are measured.
type window struct {
	from, to time.Time
	// pace is what a fixed piece of work took the suite in it, the median.
	pace time.Duration
	// waits is in which share of the looks a neighbour's event waited although
	// there was room.
	waits float64
}

func (w window) holds(at time.Time) bool { return at.After(w.from) && at.Before(w.to) }

// neighbourhood has two times in it: before any fault, and while nothing is
// wrong but the drives of two of the owners.
type neighbourhood struct{ calm, beside window }

// deadDrives measures both, and leaves the drives dead; cure ends that.
func (h *harness) deadDrives(ctx context.Context) (n neighbourhood, cure func()) {
	h.t.Helper()
	time.Sleep(time.Second) // first events make connections and caches
	n.calm = h.watch(ctx, calmFor)
	ways := []string{driveHangs, driveBroken}
	for i, o := range h.service.troubled() {
		h.service.proxy.die(o, ways[i%len(ways)])
	}
	for _, w := range h.integrator.workflows {
		if w.owner.troubled {
			h.load.burst(ctx, w, stuck)
		}
	}
	time.Sleep(onset)
	n.beside = h.watch(ctx, deadFor-onset)
	return n, func() {
		for _, o := range h.service.troubled() {
			for late := time.Now().Add(quietLimit); h.service.proxy.met(o) < stuck && time.Now().Before(late); {
				time.Sleep(lookEvery) // a busy machine comes to them later
			}
			if met := h.service.proxy.cure(o); met < stuck {
				h.t.Errorf("the dead drive of %s: got %d requests, want at least %d", o.name, met, stuck)
			}
		}
	}
}

// watch looks at places and at the machine for so long.
func (h *harness) watch(ctx context.Context, span time.Duration) window {
	h.t.Helper()
	conn, err := h.service.connect(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var troubled []string
	for _, w := range h.integrator.workflows {
		if w.owner.troubled {
			troubled = append(troubled, w.id)
		}
	}
	crowding, stop := context.WithCancel(ctx)
	var crowds sync.WaitGroup
	crowds.Go(func() { h.load.crowd(crowding, h.integrator.workflows[0]) })
	defer crowds.Wait()
	defer stop()
	w := window{from: time.Now()}
	var paces []time.Duration
	waited := 0
	work := make([]byte, 4<<20)
	for time.Since(w.from) < span {
		began := time.Now()
		_ = sha256.Sum256(work)
		paces = append(paces, time.Since(began))
		var waits bool
		err := conn.QueryRow(ctx, `
			SELECT EXISTS (
				SELECT
				FROM automations
				WHERE state = 'ACCEPTED' AND accepted_at < now() - $1::interval AND workflow_id <> ALL ($2)
			) AND (
				SELECT count(*)
				FROM automations
				WHERE state = 'RUNNING' AND parked_at IS NULL OR leased_until > now()
			) < $3`, patience, troubled, openRuns/2).Scan(&waits)
		if err != nil {
			h.t.Fatal(err)
		}
		if waits {
			waited++
		}
		time.Sleep(lookEvery)
	}
	w.to, w.pace, w.waits = time.Now(), median(paces), float64(waited)/float64(len(paces))
	return w
}

// crowd sends events of one workflow in crowds until ctx ends.
func (l *load) crowd(ctx context.Context, w *workflow) {
	tick := time.NewTicker(crowdEvery)
	defer tick.Stop()
	for {
		if l.hasRoom() {
			l.burst(context.WithoutCancel(ctx), w, crowd)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func (s *service) troubled() []*owner {
	return slices.DeleteFunc(slices.Clone(s.owners), func(o *owner) bool { return !o.troubled })
}

// checkNeighbours: owners whose drives are well have their events as soon as
// before, while others' drives are dead.
func (w *witness) checkNeighbours(ctx context.Context, n neighbourhood) {
	w.t.Helper()
	told := w.toldFirst(ctx)
	measure := func(in window) (took []time.Duration) {
		for _, s := range w.load.ledger {
			if at, ok := told[s.id]; ok && !s.workflow.owner.troubled && !s.workflow.gone && s.workflow.name != reviewedName && in.holds(s.ackedAt) {
				took = append(took, at.Sub(s.ackedAt))
			}
		}
		return took
	}
	if got, most := n.beside.waits, n.calm.waits+seldom; got > most {
		w.fault("neighbours", "while two drives were dead, an event of a neighbour waited for over %v although half of the places were free: got that in %.0f %% of the looks, want at most %.0f %%",
			patience, 100*got, 100*most)
	}
	calm, beside := measure(n.calm), measure(n.beside)
	if len(calm) < fewest || len(beside) < fewest {
		w.t.Errorf("events of neighbours: got %d before and %d beside dead drives, want %d of each to judge by", len(calm), len(beside), fewest)
		return
	}
	before, after := median(calm), median(beside)
	slowed := max(1, n.beside.pace.Seconds()/n.calm.pace.Seconds())
	most := time.Duration(noSlower*slowed*float64(before)) + jitter
	w.t.Logf("event to event of neighbours, p50: %v before (%d events), %v while two drives are dead (%d events); the machine was slower by %.2f then; events waited beside free places in %.0f and %.0f %% of the looks",
		before.Round(time.Millisecond), len(calm), after.Round(time.Millisecond), len(beside), slowed, 100*n.calm.waits, 100*n.beside.waits)
	switch {
	case before > keepsUp:
		w.t.Log("the neighbours' times are not judged: the machine does not keep up with the load before any fault")
	case after > most:
		w.fault("neighbours", "p50 from event to event while two owners' drives are dead: got %v, want at most %v", after, most)
	}
}

// toldFirst is when a receiver first took an event of what was sent, by its id.
func (w *witness) toldFirst(ctx context.Context) map[string]time.Time {
	w.t.Helper()
	byOutput := map[string]string{}
	for _, o := range w.outputs(ctx) {
		byOutput[o.ID] = o.Chaos
	}
	told := map[string]time.Time{}
	for _, e := range w.events(ctx) {
		taken := w.taken[e.ID]
		if len(taken) == 0 {
			continue
		}
		id, first := byOutput[e.OutputID], slices.MinFunc(taken, time.Time.Compare)
		if at, ok := told[id]; !ok || first.Before(at) {
			told[id] = first
		}
	}
	return told
}
