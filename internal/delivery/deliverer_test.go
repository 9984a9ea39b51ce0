package delivery_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// mailbox is one PENDING event, its endpoint, and a receiver that answers with
// a status.
type mailbox struct {
	status     int
	retryAfter time.Duration
	state      platen.EndpointState
	at         time.Time
	recorded   []platen.EventState
	held       []string
	sent       int
}

func (m *mailbox) Event(_ context.Context, id string) (platen.Event, *platen.Endpoint, error) {
	return platen.Event{ID: id, State: platen.EventPending}, &platen.Endpoint{OwnerID: "usr_1", URL: "https://busy.example"}, nil
}

func (m *mailbox) RecordDelivery(_ context.Context, _ platen.Delivery, state platen.EventState, _ time.Duration) error {
	m.recorded = append(m.recorded, state)
	return nil
}

func (m *mailbox) HoldEvent(_ context.Context, _ string, _ int, reason string) error {
	m.held = append(m.held, reason)
	return nil
}

func (m *mailbox) UpdateEndpoint(_ context.Context, _ platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	change(&m.state, m.at)
	return nil
}

func (m *mailbox) Send(_ context.Context, e platen.Event, _ platen.Endpoint, attempt int) (platen.Delivery, error) {
	m.sent++
	d := platen.Delivery{EventID: e.ID, Attempt: attempt, Status: m.status, RetryAfter: m.retryAfter}
	if m.status >= 300 {
		d.Failure = "refused"
	}
	return d, nil
}

func (m *mailbox) deliverer() *delivery.Deliverer {
	return &delivery.Deliverer{
		Events: m, Endpoints: m, Sender: m, Breaker: delivery.DefaultBreaker(),
		Schedule: []time.Duration{0, time.Minute, time.Hour},
	}
}

func newMailbox(status int) *mailbox {
	return &mailbox{status: status, at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func TestDeliveriesBegunAnewFollowTheWholeSchedule(t *testing.T) {
	t.Parallel()
	for before := range 3 {
		m := newMailbox(503)
		d := m.deliverer()
		for n, least := range []time.Duration{time.Minute, time.Hour, 0} {
			sent, err := d.Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: before + n + 1, Before: before})
			if err != nil || sent.Ended != (n == 2) || sent.Wait < least || sent.Wait > 2*least {
				t.Errorf("attempt %d after %d: got %+v, %v; want a wait of about %v", before+n+1, before, sent, err, least)
			}
		}
		if got := m.recorded[2]; got != platen.EventFailed {
			t.Errorf("after the last attempt: got %s, want FAILED", got)
		}
	}
}

func TestAnAttemptThatTheBreakerRefusesIsNotMadeAndDoesNotCount(t *testing.T) {
	t.Parallel()
	m := newMailbox(200)
	m.state.OpenUntil = m.at.Add(time.Minute)
	sent, err := m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 3})
	if err != nil || !sent.Postponed || sent.Ended || sent.Wait < time.Minute || sent.Wait > 2*time.Minute {
		t.Errorf("got %+v, %v; want a wait of a little more than a minute", sent, err)
	}
	if m.sent != 0 || len(m.recorded) != 0 {
		t.Errorf("%d attempts made and %d recorded, want none", m.sent, len(m.recorded))
	}
}

func TestARunLeavesADoubtfulEndpointToARunOfTheEvent(t *testing.T) {
	t.Parallel()
	m := newMailbox(200)
	m.state.Failures, m.state.FailingSince = 1, m.at
	sent, err := m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1, InRun: true})
	if err != nil || !sent.Postponed || sent.Wait != 0 || m.sent != 0 {
		t.Errorf("got %+v, %v after %d attempts; want it handed on at once", sent, err, m.sent)
	}
	if sent, err = m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1}); err != nil || !sent.Delivered {
		t.Errorf("in a run of its own: got %+v, %v; want it delivered", sent, err)
	}
}

func TestEventsOfADisabledEndpointAreHeld(t *testing.T) {
	t.Parallel()
	m := newMailbox(http.StatusGone)
	sent, err := m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1, InRun: true})
	if err != nil || !sent.Ended || sent.Held || !slices.Equal(m.recorded, []platen.EventState{platen.EventFailed}) {
		t.Fatalf("the event that was answered by 410: got %+v, %v, %v; want FAILED", sent, err, m.recorded)
	}
	sent, err = m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_2", Attempt: 1, InRun: true})
	if err != nil || !sent.Ended || !sent.Held || m.sent != 1 || !slices.Equal(m.held, []string{platen.CodeEndpointGone}) {
		t.Errorf("the next: got %+v, %v, held %v; want it held without an attempt", sent, err, m.held)
	}
}

func TestAnEventThatWaitedForDaysIsHeld(t *testing.T) {
	t.Parallel()
	m := newMailbox(200)
	m.state.OpenUntil = m.at.Add(time.Minute)
	in := delivery.Due{EventID: "evt_1", Attempt: 1, Waited: delivery.DefaultBreaker().DisableAfter}
	sent, err := m.deliverer().Attempt(t.Context(), in)
	if err != nil || !sent.Held || !slices.Equal(m.held, []string{platen.CodeEndpointBusy}) {
		t.Errorf("got %+v, %v, held %v; want it held", sent, err, m.held)
	}
}

