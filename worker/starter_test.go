package worker

import (
	"context"
	"errors"
	"slices"
	"testing"

	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	workflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// A server answers every start with an error or not at all, and describes one run.
type server struct {
	client.Client
	refusal error
	attempt int // 0: there is no run
	status  enums.WorkflowExecutionStatus
	outcome string
	started *[]client.StartWorkflowOptions // nil: nobody reads it
}

func (s server) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	if s.started != nil {
		*s.started = append(*s.started, o)
	}
	return nil, s.refusal
}

func (s server) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if s.attempt == 0 {
		return nil, serviceerror.NewNotFound("no such run")
	}
	payload, err := converter.GetDefaultDataConverter().ToPayload(s.attempt)
	info := &workflow.WorkflowExecutionInfo{Status: s.status, Memo: &common.Memo{Fields: map[string]*common.Payload{attemptMemo: payload}}}
	if s.outcome != "" {
		info.SearchAttributes = &common.SearchAttributes{IndexedFields: map[string]*common.Payload{"PlatenOutcome": {}}}
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: info}, err
}

var errExists = serviceerror.NewWorkflowExecutionAlreadyStarted("exists", "", "")

func TestNoAttemptStartsThatTemporalKnows(t *testing.T) {
	t.Parallel()
	const (
		open      = enums.WORKFLOW_EXECUTION_STATUS_RUNNING
		paused    = enums.WORKFLOW_EXECUTION_STATUS_PAUSED
		completed = enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
		failed    = enums.WORKFLOW_EXECUTION_STATUS_FAILED

		first     = enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
		repeat    = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
		completes = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
		none      = enums.WORKFLOW_ID_REUSE_POLICY_UNSPECIFIED
	)
	waits := errPreviousOpen
	for name, c := range map[string]struct {
		attempt int // that is to start
		server  server
		policy  enums.WorkflowIdReusePolicy // none: no start is tried
		want    error
	}{
		"a first attempt":                           {1, server{}, first, nil},
		"a first attempt that exists":               {1, server{refusal: errExists, attempt: 1, status: open}, first, nil},
		"a first attempt that completed":            {1, server{refusal: errExists, attempt: 1, status: completed}, first, dispatch.ErrEnded},
		"a first attempt that failed":               {1, server{refusal: errExists, attempt: 1, status: failed}, first, dispatch.ErrEnded},
		"a first attempt that was retried":          {1, server{refusal: errExists, attempt: 2, status: open}, first, nil},
		"a first attempt that is paused":            {1, server{refusal: errExists, attempt: 1, status: paused}, first, nil},
		"a retry that is paused":                    {2, server{attempt: 2, status: paused}, none, nil},
		"a retry while the attempt ahead is paused": {2, server{attempt: 1, status: paused}, none, waits},
		"a retry":                                     {2, server{attempt: 1, status: failed}, repeat, nil},
		"a retry of what Temporal lost":               {2, server{}, repeat, nil},
		"a retry after a completed run":               {2, server{attempt: 1, status: completed}, completes, nil},
		"a retry before the attempt ahead is over":    {2, server{attempt: 1, status: open}, none, waits},
		"a retry that exists":                         {2, server{attempt: 2, status: open}, none, nil},
		"a retry that completed":                      {2, server{attempt: 2, status: completed}, none, dispatch.ErrEnded},
		"a retry that was cancelled":                  {2, server{attempt: 2, status: enums.WORKFLOW_EXECUTION_STATUS_CANCELED}, none, dispatch.ErrEnded},
		"a retry of which a later one failed":         {2, server{attempt: 3, status: failed}, none, dispatch.ErrEnded},
		"a retry that another dispatcher starts, too": {2, server{refusal: errExists, attempt: 1, status: failed}, repeat, waits},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var started []client.StartWorkflowOptions
			c.server.started = &started
			err := (&Starter{Client: c.server}).Start(t.Context(), platen.Automation{ID: "aut_1", Attempt: c.attempt})
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			var got []enums.WorkflowIdReusePolicy
			for _, o := range started {
				got = append(got, o.WorkflowIDReusePolicy)
			}
			if want := slices.DeleteFunc([]enums.WorkflowIdReusePolicy{c.policy}, func(p enums.WorkflowIdReusePolicy) bool { return p == none }); !slices.Equal(got, want) {
				t.Errorf("tried to start with %v, want %v", got, want)
			}
		})
	}
}

