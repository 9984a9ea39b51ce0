package activities

import (
	"context"
	"fmt"
	"log/slog"
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

// Deliveries sends events. Its methods are the activities of DeliverEvent and
// of the first attempt inside RunAutomation.
type Deliveries struct {
	Events    Events
	Endpoints Endpoints
	Sender    Sender
	Gate      Gate
	// Schedule has one entry for each attempt: the wait before it.
	Schedule []time.Duration
	// Log. Default: slog.Default().
	Log *slog.Logger
}

// SendInput names the attempt.
type SendInput struct {
	EventID string
	Attempt int // from 1
	// Before is how many attempts belong to deliveries before these: the
	// schedule begins after them.
	Before int
	// InRun: the attempt is a step of RunAutomation and must not keep it
	// waiting for an endpoint that may not answer.
	InRun bool
	// Waited is how long the event waited for its endpoint altogether.
	Waited time.Duration
}

// SendResult says what comes next.
type SendResult struct {
	Delivered bool
	Ended     bool          // nothing more will be sent: delivered, held, gone, or the last attempt
	Held      bool          // the endpoint is disabled
	Closed    bool          // the attempt was not made: the endpoint has no place for it now
	Wait      time.Duration // before the next attempt, or before this one when Closed; with jitter; 0 when ended
	Status    int
}

// SendEvent makes one attempt to deliver an event to the address that is
// configured now, if its endpoint may be tried, and records it.
//
// Run twice: the receiver may get the event twice, under the same webhook-id
// and with the same bytes (delivery is at least once). An event that is
// already recorded as delivered is not sent again. The place at the endpoint is
// the event's: the second execution takes it over.
func (d *Deliveries) SendEvent(ctx context.Context, in SendInput) (SendResult, error) {
	event, endpoint, err := d.Events.Event(ctx, in.EventID)
	if err != nil {
		return SendResult{}, fmt.Errorf("read event %s: %w", in.EventID, err)
	}
	if event.State != platen.EventPending {
		return ended(event), nil
	}
	if endpoint == nil {
		gone := platen.Delivery{EventID: event.ID, Attempt: in.Attempt, At: time.Now(), Failure: "The workflow has no outgoing webhook any more."}
		return d.record(ctx, in, gone, true)
	}
	said, err := d.ask(ctx, endpoint.Key(), in)
	if err != nil {
		return SendResult{}, err
	}
	if !said.admitted {
		return d.refused(ctx, in, said)
	}
	delivery, err := d.Sender.Send(ctx, event, *endpoint, in.Attempt)
	if err != nil {
		return SendResult{}, fmt.Errorf("send event %s: %w", event.ID, err)
	}
	// Recorded first: what dies in between costs a place for a while, not a repeat.
	result, err := d.record(ctx, in, delivery, delivery.Status == http.StatusGone || delivery.Status == http.StatusLoopDetected)
	if err != nil {
		return SendResult{}, err
	}
	err = d.Endpoints.UpdateEndpoint(ctx, endpoint.Key(), func(s *platen.EndpointState, now time.Time) { d.Gate.settle(s, delivery, now) })
	if err != nil {
		// The attempt is made and recorded: a step that failed now would be made
		// again at once, outside the schedule. The place ends with its lease.
		d.log().WarnContext(ctx, "an attempt was not noted at its endpoint", "event", event.ID, "attempt", in.Attempt, "error", err)
	}
	return result, nil
}

func (d *Deliveries) log() *slog.Logger {
	if d.Log != nil {
		return d.Log
	}
	return slog.Default()
}

// AskEndpoint asks for a place at the event's endpoint, for an attempt that is
// to be made at once, and answers as SendEvent does where there is none. An
// empty result is a yes, which SendEvent may still have to take back.
//
// Run twice: the place is the event's.
func (d *Deliveries) AskEndpoint(ctx context.Context, in SendInput) (SendResult, error) {
	event, endpoint, err := d.Events.Event(ctx, in.EventID)
	if err != nil {
		return SendResult{}, fmt.Errorf("read event %s: %w", in.EventID, err)
	}
	if event.State != platen.EventPending {
		return ended(event), nil
	}
	if endpoint == nil {
		return SendResult{}, nil // there is nothing to ask; the attempt says so
	}
	said, err := d.ask(ctx, endpoint.Key(), in)
	if err != nil || said.admitted {
		return SendResult{}, err
	}
	return d.refused(ctx, in, said)
}

// ended is the result for an event that needs no attempt any more.
func ended(e platen.Event) SendResult {
	return SendResult{Delivered: e.State == platen.EventDelivered, Held: e.State == platen.EventHeld, Ended: true}
}

// A run waits for an endpoint that is merely busy as long as an answer usually
// takes: a run of its own for the event costs several times as much.
const (
	soonTries = 5
	soonAfter = 40 * time.Millisecond
)

// ask asks the gate for a place. A run that finds none in its tries leaves the
// event to a run of its own.
func (d *Deliveries) ask(ctx context.Context, key platen.EndpointKey, in SendInput) (verdict, error) {
	for try := 1; ; try++ {
		var said verdict
		err := d.Endpoints.UpdateEndpoint(ctx, key, func(s *platen.EndpointState, now time.Time) {
			said = d.Gate.admit(s, in.EventID, !in.InRun, now)
		})
		if err != nil {
			return said, fmt.Errorf("ask for a place at the endpoint of event %s: %w", in.EventID, err)
		}
		if !said.soon || try == soonTries {
			return said, nil
		}
		select {
		case <-ctx.Done():
			return said, ctx.Err()
		case <-time.After(soonAfter):
		}
	}
}

// refused says what becomes of an event that its endpoint has no place for.
func (d *Deliveries) refused(ctx context.Context, in SendInput, said verdict) (SendResult, error) {
	why := said.disabled
	if why == "" && in.Waited >= d.Gate.DisableAfter {
		why = platen.CodeEndpointBusy
	}
	if why == "" {
		return SendResult{Closed: true, Wait: said.wait}, nil
	}
	if err := d.Events.HoldEvent(ctx, in.EventID, in.Attempt, why); err != nil {
		return SendResult{}, fmt.Errorf("hold event %s: %w", in.EventID, err)
	}
	return SendResult{Ended: true, Held: true}, nil
}

// HoldCancelled holds an event whose delivery was cancelled in Temporal, unless
// it has ended or its deliveries were begun anew.
func (d *Deliveries) HoldCancelled(ctx context.Context, in SendInput) error {
	if err := d.Events.HoldEvent(ctx, in.EventID, in.Attempt, platen.CodeDeliveryCancelled); err != nil {
		return fmt.Errorf("hold event %s: %w", in.EventID, err)
	}
	return nil
}

// record stores the attempt; last: there is no other, whatever it came to.
func (d *Deliveries) record(ctx context.Context, in SendInput, delivery platen.Delivery, last bool) (SendResult, error) {
	made := in.Attempt - in.Before
	result := SendResult{Delivered: delivery.Failure == "", Status: delivery.Status}
	result.Ended = result.Delivered || last || made >= len(d.Schedule)
	state := platen.EventPending
	switch {
	case result.Delivered:
		state = platen.EventDelivered
	case result.Ended:
		state = platen.EventFailed
	default:
		result.Wait = wait(d.Schedule[made], delivery.RetryAfter)
	}
	if err := d.Events.RecordDelivery(ctx, delivery, state, result.Wait); err != nil {
		return SendResult{}, fmt.Errorf("record attempt %d of event %s: %w", in.Attempt, in.EventID, err)
	}
	return result, nil
}

// wait adds up to a tenth of jitter, so that events that failed together do
// not come back together, and honours what the receiver asked for.
func wait(scheduled, retryAfter time.Duration) time.Duration {
	scheduled = max(scheduled, min(retryAfter, maxRetryAfter))
	return scheduled + rand.N(scheduled/10+time.Millisecond)
}
