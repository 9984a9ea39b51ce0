package delivery

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A table has a breaker, an endpoint, and a clock.
type table struct {
	t   *testing.T
	b   Breaker
	s   platen.EndpointState
	now time.Time
}

func newTable(t *testing.T) *table {
	return &table{t: t, b: DefaultBreaker(), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (x *table) ask(eventID string) verdict { return x.b.admit(&x.s, eventID, true, x.now) }

func (x *table) admitted(eventID string) {
	x.t.Helper()
	if v := x.ask(eventID); !v.admitted {
		x.t.Fatalf("%s: got %+v, want it admitted; the endpoint is %+v", eventID, v, x.s)
	}
}

func (x *table) refused(eventID string) time.Duration {
	x.t.Helper()
	v := x.ask(eventID)
	if v.admitted || v.disabled != "" || v.wait <= 0 {
		x.t.Fatalf("%s: got %+v, want it to wait; the endpoint is %+v", eventID, v, x.s)
	}
	return v.wait
}

// fails makes an attempt that is answered with the status, 0: not at all.
func (x *table) fails(status int) {
	x.t.Helper()
	x.admitted("evt_f")
	x.b.settle(&x.s, platen.Delivery{EventID: "evt_f", Status: status, Failure: "refused"}, x.now)
}

func (x *table) succeeds() {
	x.t.Helper()
	x.admitted("evt_s")
	x.b.settle(&x.s, platen.Delivery{EventID: "evt_s", Status: 200}, x.now)
}

func TestFourAttemptsAreInFlightAndNoMore(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4", "evt_4"} {
		x.admitted(id) // the last is an attempt that is made again
	}
	x.refused("evt_5")
	x.b.settle(&x.s, platen.Delivery{EventID: "evt_2", Status: 200, Duration: 2 * hanging}, x.now)
	x.admitted("evt_5")
	x.refused("evt_6")
}

// fills takes every place that is free, and returns the events that have one.
func (x *table) fills() (events []string) {
	x.t.Helper()
	for n := range 1000 {
		id := fmt.Sprint("evt_", n)
		if !x.ask(id).admitted {
			return events
		}
		events = append(events, id)
	}
	x.t.Fatal("there is no end of places")
	return nil
}

// answers has the receiver answer every attempt under way, and returns how many
// places there are then.
func (x *table) answers(d platen.Delivery) int {
	x.t.Helper()
	for _, id := range x.fills() {
		d.EventID = id
		x.b.settle(&x.s, d, x.now)
	}
	places := len(x.fills())
	x.s.InFlight = nil
	return places
}

func TestPlacesGrowWhileAnswersAreQuickAndShrinkWhenTheyAreNot(t *testing.T) {
	t.Parallel()
	quick, slow := platen.Delivery{Status: 200, Duration: hanging}, platen.Delivery{Status: 200, Duration: hanging + time.Millisecond}
	for name, c := range map[string]struct {
		answer platen.Delivery
		want   int
	}{
		"quick":                {quick, 32},
		"slow":                 {slow, 4},
		"refused":              {platen.Delivery{Status: 400, Failure: "refused"}, 1}, // 32 failures open the breaker
		"a circle of webhooks": {platen.Delivery{Status: http.StatusLoopDetected, Failure: "circle"}, 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTable(t)
			for range 10 {
				x.answers(quick)
			}
			if got := len(x.fills()); got != x.b.MaxInFlight {
				t.Fatalf("after many quick answers: got %d places, want %d", got, x.b.MaxInFlight)
			}
			x.answers(c.answer)
			x.now = x.s.OpenUntil
			if got := len(x.fills()); got != c.want {
				t.Errorf("got %d places, want %d", got, c.want)
			}
		})
	}
}

func TestOneFailureTakesEveryPlaceBackThatGrew(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 400, 429, 500, 502} {
		x := newTable(t)
		for range 10 {
			x.answers(platen.Delivery{Status: 200})
		}
		x.fails(status)
		x.now = x.now.Add(x.b.MaxCoolDown)
		x.succeeds()
		if got := len(x.fills()); got != x.b.InFlight {
			t.Errorf("after an answer of %d: got %d places, want %d", status, got, x.b.InFlight)
		}
	}
}

func TestPlacesThatNobodyTakesDoNotGrow(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for range 100 {
		x.succeeds()
	}
	if got := len(x.fills()); got != x.b.InFlight {
		t.Errorf("after a hundred events one by one: got %d places, want %d", got, x.b.InFlight)
	}
}

