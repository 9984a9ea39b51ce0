package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// A Starter starts, looks at and cancels runs in Temporal for dispatch.
type Starter struct {
	Client    client.Client
	Namespace string // of the runs that Wake finds
	Queue     string // empty: DefaultQueue
	// Eager tells whether runs may start on this client's worker without
	// asking Temporal, which costs half as much and chooses no build. nil: always.
	Eager func() bool
}

// taskTimeout is after how long without an answer a run goes on in another
// worker: what a dead worker costs. Local activities that take longer extend it.
const taskTimeout = 5 * time.Second

// Start starts the run of an automation. A run of this attempt or a later one that
// is open is no error; dispatch.ErrEnded: there was one. KindUnavailable: Temporal
// does not answer, or the run of the attempt before has not quite ended;
// KindInvalid: Temporal refuses.
//
// Temporal's state of an attempt counts, not the store's, which may have been restored
// from a backup. So a first attempt is refused by any run, open or closed, and a later
// one looks at the latest.
func (s *Starter) Start(ctx context.Context, a platen.Automation) error {
	policy := enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	if a.Attempt > 1 {
		before, err := s.Look(ctx, a.ID)
		if err != nil {
			return err
		}
		if err := refuses(before, a); err != nil || before.State == dispatch.RunOpen {
			return err
		}
		policy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
		if before.State == dispatch.RunCompleted {
			policy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
		}
	}
	_, err := s.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                    a.ID,
		TaskQueue:             s.queue(),
		EnableEagerStart:      s.eager(),
		WorkflowTaskTimeout:   taskTimeout,
		WorkflowIDReusePolicy: policy,
		// Without it a second start would quietly return the first run, and
		// one after a completed run could not be told from a new one.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    attributes(a.WorkflowID, a.OwnerID, a.TeamID),
		StaticSummary:                            "automation of " + a.WorkflowID,
		Memo:                                     map[string]any{"requestId": a.RequestID, attemptMemo: a.Attempt},
		Priority:                                 temporal.Priority{FairnessKey: a.OwnerID},
	}, workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: a.ID, Attempt: a.Attempt})
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return s.alreadyStarted(ctx, a)
	}
	if err != nil {
		return failure(fmt.Errorf("start the run of %s: %w", a.ID, err))
	}
	return nil
}

// errPreviousOpen: a run says how it ended just before it ends, and a retry may be
// that quick.
var errPreviousOpen = &platen.Error{Kind: platen.KindUnavailable, Code: "previous_run_open", Message: "The run of the attempt before had not ended yet."}

// refuses returns why an attempt is not started beside or after a run; nil where the
// run is that of the attempt and open, or of an earlier one and closed.
func refuses(run dispatch.Run, a platen.Automation) error {
	switch open := run.State == dispatch.RunOpen; {
	case run.State == dispatch.RunUnknown:
		return nil
	case run.Attempt >= a.Attempt && !open:
		return dispatch.ErrEnded
	case run.Attempt < a.Attempt && open:
		return errPreviousOpen
	}
	return nil
}

// alreadyStarted tells a second start of one attempt from one that came before
// the attempt ahead of it was over.
func (s *Starter) alreadyStarted(ctx context.Context, a platen.Automation) error {
	run, err := s.Look(ctx, a.ID)
	if err != nil {
		return err
	}
	if err := refuses(run, a); err != nil || run.State == dispatch.RunOpen {
		return err
	}
	return errPreviousOpen // it ended between the two calls; the next try starts
}

// attemptMemo says in a run's memo which attempt of the automation it is.
const attemptMemo = "attempt"

// Look tells dispatch how the latest run of an automation, or of an event's
// delivery, stands.
func (s *Starter) Look(ctx context.Context, id string) (dispatch.Run, error) {
	described, err := s.Client.DescribeWorkflowExecution(ctx, id, "")
	var notFound *serviceerror.NotFound
	if errors.As(err, &notFound) {
		return dispatch.Run{}, nil
	}
	if err != nil {
		return dispatch.Run{}, failure(fmt.Errorf("describe the run of %s: %w", id, err))
	}
	info := described.GetWorkflowExecutionInfo()
	run := dispatch.Run{State: stateOf(info.GetStatus()), Attempt: 1}
	run.Pinned = run.State == dispatch.RunOpen && isPinned(info.GetVersioningInfo())
	if payload, ok := info.GetMemo().GetFields()[attemptMemo]; ok {
		if err := converter.GetDefaultDataConverter().FromPayload(payload, &run.Attempt); err != nil {
			return dispatch.Run{}, fmt.Errorf("read the memo of the run of %s: %w", id, err)
		}
	}
	_, hasOutcome := info.GetSearchAttributes().GetIndexedFields()[workflows.OutcomeAttribute.GetName()]
	run.Told = run.State == dispatch.RunCompleted || run.State != dispatch.RunOpen && hasOutcome
	return run, nil
}

// isPinned tells whether a run waits for one build. An override, of ours or an operator's,
// goes before what its code says.
func isPinned(v *workflowpb.WorkflowExecutionVersioningInfo) bool {
	return v.GetBehavior() == enums.VERSIONING_BEHAVIOR_PINNED && !v.GetVersioningOverride().GetAutoUpgrade()
}

