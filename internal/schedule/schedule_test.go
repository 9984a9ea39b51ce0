package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/schedule"
)

// A clockwork is a store of one schedule, and its clock.
type clockwork struct {
	mu       sync.Mutex
	now      time.Time
	of       platen.DueSchedule
	tryAt    time.Time
	accepted []string
	refuse   error
	lost     bool     // the lease, when something is settled
	counted  []string // outcomes
}

func (c *clockwork) ClaimSchedules(_ context.Context, _, _ int, _ time.Duration) ([]platen.DueSchedule, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tryAt.After(c.now) {
		return nil, nil
	}
	c.tryAt = c.now.Add(time.Hour)
	c.of.Attempts++
	return []platen.DueSchedule{c.of}, nil
}

func (c *clockwork) AcceptMoment(_ context.Context, _ platen.DueSchedule, at, next time.Time, events [][]byte) (*platen.ScheduleOutcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse != nil || c.lost {
		return nil, c.refuse
	}
	for _, e := range events {
		c.accepted = append(c.accepted, at.Format("02 15:04 ")+string(e))
	}
	outcome := &platen.ScheduleOutcome{At: at, State: platen.ScheduleDone, Events: len(events)}
	c.settle(next, time.Time{}, outcome)
	return outcome, nil
}

func (c *clockwork) SettleMoment(_ context.Context, _ platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) (held bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lost {
		c.settle(next, retry, outcome)
	}
	return !c.lost, nil
}

func (c *clockwork) settle(next, retry time.Time, outcome *platen.ScheduleOutcome) {
	if outcome != nil {
		c.of.Last = outcome
	}
	if !retry.IsZero() {
		c.tryAt = retry
		return
	}
	c.of.NextAt, c.tryAt, c.of.Attempts, c.of.RequestedAt = next, next, 0, nil
}

// newClockwork has the schedule of a cron in Berlin, made then.
func newClockwork(t *testing.T, cron, then string) *clockwork {
	t.Helper()
	now, err := time.Parse(time.RFC3339, then)
	if err != nil {
		t.Fatal(err)
	}
	c := &clockwork{now: now, of: platen.DueSchedule{Schedule: platen.Schedule{ID: platen.NewID(platen.PrefixSchedule), Cron: cron, TimeZone: "Europe/Berlin", Data: []byte(`{}`)}}}
	if c.of.NextAt, err = c.of.Next(now); err != nil {
		t.Fatal(err)
	}
	c.tryAt = c.of.NextAt
	return c
}

// passes moves the clock on and makes a pass.
func (c *clockwork) passes(t *testing.T, by time.Duration, read func(ctx context.Context, s platen.Schedule, at time.Time) ([]byte, error)) {
	t.Helper()
	c.now = c.now.Add(by)
	runner := schedule.Runner{Store: c, Read: read, Now: func() time.Time { return c.now }}
	runner.Count = func(state platen.ScheduleState, code string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.counted = append(c.counted, string(state)+" "+code)
	}
	if err := runner.Pass(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
}

func (c *clockwork) wants(t *testing.T, accepted ...string) {
	t.Helper()
	if !slices.Equal(c.accepted, accepted) {
		t.Errorf("got %q, want %q", c.accepted, accepted)
	}
}

func TestEachMomentIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	c := newClockwork(t, "0 6 * * *", "2026-11-30T12:00:00Z")
	for range 72 * 4 {
		c.passes(t, 15*time.Minute, nil)
	}
	c.wants(t, "01 05:00 {}", "02 05:00 {}", "03 05:00 {}")
}

func TestADayWithAnHourLessOrMoreHasItsMomentOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		then string
		want []string
	}{
		{"2027-03-27T12:00:00Z", []string{"28 01:00 {}", "29 00:30 {}"}},
		{"2027-10-30T12:00:00Z", []string{"31 00:30 {}", "01 01:30 {}"}},
	} {
		clock := newClockwork(t, "30 2 * * *", c.then)
		for range 48 * 6 {
			clock.passes(t, 10*time.Minute, nil)
		}
		clock.wants(t, c.want...)
	}
}

