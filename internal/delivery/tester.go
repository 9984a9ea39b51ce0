package delivery

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// testsApart is the interval between tests of an endpoint that is open or disabled.
const testsApart = 5 * time.Second

// A Tester is a Sender of test events, which share the places of an endpoint with all
// others. If the breaker is open or the endpoint is disabled, one test at a time may
// probe it. The caller enables the endpoint when a test passes; a failed test does not
// count there.
type Tester struct {
	Endpoints Endpoints
	Sender    Sender
	Breaker   Breaker
}

// Send is Sender.Send, and answers KindRateLimited with code "test_busy" where the
// endpoint has no place.
func (t Tester) Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	var wait time.Duration
	err := t.Endpoints.UpdateEndpoint(ctx, to.Key(), func(s *platen.EndpointState, now time.Time) {
		wait = t.Breaker.admitTest(s, e.ID, now)
	})
	switch {
	case err != nil:
		return platen.Delivery{}, fmt.Errorf("ask for a place for test event %s: %w", e.ID, err)
	case wait > 0:
		return platen.Delivery{}, &platen.Error{Kind: platen.KindRateLimited, Code: "test_busy", RetryAfter: wait,
			Message: "The receiver has no place for a test event now: other events or tests are under way there. Send this again after the seconds that Retry-After says."}
	}
	made, err := t.Sender.Send(ctx, e, to, attempt)
	passed := err == nil && made.Failure == ""
	// Also for a caller who has gone.
	noted := t.Endpoints.UpdateEndpoint(context.WithoutCancel(ctx), to.Key(), func(s *platen.EndpointState, now time.Time) {
		t.Breaker.settleTest(s, e.ID, passed, now)
	})
	if err == nil && noted != nil {
		err = fmt.Errorf("give back the place of test event %s: %w", e.ID, noted)
	}
	return made, err
}

// admitTest takes a place for a test, or says when to ask again.
func (b Breaker) admitTest(s *platen.EndpointState, eventID string, now time.Time) time.Duration {
	s.InFlight = slices.DeleteFunc(s.InFlight, func(l platen.Lease) bool { return !now.Before(l.Until) })
	limit := b.limit(*s)
	if isUnwell(s, now) {
		limit = 1
	}
	if len(s.InFlight) < limit {
		s.InFlight = append(s.InFlight, platen.Lease{EventID: eventID, Until: now.Add(b.Lease)})
		return 0
	}
	first := slices.MinFunc(s.InFlight, func(a, b platen.Lease) int { return a.Until.Compare(b.Until) })
	return first.Until.Sub(now)
}

// settleTest gives the place back: at once, or after testsApart where another test
// would fail, too.
func (b Breaker) settleTest(s *platen.EndpointState, eventID string, passed bool, now time.Time) {
	s.InFlight = slices.DeleteFunc(s.InFlight, func(l platen.Lease) bool { return l.EventID == eventID })
	if !passed && isUnwell(s, now) {
		s.InFlight = append(s.InFlight, platen.Lease{EventID: eventID, Until: now.Add(testsApart)})
	}
}

// isUnwell tells that an endpoint is sent nothing, or nothing for a while.
func isUnwell(s *platen.EndpointState, now time.Time) bool { return s.Disabled != "" || s.IsOpen(now) }
