package delivery

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

// A Breaker says when an endpoint may be tried, so that an endpoint that does not
// answer costs others no places and no time. Its rules depend only on the endpoint's
// state, which the store keeps for all workers and hands out under a lock.
//
// Closed, it lets InFlight attempts be under way at a time, and up to MaxInFlight at an endpoint
// that answers quickly: each answer within a second adds a place while half of them are taken. A
// slower answer takes half of the places back, a failure all but InFlight. After Failures in a row
// it is open for its cool-down, which is CoolDown at first and doubles with each failed attempt, up
// to MaxCoolDown. Then it is half-open: one attempt at a time probes the endpoint, and one that
// succeeds closes it.
//
// An endpoint that says it is overloaded opens it at once. An endpoint is disabled when
// it answers 410, and after DisableAfter of nothing but failure. Setting its address or
// a passed test enables it.
type Breaker struct {
	InFlight, MaxInFlight int
	Failures              int
	CoolDown, MaxCoolDown time.Duration
	DisableAfter          time.Duration
	// Lease is how long an attempt holds its place when the worker that makes
	// it dies; it must be longer than any attempt.
	Lease time.Duration
	// Jitter returns a random duration below n. Default: rand.N.
	Jitter func(n time.Duration) time.Duration
}

func (b Breaker) jitter(n time.Duration) time.Duration {
	if b.Jitter != nil {
		return b.Jitter(n)
	}
	return rand.N(n)
}

// leaseMargin is added to the time of an attempt: what reading and recording
// take on a busy machine.
const leaseMargin = 5 * time.Second

// DefaultBreaker is for attempts that take outgoing.DefaultTimeout at most.
func DefaultBreaker() Breaker {
	return Breaker{InFlight: 4, MaxInFlight: 32, Failures: 5, CoolDown: time.Minute, MaxCoolDown: time.Hour, DisableAfter: 5 * 24 * time.Hour, Lease: LeaseFor(outgoing.DefaultTimeout)}
}

// WithDefaults is the breaker with what DefaultBreaker has where it has nothing.
func (b Breaker) WithDefaults() Breaker {
	d := DefaultBreaker()
	return Breaker{
		InFlight: cmp.Or(b.InFlight, d.InFlight), MaxInFlight: cmp.Or(b.MaxInFlight, d.MaxInFlight), Failures: cmp.Or(b.Failures, d.Failures),
		CoolDown: cmp.Or(b.CoolDown, d.CoolDown), MaxCoolDown: cmp.Or(b.MaxCoolDown, d.MaxCoolDown),
		DisableAfter: cmp.Or(b.DisableAfter, d.DisableAfter), Lease: cmp.Or(b.Lease, d.Lease), Jitter: b.Jitter,
	}
}

// LeaseFor is the lease of attempts that take so long at most.
func LeaseFor(attempt time.Duration) time.Duration { return attempt + leaseMargin }

// hanging is after how long an attempt that has no answer makes an endpoint
// one that a run does not wait for, and an answer is no quick one.
const hanging = time.Second

// maxTurn is how long an event waits for its turn at most, a cool-down aside,
// however many wait: nothing wakes those that wait when the endpoint is well again.
const maxTurn = 6 * time.Hour

// A verdict is what the breaker says of one attempt.
type verdict struct {
	admitted bool
	disabled string        // why nothing is sent any more
	wait     time.Duration // until the attempt's turn, with jitter; 0: at once, but not in a run
	soon     bool          // a place will be free in a moment
}

// admit takes a place for an attempt of the event, or says what is in its way.
// patient attempts belong to runs of their own; others would keep a run waiting
// and are made only where nothing speaks against it.
//
// An attempt that was admitted before and is made again takes its place over.
func (b Breaker) admit(s *platen.EndpointState, eventID string, patient bool, now time.Time) verdict {
	s.InFlight = slices.DeleteFunc(s.InFlight, func(l platen.Lease) bool { return l.EventID == eventID || !now.Before(l.Until) })
	limit := b.limit(*s)
	doubtful := s.Failures > 0 || b.oldest(s, now) > hanging
	switch {
	case s.Disabled != "":
		return verdict{disabled: s.Disabled}
	case s.IsOpen(now):
		return verdict{wait: b.turn(s, s.OpenUntil, now)}
	case len(s.InFlight) < limit && doubtful && !patient:
		return verdict{}
	case len(s.InFlight) < limit:
		s.InFlight = append(s.InFlight, platen.Lease{EventID: eventID, Until: now.Add(b.Lease)})
		return verdict{admitted: true}
	case !doubtful && !patient:
		return verdict{soon: true}
	case s.Failures >= b.Failures: // until the probe has ended
		return verdict{wait: b.turn(s, s.InFlight[0].Until, now)}
	}
	return verdict{wait: b.turn(s, now, now)}
}

// limit is how many attempts may be under way while the breaker is not open: one
// where it is half-open.
func (b Breaker) limit(s platen.EndpointState) int {
	if s.Failures >= b.Failures || s.Slowed {
		return 1
	}
	return b.places(s)
}

// places is how many attempts may be under way at an endpoint that is well. An
// endpoint has the places that it had, within what is set now.
func (b Breaker) places(s platen.EndpointState) int {
	return max(b.InFlight, min(s.Places, b.MaxInFlight))
}

