package chaos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
	"github.com/platenhq/platen/worker"
)

// rolloutLimit is for workers to take their place among the builds.
const rolloutLimit = time.Minute

// deployment reaches that of the service's workers.
func (s *service) deployment(ctx context.Context) (d worker.Deployment, closed func(), err error) {
	stack := s.temporalInstance.stack
	temporal, err := client.DialContext(ctx, client.Options{HostPort: stack.TemporalAddress, Namespace: stack.TemporalNamespace, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return worker.Deployment{}, nil, err
	}
	return worker.Deployment{Client: temporal, Namespace: stack.TemporalNamespace, Queue: queue}, temporal.Close, nil
}

// current returns the build that takes what is new.
func current(ctx context.Context, d worker.Deployment) (string, error) {
	builds, err := d.Look(ctx)
	if err != nil {
		return "", err
	}
	for _, b := range builds {
		if b.State == worker.BuildCurrent {
			return b.ID, nil
		}
	}
	return "", errors.New("no build is current")
}

// becomes waits until a build is current.
func becomes(ctx context.Context, d worker.Deployment, build string) error {
	return program.Within(rolloutLimit, func() error {
		now, err := current(ctx, d)
		if err != nil {
			return err
		}
		if now != build {
			return fmt.Errorf("build %s is current, want %s", now, build)
		}
		return nil
	})
}

// replace starts a worker as the next build.
func (s *service) replace(name, build string) error {
	s.processes[name].set("PLATEN_BUILD_ID", build)
	return s.processes[name].killNow()
}

// rollOut replaces both workers by the next build, one after the other, and
// takes Temporal away for a while when the first of them starts. The second is
// replaced when the build before has no runs left, as an operator does.
func (f *faultRun) rollOut(ctx context.Context, away time.Duration) error {
	d, closed, err := f.service.deployment(ctx)
	if err != nil {
		return err
	}
	defer closed()
	f.service.build++
	build := f.service.newest()
	f.service.temporal.hole.Store(true)
	err = f.service.replace("worker-2", build)
	time.Sleep(away)
	f.service.temporal.hole.Store(false)
	if err := errors.Join(err, becomes(ctx, d, build)); err != nil {
		return err
	}
	if err := drained(ctx, d); err != nil {
		return err
	}
	return f.service.replace("worker-1", build)
}

// newest is the id of the build that was rolled out last.
func (s *service) newest() string { return fmt.Sprintf("build-%d", s.build) }

// drained waits until no runs are left that only workers of earlier builds carry
// on. Temporal's list of runs lags a second behind.
func drained(ctx context.Context, d worker.Deployment) error {
	since := time.Now()
	return program.Within(rolloutLimit, func() error {
		builds, err := d.Builds(ctx)
		if err != nil {
			return err
		}
		for _, b := range builds {
			if b.State != worker.BuildCurrent && b.OpenRuns > 0 {
				since = time.Now()
				return fmt.Errorf("%d runs are left to build %s", b.OpenRuns, b.ID)
			}
		}
		if time.Since(since) < 3*time.Second {
			return errors.New("some may have begun a moment ago")
		}
		return nil
	})
}

// checkRollouts: the build that was rolled out last is the one that is current.
func (w *witness) checkRollouts(ctx context.Context) {
	w.t.Helper()
	d, closed, err := w.service.deployment(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	defer closed()
	if now, err := current(ctx, d); err != nil || now != w.service.newest() {
		w.fault("rollout", "build %s is current in the end, %v; want %s", now, err, w.service.newest())
	}
}

// rolloutVariable says for how long Temporal is away after a rollout.
const rolloutVariable = "PLATEN_CHAOS_ROLLOUT"

// TestARolloutIsNotTakenBackByAnOutageOfTemporal rolls a build out on one of
// two workers, takes Temporal away, and lets the worker of the build before
// come back to it first.
func TestARolloutIsNotTakenBackByAnOutageOfTemporal(t *testing.T) {
	away := durationOf(t, rolloutVariable, "make chaos ROLLOUT=150s")
	h := newHarness(t, 1)
	h.load.calm = true
	h.underLoad(time.Second/2, func() {
		d, closed, err := h.service.deployment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer closed()
		h.service.build++
		build := h.service.newest()
		if err := errors.Join(h.service.replace("worker-2", build), becomes(t.Context(), d, build)); err != nil {
			t.Fatal(err)
		}
		if err := h.service.temporalInstance.kill(away); err != nil {
			t.Fatal(err)
		}
		back := time.Now()
		h.service.processes["worker-2"].signal(syscall.SIGSTOP)
		time.Sleep(lead)
		h.service.processes["worker-2"].signal(syscall.SIGCONT)
		for time.Since(back) < watched {
			time.Sleep(time.Second) // a look is work for Temporal
			if now, err := current(t.Context(), d); err == nil && now != build {
				t.Fatalf("%v after Temporal was back, build %s is current, want %s", time.Since(back).Round(time.Second), now, build)
			}
		}
	})
	w := h.witness()
	w.awaitQuiet(catchUpLimit)
	w.recoverEvents(t.Context())
	w.awaitQuiet(catchUpLimit)
	w.check()
	w.report(map[string]int{"Temporal away for " + away.String() + " after a rollout": 1})
}

// rolloutsVariable says how many builds are rolled out one after the other.
const rolloutsVariable = "PLATEN_CHAOS_ROLLOUTS"

// stuckLimit is for what the last update may leave: a build counts as gone after 90 s, and
// its runs are looked for once a minute.
const stuckLimit = 3 * time.Minute

// TestNoEventIsStuckAfterRollouts replaces both workers by the next build, again and again,
// under load, while every second attempt to deliver fails late: so runs end, and deliveries
// begin, when a build's last worker goes. Workers end by SIGTERM and by SIGKILL. Nothing
// that goes on by itself may be left to a build that is gone.
func TestNoEventIsStuckAfterRollouts(t *testing.T) {
	updates := int(testkit.Number(t, rolloutsVariable, 0))
	if updates == 0 {
		t.Skip("takes minutes: make chaos ROLLOUTS=100")
	}
	// Without the hurry of dispatch, which would free what is stuck after ten seconds.
	h := newHarnessWith(t, testkit.Number(t, "PLATEN_CHAOS_SEED", 1), slices.DeleteFunc(hurried(), func(setting string) bool {
		return strings.HasPrefix(setting, "PLATEN_FAILPOINT_")
	}))
	h.load.calm = true
	random := rand.New(rand.NewPCG(h.seed, 1))
	ended, stranded := map[string]int{}, map[string]bool{}
	h.receiver.begin(receiverLate, time.Hour, 2)
	began := time.Now()
	h.underLoad(time.Second/2, func() {
		d, closed, err := h.service.deployment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer closed()
		for range updates {
			if err := h.update(d, random, ended); err != nil {
				t.Fatal(err)
			}
			if err := strandedOn(t.Context(), d, stranded); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Logf("%d updates in %v", updates, time.Since(began).Round(time.Second))
	h.receiver.end()
	last := time.Now()
	w := h.witness()
	if err := program.Within(stuckLimit, func() error { return w.stuck(t.Context(), last) }); err != nil {
		w.fault("stuck", "%v after the last update: %v", stuckLimit, err)
	}
	t.Logf("%.1f s after the last update no event of before it waits", time.Since(last).Seconds())
	for id := range stranded {
		w.fault("stranded", "the run %s was pinned to the build that began it", id)
	}
	w.awaitQuiet(catchUpLimit)
	w.recoverEvents(t.Context())
	w.awaitQuiet(catchUpLimit)
	w.check()
	w.report(ended)
}

// stuck is nil when no event of before a moment waits for its delivery.
func (w *witness) stuck(ctx context.Context, before time.Time) error {
	var n int
	err := w.db.QueryRow(ctx, `SELECT count(*) FROM events WHERE state = 'PENDING' AND created_at < $1`, before).Scan(&n)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d events wait", n)
	}
	return err
}

// update replaces both workers by the next build, one after the other, by one signal or
// the other, at a random moment.
func (h *harness) update(d worker.Deployment, random *rand.Rand, ended map[string]int) error {
	h.service.build++
	build := h.service.newest()
	for _, name := range []string{"worker-2", "worker-1"} {
		signal := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[random.IntN(2)]
		time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond) // the moment
		p := h.service.processes[name]
		p.set("PLATEN_BUILD_ID", build)
		if !p.signal(signal) {
			return fmt.Errorf("%s does not run", name)
		}
		ended[signal.String()]++
		if err := becomes(h.t.Context(), d, build); err != nil {
			return err
		}
	}
	return nil
}

// strandedOn notes deliveries that are left to a build.
func strandedOn(ctx context.Context, d worker.Deployment, stranded map[string]bool) error {
	found, err := d.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: d.Namespace,
		Query:     fmt.Sprintf("TaskQueue = '%s' AND WorkflowType IN ('DeliverEvent', 'DeliverMail') AND TemporalWorkflowVersioningBehavior = 'Pinned' AND CloseTime IS NULL", d.Queue),
	})
	for _, e := range found.GetExecutions() {
		stranded[e.GetExecution().GetWorkflowId()] = true
	}
	return err
}

const (
	// lead is how much sooner the worker of the build before is back.
	lead = 20 * time.Second
	// watched is twice as long as a build must be absent for another to take its
	// place.
	watched = 3 * time.Minute
)
