package activities

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/platenhq/platen"
)

// DefaultSchedule is how long to wait before each attempt, the first included
// (Standard Webhooks, "Retries"): ten attempts over a little more than three days.
func DefaultSchedule() []time.Duration {
	return []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// maxRetryAfter bounds how long a receiver may put us off.
const maxRetryAfter = 24 * time.Hour

// Deliveries sends events. Its method is the activity of DeliverEvent and of
// the first attempt inside RunAutomation.
type Deliveries struct {
	Events Events
	Sender Sender
	// Schedule has one entry for each attempt: the wait before it.
	Schedule []time.Duration
}

// SendInput names the attempt.
type SendInput struct {
	EventID string
	Attempt int // from 1
	// Before is how many attempts belong to deliveries before these: the
	// schedule begins after them.
	Before int
}

// SendResult says what comes next.
type SendResult struct {
	Delivered bool
	Ended     bool          // nothing more will be sent: delivered, gone, or the last attempt
	Wait      time.Duration // before the next attempt, with jitter; 0 when ended
	Status    int
}

// SendEvent makes one attempt to deliver an event to the address that is
// configured now, and records it.
//
// Run twice: the receiver may get the event twice, under the same webhook-id
// and with the same bytes (delivery is at least once). An event that is
// already recorded as delivered is not sent again.
func (d *Deliveries) SendEvent(ctx context.Context, in SendInput) (SendResult, error) {
	event, endpoint, err := d.Events.Event(ctx, in.EventID)
	if err != nil {
		return SendResult{}, fmt.Errorf("read event %s: %w", in.EventID, err)
	}
	if event.State != platen.EventPending {
		return SendResult{Delivered: event.State == platen.EventDelivered, Ended: true}, nil
	}
	delivery := platen.Delivery{EventID: event.ID, Attempt: in.Attempt, At: time.Now(), Failure: "The workflow has no outgoing webhook any more."}
	if endpoint != nil {
		if delivery, err = d.Sender.Send(ctx, event, *endpoint, in.Attempt); err != nil {
			return SendResult{}, fmt.Errorf("send event %s: %w", event.ID, err)
		}
	}
	result := SendResult{Delivered: delivery.Failure == "", Status: delivery.Status}
	made := in.Attempt - in.Before
	result.Ended = result.Delivered || endpoint == nil || delivery.Status == http.StatusGone || made >= len(d.Schedule)
	state := platen.EventPending
	switch {
	case result.Delivered:
		state = platen.EventDelivered
	case result.Ended:
		state = platen.EventFailed
	default:
		result.Wait = wait(d.Schedule[made], delivery.RetryAfter)
	}
	if err := d.Events.RecordDelivery(ctx, delivery, state); err != nil {
		return SendResult{}, fmt.Errorf("record attempt %d of event %s: %w", in.Attempt, event.ID, err)
	}
	return result, nil
}

// wait adds up to a tenth of jitter, so that events that failed together do
// not come back together, and honours what the receiver asked for.
func wait(scheduled, retryAfter time.Duration) time.Duration {
	scheduled = max(scheduled, min(retryAfter, maxRetryAfter))
	return scheduled + rand.N(scheduled/10+time.Millisecond)
}
