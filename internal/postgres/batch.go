package postgres

import (
	"context"
	"time"

	"github.com/platenhq/platen"
)

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
			return results, b.orStopped(err)
		}
		b.options.Log.Warn("events wait for the database", "events", len(*batch), "error", err)
		select {
		case <-b.work.Done():
			return nil, b.orStopped(err)
		case <-time.After(pause):
			pause = min(2*pause, retryMax)
		}
		if *batch = patient(*batch, err); len(*batch) == 0 {
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
	return b.store.insertEvents(ctx, events)
}

// orStopped gives the kind that callers understand to the error of a try that
// Close cut off.
func (b *Batcher) orStopped(err error) error {
	if err != nil && b.work.Err() != nil && platen.KindOf(err) != platen.KindUnavailable {
		return errShuttingDown(err)
	}
	return err
}

// patient answers the events whose deadline is over and returns the others.
func patient(batch []*entry, err error) []*entry {
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
