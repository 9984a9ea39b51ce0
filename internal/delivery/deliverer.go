// Package delivery takes events to the receivers of integrators. It writes what
// an event says (envelope.go), and decides whether its endpoint may be tried now
// (breaker.go). It makes one attempt (deliverer.go, sender.go, signature.go). It
// decides whether the event is tried again, and when (retry.go).
//
// It waits for nothing: waits between attempts are Temporal's timers, in package
// workflows. The store keeps what is known of events and endpoints. The client
// that keeps requests out of our own network is package outgoing's. No SQL and no
// Temporal belong here, and nothing of how documents are made.
package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Events keeps events and the attempts to deliver them.
type Events interface {
	// Event returns the event and the endpoint that is configured now; the
	// endpoint is nil when there is none any more.
	Event(ctx context.Context, eventID string) (platen.Event, *platen.Endpoint, error)
	// RecordDelivery stores the attempt (once for each event and attempt
	// number) and the event's state after it; next is how long it is until the
	// next attempt of an event that stays PENDING.
	RecordDelivery(ctx context.Context, d platen.Delivery, state platen.EventState, next time.Duration) error
	// HoldEvent makes a PENDING event HELD, unless it was redelivered since this
	// attempt was due.
	HoldEvent(ctx context.Context, eventID string, attempt int, reason string) error
}

// Endpoints keeps what all workers know of endpoints together.
type Endpoints interface {
	// UpdateEndpoint applies change to an endpoint's state under a row lock;
	// now is the time of the database. What a crash of the database takes back
	// of it is found out again.
	UpdateEndpoint(ctx context.Context, key platen.EndpointKey, change func(s *platen.EndpointState, now time.Time)) error
}

// Sender makes one attempt to deliver an event.
type Sender interface {
	// Send signs and POSTs the payload. The delivery says how it went; the
	// error is for faults of ours only.
	Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error)
}

// A Deliverer makes attempts to deliver events, and says what follows each. Its
// methods may run twice; how, stands at each of them.
type Deliverer struct {
	Events    Events
	Endpoints Endpoints
	Sender    Sender
	Breaker   Breaker
	// Schedule has one entry for each attempt: the wait before it. Default:
	// DefaultSchedule.
	Schedule []time.Duration
	// Attempted is called after each attempt that was made and recorded. Default: nothing is.
	Attempted func(e platen.Event, d platen.Delivery)
	// Trace begins the span of an attempt, which the function that it returns ends, where
	// the context has none of its automation. Default: none.
	Trace func(ctx context.Context, automationID, name string) (context.Context, func(error))
	// Log. Default: slog.Default().
	Log *slog.Logger
}

// Due names an attempt that is due.
type Due struct {
	EventID string
	Attempt int // from 1
	// Before is how many attempts belong to deliveries before these: the
	// schedule begins after them.
	Before int
	// InRun: the attempt is a step of an automation's run and must not keep it
	// waiting for an endpoint that may not answer.
	InRun bool
	// Waited is how long the event waited for its endpoint altogether.
	Waited time.Duration
}

// A Result says what came of an attempt that was due, and what follows it.
type Result struct {
	Delivered bool
	Ended     bool          // nothing more will be sent: delivered, held, gone, or the last attempt
	Held      bool          // the endpoint is disabled
	Postponed bool          // the attempt was not made: the endpoint has no place for it now
	Wait      time.Duration // before the next attempt, or before this one when Postponed; with jitter; 0 when ended
	Status    int           // of the receiver's answer; 0: there was none
}

// Attempt makes one attempt to deliver an event to the address that is
// configured now, if its endpoint may be tried, and records it.
//
// Run twice: the receiver may get the event twice, under the same webhook-id
// and with the same bytes (delivery is at least once). An event that is
// already recorded as delivered is not sent again. The place at the endpoint is
// the event's: the second execution takes it over.
func (d *Deliverer) Attempt(ctx context.Context, due Due) (Result, error) {
	event, endpoint, err := d.Events.Event(ctx, due.EventID)
	if err != nil {
		return Result{}, fmt.Errorf("read event %s: %w", due.EventID, err)
	}
	if event.State != platen.EventPending {
		return resultOf(event), nil
	}
	if d.Trace == nil {
		return d.attempt(ctx, due, event, endpoint)
	}
	ctx, end := d.Trace(ctx, event.AutomationID, "SendEvent")
	result, err := d.attempt(ctx, due, event, endpoint)
	end(err)
	return result, err
}

// attempt makes an attempt for an event that was read.
func (d *Deliverer) attempt(ctx context.Context, due Due, event platen.Event, endpoint *platen.Endpoint) (Result, error) {
	if !serves(endpoint, event) {
		gone := platen.Delivery{EventID: event.ID, Attempt: due.Attempt, At: time.Now(), Failure: "The workflow has no outgoing webhook any more."}
		switch {
		case event.Test:
			gone.Failure = "The workflow has no test receiver any more, or its address has become that of the outgoing webhook or of a receiver."
		case event.ReceiverID != "":
			gone.Failure = "The receiver was deleted before it had the event."
		}
		return d.record(ctx, due, event, "", gone, true)
	}
	said, err := d.ask(ctx, endpoint.Key(), due)
	if err != nil {
		return Result{}, err
	}
	if !said.admitted {
		return d.refuse(ctx, due, said)
	}
	made, err := d.Sender.Send(ctx, event, *endpoint, due.Attempt)
	if err != nil {
		return Result{}, fmt.Errorf("send event %s: %w", event.ID, err)
	}
	// Recorded first: what dies in between costs a place for a while, not a repeat.
	result, err := d.record(ctx, due, event, endpoint.OwnerID, made, isLast(made.Status))
	if err != nil {
		return Result{}, err
	}
	err = d.Endpoints.UpdateEndpoint(ctx, endpoint.Key(), func(s *platen.EndpointState, now time.Time) { d.Breaker.settle(s, made, now) })
	if err != nil {
		// The attempt is made and recorded: a step that failed now would be made
		// again at once, outside the schedule. The place ends with its lease.
		d.log().WarnContext(ctx, "an attempt was not noted at its endpoint", "event", event.ID, "attempt", due.Attempt, "error", err)
	}
	return result, nil
}