// adapt is how many places an endpoint has after an attempt beside which so many
// were under way, itself included.
func (b Breaker) adapt(s platen.EndpointState, d platen.Delivery, underWay int) int {
	places := b.places(s)
	switch {
	case d.Failure != "":
		return b.InFlight
	case d.Duration > hanging:
		return max(b.InFlight, places/2)
	case 2*underWay >= places:
		return max(b.InFlight, min(places+1, b.MaxInFlight))
	}
	return places
}

// RefusesFor is for how long it is no use to ask for a place: until a cool-down
// is over, or as long again as attempts that hold every place have had no answer.
// It is 0 where events are to be held, which a run of theirs does.
func (b Breaker) RefusesFor(s platen.EndpointState, now time.Time) time.Duration {
	s.InFlight = slices.DeleteFunc(slices.Clone(s.InFlight), func(l platen.Lease) bool { return !now.Before(l.Until) })
	since := b.oldest(&s, now)
	switch {
	case s.Disabled != "":
		return 0
	case s.IsOpen(now):
		return s.OpenUntil.Sub(now)
	case len(s.InFlight) < b.limit(s):
		return 0
	case s.Failures >= b.Failures:
		return max(since, hanging)
	case since > hanging:
		return since
	}
	return 0
}

// turn gives each event that has to wait a moment of its own after earliest:
// if all came when a cool-down is over, they would be as many as there are, and all
// but one in vain.
func (b Breaker) turn(s *platen.EndpointState, earliest, now time.Time) time.Duration {
	pace := b.pace(s, now)
	if s.Turn.Before(earliest) {
		s.Turn = earliest
	}
	s.Turn = s.Turn.Add(pace)
	if latest := earliest.Add(maxTurn); s.Turn.After(latest) {
		s.Turn = latest
		return latest.Sub(now) - b.jitter(maxTurn/2)
	}
	return s.Turn.Sub(now) + b.jitter(pace)
}

// pace is how far turns are apart: as far as the endpoint takes events, as far
// as its last attempt and those under way tell, and further the longer it takes
// none.
func (b Breaker) pace(s *platen.EndpointState, now time.Time) time.Duration {
	slowest := max(b.CoolDown/60, time.Millisecond)
	if s.Failures >= b.Failures {
		return slowest * time.Duration(min(max(s.CoolDowns, 1), 4))
	}
	took := max(s.Took, b.oldest(s, now), slowest/10)
	return min(took/time.Duration(b.places(*s)), slowest) + time.Microsecond
}

// oldest is for how long the oldest attempt under way has had no answer.
func (b Breaker) oldest(s *platen.EndpointState, now time.Time) time.Duration {
	var since time.Duration
	for _, l := range s.InFlight {
		since = max(since, now.Sub(l.Until.Add(-b.Lease)))
	}
	return since
}

// settle gives the place back and draws the conclusions from how the attempt
// went. A 508 says that the event goes in a circle: that counts neither for the
// endpoint nor against it.
func (b Breaker) settle(s *platen.EndpointState, d platen.Delivery, now time.Time) {
	underWay := len(s.InFlight)
	s.InFlight = slices.DeleteFunc(s.InFlight, func(l platen.Lease) bool { return l.EventID == d.EventID })
	s.Took = d.Duration
	if d.Status == http.StatusLoopDetected {
		return
	}
	s.Places = b.adapt(*s, d, underWay)
	if d.Failure == "" {
		s.Failures, s.FailingSince, s.CoolDowns, s.OpenUntil, s.Slowed, s.Turn = 0, time.Time{}, 0, time.Time{}, false, time.Time{}
		return
	}
	if s.Failures == 0 {
		s.FailingSince = now
	}
	s.Failures++
	b.open(s, d, now)
	switch {
	case s.Disabled != "":
	case d.Status == http.StatusGone:
		s.Disabled, s.DisabledAt = platen.CodeEndpointGone, now
	case s.Failures >= b.Failures && now.Sub(s.FailingSince) >= b.DisableAfter:
		s.Disabled, s.DisabledAt = platen.CodeEndpointFailing, now
	}
}

// open opens the breaker where the attempt that failed is a reason to.
func (b Breaker) open(s *platen.EndpointState, d platen.Delivery, now time.Time) {
	coolDown := min(d.RetryAfter, b.MaxCoolDown)
	switch d.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout: // Standard Webhooks, "Rate limiting"
		s.Slowed = true
		coolDown = max(coolDown, double(b.CoolDown/12, s.Failures-1, b.MaxCoolDown))
	}
	// Attempts that were under way when a cool-down began make it no longer.
	if s.Failures >= b.Failures && !s.IsOpen(now) {
		coolDown = max(coolDown, double(b.CoolDown, s.CoolDowns, b.MaxCoolDown))
		s.CoolDowns++
	}
	if until := now.Add(coolDown); coolDown > 0 && until.After(s.OpenUntil) {
		s.OpenUntil = until
	}
}

// double is d, doubled so many times, at most most.
func double(d time.Duration, times int, most time.Duration) time.Duration {
	for ; times > 0 && d < most; times-- {
		d *= 2
	}
	return min(d, most)
}
