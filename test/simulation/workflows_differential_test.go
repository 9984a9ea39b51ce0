package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/mock"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// A script says how each step of a run ends: the seed decides. It notes the steps
// of each document, in their order.
type script struct {
	seed uint64
	plan activities.LoadPlanResult

	mu   sync.Mutex
	made map[string][]string // by subject
}

func newScript(seed uint64) *script {
	d := &generator{seed: seed}
	s := &script{seed: seed, made: map[string][]string{}, plan: activities.LoadPlanResult{OwnerID: "usr_1", Cancelled: d.below(8) == 0}}
	for i := range 1 + d.below(3) {
		one := activities.DocumentSteps{OutputID: fmt.Sprint("out_", i), DocumentID: fmt.Sprint("doc_", i), Ended: d.below(6) == 0, MakePDF: d.below(2) == 0}
		one.Remove = one.MakePDF && d.below(2) == 0
		one.Append = one.MakePDF && d.below(2) == 0
		one.Waits = d.below(8) == 0
		one.Verdict = []platen.Verdict{"", "", "", "", platen.VerdictApproved, platen.VerdictRejected, platen.VerdictExpired}[d.below(7)]
		s.plan.Documents = append(s.plan.Documents, one)
	}
	return s
}

func (s *script) note(subject, step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[subject] = append(s.made[subject], step)
}

// steps are those that were noted.
func (s *script) steps() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.made)
}

// ends is how a step ends; a first attempt may also fail for a reason that may pass.
func (s *script) ends(subject, name string, local bool) outcome {
	way := " regular"
	if local {
		way = " local"
	}
	s.note(subject, name+way)
	d := &generator{seed: draw(s.seed, subject, name+way)}
	switch n := d.below(10); {
	case local && n < 3:
		return outcome{failed: true, code: "drive_unavailable", message: "It does not answer."}
	case n == 3:
		return outcome{failed: true, nonRetryable: true, code: []string{"drive_quota", platen.CodeForgotten, "event_not_found"}[d.below(3)], message: "No."}
	}
	switch name {
	case "LoadPlan":
		return outcome{result: s.plan}
	case "FinishAutomation", "FailAutomation":
		return outcome{result: activities.FinishResult{State: []platen.AutomationState{platen.AutomationCompleted, platen.AutomationFailed, platen.AutomationCancelled}[d.below(3)]}}
	case "RecordOutput", "RecordFailure":
		eventID := "evt_" + subject[len("out_"):]
		return outcome{result: activities.RecordResult{
			EventID: []string{"", eventID}[d.below(2)], Orphans: d.below(2) == 0, ReceiverEvents: []string{eventID + "-a", eventID + "-b"}[:d.below(3)],
		}}
	case "SendEvent":
		return outcome{result: activities.SendResult{Ended: d.below(2) == 0, Postponed: d.below(3) == 0}}
	}
	return outcome{}
}

// TestTheStepsOfARunAreThoseOfTheWorkflow runs the product's workflow in Temporal's
// own environment and the simulation's beside it, and compares which steps they ask
// for and how they end.
func TestTheStepsOfARunAreThoseOfTheWorkflow(t *testing.T) {
	statuses := map[enums.WorkflowExecutionStatus]int{}
	for seed := uint64(1); seed <= 100; seed++ {
		workflow, simulated := newScript(seed), newScript(seed)
		want, got := workflow.runWorkflow(), simulated.runFlow(t)
		if diff := cmp.Diff(workflow.steps(), simulated.steps()); diff != "" {
			t.Fatalf("seed %d, steps (-workflow +simulated):\n%s", seed, diff)
		}
		if got != want {
			t.Fatalf("seed %d: got %v, want %v after %v", seed, got, want, workflow.steps())
		}
		statuses[got]++
	}
	if len(statuses) != 3 {
		t.Errorf("runs ended as %v, want some completed, failed and cancelled", slices.Collect(maps.Keys(statuses)))
	}
}

// answered is what an activity returns for an outcome.
func answered[T any](o outcome) (result T, err error) {
	if o.failed {
		return result, temporal.NewApplicationErrorWithOptions(o.message, o.code, temporal.ApplicationErrorOptions{NonRetryable: o.nonRetryable})
	}
	if o.result != nil {
		result = o.result.(T)
	}
	return result, nil
}

