package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAnEndpointKeepsEverythingThatIsNotedOfIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	key := platen.EndpointKey{OwnerID: "usr_1", URL: "https://example.org/" + strings.Repeat("ä", 2000)}
	if got := f.Endpoint(key); len(got.InFlight) != 0 || got.Failures != 0 || got.Disabled != "" || !got.OpenUntil.IsZero() {
		t.Errorf("a new one: got %+v, want nothing", got)
	}
	at := storetest.Now()
	want := platen.EndpointState{
		InFlight: []platen.Lease{{EventID: "evt_1", Until: at}}, Places: 17, Failures: 5, FailingSince: at.Add(-time.Hour),
		CoolDowns: 2, OpenUntil: at.Add(time.Minute), Slowed: true, Turn: at.Add(2 * time.Minute), Took: 15 * time.Second,
		Disabled: platen.CodeEndpointGone, DisabledAt: at,
	}
	f.Change(key, func(s *platen.EndpointState, now time.Time) {
		if d := time.Since(now); d < -time.Minute || d > time.Minute {
			t.Errorf("the clock: got %v", now)
		}
		*s = want
	})
	if got := f.Endpoint(key); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, other := range []platen.EndpointKey{{OwnerID: "usr_2", URL: key.URL}, {OwnerID: "usr_1", URL: "https://example.org/"}} {
		if got := f.Endpoint(other); got.Failures != 0 {
			t.Errorf("another: got %+v, want nothing", got)
		}
	}
}

// A crowd makes attempts against one endpoint from many sides, as workers do.
type crowd struct {
	*harness
	key      platen.EndpointKey
	places   int // most at once; 0: the default
	inFlight atomic.Int32
	most     atomic.Int32
	answer   func() string // why an attempt fails
	made     atomic.Int32
}

func (c *crowd) Event(_ context.Context, id string) (platen.Event, *platen.Endpoint, error) {
	return platen.Event{ID: id, State: platen.EventPending}, &platen.Endpoint{OwnerID: c.key.OwnerID, URL: c.key.URL}, nil
}

func (c *crowd) RecordDelivery(context.Context, platen.Delivery, platen.EventState, time.Duration) error {
	return nil
}

func (c *crowd) HoldEvent(context.Context, string, int, string) error { return errors.New("held") }

func (c *crowd) Send(_ context.Context, e platen.Event, _ platen.Endpoint, attempt int) (platen.Delivery, error) {
	n := c.inFlight.Add(1)
	defer c.inFlight.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	c.made.Add(1)
	// Others ask for places while this one is held.
	for range 3 {
		if err := c.Ready(c.T.Context()); err != nil {
			return platen.Delivery{}, err
		}
	}
	return platen.Delivery{EventID: e.ID, Attempt: attempt, Failure: c.answer()}, nil
}

// rush lets so many events be due at once, each asking until it was tried or
// until it was refused so often.
func (c *crowd) rush(events, refusals int) {
	breaker := delivery.Breaker{MaxInFlight: c.places}.WithDefaults()
	d := &delivery.Deliverer{Events: c, Endpoints: c.Endpoints, Sender: c, Breaker: breaker, Schedule: make([]time.Duration, 10)}
	var all sync.WaitGroup
	for i := range events {
		all.Go(func() {
			for range refusals {
				sent, err := d.Attempt(c.T.Context(), delivery.Due{EventID: fmt.Sprintf("evt_%d", i), Attempt: 1})
				if err != nil {
					c.T.Error(err)
				}
				if err != nil || !sent.Postponed {
					return
				}
			}
		})
	}
	all.Wait()
}

func TestNoMoreAttemptsAreInFlightThanAnEndpointHasPlaces(t *testing.T) {
	t.Parallel()
	const places = 6
	c := &crowd{harness: newHarness(t), places: places, key: platen.EndpointKey{OwnerID: "usr_1", URL: "https://example.org"}, answer: func() string { return "" }}
	c.rush(40, 10_000)
	if most, made := c.most.Load(), c.made.Load(); most > places || most < 2 || made != 40 {
		t.Errorf("%d attempts, %d at once; want 40, at most %d at once", made, most, places)
	}
	if s := c.Endpoint(c.key); len(s.InFlight) != 0 || s.Failures != 0 {
		t.Errorf("afterwards: got %+v, want every place free", s)
	}
}

