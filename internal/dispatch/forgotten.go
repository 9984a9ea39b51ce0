package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// After a restore of the store from a backup, Temporal knows runs that the store has
// forgotten. A run that Temporal knows is not started again: a start finds it
// (ErrEnded), and the reconciler hands the automation to the Rebuilder. So dispatch
// need not wait for a comparison; the sweep of outputs has to, and calls MaySweep.

const (
	// rebuildTimeout bounds an owner's turn, in which the drive is asked about one
	// automation after the other.
	rebuildTimeout = time.Minute
	// ownersAtOnce is how many owners have a turn at the same time. The others wait for
	// a minute at most while 64 drives hang, two minutes while 128 do.
	ownersAtOnce = 64
	// queuedOfOwner is how many automations of one owner wait.
	queuedOfOwner = 100
)

// A rebuildQueue recovers automations whose end the store has forgotten: owners in
// parallel, the automations of one owner in sequence, so that a drive that hangs delays
// only its owner.
type rebuildQueue struct {
	turns sync.WaitGroup

	mu       sync.Mutex
	owners   map[string]*ownerQueue
	waiting  []string // owners in the order of their turns
	underWay int      // turns
	// Automations since the last report: ended, made again, waiting for a drive.
	ended, again, parked int
}

// An ownerQueue holds the automations of one owner to recover.
type ownerQueue struct {
	runs []forgottenRun         // the first is under way during a turn
	away *platen.DriveWaitError // set once the drive did not answer: not asked again in this look
}

// A forgottenRun is an automation with its latest run.
type forgottenRun struct {
	automation platen.Automation
	latest     platen.LatestRun
	doubts     bool // that it was forgotten is a reason to look at all
}

// beginLook forgets which drives were away in the look before, so that they are asked
// again.
func (q *rebuildQueue) beginLook() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, o := range q.owners {
		if o.away = nil; len(o.runs) == 0 {
			delete(q.owners, id)
		}
	}
}

// add queues an automation that is not queued, and tells whether a turn begins with
// it. Where an owner's queue is full, the next look finds it again.
func (q *rebuildQueue) add(f forgottenRun) (begins bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.owners == nil {
		q.owners = map[string]*ownerQueue{}
	}
	owner := f.automation.OwnerID
	o := q.owners[owner]
	if o == nil {
		o = &ownerQueue{}
		q.owners[owner] = o
	}
	queued := slices.ContainsFunc(o.runs, func(other forgottenRun) bool { return other.automation.ID == f.automation.ID })
	if queued || len(o.runs) >= queuedOfOwner {
		return false
	}
	o.runs = append(o.runs, f)
	if len(o.runs) > 1 {
		return false // its owner waits, or has its turn
	}
	q.waiting = append(q.waiting, owner)
	if q.underWay >= ownersAtOnce {
		return false
	}
	q.underWay++
	return true
}

// nextOwner returns the owner whose turn it is; false: no owner waits, and the turn
// ends.
func (q *rebuildQueue) nextOwner() (ownerID string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.underWay--
		return "", false
	}
	ownerID, q.waiting = q.waiting[0], q.waiting[1:]
	return ownerID, true
}

// first returns what is first in an owner's queue, and why the drive is not asked.
func (q *rebuildQueue) first(ownerID string) (f forgottenRun, away *platen.DriveWaitError) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.owners[ownerID]
	return o.runs[0], o.away
}

// done removes the first of an owner's queue, counts its outcome, and reports whether
// the turn goes on. An owner whose time is over waits for its next turn.
func (q *rebuildQueue) done(ownerID string, state platen.AutomationState, err error, over bool) (more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.owners[ownerID]
	o.runs = o.runs[1:]
	wait, waits := errors.AsType[*platen.DriveWaitError](err)
	switch {
	case waits:
		q.parked++
		if wait.IsOutage() {
			o.away = wait
		}
	case err != nil || state == "" || state == platen.AutomationRunning:
	case state == platen.AutomationAccepted:
		q.again++
	default:
		q.ended++
	}
	if len(o.runs) > 0 && over {
		q.waiting = append(q.waiting, ownerID)
	}
	return len(o.runs) > 0 && !over
}