func TestARunHasToldHowItEndsWhenItCompletedOrHasAnOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server server
		want   dispatch.Run
	}{
		"unknown":              {server{}, dispatch.Run{}},
		"open":                 {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING}, dispatch.Run{State: dispatch.RunOpen, Attempt: 1}},
		"open, about to end":   {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING, outcome: "FAILED"}, dispatch.Run{State: dispatch.RunOpen, Attempt: 1}},
		"paused":               {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_PAUSED}, dispatch.Run{State: dispatch.RunOpen, Attempt: 1}},
		"paused, about to end": {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_PAUSED, outcome: "FAILED"}, dispatch.Run{State: dispatch.RunOpen, Attempt: 1}},
		"completed":            {server{attempt: 3, status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED}, dispatch.Run{State: dispatch.RunCompleted, Attempt: 3, Told: true}},
		"failed by a document": {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_FAILED, outcome: "FAILED"}, dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}},
		"failed in recording":  {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_FAILED}, dispatch.Run{State: dispatch.RunFailed, Attempt: 1}},
		"cancelled":            {server{attempt: 1, status: enums.WORKFLOW_EXECUTION_STATUS_CANCELED, outcome: "CANCELLED"}, dispatch.Run{State: dispatch.RunCancelled, Attempt: 1, Told: true}},
		"terminated":           {server{attempt: 2, status: enums.WORKFLOW_EXECUTION_STATUS_TERMINATED}, dispatch.Run{State: dispatch.RunClosed, Attempt: 2}},
	} {
		if got, err := (&Starter{Client: c.server}).Look(t.Context(), "aut_1"); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestWhatTemporalRefusesIsToldFromATemporalThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]platen.Kind{
		serviceerror.NewInvalidArgument("no mapping defined for search attribute PlatenTeam"): platen.KindInvalid,
		serviceerror.NewNamespaceNotFound("nope"):                                             platen.KindInvalid,
		serviceerror.NewPermissionDenied("no", ""):                                            platen.KindInvalid,
		serviceerror.NewUnavailable("starting"):                                               platen.KindUnavailable,
		serviceerror.NewDeadlineExceeded("slow"):                                              platen.KindUnavailable,
		context.DeadlineExceeded:                                                              platen.KindUnavailable,
	} {
		s := Starter{Client: server{refusal: err}}
		got := s.Start(t.Context(), platen.Automation{ID: "aut_1", Attempt: 1})
		if platen.KindOf(got) != want || !errors.Is(got, err) {
			t.Errorf("%v: got %v, want kind %s with its cause", err, got, want)
		}
	}
}

// An eagerServer notes which starts may be eager.
type eagerServer struct {
	client.Client
	eager []bool
}

func (s *eagerServer) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	s.eager = append(s.eager, o.EnableEagerStart)
	return nil, nil
}

func TestRunsAndDeliveriesStartEagerlyOnTheCurrentBuildAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		current func() bool
		want    bool
	}{
		"the current build": {func() bool { return true }, true},
		"another build":     {func() bool { return false }, false},
		"no builds":         {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &eagerServer{}
			s := Starter{Client: server, Eager: c.current}
			if err := errors.Join(s.Start(t.Context(), platen.Automation{ID: "aut_1"}), s.Deliver(t.Context(), platen.OutboxCommand{ID: "evt_1"})); err != nil {
				t.Fatal(err)
			}
			if want := []bool{c.want, c.want}; !slices.Equal(server.eager, want) {
				t.Errorf("a run and a delivery start eagerly: got %v, want %v", server.eager, want)
			}
		})
	}
}

// A sleeper is a Temporal with one run whose steps wait.
type sleeper struct {
	client.Client
	steps   []*workflow.PendingActivityInfo
	refusal error
	woken   []string
}

// resets are the calls to a sleeper.
type resets struct {
	workflowservice.WorkflowServiceClient
	of *sleeper
}

func (s *sleeper) WorkflowService() workflowservice.WorkflowServiceClient { return resets{of: s} }

func (s *sleeper) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if s.steps == nil {
		return nil, serviceerror.NewNotFound("no such run")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflow.WorkflowExecutionInfo{Execution: &common.WorkflowExecution{WorkflowId: "aut_1", RunId: "run"}},
		PendingActivities:     s.steps,
	}, nil
}

func (s resets) ResetActivity(_ context.Context, r *workflowservice.ResetActivityRequest, _ ...grpc.CallOption) (*workflowservice.ResetActivityResponse, error) {
	s.of.woken = append(s.of.woken, r.GetNamespace()+" "+r.GetExecution().GetRunId()+" "+r.GetId())
	return nil, s.of.refusal
}

