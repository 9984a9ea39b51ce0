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
// load, for as long as PLATEN_CHAOS_OUTAGE says: every event is acknowledged at
// once all the same, and every automation completes when Temporal is back.
func TestWhatIsAcceptedWhileTemporalIsAwayCompletes(t *testing.T) {
	text := os.Getenv(outageVariable)
	if text == "" {
		t.Skipf("takes minutes: make chaos OUTAGE=3m")
	}
	outage, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", outageVariable, err)
	}
	t.Logf("commit %s", commit(t))
	u := newUniverse(t, testkit.Number(t, "PLATEN_CHAOS_SEED", 1))
	u.load.calm = true
	var back time.Time
	var left, done int
	u.underLoad(outageEvery, func() {
		t.Logf("%s  Temporal is killed", time.Now().Format("15:04:05"))
		if err := u.service.conductor.kill(outage); err != nil {
			t.Fatal(err)
		}
		back = time.Now()
		left, done = u.unfinished()
		t.Logf("%s  Temporal is back; %d automations wait", back.Format("15:04:05"), left)
	})
	w := u.witness()
	u.catchUp(back, left, done)
	w.awaitQuiet(catchUpLimit)
	w.recoverEvents(t.Context())
	w.awaitQuiet(catchUpLimit)
	w.check()
	u.checkAccepting()
	w.report(map[string]int{"Temporal away for " + outage.String(): 1})
}

// unfinished counts automations that are not over, and those that are.
func (u *universe) unfinished() (left, done int) {
	u.t.Helper()
	conn, err := u.service.connect(u.t.Context())
	if err != nil {
		u.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(u.t.Context()))
	err = conn.QueryRow(u.t.Context(), `
		SELECT count(*) FILTER (WHERE finished_at IS NULL), count(*) FILTER (WHERE finished_at IS NOT NULL)
		FROM automations`).Scan(&left, &done)
	if err != nil {
		u.t.Fatal(err)
	}
	return left, done
}

// catchUp waits until nothing is left to do, and tells how fast that went.
func (u *universe) catchUp(back time.Time, left, done int) {
	u.t.Helper()
	first := time.Time{}
	finished := done
	err := program.Within(catchUpLimit, func() error {
		time.Sleep(200 * time.Millisecond) // the question is work, too
		var now int
		if now, finished = u.unfinished(); now > 0 {
			if first.IsZero() && finished > done {
				first = time.Now()
			}
			return fmt.Errorf("%d automations are not over", now)
		}
		return nil
	})
	if err != nil {
		u.t.Fatal(errors.Join(errors.New("it did not catch up"), err))
	}
	took := time.Since(back)
	u.t.Logf("caught up %.1f s after Temporal was back: %d automations, %.1f in a second; the backlog was %d, the first one ended within %.1f s",
		took.Seconds(), finished-done, float64(finished-done)/took.Seconds(), left, max(0, first.Sub(back).Seconds()))
}

// checkAccepting: nobody who sent an event noticed anything.
func (u *universe) checkAccepting() {
	u.t.Helper()
	took := slices.Sorted(slices.Values(u.load.took))
	if u.load.unclear > 0 || len(took) != len(u.load.ledger) {
		u.t.Errorf("acknowledged: got %d of %d events, %d requests without a clear answer; want all", len(took), len(u.load.ledger), u.load.unclear)
	}
	if len(took) > 0 {
		u.t.Logf("acknowledged %d events, p50 %v, p99 %v, longest %v", len(took),
			took[len(took)/2].Round(time.Millisecond/10), took[len(took)*99/100].Round(time.Millisecond/10), took[len(took)-1].Round(time.Millisecond))
	}
}