// cutOff keeps the first of an owner's queue, for which a turn that began with others
// had not enough time, for the owner's next turn.
func (q *rebuildQueue) cutOff(ownerID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, ownerID)
}

// report logs how many automations were recovered since the last report.
func (q *rebuildQueue) report(log *slog.Logger) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended+q.again+q.parked > 0 {
		log.Warn("the database was put back to an earlier moment; its automations are compared with Temporal", "found", q.ended, "made again", q.again, "waiting for a drive", q.parked)
	}
	q.ended, q.again, q.parked = 0, 0, 0
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

// rebuild queues the recovery of an automation whose state is older than Temporal's,
// and does not wait for it.
func (d *Dispatcher) rebuild(ctx context.Context, f forgottenRun) {
	f.latest.Cancelled = f.latest.Cancelled || f.automation.CancelRequestedAt != nil
	if d.rebuilds.add(f) {
		d.rebuilds.turns.Go(func() { d.rebuildInTurns(ctx) })
	} else if f.automation.State == platen.AutomationAccepted {
		d.putOffStart(ctx, f.automation)
	}
}

// rebuildInTurns recovers the queued automations, owner by owner, until the queue is
// empty or ctx ends.
func (d *Dispatcher) rebuildInTurns(ctx context.Context) {
	for ctx.Err() == nil {
		ownerID, ok := d.rebuilds.nextOwner()
		if !ok {
			return
		}
		d.takeTurn(ctx, ownerID)
	}
}

// takeTurn recovers the queued automations of one owner, until its turn is over or ctx
// ends.
func (d *Dispatcher) takeTurn(ctx context.Context, ownerID string) {
	turn, cancel := context.WithTimeout(ctx, rebuildTimeout)
	defer cancel()
	for more, isFirst := true, true; more; isFirst = false {
		f, away := d.rebuilds.first(ownerID)
		state, err := d.rebuildOne(turn, f, away)
		over := turn.Err() != nil
		switch {
		case err != nil && ctx.Err() != nil:
			return
		case err != nil && over && !isFirst:
			d.rebuilds.cutOff(ownerID)
			return
		}
		d.noteRebuild(f, state, err)
		more = d.rebuilds.done(ownerID, state, err, over) && ctx.Err() == nil
	}
}

// rebuildOne recovers one automation, without a call to the owner's drive if that is
// away already.
func (d *Dispatcher) rebuildOne(ctx context.Context, f forgottenRun, away *platen.DriveWaitError) (platen.AutomationState, error) {
	if away != nil {
		return d.options.Rebuilder.Postpone(ctx, f.automation.ID, f.latest, away)
	}
	return d.options.Rebuilder.Rebuild(ctx, f.automation.ID, f.latest)
}

// noteRebuild logs how an automation was recovered, and acts on the outcome.
func (d *Dispatcher) noteRebuild(f forgottenRun, state platen.AutomationState, err error) {
	log := d.options.Log.With("automation", f.automation.ID, "attempt", f.latest.Attempt)
	_, waits := errors.AsType[*platen.DriveWaitError](err)
	switch {
	case waits:
		log.Warn("the database has forgotten how an automation ended, and its owner's drive cannot be asked yet", "error", err)
	case err != nil:
		log.Warn("the database has forgotten how an automation ended, and it could not be put right yet", "error", err)
	case state == platen.AutomationAccepted:
		log.Warn("the database had forgotten how an automation ended; what the drive does not hold is made again")
		d.wake(platen.Waking{})
	case state == platen.AutomationRunning:
		log.Warn("the database had forgotten an attempt whose run goes on")
	case state != "":
		log.Warn("the database had forgotten how an automation ended; it is ended by what was found", "state", string(state))
	}
	if state != "" && f.doubts {
		d.doubt()
	}
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

// MaySweep tells whether files of an automation that has ended may be removed: all that
// was unfinished when this process began was compared with Temporal, and so was this
// one, and Temporal's state of it is not newer than the store's. If it is newer, the
// automation is recovered.
func (d *Dispatcher) MaySweep(ctx context.Context, a platen.Automation) (bool, error) {
	if !d.comparison.covers(a.ID) {
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