func TestOfMomentsThatWereMissedTheLastIsCarriedOut(t *testing.T) {
	t.Parallel()
	c := newClockwork(t, "0 * * * *", "2026-11-30T12:10:00Z")
	c.passes(t, 5*time.Hour, nil)
	c.wants(t, "30 17:00 {}")
	late := newClockwork(t, "0 6 1 * *", "2026-11-30T12:00:00Z")
	late.passes(t, 48*time.Hour, nil)
	late.wants(t)
	if late.of.Last == nil || late.of.Last.Code != platen.CodeScheduleMissed || late.of.Last.State != platen.ScheduleFailed || late.of.NextAt.Month() != time.January {
		t.Errorf("got %+v, next %v", late.of.Last, late.of.NextAt)
	}
}

func TestWhatIsOffStartsNothing(t *testing.T) {
	t.Parallel()
	c := newClockwork(t, "0 * * * *", "2026-11-30T12:10:00Z")
	c.of.Off = true
	c.passes(t, time.Hour, nil)
	c.wants(t)
	if c.of.Last != nil || c.of.NextAt.Hour() != 14 {
		t.Errorf("got %+v, next %v", c.of.Last, c.of.NextAt)
	}
	c.of.Last = &platen.ScheduleOutcome{State: platen.ScheduleRetry, Code: platen.CodeScheduleUnavailable}
	c.passes(t, time.Hour, nil)
	if c.of.Last.State != platen.ScheduleFailed || c.of.Last.Code != platen.CodeScheduleUnavailable {
		t.Errorf("got %+v, want the attempt that is not made again as a failure", c.of.Last)
	}
}

func TestAnAddressThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	c := newClockwork(t, "0 6 * * *", "2026-11-30T12:00:00Z")
	c.of.Data, c.of.URL = nil, "https://shop.example.com"
	away := func(context.Context, platen.Schedule, time.Time) ([]byte, error) {
		return nil, platen.Errorf(platen.KindUnavailable, platen.CodeScheduleUnavailable, "Away.")
	}
	c.passes(t, 17*time.Hour, away)
	if c.of.Last.State != platen.ScheduleRetry || !c.tryAt.Equal(c.now.Add(time.Minute)) {
		t.Errorf("got %+v, tried again at %v", c.of.Last, c.tryAt)
	}
	c.passes(t, time.Minute, func(_ context.Context, s platen.Schedule, at time.Time) ([]byte, error) {
		return fmt.Appendf(nil, `[{"at":"%d"},{}]`, at.Hour()), nil
	})
	c.wants(t, `01 05:00 {"at":"5"}`, "01 05:00 {}")
	c.now = time.Date(2026, 12, 2, 5, 0, 0, 0, time.UTC)
	for range 6 {
		c.passes(t, 0, away)
		c.now = c.now.Add(20 * time.Minute)
	}
	if c.of.Last.State != platen.ScheduleFailed || c.of.NextAt.Day() != 3 {
		t.Errorf("after six attempts: got %+v, next %v", c.of.Last, c.of.NextAt)
	}
}

func TestWhatStaysWrongIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for code, read := range map[string]func() ([]byte, error){
		platen.CodeScheduleNotJSON: func() ([]byte, error) { return []byte(`<html>`), nil },
		platen.CodeScheduleTooMany: func() ([]byte, error) { return []byte("[" + strings.Repeat("{},", 100) + "{}]"), nil },
		platen.CodeScheduleRefused: func() ([]byte, error) {
			return nil, platen.Errorf(platen.KindInvalid, platen.CodeScheduleRefused, "No.")
		},
		platen.CodeScheduleTooLarge: func() ([]byte, error) { return make([]byte, platen.MaxScheduleData+1), nil },
	} {
		c := newClockwork(t, "0 6 * * *", "2026-11-30T12:00:00Z")
		c.of.Data, c.of.URL = nil, "https://shop.example.com"
		c.passes(t, 17*time.Hour, func(context.Context, platen.Schedule, time.Time) ([]byte, error) { return read() })
		if c.of.Last.Code != code || c.of.Last.State != platen.ScheduleFailed || c.of.NextAt.Day() != 2 {
			t.Errorf("%s: got %+v, next %v", code, c.of.Last, c.of.NextAt)
		}
	}
	c := newClockwork(t, "0 6 * * *", "2026-11-30T12:00:00Z")
	c.refuse = platen.ErrUsageLimit(c.now, platen.UsageRoom{Most: 1, Used: 1}, 1)
	c.passes(t, 17*time.Hour, nil)
	if c.of.Last.Code != "usage_limit_reached" || c.of.Last.State != platen.ScheduleFailed {
		t.Errorf("got %+v", c.of.Last)
	}
}