func TestOnlyStepsThatWaitForAConnectionAreWoken(t *testing.T) {
	t.Parallel()
	step := func(id, code string, state enums.PendingActivityState) *workflow.PendingActivityInfo {
		return &workflow.PendingActivityInfo{ActivityId: id, State: state, LastFailure: &failurepb.Failure{
			FailureInfo: &failurepb.Failure_ApplicationFailureInfo{ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{Type: code}},
		}}
	}
	const waits, runs = enums.PENDING_ACTIVITY_STATE_SCHEDULED, enums.PENDING_ACTIVITY_STATE_STARTED
	steps := []*workflow.PendingActivityInfo{
		step("1", platen.CodeConnectionBroken, waits), step("2", platen.CodeConnectionBroken, runs), step("3", "drive_unavailable", waits), step("4", platen.CodeConnectionBroken, waits),
	}
	for name, c := range map[string]struct {
		server *sleeper
		want   []string
		away   bool
	}{
		"steps":                   {&sleeper{steps: steps}, []string{"ours run 1", "ours run 4"}, false},
		"no run":                  {&sleeper{}, nil, false},
		"steps that ended":        {&sleeper{steps: steps, refusal: serviceerror.NewNotFound("gone")}, []string{"ours run 1", "ours run 4"}, false},
		"an older Temporal":       {&sleeper{steps: steps, refusal: serviceerror.NewUnimplemented("unknown")}, []string{"ours run 1", "ours run 4"}, false},
		"a Temporal that is away": {&sleeper{steps: steps, refusal: serviceerror.NewUnavailable("away")}, []string{"ours run 1"}, true},
	} {
		err := (&Starter{Client: c.server, Namespace: "ours"}).Wake(t.Context(), "aut_1")
		if !slices.Equal(c.server.woken, c.want) || (err != nil) != c.away || err != nil && platen.KindOf(err) != platen.KindUnavailable {
			t.Errorf("%s: woke %v, %v; want %v and that Temporal is away: %t", name, c.server.woken, err, c.want, c.away)
		}
	}
}

// A delivering is a Temporal in which an event is delivered already.
type delivering struct {
	client.Client
	updates []any
	answer  error
	starts  []enums.WorkflowIdConflictPolicy // of starts
}

func (d *delivering) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	d.starts = append(d.starts, o.WorkflowIDConflictPolicy)
	if o.WorkflowIDConflictPolicy == enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL && o.WorkflowExecutionErrorWhenAlreadyStarted {
		return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("exists", "", "")
	}
	return nil, nil
}

// An answered is the answer to an update.
type answered struct {
	client.WorkflowUpdateHandle
	err error
}

func (a answered) Get(context.Context, any) error { return a.err }

func (d *delivering) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflow.WorkflowExecutionInfo{Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING}}, nil
}

func (d *delivering) UpdateWorkflow(_ context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	d.updates = append(d.updates, append([]any{o.WorkflowID, o.UpdateName}, o.Args...)...)
	return answered{err: d.answer}, nil
}

func TestADeliveryUnderWayBeginsAgainAndEndsOnlyWhereItCannot(t *testing.T) {
	t.Parallel()
	const fail, terminate = enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	for name, c := range map[string]struct {
		answer error
		starts []enums.WorkflowIdConflictPolicy
		later  bool // it is tried again
	}{
		"it begins again":         {nil, []enums.WorkflowIdConflictPolicy{fail}, false},
		"Temporal has no updates": {serviceerror.NewUnimplemented("UpdateWorkflowExecution is disabled"), []enums.WorkflowIdConflictPolicy{fail, terminate}, false},
		"it ends":                 {temporal.NewApplicationError("the delivery ends", workflows.EndsType), []enums.WorkflowIdConflictPolicy{fail}, true},
		"it has ended":            {serviceerror.NewNotFound("workflow execution already completed"), []enums.WorkflowIdConflictPolicy{fail}, true},
		"it is paused":            {serviceerror.NewFailedPrecondition("Workflow is paused. Cannot update the workflow."), []enums.WorkflowIdConflictPolicy{fail}, true},
		"nobody answers":          {context.DeadlineExceeded, []enums.WorkflowIdConflictPolicy{fail}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &delivering{answer: c.answer}
			s := Starter{Client: server}
			err := s.Deliver(t.Context(), platen.OutboxCommand{ID: "evt_1", Before: 3})
			if (err != nil) != c.later || c.later && platen.KindOf(err) != platen.KindUnavailable || !slices.Equal(server.starts, c.starts) {
				t.Errorf("got %v after starts with %v, want it tried again: %t, after %v", err, server.starts, c.later, c.starts)
			}
			if want := []any{"evt_1", workflows.RedeliverUpdate, workflows.Redelivery{Attempt: 4, Before: 3}}; !slices.Equal(server.updates, want) {
				t.Errorf("update: got %v, want %v", server.updates, want)
			}
		})
	}
}
