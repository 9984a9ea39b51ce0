package delivery

import (
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// DefaultSchedule is how long to wait before each attempt, the first included
// (Standard Webhooks, "Retries"): ten attempts over a little more than three days.
func DefaultSchedule() []time.Duration {
	return []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

func (d *Deliverer) schedule() []time.Duration {
	if len(d.Schedule) > 0 {
		return d.Schedule
	}
	return DefaultSchedule()
}

// maxRetryAfter bounds the Retry-After of a receiver.
const maxRetryAfter = 24 * time.Hour

// next decides what follows an attempt: nothing if the event is delivered, last is set
// or the schedule is exhausted; else the next attempt after a wait.
func (d *Deliverer) next(due Due, made platen.Delivery, last bool) (Result, platen.EventState) {
	result := Result{Delivered: made.Failure == "", Status: made.Status}
	schedule, attempts := d.schedule(), due.Attempt-due.Before
	switch {
	case result.Delivered:
		result.Ended = true
		return result, platen.EventDelivered
	case last || attempts >= len(schedule):
		result.Ended = true
		return result, platen.EventFailed
	}
	result.Wait = d.wait(schedule[attempts], made.RetryAfter)
	return result, platen.EventPending
}

// isLast reports whether a status ends the attempts before the schedule does: the
// receiver is gone (410), or the event loops (508).
func isLast(status int) bool {
	return status == http.StatusGone || status == http.StatusLoopDetected
}

// wait adds up to a tenth of jitter, so that events that failed together do
// not come back together, and honours what the receiver asked for.
func (d *Deliverer) wait(scheduled, retryAfter time.Duration) time.Duration {
	scheduled = max(scheduled, min(retryAfter, maxRetryAfter))
	return scheduled + d.Breaker.jitter(scheduled/10+time.Millisecond)
}
