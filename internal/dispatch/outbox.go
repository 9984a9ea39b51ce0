package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// commandBatch is how many outbox commands are passed on side by side.
const commandBatch = 8

// commandsApart is how often it is looked for more while there are some: what
// comes due in a row is passed on in a row, not in heaps.
const commandsApart = 50 * time.Millisecond

// maxPutOff is how long deliveries are put off at a time: an address that was changed
// is found out after that.
const maxPutOff = 5 * time.Minute

// Outbox is what /v0 asked Temporal for, kept in the store until Temporal was
// told. Each may be told twice.
type Outbox interface {
	// ClaimCommands leases up to limit outbox commands; one that is not
	// acknowledged when its lease ends is claimed again.
	ClaimCommands(ctx context.Context, limit int, lease time.Duration) ([]platen.OutboxCommand, error)
	AcknowledgeCommand(ctx context.Context, e platen.OutboxCommand) error
	// PutOffDeliveries has the events of an endpoint that would come due within
	// wait, claimed or not, come due after it, one after the other.
	PutOffDeliveries(ctx context.Context, key platen.EndpointKey, wait time.Duration) error
}

// Endpoints is what is known of endpoints.
type Endpoints interface {
	// EndpointNow is what is known of an endpoint, and the time by the clock that
	// its times are of.
	EndpointNow(ctx context.Context, key platen.EndpointKey) (platen.EndpointState, time.Time, error)
}

// Runs passes outbox commands on. KindUnavailable: Temporal does not answer.
type Runs interface {
	// Cancel asks the latest run of an automation to end, and tells whether Temporal
	// knows one. The wish changes nothing of a run that is closed.
	Cancel(ctx context.Context, automationID string) (known bool, err error)
	// Wake has the latest run of an automation try again at once what waits for its
	// owner's connection. A run that is closed or unknown is no error.
	Wake(ctx context.Context, automationID string) error
	// Deliver begins to redeliver an event, in place of deliveries under way.
	Deliver(ctx context.Context, e platen.OutboxCommand) error
	// Mail begins to send a mail. One that is being sent is no error.
	Mail(ctx context.Context, e platen.OutboxCommand) error
	// Store begins to store an output at a target, in place of what waits to.
	Store(ctx context.Context, e platen.OutboxCommand) error
	// Review has an output that waits for people, or waited, looked after now.
	Review(ctx context.Context, e platen.OutboxCommand) error
}

