package worker

import (
	"context"
	"errors"
	"fmt"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/workflows"
)

// A Starter starts runs in Temporal for dispatch.
type Starter struct {
	Client client.Client
	Queue  string // empty: DefaultQueue
}

// Start starts the run of an automation. A run that exists already, open or
// completed, is no error. KindUnavailable: Temporal does not answer.
func (s *Starter) Start(ctx context.Context, a platen.Automation) error {
	queue := s.Queue
	if queue == "" {
		queue = DefaultQueue
	}
	attributes := []temporal.SearchAttributeUpdate{
		workflows.WorkflowAttribute.ValueSet(a.WorkflowID),
		workflows.OwnerAttribute.ValueSet(a.OwnerID),
	}
	if a.TeamID != "" {
		attributes = append(attributes, workflows.TeamAttribute.ValueSet(a.TeamID))
	}
	_, err := s.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                    a.ID,
		TaskQueue:             queue,
		EnableEagerStart:      true,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		// Without it a second start would quietly return the first run, and
		// one after a completed run could not be told from a new one.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    temporal.NewSearchAttributes(attributes...),
		StaticSummary:                            "automation of " + a.WorkflowID,
		Memo:                                     map[string]any{"requestId": a.RequestID},
		Priority:                                 temporal.Priority{FairnessKey: a.OwnerID},
	}, workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: a.ID, Attempt: a.Attempt})
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	if err != nil {
		return unavailable(fmt.Errorf("start the run of %s: %w", a.ID, err))
	}
	return nil
}

// State tells dispatch how the latest run of an automation stands.
func (s *Starter) State(ctx context.Context, automationID string) (dispatch.RunState, error) {
	described, err := s.Client.DescribeWorkflowExecution(ctx, automationID, "")
	var notFound *serviceerror.NotFound
	if errors.As(err, &notFound) {
		return dispatch.RunUnknown, nil
	}
	if err != nil {
		return dispatch.RunUnknown, unavailable(fmt.Errorf("describe the run of %s: %w", automationID, err))
	}
	if described.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return dispatch.RunOpen, nil
	}
	return dispatch.RunClosed, nil
}

func unavailable(err error) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: "temporal_unavailable", Message: "Temporal does not answer.", Err: err}
}
