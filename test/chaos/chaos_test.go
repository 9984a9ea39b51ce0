// Package chaos runs the production programs as separate processes – serve,
// two workers, the drive, and Postgres and Temporal, each of a platen-dev of
// its own – under load with known ids, injects faults in an order that a seed
// decides, waits until all is quiet, and checks what is promised: nothing that
// was acknowledged is lost, nothing is made twice, nothing strays, no secret
// gets out. It kills, stops and starts bin/platen-dev, too, of which no process may stay
// behind.
//
// It knows the programs' commands, flags and what they serve, and reads the
// tables of the service as a witness. Overlapping executions of one step belong
// in the tests of package activities.
package chaos

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit"
)

const (
	// startLimit is for one part to answer for the first time.
	startLimit = time.Minute
	// quietLimit bounds the wait after the last fault. A kill costs a
	// dispatcher's lease (10 s) at most, a receiver that hangs 15 s, and
	// retries that have backed off come after up to half a minute more. A machine that does
	// not keep up with the load works off what it has not done.
	quietLimit = 10 * time.Minute
	// mostOnTheirWay is far more than wait on a machine that keeps up, whatever fault there is.
	mostOnTheirWay = 200
	// ailing is how long two drives stay dead when other faults have begun.
	ailing = 5 * time.Second
	// The form for every test run has each of these once: lost answers of Postgres
	// and of the drive, a receiver that fails, a crash of Postgres, a Temporal that
	// has gone back, runs that operators end, and deaths in the middle of a step.
	shortFaults, shortSeed = 9, 1
	shortKinds             = "^(Postgres backend SIGKILL|Postgres answers lost, then reset|Temporal's database put back to an older copy|" +
		"runs terminated in Temporal|automations cancelled through /v0|drive's reply lost after its commit|receiver answers 500|" +
		"death after drive edit|death after send)$"
	// onlyVariable is a regular expression of the kinds of faults that are injected.
	onlyVariable = "PLATEN_CHAOS_ONLY"
)

// TestNothingIsLostOrMadeTwiceInChaos runs a few faults, always the same ones.
// PLATEN_CHAOS_SEED has them come in another order, PLATEN_CHAOS_CYCLES has more
// come, and PLATEN_CHAOS_ONLY others; empty, it is all there are.
func TestNothingIsLostOrMadeTwiceInChaos(t *testing.T) {
	seed := testkit.Number(t, "PLATEN_CHAOS_SEED", shortSeed)
	cycles := int(testkit.Number(t, "PLATEN_CHAOS_CYCLES", shortFaults))
	only, given := os.LookupEnv(onlyVariable)
	if !given {
		only = shortKinds
	}
	commit := commit(t)
	t.Logf("seed %d, %d faults, commit %s", seed, cycles, commit)
	defer func() {
		if t.Failed() {
			t.Logf("make chaos SEED=%d CYCLES=%d ONLY='%s' on commit %s injects the same faults", seed, cycles, only, commit)
		}
	}()

	h := newHarness(t, seed)
	h.load.most = mostOnTheirWay
	injector := &injector{t: t, harness: h, only: only, counts: map[string]int{}, busy: map[string]bool{}}
	var neighbours neighbourhood
	h.underLoad(150*time.Millisecond, func() {
		var cure func()
		neighbours, cure = h.deadDrives(t.Context())
		time.AfterFunc(ailing, cure)
		injector.run(cycles)
	})
	quiet := time.Now()
	w := h.witness()
	w.awaitQuiet(quietLimit)
	t.Logf("quiet %.1f s after the last fault", time.Since(quiet).Seconds())
	w.retryFailed(t.Context())
	w.awaitQuiet(quietLimit)
	w.recoverEvents(t.Context())
	w.awaitQuiet(quietLimit)
	w.check()
	w.checkNeighbours(t.Context(), neighbours)
	w.report(injector.counts)
	t.Logf("%.1f s in all", time.Since(h.began).Seconds())
}

// A harness is everything that one test runs.
type harness struct {
	t             *testing.T
	seed          uint64
	began         time.Time
	service       *service
	receiver      *receiver
	integrator    *integrator
	load          *load
	timeline      *timeline
	interventions *interventions
}

func newHarness(t *testing.T, seed uint64) *harness {
	t.Helper()
	return newHarnessWith(t, seed, hurried())
}

// newHarnessWith gives the workers settings; without any, they have
// production's.
func newHarnessWith(t *testing.T, seed uint64, settings []string) *harness {
	t.Helper()
	h := &harness{t: t, seed: seed, began: time.Now(), receiver: newReceiver(t), timeline: &timeline{}, interventions: newInterventions()}
	h.service = newService(t, settings)
	h.integrator = newIntegrator(t, h.service, h.interventions, h.receiver.url)
	h.load = newLoad(h.integrator, newMarkers(seed))
	h.load.arrived = h.receiver.taken
	h.openOffice()
	t.Logf("everything answers after %.1f s", time.Since(h.began).Seconds())
	return h
}

// underLoad posts events before, during and after the faults.
func (h *harness) underLoad(every time.Duration, faults func()) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	var posting sync.WaitGroup
	posting.Go(func() { h.load.run(ctx, rand.New(rand.NewPCG(h.seed, 0)), every) })
	defer posting.Wait()
	defer cancel()
	time.Sleep(time.Second) // something to disturb
	faults()
	time.Sleep(time.Second) // and something after it
}

// commit names what is tested.
func commit(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