func TestWhileItFailsNoMoreAttemptsAreMadeThanFiveAndThoseUnderWay(t *testing.T) {
	t.Parallel()
	c := &crowd{harness: newHarness(t), key: platen.EndpointKey{OwnerID: "usr_1", URL: "https://example.org"}, answer: func() string { return "no answer" }}
	c.rush(40, 20)
	if made := c.made.Load(); made < 5 || made > 5+3 {
		t.Errorf("%d attempts, want 5 and at most 3 that were under way", made)
	}
	if s := c.Endpoint(c.key); s.CoolDowns != 1 || s.OpenUntil.IsZero() || len(s.InFlight) != 0 {
		t.Errorf("got %+v, want it to rest for the first time", s)
	}
	// The rest is over: one of all probes it.
	c.Change(c.key, func(s *platen.EndpointState, now time.Time) { s.OpenUntil = now.Add(-time.Second) })
	before := c.made.Load()
	c.rush(40, 5)
	if probes := c.made.Load() - before; probes != 1 {
		t.Errorf("%d probes, want one", probes)
	}
	// And once more, with a receiver that is well again.
	c.Change(c.key, func(s *platen.EndpointState, now time.Time) { s.OpenUntil = now.Add(-time.Second) })
	c.answer = func() string { return "" }
	c.rush(40, 10_000)
	if s := c.Endpoint(c.key); s.Failures != 0 || c.made.Load() != before+41 {
		t.Errorf("got %+v after %d attempts, want it in use again and %d", s, c.made.Load(), before+41)
	}
}

func TestAnAddressThatIsSetAnewIsEnabled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(f.Team("Sales")))
	key := platen.EndpointKey{OwnerID: w.Owner.ID, URL: w.OutgoingWebhook.URL}
	disable := func() {
		f.Change(key, func(s *platen.EndpointState, now time.Time) {
			s.InFlight = []platen.Lease{{EventID: "evt_1", Until: now.Add(time.Minute)}}
			s.Disabled, s.DisabledAt, s.Failures, s.Slowed = platen.CodeEndpointFailing, now, 9, true
		})
	}
	enabled := func(what string, want bool) {
		t.Helper()
		s := f.Endpoint(key)
		if got := s.Disabled == "" && s.Failures == 0 && !s.Slowed && len(s.InFlight) == 1; got != want {
			t.Errorf("%s: got %+v, want enabled %v", what, s, want)
		}
	}
	disable()
	f.Must(f.Endpoints.EnableEndpoint(t.Context(), w.Owner, w.ID, "https://example.org/before"))
	enabled("a test of an address that was changed since", false)
	f.Must(f.Endpoints.EnableEndpoint(t.Context(), w.Owner, w.ID, key.URL))
	enabled("by its address", true)
	disable()
	f.Workflow(w.Owner)
	enabled("by another workflow with the same address", true)
	storetest.WantKind(t, "a stranger's", f.Endpoints.EnableEndpoint(t.Context(), f.User(nil), w.ID, key.URL), platen.KindNotFound, "workflow_not_found")
	without := f.Workflow(w.Owner, func(w *platen.Workflow) { w.OutgoingWebhook = nil })
	_, _, err := f.Endpoints.EndpointState(t.Context(), w.Owner, without.ID)
	storetest.WantKind(t, "without a webhook", err, platen.KindNotFound, "outgoing_webhook_not_found")
}