func TestTheEventWaitsAsLongAsItsReceiverAsksWithinADay(t *testing.T) {
	t.Parallel()
	for asked, least := range map[time.Duration]time.Duration{30 * time.Second: time.Minute, time.Hour: time.Hour, 400 * 24 * time.Hour: 24 * time.Hour} {
		m := newMailbox(503)
		m.retryAfter = asked
		sent, err := m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1})
		if err != nil || sent.Wait < least || sent.Wait > least*6/5 {
			t.Errorf("asked for %v: got %+v, %v; want about %v", asked, sent, err, least)
		}
		if coolDown, want := m.state.OpenUntil.Sub(m.at), min(asked, time.Hour); coolDown != want {
			t.Errorf("asked for %v: the breaker is open for %v, want %v", asked, coolDown, want)
		}
	}
}

func TestAPlaceThatWasAskedForIsTheAttempts(t *testing.T) {
	t.Parallel()
	m := newMailbox(200)
	d := m.deliverer()
	d.Breaker.InFlight = 1
	in := delivery.Due{EventID: "evt_1", Attempt: 1}
	if asked, err := d.Reserve(t.Context(), in); err != nil || asked != (delivery.Result{}) || m.sent != 0 {
		t.Fatalf("got %+v, %v after %d attempts; want a yes", asked, err, m.sent)
	}
	other := delivery.Due{EventID: "evt_2", Attempt: 1}
	if asked, err := d.Reserve(t.Context(), other); err != nil || !asked.Postponed || asked.Wait <= 0 {
		t.Errorf("another: got %+v, %v; want it to wait", asked, err)
	}
	if sent, err := d.Attempt(t.Context(), in); err != nil || !sent.Delivered || len(m.state.InFlight) != 0 {
		t.Errorf("got %+v, %v with %v in flight; want it delivered and its place free", sent, err, m.state.InFlight)
	}
}

// A changing endpoint's state is asked for by another function at each call.
type changing struct {
	*mailbox
	calls int
	call  func(n int) error // from 1
}

func (c *changing) UpdateEndpoint(ctx context.Context, key platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	c.calls++
	if err := c.call(c.calls); err != nil {
		return err
	}
	return c.mailbox.UpdateEndpoint(ctx, key, change)
}

func TestAnAttemptThatWasRecordedIsNotMadeAgainForItsPlace(t *testing.T) {
	t.Parallel()
	m := newMailbox(503)
	d := m.deliverer()
	d.Log = slog.New(slog.DiscardHandler)
	d.Endpoints = &changing{mailbox: m, call: func(n int) error {
		if n == 2 {
			return errors.New("away")
		}
		return nil
	}}
	sent, err := d.Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1, InRun: true})
	if err != nil || sent.Ended || sent.Wait < time.Minute || len(m.recorded) != 1 {
		t.Errorf("got %+v, %v with %d recorded; want the next attempt in a minute", sent, err, len(m.recorded))
	}
}

func TestARunLeavesAnEndpointThatBecomesDoubtfulWhileItWaits(t *testing.T) {
	t.Parallel()
	for doubtfulAt := 2; doubtfulAt <= 5; doubtfulAt++ {
		m := newMailbox(200)
		until := m.at.Add(delivery.DefaultBreaker().Lease)
		for _, id := range []string{"evt_2", "evt_3", "evt_4", "evt_5"} {
			m.state.InFlight = append(m.state.InFlight, platen.Lease{EventID: id, Until: until})
		}
		d := m.deliverer()
		d.Endpoints = &changing{mailbox: m, call: func(n int) error {
			if n == doubtfulAt {
				m.state.InFlight, m.state.Failures, m.state.FailingSince = m.state.InFlight[:3], 1, m.at
			}
			return nil
		}}
		sent, err := d.Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1, InRun: true})
		if err != nil || !sent.Postponed || m.sent != 0 {
			t.Errorf("doubtful at try %d: got %+v, %v after %d attempts; want it handed over", doubtfulAt, sent, err, m.sent)
		}
	}
}

func TestARunHandsOverWhatABusyEndpointHasNoPlaceFor(t *testing.T) {
	t.Parallel()
	m := newMailbox(200)
	for _, id := range []string{"evt_2", "evt_3", "evt_4", "evt_5"} {
		m.state.InFlight = append(m.state.InFlight, platen.Lease{EventID: id, Until: m.at.Add(delivery.DefaultBreaker().Lease)})
	}
	sent, err := m.deliverer().Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1, InRun: true})
	if err != nil || !sent.Postponed || m.sent != 0 {
		t.Errorf("got %+v, %v after %d attempts; want it handed over", sent, err, m.sent)
	}
}

func TestEachFailedAttemptIsOneLineAndTheLastOneAWarning(t *testing.T) {
	t.Parallel()
	var to bytes.Buffer
	m := newMailbox(503)
	d := m.deliverer()
	d.Log = slog.New(slog.NewTextHandler(&to, nil))
	for n := range 3 {
		if _, err := d.Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: n + 1}); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(to.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d lines, want 3: %s", len(lines), to.String())
	}
	for n, line := range lines {
		wanted := []string{"level=INFO", `msg="delivery failed"`, "event=evt_1", "owner=usr_1", fmt.Sprintf("attempt=%d", n+1), "status=503", "next="}
		if n == 2 {
			wanted[0], wanted[6] = "level=WARN", "state=FAILED"
		}
		for _, want := range wanted {
			if !strings.Contains(line, want) {
				t.Errorf("attempt %d: got %s, want %s", n+1, line, want)
			}
		}
	}
	to.Reset()
	m = newMailbox(200)
	d = m.deliverer()
	d.Log = slog.New(slog.NewTextHandler(&to, nil))
	if _, err := d.Attempt(t.Context(), delivery.Due{EventID: "evt_1", Attempt: 1}); err != nil || to.Len() != 0 {
		t.Errorf("an attempt that succeeds: got %v and %q", err, to.String())
	}
}
