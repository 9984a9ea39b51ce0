package simulation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	runs "github.com/platenhq/platen/internal/postgres/run"
)

// tick is what time goes by in: its parts can be stored to the microsecond when as many
// as four places share it.
const tick = 12 * time.Millisecond

// testBreaker opens, closes and disables within a few operations, and has nothing random.
var testBreaker = delivery.Breaker{
	InFlight: 1, MaxInFlight: 4, Failures: 2, CoolDown: 72 * time.Second, MaxCoolDown: 5 * time.Minute, DisableAfter: 3 * time.Minute,
	Lease: delivery.LeaseFor(attemptTimeout), Jitter: func(time.Duration) time.Duration { return 0 },
}

// synchronizedEndpoints have changes take the time of the test. Package postgres adds to
// the time that the database said last what went by since then, and here none does.
type synchronizedEndpoints struct {
	delivery.Endpoints
	now time.Time
}

func (e synchronizedEndpoints) UpdateEndpoint(ctx context.Context, key platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	return e.Endpoints.UpdateEndpoint(ctx, key, func(s *platen.EndpointState, _ time.Time) { change(s, e.now) })
}

// A scriptedSender has every attempt end in the same way.
type scriptedSender struct {
	made platen.Delivery
	err  error
}

func (s scriptedSender) Send(context.Context, platen.Event, platen.Endpoint, int) (platen.Delivery, error) {
	return s.made, s.err
}

func (p *pair) deliverer(events delivery.Events, endpoints delivery.Endpoints, sender delivery.Sender) *delivery.Deliverer {
	return &delivery.Deliverer{
		Events: events, Endpoints: synchronizedEndpoints{endpoints, p.now()}, Sender: sender, Breaker: testBreaker, Schedule: []time.Duration{0, 5 * time.Second, 30 * time.Second}, Log: silent,
	}
}

// receiverSays draws how an attempt ends; one that fails for a fault of ours keeps its place.
func (p *pair) receiverSays(id string, attempt int) scriptedSender {
	made := platen.Delivery{EventID: id, Attempt: attempt, At: p.now(), Duration: time.Duration(1+p.random.below(200)) * tick}
	statuses := []int{
		http.StatusOK, http.StatusOK, http.StatusOK, http.StatusInternalServerError, http.StatusInternalServerError,
		http.StatusTooManyRequests, http.StatusLoopDetected, http.StatusGone, 0,
	}
	if made.Status = statuses[p.random.below(len(statuses))]; made.Status != http.StatusOK {
		made.Failure = fmt.Sprintf("The receiver answered %d.", made.Status)
	}
	if made.Status == http.StatusTooManyRequests {
		made.RetryAfter = time.Duration(p.random.below(2)) * time.Minute
	}
	if p.random.below(4) == 0 {
		return scriptedSender{err: errors.New("no signature can be made")}
	}
	return scriptedSender{made: made}
}

// endpoint is one that events go to; it may be that none did yet.
func (p *pair) endpoint() platen.EndpointKey {
	return p.harness.store.endpointOf(p.workflows[p.random.below(len(p.workflows))].ID, "")
}

