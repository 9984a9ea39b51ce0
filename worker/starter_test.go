package worker

import (
	"context"
	"errors"
	"slices"
	"testing"

	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/platenhq/platen"
)

// A server answers every start with an error, and describes one run.
type server struct {
	client.Client
	refusal error
	attempt int
	status  enums.WorkflowExecutionStatus
}

func (s server) ExecuteWorkflow(context.Context, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	return nil, s.refusal
}

func (s server) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	payload, err := converter.GetDefaultDataConverter().ToPayload(s.attempt)
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflow.WorkflowExecutionInfo{
		Status: s.status, Memo: &common.Memo{Fields: map[string]*common.Payload{attemptMemo: payload}},
	}}, err
}

var errExists = serviceerror.NewWorkflowExecutionAlreadyStarted("exists", "", "")

func TestARetryWaitsForTheRunOfTheAttemptBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attempt int
		status  enums.WorkflowExecutionStatus
		waits   bool
	}{
		"open":                      {1, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, true},
		"ended between two looks":   {1, enums.WORKFLOW_EXECUTION_STATUS_FAILED, true},
		"this attempt, open":        {2, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, false},
		"this attempt, over":        {2, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, false},
		"one that cannot go before": {1, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Starter{Client: server{refusal: errExists, attempt: c.attempt, status: c.status}}
			err := s.Start(t.Context(), platen.Automation{ID: "aut_1", Attempt: 2})
			if waits := platen.KindOf(err) == platen.KindUnavailable; waits != c.waits || !waits && err != nil {
				t.Errorf("got %v, want it to wait: %t", err, c.waits)
			}
		})
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
