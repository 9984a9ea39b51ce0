package accept

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// BatcherOptions tune a Batcher; the zero value is right for one API process.
type BatcherOptions struct {
	// MaxEvents and MaxBytes bound one batch. Defaults: 500, and 8 MiB of
	// bodies (one event may go over it).
	MaxEvents int
	MaxBytes  int
	// Flushers is how many batches are written side by side, each on a
	// connection of its own. Default: 3: one waits for the disk while others
	// are collected, written and answered.
	Flushers int
	// QueueSize is how many events may wait or be written at once; after that Accept
	// waits. Default: 3500.
	QueueSize int
	// QueueBytes is how many bytes of bodies may wait or be written at once;
	// after that Accept waits. Default: 128 MiB.
	QueueBytes int64
	// Patience is how long an event is tried while the database does not
	// answer. Default: 5 s.
	Patience time.Duration
	// Stored is called for each batch that was stored: how many events, how long the
	// first of them waited, and how long writing took. Default: nobody is.
	Stored func(events int, waited, took time.Duration)
	// Trace returns a context for storing the events of these callers. Default: nothing
	// of them is known while their events are stored.
	Trace func(ctx context.Context, callers []context.Context) context.Context
	// Log gets failures that no caller receives as an error. Default: slog.Default().
	Log *slog.Logger
}

// Pauses between tries while the database does not answer.
const (
	retryFirst = 50 * time.Millisecond
	retryMax   = 500 * time.Millisecond
)

// crowdedBatch is how many events a batch has when their number, not each by
// itself, is what storing them costs.
const crowdedBatch = 16

// notificationGap is the shortest time between two notifications to dispatch.
const notificationGap = 10 * time.Millisecond

// A Batcher stores source events: all queued events go into one statement, at once if
// no other is being written. An event alone is a batch of one, which its caller writes;
// under load batches grow by themselves. No timer delays an event.
type Batcher struct {
	db      *postgres.DB
	options BatcherOptions
	places  *semaphore.Weighted // of QueueSize
	room    *semaphore.Weighted // bytes of QueueBytes
	woken   chan struct{}       // something was stored: notify
	crowded atomic.Bool         // with many others
	ordered atomic.Bool         // and has to find its place among others
	work    context.Context
	stop    context.CancelFunc // ends tries under way
	flushed chan struct{}      // closed when everything is written and the notifier ended

	mu      sync.Mutex
	queue   []*entry // while there are any, something is being written
	writing load
	closed  bool
	drained chan struct{} // closed when it is closed and nothing is queued or written
}

// States of an entry. The goroutine that moves it out of waiting decides its outcome.
const (
	entryWaiting int32 = iota
	entryTaken         // it will be tried
	entryLeft          // its caller left first: it will not
)

type entry struct {
	event    platen.SourceEvent
	caller   context.Context // for the span of the statement alone
	deadline time.Time
	state    atomic.Int32
	result   chan error // one answer, buffered
}

// NewBatcher starts a batcher; Close ends it.
func NewBatcher(db *postgres.DB, options BatcherOptions) *Batcher {
	options.MaxEvents = orDefault(options.MaxEvents, 500)
	options.MaxBytes = orDefault(options.MaxBytes, 8<<20)
	options.Flushers = orDefault(options.Flushers, 3)
	options.QueueSize = orDefault(options.QueueSize, 3500)
	if options.QueueBytes <= 0 {
		options.QueueBytes = 128 << 20
	}
	if options.Patience <= 0 {
		options.Patience = 5 * time.Second
	}
	if options.Log == nil {
		options.Log = slog.Default()
	}
	work, stop := context.WithCancel(context.Background())
	b := &Batcher{
		db: db, options: options, work: work, stop: stop,
		places:  semaphore.NewWeighted(int64(options.QueueSize)),
		room:    semaphore.NewWeighted(options.QueueBytes),
		woken:   make(chan struct{}, 1),
		flushed: make(chan struct{}),
		drained: make(chan struct{}),
	}
	var notifier sync.WaitGroup
	notifier.Go(b.notify)
	go func() {
		<-b.drained
		close(b.woken)
		notifier.Wait()
		close(b.flushed)
	}()
	return b
}

