package chaos

import (
	"context"
	"slices"
	"time"
)

const (
	// calmFor is how long nothing is wrong, and deadFor how long nothing but two
	// owners' drives is.
	calmFor, deadFor = 5 * time.Second, 7 * time.Second
	// onset is how long the first tries at a dead drive may be felt.
	onset = 2 * time.Second
	// stuck is how many events each owner of a dead drive gets at once: together
	// more than there are places for runs.
	stuck = 10
	// A neighbour's event may take noSlower times as long while others' drives
	// are dead, and what a busy machine adds.
	noSlower, jitter = 2, 100 * time.Millisecond
)

// A window is a time in which events are measured.
type window struct{ from, to time.Time }

func (w window) holds(at time.Time) bool { return at.After(w.from) && at.Before(w.to) }

// neighbourhood has two times in it: before any fault, and while nothing is
// wrong but the drives of two of the owners.
type neighbourhood struct{ calm, beside window }

// deadDrives measures both, and leaves the drives dead; cure ends that.
func (u *universe) deadDrives(ctx context.Context) (n neighbourhood, cure func()) {
	u.t.Helper()
	time.Sleep(time.Second) // first events make connections and caches
	n.calm.from = time.Now()
	time.Sleep(calmFor)
	n.calm.to = time.Now()
	ways := []string{driveHangs, driveBroken}
	for i, o := range u.service.troubled() {
		u.service.proxy.die(o, ways[i%len(ways)])
	}
	for _, w := range u.integrator.workflows {
		if w.owner.troubled {
			u.load.burst(ctx, w, stuck)
		}
	}
	n.beside.from = time.Now().Add(onset)
	time.Sleep(deadFor)
	n.beside.to = time.Now()
	return n, func() {
		for _, o := range u.service.troubled() {
			if met := u.service.proxy.cure(o); met < stuck {
				u.t.Errorf("the dead drive of %s: got %d requests, want at least %d", o.name, met, stuck)
			}
		}
	}
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
			if at, ok := told[s.id]; ok && !s.workflow.owner.troubled && !s.workflow.gone && in.holds(s.ackedAt) {
				took = append(took, at.Sub(s.ackedAt))
			}
		}
		slices.Sort(took)
		return took
	}
	calm, beside := measure(n.calm), measure(n.beside)
	if len(calm) < 10 || len(beside) < 10 {
		w.t.Errorf("events of neighbours: got %d before and %d beside dead drives, want 10 of each to judge by", len(calm), len(beside))
		return
	}
	before, after := calm[len(calm)/2], beside[len(beside)/2]
	w.t.Logf("event to event of neighbours, p50: %v before (%d events), %v while two drives are dead (%d events)",
		before.Round(time.Millisecond), len(calm), after.Round(time.Millisecond), len(beside))
	if after > noSlower*before+jitter {
		w.fault("neighbours", "p50 from event to event while two owners' drives are dead: got %v, want at most %d × %v and %v", after, noSlower, before, jitter)
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