func mocked[In, Out any](env *testsuite.TestWorkflowEnvironment, s *script, method any, name string) {
	env.OnActivity(method, mock.Anything, mock.Anything).Return(func(ctx context.Context, in In) (Out, error) {
		return answered[Out](s.ends(subject(in), name, activity.GetInfo(ctx).IsLocalActivity))
	})
}

// runWorkflow runs the product's workflow, and returns how it ended.
func (s *script) runWorkflow() enums.WorkflowExecutionStatus {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent)
	env := suite.NewTestWorkflowEnvironment()
	d, e, r := &activities.Documents{}, &activities.Deliveries{}, &activities.Reviews{}
	env.RegisterActivity(r)
	env.RegisterActivity(d)
	env.RegisterActivity(e)
	env.RegisterWorkflow(workflows.RunAutomation)
	env.RegisterWorkflow(workflows.DeliverEvent)
	mocked[activities.LoadPlanInput, activities.LoadPlanResult](env, s, d.LoadPlan, "LoadPlan")
	mocked[activities.Step, activities.CopyResult](env, s, d.CopyTemplate, "CopyTemplate")
	mocked[activities.Step, activities.FillResult](env, s, d.FillTags, "FillTags")
	mocked[activities.Step, activities.AppendResult](env, s, d.FillAppendices, "FillAppendices")
	mocked[activities.Step, activities.PDFResult](env, s, d.MakePDF, "MakePDF")
	mocked[activities.Step, activities.RemoveResult](env, s, d.RemoveOriginal, "RemoveOriginal")
	mocked[activities.Step, activities.RecordResult](env, s, d.RecordOutput, "RecordOutput")
	mocked[activities.FailureInput, activities.RecordResult](env, s, d.RecordFailure, "RecordFailure")
	mocked[activities.Step, activities.OrphansResult](env, s, d.TrashLeftovers, "TrashLeftovers")
	mocked[activities.FinishInput, activities.FinishResult](env, s, d.FinishAutomation, "FinishAutomation")
	mocked[activities.FailInput, activities.FinishResult](env, s, d.FailAutomation, "FailAutomation")
	mocked[activities.SendInput, activities.SendResult](env, s, e.SendEvent, "SendEvent")
	env.OnActivity(r.ReleaseOutput, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) error {
		_, err := answered[struct{}](s.ends(in.OutputID, "ReleaseOutput", activity.GetInfo(ctx).IsLocalActivity))
		return err
	})
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil).Maybe()
	env.OnWorkflow(workflows.DeliverEvent, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, in workflows.DeliverEventInput) error {
		s.note(in.EventID, fmt.Sprint("child from ", in.Attempt))
		return nil
	})
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	switch err := env.GetWorkflowError(); {
	case err == nil:
		return enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	case temporal.IsCanceledError(err):
		return enums.WORKFLOW_EXECUTION_STATUS_CANCELED
	}
	return enums.WORKFLOW_EXECUTION_STATUS_FAILED
}

// runFlow runs the simulation's, one task after the other.
func (s *script) runFlow(t *testing.T) enums.WorkflowExecutionStatus {
	t.Helper()
	r := &run{
		id: "aut_1", workflow: runAutomation, automated: workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1},
		records: map[string]record{}, activities: map[string]*scheduled{}, timers: map[string]time.Time{},
	}
	for range 100 {
		a := newFlow(r, func(name string, _ preset, input any) outcome { return s.ends(subject(input), name, true) }).task()
		maps.Copy(r.records, a.records)
		for _, o := range a.orders {
			r.records[o.key] = record{outcome: s.ends(subject(o.input), o.name, false)}
		}
		for _, child := range a.children {
			s.made[child.run.id] = append(s.made[child.run.id], fmt.Sprint("child from ", child.run.delivers.Attempt))
			r.records["child "+child.run.id] = record{}
		}
		if a.closes != 0 {
			return a.closes
		}
	}
	t.Fatalf("seed %d: the run does not end: %v", s.seed, s.made)
	return 0
}