func orDefault(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// Accept stores an event and returns nil only after it is committed. It
// answers KindNotFound for an unknown source key, KindGone for an archived
// workflow, and KindUnavailable when the database did not answer in time, when
// the queue stayed full, or while the batcher closes. Accepting the same
// AutomationID twice stores it once.
//
// When ctx ends first, Accept returns its error; the event may be stored all
// the same if it was being written, as it may be after KindUnavailable.
func (b *Batcher) Accept(ctx context.Context, event platen.SourceEvent) error {
	e := &entry{event: event, caller: ctx, deadline: time.Now().Add(b.options.Patience), result: make(chan error, 1)}
	bytes := min(int64(len(event.Body)), b.options.QueueBytes)
	if err := b.takeRoom(ctx, b.places, 1); err != nil {
		return err
	}
	defer b.places.Release(1)
	if err := b.takeRoom(ctx, b.room, bytes); err != nil {
		return err
	}
	defer b.room.Release(bytes)
	if err := b.put(e); err != nil {
		return err
	}
	select {
	case err := <-e.result: // its caller wrote it
		return err
	default:
	}
	patience := time.NewTimer(time.Until(e.deadline))
	defer patience.Stop()
	for {
		select {
		case err := <-e.result:
			return err
		case <-ctx.Done():
			e.state.CompareAndSwap(entryWaiting, entryLeft)
			return fmt.Errorf("accept %s: %w", event.AutomationID, ctx.Err())
		case <-patience.C:
			if e.state.CompareAndSwap(entryWaiting, entryLeft) {
				return errBusy()
			}
			// It is being tried, and the flusher keeps to the deadline.
		}
	}
}

// takeRoom waits until an event fits beside those that are there already.
func (b *Batcher) takeRoom(ctx context.Context, room *semaphore.Weighted, n int64) error {
	if room.TryAcquire(n) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, b.options.Patience)
	defer cancel()
	switch err := room.Acquire(waiting, n); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("accept an event: %w", ctx.Err())
	}
	return errBusy()
}

// put queues an event. If it is the next batch alone, it is written when put
// returns: nobody has to be woken for it.
func (b *Batcher) put(e *entry) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return errShuttingDown(nil)
	}
	b.queue = append(b.queue, e)
	batch := b.next()
	b.mu.Unlock()
	switch len(batch) {
	case 0:
	case 1:
		b.write(batch)
	default:
		go b.write(batch)
	}
	return nil
}

func errBusy() error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: "busy", Message: "too many events are waiting to be stored; try again", RetryAfter: postgres.RetryAfter}
}

func errShuttingDown(cause error) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: "shutting_down", Message: "the service is shutting down; try again", RetryAfter: postgres.RetryAfter, Err: cause}
}

// Close refuses new events, stores the queued ones, and then returns. When ctx ends
// first, tries under way are cut off, their callers get KindUnavailable, and ctx's
// error is returned.
func (b *Batcher) Close(ctx context.Context) error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		b.drain()
	}
	b.mu.Unlock()
	defer b.stop()
	select {
	case <-b.flushed:
		return nil
	case <-ctx.Done():
		b.stop()
		<-b.flushed
		return fmt.Errorf("flush events: %w", ctx.Err())
	}
}

// drain says so when everything is done. b.mu is held.
func (b *Batcher) drain() {
	if b.closed && b.writing.batches == 0 {
		close(b.drained)
	}
}

// A load is what is being written.
type load struct{ batches, events int }

// takes tells whether so many events go in as the next batch now. Beside
// others only a batch goes that is no smaller than they are on average: each
// costs as much as some ten events, so small ones would take from all, while
// batches of one size wait for the disk in turns.
func (l load) takes(events, flushers int) bool {
	return events > 0 && l.batches < flushers && events*l.batches >= l.events
}

// next takes the next batch from the queue, nil while none is to be written. b.mu
// is held.
func (b *Batcher) next() []*entry {
	n, size := 0, 0
	for n < len(b.queue) && n < b.options.MaxEvents && size < b.options.MaxBytes {
		size += len(b.queue[n].event.Body)
		n++
	}
	if !b.writing.takes(n, b.options.Flushers) {
		return nil
	}
	batch := slices.Clone(b.queue[:n])
	b.queue = slices.Delete(b.queue, 0, n)
	b.writing.batches, b.writing.events = b.writing.batches+1, b.writing.events+n
	return batch
}

