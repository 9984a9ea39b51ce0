package simulation

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/workflows"
)

// endsAs is a workflow that ends at once as its input says, or goes on until it is
// cancelled or terminated, or only until it is terminated.
func endsAs(ctx workflow.Context, how string) error {
	switch how {
	case "completed":
		return nil
	case "failed":
		return temporal.NewNonRetryableApplicationError("as it was asked to", "Failed", nil)
	case deaf:
		ctx, _ = workflow.NewDisconnectedContext(ctx)
	}
	return workflow.Await(ctx, func() bool { return false })
}

// Runs that go on until they are cancelled, and those that do not hear of it.
const (
	obedient = "obedient"
	deaf     = "deaf"
)

// servers are a real server beside the simulated one.
type servers struct {
	t        *testing.T
	temporal client.Client
	harness  *harness
	queue    string
}

// TestTheSimulatedServerAnswersLikeTemporal makes random starts, looks,
// cancellations and terminations on both.
func TestTheSimulatedServerAnswersLikeTemporal(t *testing.T) {
	stack := testkit.Running(t)
	temporal, err := client.Dial(client.Options{HostPort: stack.TemporalAddress, Namespace: stack.TemporalNamespace, Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(temporal.Close)
	s := &servers{t: t, temporal: temporal, queue: platen.NewID("simulation_"), harness: &harness{}}
	s.harness.scheduler = newScheduler(1, newFaults(profile{}, nil, nil, false), nil)
	s.harness.server = newServer(s.harness)
	w := sdk.New(temporal, s.queue, sdk.Options{})
	w.RegisterWorkflow(endsAs)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	d := &generator{seed: 7}
	for n := range 120 {
		s.step(fmt.Sprint(s.queue, "-", d.below(4)), d, n)
	}
}

// step asks both servers for something about one workflow id.
func (s *servers) step(id string, d *generator, n int) {
	s.t.Helper()
	var what, got, want string
	switch d.below(8) {
	case 0, 1, 2:
		reuse := []enums.WorkflowIdReusePolicy{
			enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		}[d.below(3)]
		terminate := reuse == enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE && d.below(2) == 0
		how := []string{obedient, deaf, "completed", "failed"}[d.below(4)]
		what = fmt.Sprintf("a start of %s that ends %s, %v, terminates %t", id, how, reuse, terminate)
		want, got = s.startReal(id, how, reuse, terminate), s.startSimulated(id, how, reuse, terminate)
	case 3:
		what = "a termination of " + id
		want = said(s.temporal.TerminateWorkflow(s.t.Context(), id, "", "simulation"))
		if got = "not found"; s.harness.server.terminate(id) {
			got = "ok"
		}
	case 4, 5:
		what = "a cancellation of " + id
		want, got = s.cancelReal(id), s.cancelSimulated(id)
	default:
		what = "a look at " + id
	}
	if got != want {
		s.t.Fatalf("step %d, %s: got %s, want %s", n, what, got, want)
	}
	if got, want := s.simulatedStatus(id), s.realStatus(id); got != want {
		s.t.Fatalf("step %d, %s: its status is %v, want %v", n, what, got, want)
	}
}

// said is the kind of an answer.
func said(err error) string {
	_, notFound := errors.AsType[*serviceerror.NotFound](err)
	switch {
	case err == nil:
		return "ok"
	case temporal.IsWorkflowExecutionAlreadyStartedError(err):
		return "exists"
	case notFound:
		return "not found"
	}
	return err.Error()
}

func (s *servers) startReal(id, how string, reuse enums.WorkflowIdReusePolicy, terminate bool) string {
	o := client.StartWorkflowOptions{ID: id, TaskQueue: s.queue, WorkflowIDReusePolicy: reuse, WorkflowExecutionErrorWhenAlreadyStarted: true}
	if terminate {
		o.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	}
	run, err := s.temporal.ExecuteWorkflow(s.t.Context(), o, endsAs, how)
	if err == nil && how != obedient && how != deaf {
		s.wait(run)
	}
	return said(err)
}

// wait waits until a run has ended as it was asked to.
func (s *servers) wait(run client.WorkflowRun) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	_ = run.Get(ctx, nil)
}

func (s *servers) cancelReal(id string) string {
	err := s.temporal.CancelWorkflow(s.t.Context(), id, "")
	if r := s.harness.server.runs[id]; err == nil && r != nil && r.automated.AutomationID == obedient {
		s.wait(s.temporal.GetWorkflow(s.t.Context(), id, ""))
	}
	return said(err)
}

func (s *servers) cancelSimulated(id string) string {
	if !s.harness.server.requestCancel(id) {
		return "not found"
	}
	if r := s.harness.server.runs[id]; r.open() && r.automated.AutomationID == obedient {
		s.harness.server.close(r, enums.WORKFLOW_EXECUTION_STATUS_CANCELED)
	}
	return "ok"
}

func (s *servers) startSimulated(id, how string, reuse enums.WorkflowIdReusePolicy, terminate bool) string {
	if s.harness.server.start(start{run: run{id: id, workflow: runAutomation, automated: workflows.RunAutomationInput{AutomationID: how}}, reuse: reuse, terminate: terminate}) {
		return "exists"
	}
	status := map[string]enums.WorkflowExecutionStatus{"completed": enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, "failed": enums.WORKFLOW_EXECUTION_STATUS_FAILED}
	if end, ok := status[how]; ok {
		s.harness.server.close(s.harness.server.runs[id], end)
	}
	return "ok"
}

func (s *servers) realStatus(id string) enums.WorkflowExecutionStatus {
	described, err := s.temporal.DescribeWorkflowExecution(s.t.Context(), id, "")
	if said(err) == "not found" {
		return 0
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return described.GetWorkflowExecutionInfo().GetStatus()
}

func (s *servers) simulatedStatus(id string) enums.WorkflowExecutionStatus {
	if r := s.harness.server.runs[id]; r != nil {
		return r.status
	}
	return 0
}
