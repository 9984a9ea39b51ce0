package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// queueTimeout bounds one call to the queue: a connection that hangs must not
// end dispatch. A claim whose answer is lost waits for its lease's end; a mark
// that is lost costs one more start that starts nothing.
const queueTimeout = 5 * time.Second

type result struct {
	automation platen.Automation
	err        error
}

// A round is what the dispatch loop knows.
type round struct {
	due      bool          // there may be something to claim
	full     bool          // and no place for it
	tight    bool          // and places for owners alone who have few runs open
	open     int           // runs; the end of one may let another start
	next     time.Time     // it is due again then, without being woken
	underWay int           // starts
	pause    time.Duration // 0: Temporal answers
	until    time.Time     // nothing is claimed before
}

// dispatch claims and starts until ctx ends, then waits for the starts under way.
func (d *Dispatcher) dispatch(ctx context.Context) {
	r := round{due: true}
	// Starts under way end, though ctx does: they have their own time limit.
	starting := context.WithoutCancel(ctx)
	for ctx.Err() == nil {
		d.options.Turned()
		d.takeIn(starting, &r)
		wait := d.claim(ctx, starting, &r)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
			r.due = true // the claim itself still waits for until
		case <-d.woken:
			d.noteWaking(&r)
		case ended := <-d.ended:
			d.finishStart(starting, &r, ended)
		}
		timer.Stop()
	}
	for r.underWay > 0 {
		d.finishStart(starting, &r, <-d.ended)
	}
}

// takeIn deals with what came at the same time as something else: a start that ended does
// not wait for the claim.
func (d *Dispatcher) takeIn(ctx context.Context, r *round) {
	select {
	case ended := <-d.ended:
		d.finishStart(ctx, r, ended)
	default:
	}
	select {
	case <-d.woken:
		d.noteWaking(r)
	default:
	}
}

// noteWaking: events that come in make no room. Under load their notifications would only
// have the queue read for nothing, many times a second.
func (d *Dispatcher) noteWaking(r *round) {
	r.due = r.due || !r.full && !(r.tight && d.isCrowded())
}

// claim claims what there is room for, begins to start it, and says how long
// to wait for the next time without being woken.
func (d *Dispatcher) claim(ctx, starting context.Context, r *round) time.Duration {
	o := d.options
	if wait := time.Until(r.until); wait > 0 {
		return wait
	}
	if !r.due {
		return time.Until(r.next)
	}
	if !o.Takes() {
		return o.Poll
	}
	free := o.Concurrency - r.underWay
	if r.pause > 0 {
		free = 1 - r.underWay // one try tells whether Temporal is back
	}
	if free <= 0 || (r.pause == 0 && 2*free < o.Concurrency) {
		return o.Poll // an ended start is what comes next; claims are worth it in lots
	}
	r.due, r.next = false, time.Now().Add(o.Poll)
	claiming, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	var claimed []platen.Automation
	var err error
	var seen platen.Occupancy
	claimed, seen, err = o.Queue.Claim(claiming, free, d.claimer(), o.Lease)
	if err != nil {
		if ctx.Err() == nil {
			o.Log.Warn("nothing can be claimed", "error", err)
		}
		return o.Poll
	}
	d.note(seen)
	r.open, r.full, r.tight = seen.Open, seen.Room() == 0, seen.IsTight()
	if d.full.isStuck(r.tight && len(claimed) == 0, time.Now()) {
		d.doubt()
	}
	for _, a := range claimed {
		r.underWay++
		go func() {
			ctx, cancel := context.WithTimeout(starting, o.StartTimeout)
			defer cancel()
			d.ended <- result{a, o.Starter.Start(ctx, a)}
		}()
	}
	switch {
	case r.full:
		r.next = time.Now().Add(o.FullPoll)
	case len(claimed) == free:
		r.due = true // what is left is claimed when these have been started
	case r.open > 0:
		r.next = time.Now().Add(o.FullPoll)
	}
	return time.Until(r.next)
}

// finishStart deals with one start, and with those that ended beside it.
func (d *Dispatcher) finishStart(ctx context.Context, r *round, ended result) {
	var failed []string
	good := false
	for more := true; more; {
		r.underWay--
		switch {
		case ended.err == nil:
			good = true
			d.started <- ended.automation
		case errors.Is(ended.err, ErrEnded):
			good = true
			d.handOver(ended.automation)
		default:
			failed = append(failed, ended.automation.ID)
			d.logFailure(ctx, ended)
		}
		select {
		case ended = <-d.ended:
		default:
			more = false
		}
	}
	if good && r.pause > 0 {
		d.doubt() // Temporal is back: it may have lost something
	}
	if good {
		r.pause, r.until = 0, time.Time{}
	}
	if len(failed) > 0 {
		d.fail(ctx, r, failed, good)
	}
}

// logFailure is loud about what does not pass by itself.
func (d *Dispatcher) logFailure(ctx context.Context, failed result) {
	level, message := slog.LevelWarn, "automation was not started; it stays in the queue"
	if platen.KindOf(failed.err) != platen.KindUnavailable {
		level, message = slog.LevelError, "automation is refused by Temporal; it stays in the queue until that is put right"
	}
	d.options.Log.Log(ctx, level, message, "automation", failed.automation.ID, "error", failed.err)
}

// fail gives automations back. A start that fails beside one that does not is
// its own fault and waits alone; otherwise Temporal may be away, and all wait.
func (d *Dispatcher) fail(ctx context.Context, r *round, failed []string, good bool) {
	delay := d.options.MaxPause
	if !good {
		r.pause = min(max(2*r.pause, d.options.Pause), d.options.MaxPause)
		r.until = time.Now().Add(r.pause)
		delay = r.pause
	}
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	if err := d.options.Queue.Release(ctx, failed, delay); err != nil {
		d.options.Log.Warn("automations stay claimed until their lease ends", "automations", len(failed), "error", err)
	}
}

// mark stores which automations were started: all that are due, in one statement.
func (d *Dispatcher) mark(ctx context.Context) {
	for first := range d.started {
		started := []platen.Automation{first}
		for more := true; more; {
			select {
			case a, open := <-d.started:
				if more = open; open {
					started = append(started, a)
				}
			default:
				more = false
			}
		}
		ctx, cancel := context.WithTimeout(ctx, queueTimeout)
		if err := d.options.Queue.MarkStarted(ctx, started); err != nil {
			d.options.Log.Warn("started automations were not marked; they are started again without effect", "automations", len(started), "error", err)
		}
		cancel()
	}
}