// write stores what still has its caller, then has written what was queued
// meanwhile.
func (b *Batcher) write(batch []*entry) {
	taken := len(batch)
	batch = slices.DeleteFunc(batch, func(e *entry) bool { return !e.state.CompareAndSwap(entryWaiting, entryTaken) })
	begun := time.Now()
	if len(batch) > 0 && b.storeBatch(batch) {
		if b.options.Stored != nil {
			b.options.Stored(len(batch), begun.Sub(batch[0].deadline.Add(-b.options.Patience)), time.Since(begun))
		}
		if len(batch) >= crowdedBatch {
			b.crowded.Store(true)
		}
		select {
		case b.woken <- struct{}{}:
		default: // a notification is due already, and will come after this commit
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing.batches, b.writing.events = b.writing.batches-1, b.writing.events-taken
	for following := b.next(); following != nil; following = b.next() {
		go b.write(following)
	}
	b.drain()
}

// notify wakes dispatch after commits, once for all commits meanwhile. One notification
// in ten milliseconds is enough, because its receiver reads the whole queue.
func (b *Batcher) notify() {
	for range b.woken {
		ctx, cancel := context.WithTimeout(b.work, time.Second)
		payload := ""
		if b.crowded.Swap(false) {
			payload = postgres.CrowdedPayload
		}
		err := postgres.Notify(ctx, b.db.Pool(), payload)
		if b.ordered.Swap(false) {
			err = errors.Join(err, postgres.Notify(ctx, b.db.Pool(), postgres.OrderedPayload))
		}
		if err != nil {
			b.options.Log.Debug("dispatch was not notified; it polls", "error", err)
		}
		cancel()
		select {
		case <-b.drained:
		case <-time.After(notificationGap):
		}
	}
}

// minTry is what a try gets even when patience is nearly over: an event that
// waited in the queue deserves one real one.
const minTry = time.Second

// storeBatch stores a batch and answers each of its events; it tells whether
// anything was stored. A batch that Postgres refuses is halved until the row
// that is refused stands alone: one bad row must not fail its neighbours.
func (b *Batcher) storeBatch(batch []*entry) bool {
	results, err := b.try(&batch)
	if len(batch) == 0 {
		return false
	}
	switch {
	case err == nil:
		for i, e := range batch {
			e.result <- results[i]
		}
		return true
	case len(batch) == 1:
		batch[0].result <- err
		return false
	case platen.KindOf(err) == platen.KindUnavailable, b.work.Err() != nil:
		for _, e := range batch {
			e.result <- err
		}
		return false
	}
	half := len(batch) / 2
	first, second := b.storeBatch(batch[:half:half]), b.storeBatch(batch[half:])
	return first || second
}

// try writes the batch, again and again while the database does not answer.
// The ids were chosen before, so a try that succeeded unseen is repeated
// without effect. Events whose patience ends are answered and leave the batch.
func (b *Batcher) try(batch *[]*entry) ([]error, error) {
	pause := retryFirst
	for {
		results, err := b.tryOnce(*batch)
		if err == nil || platen.KindOf(err) != platen.KindUnavailable || b.work.Err() != nil {
			return results, b.markStopped(err)
		}
		b.options.Log.Warn("events wait for the database", "events", len(*batch), "error", err)
		select {
		case <-b.work.Done():
			return nil, b.markStopped(err)
		case <-time.After(pause):
			pause = min(2*pause, retryMax)
		}
		if *batch = answerExpired(*batch, err); len(*batch) == 0 {
			return nil, err
		}
	}
}

func (b *Batcher) tryOnce(batch []*entry) ([]error, error) {
	events := make([]platen.SourceEvent, len(batch))
	deadline := time.Now().Add(minTry)
	for i, e := range batch {
		events[i] = e.event
		if e.deadline.After(deadline) {
			deadline = e.deadline
		}
	}
	ctx, cancel := context.WithDeadline(b.work, deadline)
	defer cancel()
	if b.options.Trace != nil {
		callers := make([]context.Context, len(batch))
		for i, e := range batch {
			callers[i] = e.caller
		}
		ctx = b.options.Trace(ctx, callers)
	}
	results, ordered, err := insertEvents(ctx, b.db, events)
	if ordered {
		b.ordered.Store(true)
	}
	return results, err
}

// markStopped gives the kind that callers understand to the error of a try that
// Close cut off.
func (b *Batcher) markStopped(err error) error {
	if err != nil && b.work.Err() != nil && platen.KindOf(err) != platen.KindUnavailable {
		return errShuttingDown(err)
	}
	return err
}

// answerExpired answers the events whose deadline is over and returns the others.
func answerExpired(batch []*entry, err error) []*entry {
	var rest []*entry
	now := time.Now()
	for _, e := range batch {
		if now.After(e.deadline) {
			e.result <- err
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}