func stateOf(status enums.WorkflowExecutionStatus) dispatch.RunState {
	switch status {
	// One that is paused goes on when an operator has it go on.
	case enums.WORKFLOW_EXECUTION_STATUS_RUNNING, enums.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return dispatch.RunOpen
	case enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return dispatch.RunCompleted
	case enums.WORKFLOW_EXECUTION_STATUS_FAILED:
		return dispatch.RunFailed
	case enums.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return dispatch.RunCancelled
	}
	return dispatch.RunClosed
}

// Cancel asks the latest run of an automation to end, and tells whether Temporal knows
// one. The server accepts the wish also for a run that has ended, which changes
// nothing. Such an automation is ended by the reconciler, if its run did not end it.
// Asking twice is no error.
func (s *Starter) Cancel(ctx context.Context, automationID string) (known bool, err error) {
	err = s.Client.CancelWorkflow(ctx, automationID, "")
	var notFound *serviceerror.NotFound
	var already *serviceerror.CancellationAlreadyRequested
	switch {
	case errors.As(err, &notFound):
		return false, nil
	case errors.As(err, &already):
		return true, nil
	case err != nil:
		return false, failure(fmt.Errorf("cancel the run of %s: %w", automationID, err))
	}
	return true, nil
}

// Wake has the latest run of an automation try again at once each step that waits
// because its owner's connection is broken. A run that is closed or unknown has
// nothing to wake. A Temporal that cannot do it (before 1.28) is no error, either:
// the steps look by themselves once a minute.
func (s *Starter) Wake(ctx context.Context, automationID string) error {
	described, err := s.Client.DescribeWorkflowExecution(ctx, automationID, "")
	if is[*serviceerror.NotFound](err) {
		return nil
	}
	if err != nil {
		return failure(fmt.Errorf("describe the run of %s: %w", automationID, err))
	}
	for _, waits := range described.GetPendingActivities() {
		if waits.GetState() != enums.PENDING_ACTIVITY_STATE_SCHEDULED || waits.GetLastFailure().GetApplicationFailureInfo().GetType() != platen.CodeConnectionBroken {
			continue
		}
		_, err := s.Client.WorkflowService().ResetActivity(ctx, &workflowservice.ResetActivityRequest{
			Namespace: s.Namespace,
			Execution: described.GetWorkflowExecutionInfo().GetExecution(),
			Activity:  &workflowservice.ResetActivityRequest_Id{Id: waits.GetActivityId()},
		})
		if err != nil && !is[*serviceerror.NotFound](err) && !is[*serviceerror.Unimplemented](err) {
			return failure(fmt.Errorf("try step %s of %s again: %w", waits.GetActivityId(), automationID, err))
		}
	}
	return nil
}

// Deliver begins to redeliver an event. A delivery of it that is under way begins again:
// the receiver is to be tried now, not when the next wait is over. With a Temporal that
// has no updates it ends, and another one begins.
func (s *Starter) Deliver(ctx context.Context, e platen.OutboxCommand) error {
	begin := workflows.Redelivery{Attempt: max(e.Attempt, e.Before+1), Before: e.Before}
	err := s.deliver(ctx, e, begin, enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL)
	if !is[*serviceerror.WorkflowExecutionAlreadyStarted](err) {
		return err
	}
	if err := s.unpinned(ctx, e.ID); err != nil {
		return err
	}
	update, err := s.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: e.ID, UpdateName: workflows.RedeliverUpdate, Args: []any{begin}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = update.Get(ctx, nil)
	}
	switch {
	case err == nil:
		return nil
	case is[*serviceerror.Unimplemented](err):
		return s.deliver(ctx, e, begin, enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
	}
	// It has ended meanwhile, or is about to; it is paused; or nobody answers.
	return &platen.Error{Kind: platen.KindUnavailable, Code: "temporal_unavailable", Message: "The delivery under way does not answer.", Err: fmt.Errorf("redeliver %s: %w", e.ID, err)}
}

// unpinned has a delivery that waits for its first task on the build of the run that began
// it go to the current build: no worker of the other may be left.
func (s *Starter) unpinned(ctx context.Context, id string) error {
	run, err := s.Look(ctx, id)
	if err != nil || !run.Pinned {
		return err
	}
	return s.Unpin(ctx, id)
}

// Unpin has the latest run of an event's delivery go to the current build. One that has
// ended is no error.
func (s *Starter) Unpin(ctx context.Context, id string) error {
	if err := unpin(ctx, s.Client, id, ""); err != nil && !is[*serviceerror.NotFound](err) {
		return failure(fmt.Errorf("unpin the run of %s: %w", id, err))
	}
	return nil
}

// options are those of a run that a command begins. A closed run of the same id forbids
// nothing.
func (s *Starter) options(e platen.OutboxCommand, id, summary string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    id,
		TaskQueue:             s.queue(),
		EnableEagerStart:      s.eager(),
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: attributes(e.WorkflowID, e.OwnerID, e.TeamID),
		StaticSummary:         summary,
		Priority:              temporal.Priority{FairnessKey: e.OwnerID},
	}
}

