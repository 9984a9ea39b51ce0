package journey

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/worker"
)

// build starts a worker of the harness as one build of the program.
func (h *harness) build(t *testing.T, id string) (stop func()) {
	t.Helper()
	h.worker.BuildID, h.worker.Promotion = id, config.PromoteAuto
	return h.work(t)
}

// pinnedTo waits until Temporal says that the open run belongs to a build.
func (h *harness) pinnedTo(t *testing.T, id, build string) {
	t.Helper()
	eventually(t, "run "+id+" on build "+build, func() error {
		described, err := h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			return err
		}
		info := described.GetWorkflowExecutionInfo().GetVersioningInfo()
		if got := info.GetDeploymentVersion().GetBuildId(); got != build {
			return fmt.Errorf("it is on %q", got)
		}
		return nil
	})
}

// listed are the builds of the harness's workers, as 'platen deployment' lists them.
func (h *harness) listed(t *testing.T) []worker.Build {
	t.Helper()
	d, closed, err := app.OpenDeployment(t.Context(), h.worker.Temporal, h.queue)
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	all, err := d.Builds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// builds returns the state of each build of the harness's workers.
func (h *harness) builds(t *testing.T) map[string]string {
	t.Helper()
	states := map[string]string{}
	for _, b := range h.listed(t) {
		states[b.ID] = string(b.State)
	}
	return states
}

// waiting sends an event whose run then waits between tries to fill its copy.
func (h *harness) waiting(t *testing.T, g *gate, w workflow) (id string) {
	t.Helper()
	tried := g.away(isFill)
	send(t, w)
	<-tried
	<-tried
	return h.automations(t, w.ID)[0].id
}

func TestANewBuildGetsWhatIsNewAndTheOneBeforeEndsItsRuns(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten, idle: true})
	g := h.gated(t)
	r := newReceiver(t)
	old, fresh := h.letter(t, r, encrypted), h.letter(t, r, encrypted)
	h.build(t, "v1")
	first := h.waiting(t, g, old)
	h.pinnedTo(t, first, "v1")

	h.build(t, "v2")
	if got := h.builds(t); got["v2"] != "current" || got["v1"] != "draining" {
		t.Errorf("builds: got %v, want v2 current and v1 draining", got)
	}
	// Until a build sees that it is not current any more, it starts runs on itself.
	eventually(t, "v1 hands over", func() error {
		if !strings.Contains(h.log.String(), `msg="another build gets what is new now" build=v1 current=v2`) {
			return errors.New("it has not said so")
		}
		return nil
	})
	second := h.waiting(t, g, fresh)
	h.pinnedTo(t, second, "v2")
	g.open()

	h.finished(t, old.ID, platen.AutomationCompleted)
	h.finished(t, fresh.ID, platen.AutomationCompleted)
	h.pinnedTo(t, first, "v1")
}

func TestRunsOfABuildWithoutWorkersBeginAnewOnTheNext(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten, idle: true})
	g := h.gated(t)
	r := newReceiver(t)
	w := h.letter(t, r, encrypted)
	stop := h.build(t, "v1")
	id := h.waiting(t, g, w)
	h.pinnedTo(t, id, "v1")
	before := h.latest(t, id)
	stop()

	h.worker.Alone = true // as in the program that runs everything
	h.build(t, "v2")
	h.pinnedTo(t, id, "v2")
	if after := h.latest(t, id); after == before {
		t.Error("the run goes on, want it begun anew: the code of v2 need not fit what v1 began")
	}
	g.open()
	r.next(t)
	h.finished(t, w.ID, platen.AutomationCompleted)
	wantFiles(t, h, template, "Letters - [Template]", "Letter for "+canary+"-Ada.pdf")
	r.quiet(t)
}

func TestABuildThatWasRolledBackDoesNotPushItselfForward(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten, idle: true})
	h.build(t, "v1")
	stop := h.build(t, "v2")
	d, closed, err := app.OpenDeployment(t.Context(), h.worker.Temporal, h.queue)
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	if err := d.PromoteWithin(t.Context(), "v1", 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	stop()
	h.build(t, "v2")
	if got := h.builds(t); got["v1"] != "current" {
		t.Errorf("builds: got %v, want v1 to stay current", got)
	}
}

// The page goes back to v1.4.0, while a run of v1.5.0 waits for the drive.
func TestAWorkerIsRolledBackAsPrinted(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten, idle: true})
	g := h.gated(t)
	w := h.letter(t, nil, encrypted)
	h.build(t, "v1.4.0")
	stop := h.build(t, "v1.5.0")
	eventually(t, "v1.4.0 hands over", func() error {
		if !strings.Contains(h.log.String(), `msg="another build gets what is new now" build=v1.4.0 current=v1.5.0`) {
			return errors.New("it has not said so")
		}
		return nil
	})
	id := h.waiting(t, g, w)
	h.pinnedTo(t, id, "v1.5.0")
	eventually(t, "the run in Temporal's lists, which lag behind", func() error {
		if b := h.listed(t)[0]; b.ID != "v1.5.0" || b.OpenRuns != 1 {
			return fmt.Errorf("got %+v, want v1.5.0 with one run", b)
		}
		return nil
	})
	stop()
	said := shell(t, reader+pages.Typed(t, "docs/production.md", "Rolling out a new worker"), h.beside(t).settings...)
	for _, want := range []string{`(?m)^v1\.5\.0 +current .* 1$`, `New runs go to build v1\.4\.0\.`, `start again on the current build: 1\n`} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Fatalf("want %s in what the commands said: %s", want, said)
		}
	}
	h.pinnedTo(t, id, "v1.4.0")
	g.open()
	h.finished(t, w.ID, platen.AutomationCompleted)
}
