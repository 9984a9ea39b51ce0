package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/platenhq/platen"
)

// errandBatch is how many errands are passed on side by side.
const errandBatch = 8

// errandsApart is how often it is looked for more while there are some: what
// comes due in a row is passed on in a row, not in heaps.
const errandsApart = 50 * time.Millisecond

// maxPutOff is how long deliveries are put off at a time: an address that is set
// anew is found out after that.
const maxPutOff = 5 * time.Minute

// Outbox is what /v0 asked Temporal for, kept in the store until Temporal was
// told. Each may be told twice.
type Outbox interface {
	// ClaimErrands leases up to limit errands; one that is not done when its
	// lease ends is claimed again.
	ClaimErrands(ctx context.Context, limit int, lease time.Duration) ([]platen.Errand, error)
	ErrandDone(ctx context.Context, e platen.Errand) error
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

// Runs passes errands on. KindUnavailable: Temporal does not answer.
type Runs interface {
	// Cancel asks the open run of an automation to end, and tells whether
	// there is one.
	Cancel(ctx context.Context, automationID string) (open bool, err error)
	// Deliver begins to deliver an event anew, in place of deliveries under way.
	Deliver(ctx context.Context, e platen.Errand) error
}

// errands passes on what was asked for until ctx ends. It looks every Poll and
// hears no notes: those of accepted events come a hundred times as often.
func (d *Dispatcher) errands(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := d.passOn(ctx)
		if err != nil && ctx.Err() == nil {
			d.options.Log.Warn("errands cannot be claimed", "error", err)
		}
		next := d.options.Poll
		switch {
		case n == errandBatch:
			continue
		case n > 0:
			next = min(next, errandsApart)
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
}

// passOn passes on one batch, but for events whose breaker refuses them, and
// returns how many it claimed.
func (d *Dispatcher) passOn(ctx context.Context) (int, error) {
	claimed, err := d.options.Outbox.ClaimErrands(ctx, errandBatch, d.options.Lease)
	if err != nil {
		return 0, err
	}
	// Deliveries may have to wait for what is known of their endpoints.
	slices.SortStableFunc(claimed, func(a, b platen.Errand) int {
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
			if err := d.errand(ctx, e); err != nil {
				d.options.Log.Warn("errand was not passed on; it is tried again", "kind", string(e.Kind), "id", e.ID, "error", err)
			}
		})
	}
	all.Wait()
	return len(claimed), nil
}

// refuses tells whether an errand is an event whose endpoint is not to be tried
// now, and puts off all events of the endpoint: a run that waits in Temporal
// costs a hundred times as much as a row that waits in the store. Where the
// breaker is not open but has no place, one goes on at a time, to wait for its
// turn beside the events of new automations. known is what was found out for this
// batch.
func (d *Dispatcher) refuses(ctx context.Context, e platen.Errand, known map[platen.EndpointKey]bool) bool {
	if e.Kind != platen.ErrandDeliver || e.Endpoint == (platen.EndpointKey{}) || d.options.Endpoints == nil || d.options.Refuses == nil {
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

func (d *Dispatcher) errand(ctx context.Context, e platen.Errand) error {
	switch e.Kind {
	case platen.ErrandCancel:
		open, err := d.options.Runs.Cancel(ctx, e.ID)
		if err != nil {
			return fmt.Errorf("cancel the run of %s: %w", e.ID, err)
		}
		if !open {
			// Nobody is left to end the automation; all of it was to be
			// cancelled, so none of its attempts is to go on.
			if _, err := d.endAutomation(ctx, e.ID, 0); err != nil {
				return fmt.Errorf("end %s: %w", e.ID, err)
			}
		}
	case platen.ErrandDeliver:
		if err := d.options.Runs.Deliver(ctx, e); err != nil {
			return fmt.Errorf("deliver %s anew: %w", e.ID, err)
		}
	default:
		return fmt.Errorf("a kind of errand that this release does not know")
	}
	if err := d.options.Outbox.ErrandDone(ctx, e); err != nil {
		return fmt.Errorf("note that it is done: %w", err)
	}
	return nil
}
