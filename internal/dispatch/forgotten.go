package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/platenhq/platen"
)

// After the store was put back to an earlier moment, Temporal knows of runs what
// the store has forgotten. Nothing that Temporal knows is begun again: a start finds
// the run (ErrEnded), and the reconciler hands the automation to the Rebuilder. So
// dispatch need not wait for a comparison; the sweep of outputs does, and asks.

const (
	// rebuildTimeout bounds what the drive is asked about one automation, and an
	// owner's turn, except for the automation that is under way when it is over.
	rebuildTimeout = time.Minute
	// ownersAtOnce is how many owners have a turn at the same time. The others wait for
	// a minute at most while 64 drives hang, two minutes while 128 do.
	ownersAtOnce = 64
	// queuedOfOwner is how many automations of one owner wait.
	queuedOfOwner = 100
)

// A rebuilding puts automations right whose end the store has forgotten: owners side
// by side, the automations of one owner one after the other, so that a drive that
// hangs holds up nobody but its owner.
type rebuilding struct {
	turns sync.WaitGroup

	mu       sync.Mutex
	owners   map[string]*ownerQueue
	waiting  []string // owners in the order of their turns
	underWay int      // turns
	// Automations since the last report: ended, made again, waiting for a drive.
	ended, again, parked int
}

// An ownerQueue is what is to be put right for one owner.
type ownerQueue struct {
	runs []forgottenRun         // the first is under way during a turn
	away *platen.DriveWaitError // of the drive in this look, in which it is asked no more
}

// A forgottenRun is an automation with its latest run.
type forgottenRun struct {
	automation platen.Automation
	latest     platen.LatestRun
	doubts     bool // that it was forgotten is a reason to look at all
}

// beginLook has drives asked that were away in the look before.
func (r *rebuilding) beginLook() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, o := range r.owners {
		if o.away = nil; len(o.runs) == 0 {
			delete(r.owners, id)
		}
	}
}

// add queues an automation that is not queued, and tells whether a turn begins with
// it. Where an owner's queue is full, the next look finds it again.
func (r *rebuilding) add(f forgottenRun) (begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owners == nil {
		r.owners = map[string]*ownerQueue{}
	}
	owner := f.automation.OwnerID
	o := r.owners[owner]
	if o == nil {
		o = &ownerQueue{}
		r.owners[owner] = o
	}
	queued := slices.ContainsFunc(o.runs, func(other forgottenRun) bool { return other.automation.ID == f.automation.ID })
	if queued || len(o.runs) >= queuedOfOwner {
		return false
	}
	o.runs = append(o.runs, f)
	if len(o.runs) > 1 {
		return false // its owner waits, or has its turn
	}
	r.waiting = append(r.waiting, owner)
	if r.underWay >= ownersAtOnce {
		return false
	}
	r.underWay++
	return true
}

// nextOwner returns whose turn it is, and false where nobody waits: then a turn less
// is under way.
func (r *rebuilding) nextOwner() (ownerID string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.underWay--
		return "", false
	}
	ownerID, r.waiting = r.waiting[0], r.waiting[1:]
	return ownerID, true
}

// first returns what is first in an owner's queue, and why the drive is not asked.
func (r *rebuilding) first(ownerID string) (f forgottenRun, away *platen.DriveWaitError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.owners[ownerID]
	return o.runs[0], o.away
}

// done takes the first out of an owner's queue, counts what became of it, and tells
// whether the turn goes on. An owner whose time is over waits for its next turn.
func (r *rebuilding) done(ownerID string, state platen.AutomationState, err error, over bool) (more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.owners[ownerID]
	o.runs = o.runs[1:]
	wait, waits := errors.AsType[*platen.DriveWaitError](err)
	switch {
	case waits:
		r.parked++
		if wait.IsOutage() {
			o.away = wait
		}
	case err != nil || state == "" || state == platen.AutomationRunning:
	case state == platen.AutomationAccepted:
		r.again++
	default:
		r.ended++
	}
	if len(o.runs) > 0 && over {
		r.waiting = append(r.waiting, ownerID)
	}
	return len(o.runs) > 0 && !over
}

