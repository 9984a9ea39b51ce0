// Package workflows holds the Temporal workflows: RunAutomation makes the
// documents of one accepted source event, DeliverEvent sends one event until
// the receiver has it. They are deterministic and do nothing themselves: no
// clock, no randomness, no I/O; that is what activities are for. The names of
// workflows and activities, and the order of their commands, are recorded in
// histories, and are therefore for ever. A changed order gets a version and a
// new history in testdata.
package workflows

import (
	"fmt"
	"slices"
	"strings"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// Search attributes that find runs in Temporal's UI, all of type Keyword. The outcome
// of a run that completed is its status.
var (
	WorkflowAttribute = temporal.NewSearchAttributeKeyKeyword("PlatenWorkflowId")
	OwnerAttribute    = temporal.NewSearchAttributeKeyKeyword("PlatenOwner")
	TeamAttribute     = temporal.NewSearchAttributeKeyKeyword("PlatenTeam")
	OutcomeAttribute  = temporal.NewSearchAttributeKeyKeyword("PlatenOutcome")
)

// SearchAttributes returns the names of all search attributes, to set up a namespace.
func SearchAttributes() []string {
	return []string{WorkflowAttribute.GetName(), OwnerAttribute.GetName(), TeamAttribute.GetName(), OutcomeAttribute.GetName()}
}

// FailedType is the type of the error of a run in which a document failed.
const FailedType = "DocumentFailed"

// Only their method names are used: a nil receiver names an activity.
var (
	documents  *activities.Documents
	deliveries *activities.Deliveries
	mails      *activities.Mails
	reviews    *activities.Reviews
	targets    *activities.Targets
)

// RunAutomationInput names the automation; Attempt tells retries of it apart.
type RunAutomationInput struct {
	AutomationID string
	Attempt      int
}

// RunAutomation makes the documents of one automation side by side. A document
// that fails does not stop its neighbours: it ends in an event of its own kind,
// and the run fails with FailedType when all have ended.
//
// A run that is cancelled makes nothing more: the documents that are not made
// by then fail with code "cancelled", what they left in the drive is removed,
// and the run ends as cancelled.
//
// An output that people are to approve waits for them, and no run does: the run completes
// when nothing else is left, with the outcome REVIEW. Each decision starts another attempt,
// which shares the output, records it and sends its event and mail, or fails it.
//
// A run whose steps find that the store has lost their results records nothing: it
// fails, and the reconciler recovers the automation.
//
// A step that is made again after somebody has retried the automation does
// nothing, and the run fails; the retry has a run of its own, which starts then.
//
// A mail that brings the outputs of all documents goes out once all have ended.
func RunAutomation(ctx workflow.Context, in RunAutomationInput) error {
	ctx = withWaits(ctx)
	var plan activities.LoadPlanResult
	err := ofRecords.step(ctx, "load the plan", "", documents.LoadPlan, activities.LoadPlanInput{AutomationID: in.AutomationID, Attempt: in.Attempt}, &plan)
	if err != nil {
		return fail(ctx, in, err)
	}
	made, failed := make([]error, len(plan.Documents)), make([]string, len(plan.Documents))
	wg := workflow.NewWaitGroup(ctx)
	for i, d := range plan.Documents {
		wg.Add(1)
		workflow.GoNamed(ctx, d.OutputID, func(ctx workflow.Context) {
			defer wg.Done()
			made[i] = document{automation: in.AutomationID, attempt: in.Attempt, owner: plan.OwnerID, workflow: plan.WorkflowID, steps: d, cancelled: plan.Cancelled, failed: &failed[i]}.run(ctx)
		})
	}
	wg.Wait(ctx)
	for _, err := range made {
		if err != nil {
			return noteForgotten(ctx, err)
		}
	}
	for i, d := range plan.Documents {
		if !d.MailAll || d.Waits || failed[i] != "" {
			continue
		}
		if err := (document{automation: in.AutomationID, attempt: in.Attempt, owner: plan.OwnerID, workflow: plan.WorkflowID, steps: d}).mailAll(ctx); err != nil {
			return noteForgotten(ctx, err)
		}
	}
	return noteForgotten(ctx, endAutomation(ctx, in, failed))
}

// Forgotten is the value of OutcomeAttribute of a run that ended because the store
// knows less than the run: the reconciler recovers its automation.
const Forgotten = "FORGOTTEN"

// noteForgotten notes that a run ends because the store has forgotten what it did.
func noteForgotten(ctx workflow.Context, err error) error {
	if !isForgotten(err) {
		return err
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if noted := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(Forgotten)); noted != nil {
		return noted
	}
	return err
}

func endAutomation(ctx workflow.Context, in RunAutomationInput, failed []string) error {
	var result activities.FinishResult
	err := ofRecords.step(ctx, "record the outcome", "", documents.FinishAutomation, activities.FinishInput{AutomationID: in.AutomationID, Attempt: in.Attempt}, &result)
	if err != nil {
		return err
	}
	if result.State == platen.AutomationCompleted {
		return nil // the status says so, and costs an event less than OutcomeAttribute
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(string(result.State))); err != nil {
		return err
	}
	switch result.State {
	case platen.AutomationFailed:
		return temporal.NewNonRetryableApplicationError(whatFailed(failed), FailedType, nil)
	case platen.AutomationCancelled:
		return temporal.NewCanceledError()
	}
	return nil
}

// whatFailed says which documents were not made and why, for the operator who looks at
// the run. Of those that failed in an earlier run nothing is known here.
func whatFailed(documents []string) string {
	known := slices.DeleteFunc(slices.Clone(documents), func(why string) bool { return why == "" })
	if len(known) == 0 {
		return "a document was not made; the automation's errors say why"
	}
	return strings.Join(known, "\n")
}

// fail records that there is nothing to make documents by.
func fail(ctx workflow.Context, in RunAutomationInput, cause error) error {
	var result activities.FinishResult
	code, message := reason(cause)
	failure := activities.FailInput{AutomationID: in.AutomationID, Attempt: in.Attempt, Code: code, Message: message}
	if err := ofRecords.step(ctx, "record the outcome", "", documents.FailAutomation, failure, &result); err != nil {
		return err
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(string(result.State))); err != nil {
		return err
	}
	return cause
}

// A document is the way of one output through the run.
type document struct {
	automation string
	attempt    int
	owner      string
	workflow   string
	steps      activities.DocumentSteps
	cancelled  bool    // before the run began
	failed     *string // gets why it was not made
}

// run makes the output, or records why it could not be made; its error is a recording
// step that failed for good. Every outcome, cancellation included, is recorded, sent as
// an event and cleaned up to the end. For an output that an earlier run ended,
// recording finds the event, which that run may not have delivered.
func (d document) run(ctx workflow.Context) error {
	if d.steps.Waits {
		return nil // a decision starts the next attempt
	}
	var recorded activities.RecordResult
	step := activities.Step{AutomationID: d.automation, OutputID: d.steps.OutputID, Attempt: d.attempt, WorkflowID: d.workflow}
	var err error
	if !d.steps.Ended {
		err = d.produce(ctx, step)
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	made := err == nil
	switch {
	case isForgotten(err):
		return err
	case err != nil:
		code, message := reason(err)
		*d.failed = fmt.Sprintf("%s was not made (%s): %s", d.steps.DocumentID, code, message)
		failure := activities.FailureInput{Step: step, Code: code, Message: message}
		err = ofRecords.step(ctx, d.summary("record the failure"), d.owner, documents.RecordFailure, failure, &recorded)
	default:
		err = ofRecords.step(ctx, d.summary("record the output"), d.owner, documents.RecordOutput, step, &recorded)
	}
	if err != nil {
		return err
	}
	if err := d.deliverAll(ctx, recorded); err != nil {
		return err
	}
	if made && d.steps.Mail && !d.steps.MailAll && !recorded.Waits {
		if err := d.mail(ctx, step); err != nil {
			return err
		}
	}
	if recorded.Orphans {
		var removed activities.OrphansResult
		// Orphans that stay are untidy, not wrong: the run ends by its documents.
		_ = ofOrphans.step(ctx, d.summary("remove what is left over"), d.owner, documents.TrashLeftovers, step, &removed)
	}
	return nil
}

func (d document) produce(ctx workflow.Context, step activities.Step) error {
	if d.cancelled {
		return temporal.NewCanceledError()
	}
	if code, message, failed := d.steps.Verdict.Failure(); failed {
		return temporal.NewNonRetryableApplicationError(message, code, nil)
	}
	if d.steps.Verdict == platen.VerdictApproved {
		return ofDocuments.step(ctx, d.summary("release what was approved"), d.owner, reviews.ReleaseOutput, step, nil)
	}
	if err := ofDocuments.step(ctx, d.summary("copy the template"), d.owner, documents.CopyTemplate, step, nil); err != nil {
		return err
	}
	if err := ofDocuments.step(ctx, d.summary("fill the tags"), d.owner, documents.FillTags, step, nil); err != nil {
		return err
	}
	if !d.steps.MakePDF {
		return nil
	}
	if d.steps.Append {
		if err := ofDocuments.step(ctx, d.summary("fill what is appended"), d.owner, documents.FillAppendices, step, nil); err != nil {
			return err
		}
	}
	if err := ofDocuments.step(ctx, d.summary("make the PDF"), d.owner, documents.MakePDF, step, nil); err != nil {
		return err
	}
	if !d.steps.Remove {
		return nil
	}
	return ofDocuments.step(ctx, d.summary("remove the original"), d.owner, documents.RemoveOriginal, step, nil)
}

// deliverAll delivers the events of an output side by side: no receiver waits for another.
func (d document) deliverAll(ctx workflow.Context, recorded activities.RecordResult) error {
	events := recorded.ReceiverEvents
	if recorded.EventID != "" {
		events = append([]string{recorded.EventID}, events...)
	}
	if len(events) == 0 {
		return nil
	}
	failed := make([]error, len(events))
	wg := workflow.NewWaitGroup(ctx)
	for i, id := range events[1:] {
		wg.Add(1)
		workflow.GoNamed(ctx, id, func(ctx workflow.Context) {
			defer wg.Done()
			failed[i+1] = d.deliver(ctx, id)
		})
	}
	failed[0] = d.deliver(ctx, events[0])
	wg.Wait(ctx)
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// deliver makes the first attempt as a step of the run. Only when more are due,
// or the endpoint is not to be tried now, does it start DeliverEvent, which goes
// on by itself: a child for every event would cost several times the rest of
// the run.
func (d document) deliver(ctx workflow.Context, eventID string) error {
	var sent activities.SendResult
	input := activities.SendInput{EventID: eventID, Attempt: 1, InRun: true}
	if err := ofDeliveries.step(ctx, d.summary("deliver the event, attempt 1"), d.owner, deliveries.SendEvent, input, &sent); err != nil {
		return err
	}
	if sent.Ended {
		return nil
	}
	next := 2
	if sent.Postponed {
		next = 1 // the attempt was not made
	}
	return goOn(ctx, eventID, "deliver the event of "+d.steps.DocumentID, DeliverEvent, DeliverEventInput{
		EventID: eventID, Owner: d.owner, Attempt: next, Wait: sent.Wait, Begins: begins(next, sent.Wait),
	})
}

// goOn starts what goes on when the run has ended. That is not the build's business on
// which the run ends: without the override a child would be pinned to that build until its
// first task is done, and wait for ever if the build's last worker stops before. Temporal
// before 1.32 does not know the override; there Deployment.Retire frees such a child.
func goOn(ctx workflow.Context, id, summary string, what, input any) error {
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            id,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		VersioningOverride:    &client.AutoUpgradeVersioningOverride{},
		StaticSummary:         summary,
		TypedSearchAttributes: workflow.GetTypedSearchAttributes(ctx),
	})
	err := workflow.ExecuteChildWorkflow(child, what, input).GetChildWorkflowExecution().Get(ctx, nil)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	return err
}

func (d document) summary(what string) string {
	return what + " · " + d.steps.DocumentID
}