func TestAnAddressIsAskedWithItsSecretAndBounded(t *testing.T) {
	t.Parallel()
	asked := make(chan http.Header, 1)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			asked <- r.Header
			_, _ = w.Write([]byte(`[{"a":1}]`))
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, 2*platen.MaxScheduleData))
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer host.Close()
	reader := schedule.Reader{Client: outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}})}
	at := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	s := platen.Schedule{URL: host.URL + "/ok", Header: "X-Api-Key", Secret: "hidden"}
	data, err := reader.Read(t.Context(), s, at)
	if err != nil || string(data) != `[{"a":1}]` {
		t.Fatalf("got %s, %v", data, err)
	}
	if h := <-asked; h.Get("X-Api-Key") != "hidden" || h.Get("Authorization") != "" || h.Get(schedule.MomentHeader) != platen.Timestamp(at) {
		t.Errorf("got %v", h)
	}
	for path, want := range map[string]struct {
		kind platen.Kind
		code string
	}{
		"/busy":  {platen.KindUnavailable, platen.CodeScheduleUnavailable},
		"/moved": {platen.KindInvalid, platen.CodeScheduleRefused},
		"/wrong": {platen.KindInvalid, platen.CodeScheduleRefused},
	} {
		_, err := reader.Read(t.Context(), platen.Schedule{URL: host.URL + path}, at)
		refused, ok := errors.AsType[*platen.Error](err)
		if !ok || refused.Kind != want.kind || refused.Code != want.code {
			t.Errorf("%s: got %v, want %v %s", path, err, want.kind, want.code)
		}
	}
	if data, err := reader.Read(t.Context(), platen.Schedule{URL: host.URL + "/none"}, at); err != nil || data != nil {
		t.Errorf("204: got %q, %v", data, err)
	}
	if data, err := reader.Read(t.Context(), platen.Schedule{URL: host.URL + "/large"}, at); err != nil || len(data) != platen.MaxScheduleData+1 {
		t.Errorf("2 MiB: got %d bytes, %v; want one more than is allowed", len(data), err)
	}
	guarded := schedule.Reader{Client: outgoing.NewClient(outgoing.Options{})}
	if _, err := guarded.Read(t.Context(), s, at); platen.KindOf(err) != platen.KindInvalid || len(asked) != 0 {
		t.Errorf("a private address: got %v, and %d requests", err, len(asked))
	}
}

// A moment that another worker has taken is not counted by this one.
func TestOnlyMomentsThatWereHeldAreCounted(t *testing.T) {
	t.Parallel()
	c := newClockwork(t, "0 * * * *", "2026-11-30T12:10:00Z")
	refuses := func(context.Context, platen.Schedule, time.Time) ([]byte, error) {
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeScheduleRefused, "No.")
	}
	for _, lost := range []bool{true, false} {
		c.lost = lost
		c.of.Data, c.of.URL = []byte(`{}`), ""
		c.passes(t, time.Hour, nil)
		c.of.Data, c.of.URL = nil, "https://shop.example.com"
		c.passes(t, time.Hour, refuses)
	}
	if want := []string{"DONE ", "FAILED " + platen.CodeScheduleRefused}; !slices.Equal(c.counted, want) {
		t.Errorf("got %q, want %q", c.counted, want)
	}
}

// A database that is away, and a bug, leave the lease to run out: the moment is not over.
func TestAMomentThatIsNotStoredIsTakenAgain(t *testing.T) {
	t.Parallel()
	c := newClockwork(t, "* * * * *", "2026-11-30T12:00:00Z")
	c.refuse = platen.Errorf(platen.KindUnavailable, "database_unavailable", "Away.")
	c.passes(t, time.Minute, nil)
	if c.of.Last != nil || c.of.NextAt.Minute() != 1 {
		t.Errorf("without a database: got %+v, next %v", c.of.Last, c.of.NextAt)
	}
	c.refuse = nil
	c.of.Data, c.of.URL = nil, "https://shop.example.com"
	c.passes(t, 2*time.Hour, func(context.Context, platen.Schedule, time.Time) ([]byte, error) { panic("a bug") })
	if c.of.Last != nil {
		t.Errorf("after a panic: got %+v", c.of.Last)
	}
	c.passes(t, 2*time.Hour, func(context.Context, platen.Schedule, time.Time) ([]byte, error) { return []byte(`{}`), nil })
	c.wants(t, "30 16:01 {}")
}