// passOn passes on what was asked for until ctx ends. It looks every Poll and
// hears no notifications: those of accepted events come a hundred times as often.
func (d *Dispatcher) passOn(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := d.passOnBatch(ctx)
		if err != nil && ctx.Err() == nil {
			d.options.Log.Warn("outbox commands cannot be claimed", "error", err)
		}
		next := d.options.Poll
		switch {
		case n == commandBatch:
			continue
		case n > 0:
			next = min(next, commandsApart)
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
}

// passOnBatch passes on one batch, but for events whose breaker refuses them, and
// returns how many it claimed.
func (d *Dispatcher) passOnBatch(ctx context.Context) (int, error) {
	claimed, err := d.options.Outbox.ClaimCommands(ctx, commandBatch, d.options.Lease)
	if err != nil {
		return 0, err
	}
	// Deliveries may have to wait for what is known of their endpoints.
	slices.SortStableFunc(claimed, func(a, b platen.OutboxCommand) int {
		return cmp.Compare(a.Endpoint.URL, b.Endpoint.URL)
	})
	refused := make(map[platen.EndpointKey]bool)
	var all sync.WaitGroup
	for _, e := range claimed {
		if d.refuses(ctx, e, refused) {
			continue
		}
		all.Go(func() {
			// What began ends, though ctx does; it has its own time limit.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.options.StartTimeout)
			defer cancel()
			if err := d.carryOut(ctx, e); err != nil {
				d.options.Log.Warn("outbox command was not passed on; it is tried again", "kind", string(e.Kind), "id", e.ID, "error", err)
			}
		})
	}
	all.Wait()
	return len(claimed), nil
}

// refuses tells whether an outbox command is an event whose endpoint is not to
// be tried now, and puts off all events of the endpoint: a run that waits in
// Temporal costs a hundred times as much as a row that waits in the store. Where
// the breaker is not open but has no place, one goes on at a time, to wait for
// its turn beside the events of new automations. known is what was found out for
// this batch.
func (d *Dispatcher) refuses(ctx context.Context, e platen.OutboxCommand, known map[platen.EndpointKey]bool) bool {
	if e.Kind != platen.CommandDeliver || e.Endpoint == (platen.EndpointKey{}) || d.options.Endpoints == nil || d.options.Refuses == nil {
		return false
	}
	if refused, ok := known[e.Endpoint]; ok {
		return refused
	}
	open, refused, err := d.putOff(ctx, e.Endpoint)
	if ctx.Err() != nil {
		return true // claimed again when the lease has ended
	}
	if err != nil {
		d.options.Log.Warn("it is not known whether the breaker of an endpoint is open; the run of the event asks", "owner", e.Endpoint.OwnerID, "error", err)
	}
	known[e.Endpoint] = refused
	return refused && open
}

// putOff puts off the events of an endpoint whose breaker refuses them.
func (d *Dispatcher) putOff(ctx context.Context, key platen.EndpointKey) (open, refused bool, err error) {
	state, now, err := d.options.Endpoints.EndpointNow(ctx, key)
	if err != nil {
		return false, false, err
	}
	wait := min(d.options.Refuses(state, now), maxPutOff)
	if wait <= 0 {
		return false, false, nil
	}
	if err := d.options.Outbox.PutOffDeliveries(ctx, key, wait); err != nil {
		return false, false, err
	}
	return state.IsOpen(now), true, nil
}

// cancel asks the run of an automation to end. Where Temporal knows none, the automation
// ends here; all of it was to be cancelled, so none of its attempts is to go on. One
// whose run is closed is ended by the reconciler.
func (d *Dispatcher) cancel(ctx context.Context, automationID string) error {
	known, err := d.options.Runs.Cancel(ctx, automationID)
	if err != nil {
		return fmt.Errorf("cancel the run of %s: %w", automationID, err)
	}
	if known {
		return nil
	}
	if _, err := d.endAutomation(ctx, automationID, 0); err != nil {
		return fmt.Errorf("end %s: %w", automationID, err)
	}
	return nil
}

func (d *Dispatcher) carryOut(ctx context.Context, e platen.OutboxCommand) error {
	switch e.Kind {
	case platen.CommandCancel:
		if err := d.cancel(ctx, e.ID); err != nil {
			return err
		}
	case platen.CommandWake:
		if err := d.options.Runs.Wake(ctx, e.ID); err != nil {
			return fmt.Errorf("wake the run of %s: %w", e.ID, err)
		}
	case platen.CommandDeliver:
		if err := d.options.Runs.Deliver(ctx, e); err != nil {
			return fmt.Errorf("redeliver %s: %w", e.ID, err)
		}
	case platen.CommandMail:
		if err := d.options.Runs.Mail(ctx, e); err != nil {
			return fmt.Errorf("send %s: %w", e.ID, err)
		}
	case platen.CommandStore:
		if err := d.options.Runs.Store(ctx, e); err != nil {
			return fmt.Errorf("store %s: %w", e.ID, err)
		}
	case platen.CommandReview:
		if err := d.options.Runs.Review(ctx, e); err != nil {
			return fmt.Errorf("look after %s: %w", e.ID, err)
		}
	default:
		return fmt.Errorf("a kind of outbox command that this release does not know")
	}
	if err := d.options.Outbox.AcknowledgeCommand(ctx, e); err != nil {
		return fmt.Errorf("acknowledge it: %w", err)
	}
	return nil
}