// report sums up what was put right since the last report.
func (r *rebuilding) report(log *slog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended+r.again+r.parked > 0 {
		log.Warn("the database was put back to an earlier moment; its automations are compared with Temporal", "found", r.ended, "made again", r.again, "waiting for a drive", r.parked)
	}
	r.ended, r.again, r.parked = 0, 0, 0
}

// handOver has an automation compared with Temporal at once, which knows more of it
// than the store. One for which there is no room is found again: by its next start,
// or the next sweep.
func (d *Dispatcher) handOver(a platen.Automation) {
	select {
	case d.forgotten <- a:
	default:
	}
}

// rebuild has an automation put right of which Temporal knows more than the store,
// and does not wait for that.
func (d *Dispatcher) rebuild(ctx context.Context, f forgottenRun) {
	f.latest.Cancelled = f.latest.Cancelled || f.automation.CancelRequestedAt != nil
	if d.rebuilding.add(f) {
		d.rebuilding.turns.Go(func() { d.rebuildInTurns(ctx) })
	} else if f.automation.State == platen.AutomationAccepted {
		d.putOffStart(ctx, f.automation)
	}
}

// rebuildInTurns puts right what is queued, owner by owner, until nobody waits or ctx
// ends.
func (d *Dispatcher) rebuildInTurns(ctx context.Context) {
	for {
		ownerID, ok := d.rebuilding.nextOwner()
		if !ok {
			return
		}
		began := time.Now()
		for more := true; more; {
			f, away := d.rebuilding.first(ownerID)
			state, err := d.rebuildOne(ctx, f, away)
			if ctx.Err() != nil {
				return
			}
			more = d.rebuilding.done(ownerID, state, err, time.Since(began) >= rebuildTimeout)
		}
	}
}

// rebuildOne puts one automation right and logs how. Where its owner's drive is away
// already, the drive is not asked.
func (d *Dispatcher) rebuildOne(ctx context.Context, f forgottenRun, away *platen.DriveWaitError) (state platen.AutomationState, err error) {
	within, cancel := context.WithTimeout(ctx, rebuildTimeout)
	defer cancel()
	if away != nil {
		state, err = d.options.Rebuilder.Postpone(within, f.automation.ID, f.latest, away)
	} else {
		state, err = d.options.Rebuilder.Rebuild(within, f.automation.ID, f.latest)
	}
	log := d.options.Log.With("automation", f.automation.ID, "attempt", f.latest.Attempt)
	_, waits := errors.AsType[*platen.DriveWaitError](err)
	switch {
	case err != nil && ctx.Err() != nil:
	case waits:
		log.Warn("the database has forgotten how an automation ended, and its owner's drive cannot be asked yet", "error", err)
	case err != nil:
		log.Warn("the database has forgotten how an automation ended, and it could not be put right yet", "error", err)
	case state == platen.AutomationAccepted:
		log.Warn("the database had forgotten how an automation ended; what the drive does not hold is made again")
		d.wake(false)
	case state == platen.AutomationRunning:
		log.Warn("the database had forgotten an attempt whose run goes on")
	case state != "":
		log.Warn("the database had forgotten how an automation ended; it is ended by what was found", "state", string(state))
	}
	if state != "" && f.doubts {
		d.doubt()
	}
	return state, err
}

// putOffStart keeps an automation that waits in the queue from being claimed, and so
// handed over, all the time.
func (d *Dispatcher) putOffStart(ctx context.Context, a platen.Automation) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	if err := d.options.Queue.Release(ctx, []string{a.ID}, d.options.ReconcileEvery); err != nil && ctx.Err() == nil {
		d.options.Log.Warn("an automation stays claimed until its lease ends", "automation", a.ID, "error", err)
	}
}

// MaySweep tells whether files of an automation that has ended may be removed: all
// that is unfinished was compared with Temporal since this process began, and
// Temporal knows no more of this one than the store. One of which it does is put
// right.
func (d *Dispatcher) MaySweep(ctx context.Context, a platen.Automation) (bool, error) {
	if !d.compared.Load() {
		return false, nil
	}
	run, err := d.look(ctx, a.ID)
	if err != nil || run.State == RunUnknown {
		return err == nil, err
	}
	if run.latest().IsAheadOf(a) {
		d.handOver(a)
		return false, nil
	}
	return true, nil
}