// serves tells whether an endpoint is there for an event: a test goes to a test receiver,
// and nothing else does.
func serves(endpoint *platen.Endpoint, event platen.Event) bool {
	return endpoint != nil && endpoint.Test == event.Test
}

func (d *Deliverer) log() *slog.Logger {
	if d.Log != nil {
		return d.Log
	}
	return slog.Default()
}

// Reserve asks for a place at the event's endpoint, for an attempt that is to be
// made at once, and answers as Attempt does where there is none. An empty result
// is a yes, which Attempt may still have to take back.
//
// Run twice: the place is the event's.
func (d *Deliverer) Reserve(ctx context.Context, due Due) (Result, error) {
	event, endpoint, err := d.Events.Event(ctx, due.EventID)
	if err != nil {
		return Result{}, fmt.Errorf("read event %s: %w", due.EventID, err)
	}
	if event.State != platen.EventPending {
		return resultOf(event), nil
	}
	if !serves(endpoint, event) {
		return Result{}, nil // there is nothing to ask; the attempt says so
	}
	said, err := d.ask(ctx, endpoint.Key(), due)
	if err != nil || said.admitted {
		return Result{}, err
	}
	return d.refuse(ctx, due, said)
}

// resultOf is the result for an event that needs no attempt any more.
func resultOf(e platen.Event) Result {
	return Result{Delivered: e.State == platen.EventDelivered, Held: e.State == platen.EventHeld, Ended: true}
}

// A run waits for an endpoint that is merely busy as long as an answer usually
// takes: a run of its own for the event costs several times as much.
const (
	soonTries = 5
	soonAfter = 40 * time.Millisecond
)

// ask asks the breaker for a place. A run that finds none in its tries leaves the
// event to a run of its own.
func (d *Deliverer) ask(ctx context.Context, key platen.EndpointKey, due Due) (verdict, error) {
	for try := 1; ; try++ {
		var said verdict
		err := d.Endpoints.UpdateEndpoint(ctx, key, func(s *platen.EndpointState, now time.Time) {
			said = d.Breaker.admit(s, due.EventID, !due.InRun, now)
		})
		if err != nil {
			return said, fmt.Errorf("ask for a place at the endpoint of event %s: %w", due.EventID, err)
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

// refuse decides what becomes of an event that its endpoint has no place for.
func (d *Deliverer) refuse(ctx context.Context, due Due, said verdict) (Result, error) {
	why := said.disabled
	if why == "" && due.Waited >= d.Breaker.DisableAfter {
		why = platen.CodeEndpointBusy
	}
	if why == "" {
		return Result{Postponed: true, Wait: said.wait}, nil
	}
	if err := d.Hold(ctx, due, why); err != nil {
		return Result{}, err
	}
	return Result{Ended: true, Held: true}, nil
}

// Hold holds an event for a reason, unless it has ended or was redelivered.
func (d *Deliverer) Hold(ctx context.Context, due Due, why string) error {
	if err := d.Events.HoldEvent(ctx, due.EventID, due.Attempt, why); err != nil {
		return fmt.Errorf("hold event %s: %w", due.EventID, err)
	}
	return nil
}

// record stores an attempt and its consequence; last: no attempt follows, whether it
// failed or not.
func (d *Deliverer) record(ctx context.Context, due Due, event platen.Event, ownerID string, made platen.Delivery, last bool) (Result, error) {
	result, state := d.next(due, made, last)
	if err := d.Events.RecordDelivery(ctx, made, state, result.Wait); err != nil {
		return Result{}, fmt.Errorf("record attempt %d of event %s: %w", due.Attempt, due.EventID, err)
	}
	if d.Attempted != nil {
		d.Attempted(event, made)
	}
	if made.Failure != "" {
		d.logFailure(ctx, event, ownerID, made, result)
	}
	return result, nil
}

// logFailure writes one line for an attempt that failed: a warning for the last one.
// Nothing of the receiver's answer but its status is in it.
func (d *Deliverer) logFailure(ctx context.Context, event platen.Event, ownerID string, made platen.Delivery, result Result) {
	level, next := slog.LevelInfo, slog.Duration("next", result.Wait)
	if result.Ended {
		level, next = slog.LevelWarn, slog.String("state", string(platen.EventFailed))
	}
	d.log().LogAttrs(ctx, level, "delivery failed",
		slog.String("event", event.ID), slog.String("automation", event.AutomationID), slog.String("workflow", event.WorkflowID),
		slog.String("owner", ownerID), slog.Int("attempt", made.Attempt), slog.Int("status", made.Status),
		slog.String("reason", made.Failure), slog.Float64("ms", float64(made.Duration.Microseconds())/1000), next)
}