func (s *Starter) deliver(ctx context.Context, e platen.OutboxCommand, begin workflows.Redelivery, conflict enums.WorkflowIdConflictPolicy) error {
	options := s.options(e, e.ID, "deliver the event again")
	options.WorkflowIDConflictPolicy, options.WorkflowExecutionErrorWhenAlreadyStarted = conflict, true
	_, err := s.Client.ExecuteWorkflow(ctx, options, workflows.DeliverEvent, workflows.DeliverEventInput{EventID: e.ID, Owner: e.OwnerID, Attempt: begin.Attempt, Before: begin.Before})
	if err == nil || is[*serviceerror.WorkflowExecutionAlreadyStarted](err) {
		return err
	}
	return failure(fmt.Errorf("start to deliver %s: %w", e.ID, err))
}

// Mail begins to send a mail. The store knows what became of one that was sent before, so
// a closed run of it forbids nothing.
func (s *Starter) Mail(ctx context.Context, e platen.OutboxCommand) error {
	options := s.options(e, workflows.MailWorkflowID(e.Mail), "send the output by mail again")
	options.WorkflowIDConflictPolicy, options.WorkflowExecutionErrorWhenAlreadyStarted = enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, true
	_, err := s.Client.ExecuteWorkflow(ctx, options, workflows.DeliverMail, workflows.DeliverMailInput{
		Step: activities.Step{AutomationID: e.Mail.AutomationID, OutputID: e.Mail.OutputID}, Owner: e.OwnerID, Number: e.Mail.Number,
	})
	if err == nil || is[*serviceerror.WorkflowExecutionAlreadyStarted](err) {
		return nil
	}
	return failure(fmt.Errorf("start to send %s: %w", e.ID, err))
}

// Store begins to store an output at a target, now: a run that waits for its next attempt
// ends. What that has under way keeps its lease, and the new one waits for it.
func (s *Starter) Store(ctx context.Context, e platen.OutboxCommand) error {
	options := s.options(e, workflows.FilesWorkflowID(e.Placement), "store the output at a target")
	options.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	_, err := s.Client.ExecuteWorkflow(ctx, options, workflows.DeliverFiles, workflows.DeliverFilesInput{
		Step: activities.Step{AutomationID: e.Placement.AutomationID, OutputID: e.Placement.OutputID}, Owner: e.OwnerID, TargetID: e.Placement.TargetID,
	})
	if err != nil {
		return failure(fmt.Errorf("start to store %s: %w", e.ID, err))
	}
	return nil
}

// Review has an output that waits for people looked after, now. A run that does so already
// looks again.
func (s *Starter) Review(ctx context.Context, e platen.OutboxCommand) error {
	_, err := s.Client.SignalWithStartWorkflow(ctx, workflows.ReviewWorkflowID(e.ID), workflows.ReviewSignal, nil, client.StartWorkflowOptions{
		TaskQueue:             s.queue(),
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: attributes(e.WorkflowID, e.OwnerID, e.TeamID),
		StaticSummary:         "look after an output that waits for people",
		Priority:              temporal.Priority{FairnessKey: e.OwnerID},
	}, workflows.AwaitReview, workflows.AwaitReviewInput{
		Step: activities.Step{AutomationID: e.AutomationID, OutputID: e.ID, WorkflowID: e.WorkflowID}, Owner: e.OwnerID,
	})
	if err != nil {
		return failure(fmt.Errorf("have the review of %s looked after: %w", e.ID, err))
	}
	return nil
}

func (s *Starter) eager() bool { return s.Eager == nil || s.Eager() }

func (s *Starter) queue() string {
	if s.Queue == "" {
		return DefaultQueue
	}
	return s.Queue
}

func attributes(workflowID, ownerID, teamID string) temporal.SearchAttributes {
	set := []temporal.SearchAttributeUpdate{
		workflows.WorkflowAttribute.ValueSet(workflowID),
		workflows.OwnerAttribute.ValueSet(ownerID),
	}
	if teamID != "" {
		set = append(set, workflows.TeamAttribute.ValueSet(teamID))
	}
	return temporal.NewSearchAttributes(set...)
}

// failure classifies the error of a call. A refusal of Temporal stays, until somebody
// corrects its cause.
func failure(err error) error {
	switch {
	case is[*serviceerror.InvalidArgument](err), is[*serviceerror.FailedPrecondition](err), is[*serviceerror.Unimplemented](err),
		is[*serviceerror.NamespaceNotFound](err), is[*serviceerror.PermissionDenied](err), is[*serviceerror.ClientVersionNotSupported](err):
		return &platen.Error{Kind: platen.KindInvalid, Code: "temporal_refused",
			Message: "Temporal refuses this: check its namespace, the search attributes of it, and what our credentials allow.", Err: err}
	}
	return &platen.Error{Kind: platen.KindUnavailable, Code: "temporal_unavailable", Message: "Temporal does not answer.", Err: err}
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