func TestPlacesStayWithinWhatIsSetNow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ floor, ceiling, had, want int }{{4, 32, 100, 32}, {4, 32, 0, 4}, {10, 32, 4, 10}, {50, 32, 4, 50}, {4, 4, 32, 4}} {
		x := newTable(t)
		x.b.InFlight, x.b.MaxInFlight, x.s.Places = c.floor, c.ceiling, c.had
		if got := len(x.fills()); got != c.want {
			t.Errorf("from %d to %d, %d before: got %d places, want %d", c.floor, c.ceiling, c.had, got, c.want)
		}
	}
}

func TestPlacesOfAWorkerThatDiedAreFreeAfterTheLease(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
	x.now = x.now.Add(x.b.Lease - time.Millisecond)
	x.refused("evt_5")
	x.now = x.now.Add(time.Millisecond)
	x.admitted("evt_5")
	if len(x.s.InFlight) != 1 || x.s.Failures != 0 {
		t.Errorf("got %+v, want one in flight and no failure counted", x.s)
	}
}

func TestAfterFiveFailuresInARowTheBreakerOpensAndTheEndpointIsProbed(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for range 4 {
		x.fails(500)
	}
	x.succeeds()
	for range 4 {
		x.fails(500)
	}
	x.admitted("evt_1") // four in a row are not five
	x.b.settle(&x.s, platen.Delivery{EventID: "evt_1", Failure: "no answer"}, x.now)
	for _, coolDown := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour} {
		if wait := x.refused("evt_1"); wait < coolDown {
			t.Errorf("a cool-down of %v: got a wait of %v", coolDown, wait)
		}
		x.now = x.now.Add(coolDown)
		x.admitted("evt_p")
		if wait := x.refused("evt_1"); wait < x.b.Lease {
			t.Errorf("while it is probed: got a wait of %v, want more than the probe may take", wait)
		}
		x.b.settle(&x.s, platen.Delivery{EventID: "evt_p", Status: 500, Failure: "refused"}, x.now)
	}
	x.now = x.now.Add(time.Hour)
	x.succeeds()
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
}

func TestAttemptsThatWereUnderWayMakeARestNoLonger(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	x.fails(0)
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.b.settle(&x.s, platen.Delivery{EventID: id, Failure: "no answer"}, x.now)
	}
	if until := x.now.Add(x.b.CoolDown); !x.s.OpenUntil.Equal(until) || x.s.CoolDowns != 1 {
		t.Errorf("open until %v after %d cool-downs, want %v", x.s.OpenUntil, x.s.CoolDowns, until)
	}
}

func TestThoseWhoWaitComeOneAfterTheOther(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for range 5 {
		x.fails(500)
	}
	last := time.Duration(0)
	for range 100 {
		wait := x.refused("evt_1")
		if wait < last-2*time.Second || wait < x.b.CoolDown {
			t.Fatalf("got a wait of %v after one of %v", wait, last)
		}
		last = wait
	}
	if last < x.b.CoolDown+90*time.Second {
		t.Errorf("the last of 100 waits %v, want them about a second apart", last)
	}
	x.now = x.s.OpenUntil
	x.succeeds()
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
	if wait := x.refused("evt_5"); wait > time.Second {
		t.Errorf("when it takes events again, one that finds it busy waits %v, want it soon", wait)
	}
}

func TestNobodyWaitsForDaysHoweverManyWait(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for range 5 {
		x.fails(500)
	}
	most, late := x.b.CoolDown+maxTurn, 0
	for range 50_000 {
		wait := x.refused("evt_1")
		if wait > most+2*time.Second {
			t.Fatalf("got a wait of %v, want %v at most", wait, most)
		}
		if wait > most-maxTurn/4 {
			late++
		}
	}
	if late > 20_000 {
		t.Errorf("%d of 50000 come in the last quarter, want them spread", late)
	}
}

func TestAnOverloadedEndpointIsSlowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 502, 504} {
		x := newTable(t)
		x.fails(status)
		if wait := x.refused("evt_1"); wait < 5*time.Second {
			t.Errorf("%d: got a wait of %v, want 5 s at least", status, wait)
		}
		x.now = x.s.OpenUntil
		x.admitted("evt_1")
		x.refused("evt_2") // one at a time
		x.b.settle(&x.s, platen.Delivery{EventID: "evt_1", Status: 200}, x.now)
		x.admitted("evt_2")
		x.admitted("evt_3")
	}
}

func TestAnEndpointThatIsGoneGetsNothingMore(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	x.admitted("evt_late")
	x.fails(410)
	if v := x.ask("evt_1"); v.disabled != platen.CodeEndpointGone {
		t.Errorf("got %+v, want it disabled", v)
	}
	// An answer to what was under way does not enable it.
	x.b.settle(&x.s, platen.Delivery{EventID: "evt_late", Status: 200}, x.now)
	x.now = x.now.Add(1000 * time.Hour)
	if v := x.ask("evt_1"); v.disabled != platen.CodeEndpointGone {
		t.Errorf("later: got %+v, want it disabled", v)
	}
}

