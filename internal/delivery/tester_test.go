package delivery

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// These are one endpoint, at a time that the test sets, and a receiver.
type testedEndpoint struct {
	state  platen.EndpointState
	now    time.Time
	answer func() (platen.Delivery, error)
	sent   int
}

func (x *testedEndpoint) UpdateEndpoint(_ context.Context, _ platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	change(&x.state, x.now)
	return nil
}

func (x *testedEndpoint) Send(_ context.Context, _ platen.Event, _ platen.Endpoint, _ int) (platen.Delivery, error) {
	x.sent++
	return x.answer()
}

func (x *testedEndpoint) test(t *testing.T, id string) error {
	t.Helper()
	_, err := Tester{Endpoints: x, Sender: x, Breaker: DefaultBreaker()}.Send(t.Context(), platen.Event{ID: id}, platen.Endpoint{}, 1)
	return err
}

func wantBusy(t *testing.T, err error, wait time.Duration) {
	t.Helper()
	var busy *platen.Error
	if !errors.As(err, &busy) || busy.Code != "test_busy" || busy.Kind != platen.KindRateLimited || busy.RetryAfter != wait {
		t.Errorf("got %v, want that the endpoint has no place for %v", err, wait)
	}
}

func TestTestsShareThePlacesOfTheirEndpoint(t *testing.T) {
	t.Parallel()
	x := &testedEndpoint{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), answer: func() (platen.Delivery, error) { return platen.Delivery{Status: 200}, nil }}
	b := DefaultBreaker()
	for range b.InFlight {
		b.admit(&x.state, platen.NewID(platen.PrefixEvent), true, x.now)
	}
	wantBusy(t, x.test(t, "evt_t"), b.Lease)
	if x.sent != 0 {
		t.Errorf("%d tests were sent, want none", x.sent)
	}
	x.now = x.now.Add(b.Lease)
	if err := x.test(t, "evt_t"); err != nil || x.sent != 1 || len(x.state.InFlight) != 0 {
		t.Errorf("got %v, %d sent and %d under way; want the test sent and its place given back", err, x.sent, len(x.state.InFlight))
	}
}

func TestADisabledEndpointIsTestedOnceInFiveSeconds(t *testing.T) {
	t.Parallel()
	x := &testedEndpoint{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), answer: func() (platen.Delivery, error) { return platen.Delivery{Failure: "refused"}, nil }}
	x.state.Disabled = platen.CodeEndpointFailing
	for n := range 3 {
		if err := x.test(t, "evt_t"); err != nil || x.sent != n+1 {
			t.Fatalf("test %d: got %v after %d sent, want it sent", n, err, x.sent)
		}
		wantBusy(t, x.test(t, "evt_u"), testsApart)
		x.now = x.now.Add(testsApart)
	}
	if x.state.Disabled == "" || x.state.Failures != 0 {
		t.Errorf("got %+v, want the endpoint as it was", x.state)
	}
}

func TestATestWhoseSenderFailedGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	x := &testedEndpoint{now: time.Now(), answer: func() (platen.Delivery, error) { return platen.Delivery{}, broken }}
	if err := x.test(t, "evt_t"); !errors.Is(err, broken) || len(x.state.InFlight) != 0 {
		t.Errorf("got %v and %d under way, want the error and none", err, len(x.state.InFlight))
	}
}
