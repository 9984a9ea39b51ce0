package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
	"github.com/platenhq/platen/workflows"
)

// patience is for Temporal to do what it does by itself.
const patience = 2 * time.Minute

// stagedBuilds are a queue of its own in a real Temporal, with workers of several
// builds, whose steps are the test's.
type stagedBuilds struct {
	Deployment
	t *testing.T
}

func stageBuilds(t *testing.T) stagedBuilds {
	t.Helper()
	stack := testkit.Running(t)
	c, err := client.DialContext(t.Context(), client.Options{
		HostPort: stack.TemporalAddress, Namespace: stack.TemporalNamespace, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := EnsureSearchAttributes(t.Context(), c, stack.TemporalNamespace); err != nil {
		t.Fatal(err)
	}
	return stagedBuilds{Deployment{Client: c, Namespace: stack.TemporalNamespace, Queue: "builds-" + strings.ToLower(rand.Text())}, t}
}

// begin starts a worker of a build that knows what register gives it, and promotes it.
func (b stagedBuilds) begin(build string, register func(sdk.Worker)) (stop func()) {
	b.t.Helper()
	w := sdk.New(b.Client, b.Queue, sdk.Options{DeploymentOptions: Options{Queue: b.Queue, Rollout: &Rollout{Build: build}}.deployment()})
	register(w)
	if err := w.Start(); err != nil {
		b.t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			w.Stop()
		}
	}
	b.t.Cleanup(stop)
	b.eventually("build "+build+" is current", func() error { return b.Promote(b.t.Context(), build) })
	return stop
}

func (b stagedBuilds) eventually(what string, check func() error) {
	b.t.Helper()
	if err := program.Within(patience, check); err != nil {
		b.t.Fatalf("%s: not within %v: %v", what, patience, err)
	}
}

// begun waits for the first task of a run.
func (b stagedBuilds) begun(id string) {
	b.t.Helper()
	b.eventually("the first task of "+id, func() error {
		task, err := b.firstTask(b.t.Context(), id, "")
		if err == nil && task == 0 {
			err = errors.New("none was done")
		}
		return err
	})
}

// deliveries know the workflows that go on by themselves; what they ask is answered with
// the event's end.
func deliveries(w sdk.Worker) {
	auto := workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade}
	w.RegisterWorkflowWithOptions(workflows.DeliverEvent, auto)
	w.RegisterWorkflowWithOptions(workflows.DeliverMail, auto)
	w.RegisterActivityWithOptions(func(context.Context, activities.SendInput) (activities.SendResult, error) {
		return activities.SendResult{Ended: true, Delivered: true}, nil
	}, activity.RegisterOptions{Name: "AskEndpoint"})
}

// What a run starts goes on where the workers of its build are gone: the delivery of an
// event, and that of a mail.
func TestWhatGoesOnByItselfIsNotBoundToTheBuildOfItsRun(t *testing.T) {
	t.Parallel()
	b := stageBuilds(t)
	id := strings.ToLower(rand.Text())
	sending, next := make(chan struct{}), make(chan struct{})
	b.begin("v1", func(w sdk.Worker) {
		w.RegisterWorkflowWithOptions(workflows.RunAutomation, workflow.RegisterOptions{Name: runAutomation, VersioningBehavior: workflow.VersioningBehaviorPinned})
		for name, step := range map[string]any{
			"LoadPlan": func(context.Context, activities.LoadPlanInput) (activities.LoadPlanResult, error) {
				return activities.LoadPlanResult{Documents: []activities.DocumentSteps{{OutputID: id, DocumentID: "doc", Ended: true, Mail: true}}}, nil
			},
			"RecordOutput": func(context.Context, activities.Step) (activities.RecordResult, error) {
				return activities.RecordResult{EventID: "evt-" + id}, nil
			},
			"SendEvent": func(context.Context, activities.SendInput) (activities.SendResult, error) {
				close(sending)
				<-next
				return activities.SendResult{}, nil
			},
			"SendMail": func(context.Context, activities.MailInput) (activities.MailResult, error) {
				return activities.MailResult{State: platen.MailPending}, nil
			},
			"FinishAutomation": func(context.Context, activities.FinishInput) (activities.FinishResult, error) {
				return activities.FinishResult{State: platen.AutomationCompleted}, nil
			},
		} {
			w.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: name})
		}
	})
	run, err := b.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: b.Queue}, runAutomation, workflows.RunAutomationInput{AutomationID: id, Attempt: 1})
	if err != nil {
		t.Fatal(err)
	}
	<-sending
	b.begin("v2", deliveries)
	close(next)
	if err := run.Get(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	overrides := Release{1, 32} // the first that takes the override of a child
	children := []string{"evt-" + id, "mail-" + id}
	if info, err := b.Client.WorkflowService().GetSystemInfo(t.Context(), &workflowservice.GetSystemInfoRequest{}); err != nil || overrides.After(info.GetServerVersion()) {
		if err != nil {
			t.Fatal(err)
		}
		b.retired("v1", len(children)) // this Temporal pins what a run starts
	}
	for _, child := range children {
		b.begun(child)
	}
}