// ofEndpoints has attempts take and give back places, as deliveries do, looks at an
// endpoint, or enables it.
func (p *pair) ofEndpoints() operation {
	switch p.random.below(8) {
	case 0:
		return p.enable()
	case 1:
		key := p.endpoint()
		return operation{"look at the endpoint of " + key.OwnerID, func(ctx context.Context, db *runs.DB) (any, error) {
			return endpointSeen(db.Endpoints.EndpointNow(ctx, key))
		}, func(ctx context.Context, db database) (any, error) { return endpointSeen(db.EndpointNow(ctx, key)) }}
	}
	id := p.event()
	due := delivery.Due{EventID: id, Attempt: 1 + p.random.below(4), Waited: time.Duration(p.random.below(5)) * time.Minute}
	e := p.harness.store.events[id]
	if state := p.harness.store.endpoints[p.harness.store.endpointOf(e.WorkflowID, e.ReceiverID)]; len(state.InFlight) == 0 {
		due.InRun = p.random.below(3) == 0 // with places taken it would wait by the clock of the machine
	}
	says := p.receiverSays(id, due.Attempt)
	name, do := "deliver", (*delivery.Deliverer).Attempt
	if p.random.below(3) == 0 {
		name, do = "reserve a place for", (*delivery.Deliverer).Reserve
	}
	return operation{fmt.Sprintf("%s %+v: %d %v", name, due, says.made.Status, says.err), func(ctx context.Context, db *runs.DB) (any, error) {
		return do(p.deliverer(db.Deliveries, db.Endpoints, says), ctx, due)
	}, func(ctx context.Context, db database) (any, error) {
		return do(p.deliverer(db, db, says), ctx, due)
	}}
}

// enable enables an address, as setting it or a passed test does. An address that
// was changed meanwhile is left alone.
func (p *pair) enable() operation {
	w := p.workflows[p.random.below(len(p.workflows))]
	url := w.OutgoingWebhook.URL
	if p.random.below(5) == 0 {
		url += "/before"
	}
	return operation{"enable " + url + " of " + w.ID, func(ctx context.Context, db *runs.DB) (any, error) {
		return nil, db.Endpoints.EnableEndpoint(ctx, w.Owner, w.ID, url)
	}, func(context.Context, database) (any, error) {
		p.harness.store.enable(platen.EndpointKey{OwnerID: w.Owner.ID, URL: url})
		return nil, nil
	}}
}

// An endpointLook is what EndpointNow returns.
type endpointLook struct {
	State platen.EndpointState
	Now   time.Time
}

func endpointSeen(state platen.EndpointState, now time.Time, err error) (any, error) {
	return endpointLook{state, now}, err
}

// An addressedEvent is an event that is due, and where it goes.
type addressedEvent struct {
	ID       string
	State    platen.EventState
	Endpoint *platen.Endpoint
}

// addressed leaves out the id of the webhook, which the simulation makes up.
func addressed(e platen.Event, to *platen.Endpoint, err error) (any, error) {
	if to != nil {
		to.WebhookID = ""
	}
	return addressedEvent{e.ID, e.State, to}, err
}

// readEvent reads an event with its endpoint and the secrets that sign it.
func (p *pair) readEvent(id string) operation {
	return operation{"read " + id, func(ctx context.Context, db *runs.DB) (any, error) {
		return addressed(db.Deliveries.Event(ctx, id))
	}, func(ctx context.Context, db database) (any, error) { return addressed(db.Event(ctx, id)) }}
}

func (p *pair) endpointLines() (lines []string) {
	for key, e := range p.harness.store.endpoints {
		var held []string
		for _, l := range e.InFlight {
			held = append(held, l.EventID+"="+micros(l.Until))
		}
		lines = append(lines, line(key.OwnerID, orNull(strings.Join(held, ",")), e.Places, e.Failures, e.FailingSince, e.CoolDowns, e.OpenUntil, e.Slowed, e.Turn,
			e.Took.Microseconds(), e.Disabled, e.DisabledAt))
	}
	return lines
}

// endpointRows are the columns of endpointLines.
func endpointRows(us func(column string) string) string {
	return `SELECT concat_ws(' ', owner_id,
			(SELECT string_agg((lease ->> 'event') || '=' || (extract(epoch FROM (lease ->> 'until')::timestamptz) * 1000000)::bigint, ',' ORDER BY at) FROM jsonb_array_elements(in_flight) WITH ORDINALITY AS held (lease, at)),
			places, failures, ` + us("failing_since") + `, rests, ` + us("rests_until") + `, slowed, ` + us("turn") + `,
			(extract(epoch FROM took) * 1000000)::bigint, disabled, ` + us("disabled_at") + `) FROM endpoints`
}
