package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

// outageVariable says for how long Temporal is away.
const outageVariable = "PLATEN_CHAOS_OUTAGE"

const (
	// outageEvery is the pause between two events: 10 in a second.
	outageEvery = 100 * time.Millisecond
	// catchUpLimit is for what a quarter of an hour without Temporal leaves.
	catchUpLimit = 30 * time.Minute
)

// TestWhatIsAcceptedWhileTemporalIsAwayCompletes takes Temporal away under
// load, for as long as PLATEN_CHAOS_OUTAGE says, on workers with default
// settings: every event is acknowledged at once all the same, every automation
// completes when Temporal is back, and nearly as fast as a backlog does that
// waited for nothing but workers.
func TestWhatIsAcceptedWhileTemporalIsAwayCompletes(t *testing.T) {
	outage := durationOf(t, outageVariable, "make chaos OUTAGE=3m")
	t.Logf("commit %s", commit(t))
	h := newHarnessWith(t, testkit.Number(t, "PLATEN_CHAOS_SEED", 1), []string{"PLATEN_SWEEP_AFTER=5s"})
	h.load.calm = true
	usual := h.drainBacklog()
	var back time.Time
	var left, done int
	h.underLoad(outageEvery, func() {
		t.Logf("%s  Temporal is killed", time.Now().Format("15:04:05"))
		if err := h.service.temporalInstance.kill(outage); err != nil {
			t.Fatal(err)
		}
		back = time.Now()
		left, done = h.unfinished()
		t.Logf("%s  Temporal is back; %d automations wait", back.Format("15:04:05"), left)
	})
	w := h.witness()
	rate := h.catchUp(back, left, done)
	t.Logf("rate after the outage ÷ that of a backlog without one: %.2f", rate/usual)
	if rate < leastRate*usual {
		t.Errorf("catching up: got %.1f automations in a second, want at least %.1f × %.1f", rate, leastRate, usual)
	}
	w.awaitQuiet(catchUpLimit)
	w.recoverEvents(t.Context())
	w.awaitQuiet(catchUpLimit)
	w.check()
	h.checkAccepting()
	w.report(map[string]int{"Temporal away for " + outage.String(): 1})
}

const (
	// backlogEvents wait while no worker is there; workersAway is as long as it
	// takes to send them.
	backlogEvents, workersAway = 600, 15 * time.Second
	// leastRate is what an outage may leave of the rate.
	leastRate = 0.7
)

// drainBacklog sends events while both workers are away, and returns how many
// automations end in a second when they are back.
func (h *harness) drainBacklog() (perSecond float64) {
	h.t.Helper()
	for _, name := range []string{"worker-1", "worker-2"} {
		if !h.service.processes[name].kill(workersAway) {
			h.t.Fatalf("%s does not run", name)
		}
	}
	workflows := h.integrator.workflows
	for _, w := range workflows {
		h.load.burst(h.t.Context(), w, backlogEvents/len(workflows))
	}
	left, done := h.unfinished()
	if done > 0 || left < backlogEvents/len(workflows)*len(workflows) {
		h.t.Fatalf("a backlog: %d automations wait and %d are done, want all of %d waiting", left, done, backlogEvents)
	}
	eventually(h.t, "workers begin", startLimit, func() error {
		if left, done := h.unfinished(); done == 0 {
			return fmt.Errorf("%d wait, none is done", left)
		}
		return nil
	})
	return h.catchUp(time.Now(), left, 1)
}

// durationOf reads a variable; without it the test is skipped.
func durationOf(t *testing.T, variable, command string) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Skipf("takes minutes: %s", command)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return d
}

// unfinished counts automations that are not over, and those that are.
func (h *harness) unfinished() (left, done int) {
	h.t.Helper()
	conn, err := h.service.connect(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(h.t.Context()))
	err = conn.QueryRow(h.t.Context(), `
		SELECT count(*) FILTER (WHERE finished_at IS NULL), count(*) FILTER (WHERE finished_at IS NOT NULL)
		FROM automations`).Scan(&left, &done)
	if err != nil {
		h.t.Fatal(err)
	}
	return left, done
}

// catchUp waits until nothing is left to do, and returns how many automations
// ended in a second since then.
func (h *harness) catchUp(back time.Time, left, done int) (perSecond float64) {
	h.t.Helper()
	first := time.Time{}
	finished := done
	err := program.Within(catchUpLimit, func() error {
		time.Sleep(200 * time.Millisecond) // the question is work, too
		var now int
		if now, finished = h.unfinished(); now > 0 {
			if first.IsZero() && finished > done {
				first = time.Now()
			}
			return fmt.Errorf("%d automations are not over", now)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(errors.Join(errors.New("it did not catch up"), err))
	}
	took := time.Since(back)
	perSecond = float64(finished-done) / took.Seconds()
	h.t.Logf("caught up after %.1f s: %d automations, %.1f in a second; the backlog was %d, the first one ended within %.1f s",
		took.Seconds(), finished-done, perSecond, left, max(0, first.Sub(back).Seconds()))
	return perSecond
}

// checkAccepting: nobody who sent an event noticed anything.
func (h *harness) checkAccepting() {
	h.t.Helper()
	took := slices.Sorted(slices.Values(h.load.took))
	if h.load.unclear > 0 || len(took) != len(h.load.ledger) {
		h.t.Errorf("acknowledged: got %d of %d events, %d requests without a clear answer; want all", len(took), len(h.load.ledger), h.load.unclear)
	}
	if len(took) > 0 {
		h.t.Logf("acknowledged %d events, p50 %v, p99 %v, longest %v", len(took),
			took[len(took)/2].Round(time.Millisecond/10), took[len(took)*99/100].Round(time.Millisecond/10), took[len(took)-1].Round(time.Millisecond))
	}
}