// retired retires a build until so many of its runs are taken over: lists lag behind.
func (b stagedBuilds) retired(build string, runs int) {
	b.t.Helper()
	moved := 0
	b.eventually(fmt.Sprintf("%d runs of %s are taken over", runs, build), func() error {
		n, err := b.Retire(b.t.Context(), build)
		if moved += n; err == nil && moved != runs {
			err = fmt.Errorf("%d were", moved)
		}
		return err
	})
}

// strand leaves the delivery of an event behind: a run of a build without workers has
// begun it, on a Temporal that pins it to that build until its first task is done.
func (b stagedBuilds) strand(id string) {
	b.t.Helper()
	stop := b.begin("v1", func(w sdk.Worker) {
		w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: id, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON})
			started := workflow.ExecuteChildWorkflow(ctx, workflows.DeliverEvent, workflows.DeliverEventInput{EventID: id, Attempt: 2})
			return started.GetChildWorkflowExecution().Get(ctx, nil)
		}, workflow.RegisterOptions{Name: "parent", VersioningBehavior: workflow.VersioningBehaviorPinned})
	})
	parent, err := b.Client.ExecuteWorkflow(b.t.Context(), client.StartWorkflowOptions{ID: "parent-" + id, TaskQueue: b.Queue}, "parent")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := parent.Get(b.t.Context(), nil); err != nil {
		b.t.Fatal(err)
	}
	stop()
}

func TestADeliveryWithoutAFirstTaskGoesOnWhenItsBuildIsRetired(t *testing.T) {
	t.Parallel()
	b := stageBuilds(t)
	id := "evt-" + strings.ToLower(rand.Text())
	b.strand(id)
	b.begin("v2", deliveries)
	// Lists lag behind: they may have a run that has ended meanwhile.
	if again, err := b.reset(t.Context(), "parent-"+id, "", "v1"); again || err != nil {
		t.Errorf("a run that completed: got %t, %v, want that it is left as it is", again, err)
	}
	b.retired("v1", 1)
	b.begun(id)
	b.eventually("no runs are pinned to v1", func() error {
		builds, err := b.Builds(t.Context())
		if n := byID(builds)["v1"].OpenRuns; err == nil && n != 0 {
			err = fmt.Errorf("%d are", n)
		}
		return err
	})
}

func TestADeliveryWithoutAFirstTaskIsRedelivered(t *testing.T) {
	t.Parallel()
	b := stageBuilds(t)
	id := "evt-" + strings.ToLower(rand.Text())
	b.strand(id)
	b.begin("v2", deliveries)
	s := Starter{Client: b.Client, Namespace: b.Namespace, Queue: b.Queue}
	if run, err := s.Look(t.Context(), id); err != nil || !run.Pinned {
		t.Fatalf("look: got %+v, %v, want a run that is pinned", run, err)
	}
	b.eventually("the event is redelivered", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // as dispatch has it
		defer cancel()
		return s.Deliver(ctx, platen.OutboxCommand{ID: id, Attempt: 2})
	})
	b.begun(id)
	if run, err := s.Look(t.Context(), id); err != nil || run.Pinned {
		t.Errorf("look: got %+v, %v, want a run that is not pinned", run, err)
	}
}

// An operator may give a deployment a manager, in place of what its workers do.
func TestAManagedDeploymentIsToldFromABuildThatDoesNotPollYet(t *testing.T) {
	t.Parallel()
	b := stageBuilds(t)
	b.begin("v1", deliveries)
	if err := b.Promote(t.Context(), "v2"); !errors.Is(err, ErrUnknownBuild) || errors.Is(err, ErrManaged) {
		t.Errorf("promote a build without workers: got %v, want that it is unknown", err)
	}
	handle := b.Client.WorkerDeploymentClient().GetHandle(b.name())
	if _, err := handle.SetManagerIdentity(t.Context(), client.WorkerDeploymentSetManagerIdentityOptions{ManagerIdentity: "controller"}); err != nil {
		t.Fatal(err)
	}
	w := sdk.New(b.Client, b.Queue, sdk.Options{DeploymentOptions: Options{Queue: b.Queue, Rollout: &Rollout{Build: "v2"}}.deployment()})
	deliveries(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	b.eventually("v2 is known", func() error {
		builds, err := b.Look(t.Context())
		if _, known := byID(builds)["v2"]; err == nil && !known {
			err = errors.New("it is not")
		}
		return err
	})
	if err := b.Promote(t.Context(), "v2"); !errors.Is(err, ErrManaged) || errors.Is(err, ErrUnknownBuild) || !strings.Contains(err.Error(), `"controller"`) {
		t.Errorf("promote a build of a managed deployment: got %v, want that it names the manager", err)
	}
	r := &Rollout{Deployment: b.Deployment, Build: "v2", Log: slog.New(slog.DiscardHandler)}
	if err := r.Look(t.Context()); err != nil || r.Current() || r.TakesNew() {
		t.Errorf("a worker of it: got %v, want that it waits for the manager", err)
	}
}