func TestHeldEventsAreShownAndRecovered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	_, id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	_, failed, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: failed, Attempt: 1, At: storetest.Now(), Status: 410, Failure: "gone"}, platen.EventFailed, 0))
	for range 2 {
		f.Must(f.Deliveries.HoldEvent(t.Context(), id, 1, platen.CodeEndpointGone))
	}
	f.Must(f.Deliveries.HoldEvent(t.Context(), failed, 2, platen.CodeEndpointGone))
	e, _, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id)
	if err != nil || e.State != platen.EventHeld || e.Reason != platen.CodeEndpointGone {
		t.Errorf("event: got %+v, %v; want it HELD", e, err)
	}
	all, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{})
	f.Must(err)
	if len(all) != 2 || all[0].ID != p.AutomationID || all[0].Held != platen.CodeEndpointGone || all[1].Held != "" {
		t.Errorf("automations: got %+v, want the first with the reason", all)
	}
	key := platen.EndpointKey{OwnerID: w.Owner.ID, URL: w.OutgoingWebhook.URL}
	f.Change(key, func(s *platen.EndpointState, now time.Time) { s.Disabled, s.DisabledAt = platen.CodeEndpointGone, now })
	if s, held, err := f.Endpoints.EndpointState(t.Context(), w.Owner, w.ID); err != nil || held != 1 || s.Disabled != platen.CodeEndpointGone {
		t.Errorf("endpoint: got %+v, %d held, %v; want it disabled with one", s, held, err)
	}
	_, err = f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, time.Time{}, 10)
	storetest.WantKind(t, "recover while it is disabled", err, platen.KindInvalid, "endpoint_disabled")
	storetest.WantKind(t, "redeliver while it is disabled", f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id), platen.KindInvalid, "endpoint_disabled")
	f.Must(f.Endpoints.EnableEndpoint(t.Context(), w.Owner, w.ID, key.URL))
	n, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, time.Time{}, 10)
	if err != nil || n != (platen.Recovery{Events: 2, Held: 1}) {
		t.Errorf("recovered %+v, %v; want two, one of them held", n, err)
	}
	e, _, err = f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id)
	if err != nil || e.State != platen.EventPending || e.Reason != "" {
		t.Errorf("event: got %+v, %v; want it PENDING", e, err)
	}
	// They come due one after the other; the wait is made longer than a busy machine is slow.
	var order []string
	f.Must(f.Pool().QueryRow(t.Context(), `SELECT array_agg(id ORDER BY requested_at) FROM errands`).Scan(&order))
	if want := []string{id, failed}; !slices.Equal(order, want) || f.Count(`SELECT count(DISTINCT requested_at) FROM errands`) != 2 {
		t.Errorf("commands: got %v, want %v one after the other", order, want)
	}
	f.Exec(`UPDATE errands SET requested_at = requested_at + INTERVAL '1 hour' WHERE requested_at > (SELECT min(requested_at) FROM errands)`)
	if first := f.Commands(); len(first) != 1 || first[0].ID != id {
		t.Errorf("commands at first: got %+v, want the oldest event's", first)
	}
	f.Exec(`UPDATE errands SET requested_at = now(), leased_until = NULL`)
	var due []string
	for _, e := range f.Commands() {
		due = append(due, e.ID)
	}
	if slices.Sort(due); !slices.Equal(due, slices.Sorted(slices.Values([]string{id, failed}))) {
		t.Errorf("commands: got %v, want both", due)
	}
}

func TestADeliveryThatWasBegunAnewIsNotHeldByTheOldOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	_, id, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	f.Must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id))
	f.Must(f.Deliveries.HoldEvent(t.Context(), id, 1, platen.CodeEndpointBusy))
	if e, _, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id); err != nil || e.State != platen.EventPending {
		t.Errorf("got %+v, %v; want it PENDING", e, err)
	}
}

func TestWorkersThatChangeOneEndpointSeeWhatTheOthersMadeOfIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	key := platen.EndpointKey{OwnerID: "usr_1", URL: "https://example.org/"}
	workers := []*postgres.DB{f.DB.DB, postgres.New(f.Pool(), nil)}
	var wg sync.WaitGroup
	const each = 20
	for _, w := range workers {
		for range 4 {
			wg.Go(func() {
				for range each {
					err := w.Endpoints.UpdateEndpoint(t.Context(), key, func(s *platen.EndpointState, now time.Time) {
						s.Failures++
						if d := time.Since(now); d < -time.Minute || d > time.Minute {
							t.Errorf("the clock: got %v", now)
						}
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	for i, w := range workers {
		var got int
		f.Must(w.Endpoints.UpdateEndpoint(t.Context(), key, func(s *platen.EndpointState, _ time.Time) { got = s.Failures }))
		if want := len(workers) * 4 * each; got != want {
			t.Errorf("worker %d: got %d failures, want %d", i, got, want)
		}
	}
}

func TestWhatIsKnownOfAnEndpointHasTheTimeOfItsClock(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	key := platen.EndpointKey{OwnerID: f.User(nil).ID, URL: "https://receiver.example/"}
	if s, _, err := f.Endpoints.EndpointNow(t.Context(), key); err != nil || s.Failures != 0 {
		t.Errorf("unknown: got %+v, %v; want the zero state", s, err)
	}
	var until time.Time
	f.Change(key, func(s *platen.EndpointState, now time.Time) {
		until = now.Add(time.Minute)
		s.Failures, s.OpenUntil = 5, until
	})
	s, now, err := f.Endpoints.EndpointNow(t.Context(), key)
	if err != nil || s.Failures != 5 || now.After(until) || until.Sub(now) > time.Minute {
		t.Errorf("got %+v at %v, %v; want five failures within a minute before %v", s, now, err, until)
	}
}