func TestACircleOfWebhooksCountsNeitherForNorAgainstTheEndpoint(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for range 2 * x.b.Failures {
		x.fails(http.StatusLoopDetected)
	}
	if s := x.s; s.Failures != 0 || !s.FailingSince.IsZero() || !s.OpenUntil.IsZero() || len(s.InFlight) != 0 {
		t.Errorf("got %+v, want no failure, no cool-down and nothing in flight", s)
	}
	x.fails(500)
	x.fails(http.StatusLoopDetected)
	if x.s.Failures != 1 {
		t.Errorf("got %d failures, want the one that was", x.s.Failures)
	}
}

func TestFiveDaysOfNothingButFailureDisable(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	began := x.now
	for x.s.Disabled == "" {
		x.fails(500)
		if x.s.Disabled == "" {
			x.now = x.now.Add(max(x.s.OpenUntil.Sub(x.now), time.Minute))
		}
		if took := x.now.Sub(began); took > x.b.DisableAfter+2*time.Hour {
			t.Fatalf("after %v: got %+v, want it disabled", took, x.s)
		}
	}
	if took := x.now.Sub(began); took < x.b.DisableAfter || x.s.Disabled != platen.CodeEndpointFailing {
		t.Errorf("disabled after %v as %q, want after five days as failing", took, x.s.Disabled)
	}
	x = newTable(t)
	x.fails(500)
	x.now = x.now.Add(30 * 24 * time.Hour)
	x.fails(500)
	if x.s.Disabled != "" {
		t.Error("two failures far apart disabled it")
	}
}

func TestARunWaitsForAPlaceThatIsFreeSoonButForNothingElse(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
	if v := x.b.admit(&x.s, "evt_5", false, x.now); !v.soon {
		t.Errorf("at a busy endpoint: got %+v, want it to wait a moment", v)
	}
	x.now = x.now.Add(2 * hanging)
	if v := x.b.admit(&x.s, "evt_5", false, x.now); v.soon || v.admitted || v.wait <= 0 {
		t.Errorf("at one that hangs: got %+v, want its turn later", v)
	}
}

func TestTurnsAtAnEndpointThatHangsAreFurtherApartTheLongerItDoes(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
	apart := func() time.Duration {
		before := x.s.Turn
		x.refused("evt_5")
		return x.s.Turn.Sub(before)
	}
	x.refused("evt_5")
	if got := apart(); got > 50*time.Millisecond {
		t.Errorf("while it may be merely busy, turns are %v apart, want some ten milliseconds", got)
	}
	x.now = x.now.Add(5 * time.Second)
	x.refused("evt_5")
	if got := apart(); got < time.Second {
		t.Errorf("after five seconds without an answer, turns are %v apart, want a second", got)
	}
}

func TestABreakerRefusesWhileItIsOpenOrAllPlacesAreTakenForLong(t *testing.T) {
	t.Parallel()
	x := newTable(t)
	refuses := func(what string, least, most time.Duration) {
		t.Helper()
		if got := x.b.RefusesFor(x.s, x.now); got < least || got > most {
			t.Errorf("%s: refuses for %v, want %v to %v", what, got, least, most)
		}
	}
	refuses("unknown", 0, 0)
	for _, id := range []string{"evt_1", "evt_2", "evt_3", "evt_4"} {
		x.admitted(id)
	}
	x.now = x.now.Add(hanging)
	refuses("four under way for a moment", 0, 0)
	x.now = x.now.Add(9 * time.Second)
	refuses("four under way for ten seconds", 10*time.Second, 10*time.Second)
	x.b.settle(&x.s, platen.Delivery{EventID: "evt_1", Status: 200}, x.now)
	refuses("with a place", 0, 0)
	x.now = x.now.Add(x.b.Lease)
	for range x.b.Failures {
		x.fails(500)
	}
	refuses("open", x.b.CoolDown, x.b.CoolDown)
	x.now = x.now.Add(x.b.CoolDown)
	refuses("half-open", 0, 0)
	x.admitted("evt_probe")
	refuses("while the probe is under way", hanging, hanging)
	x.s.Disabled = platen.CodeEndpointFailing
	refuses("disabled, so that a run holds the event", 0, 0)
	if len(x.s.InFlight) != 1 {
		t.Errorf("asking changed the places: %+v", x.s.InFlight)
	}
}
