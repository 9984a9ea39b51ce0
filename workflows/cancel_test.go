package workflows_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

func always(err error) []error { return slices.Repeat([]error{err}, 1000) }

var errAway = temporal.NewApplicationError("the drive does not answer", "drive_unavailable")

func TestACancelledRunRecordsTellsAndCleansUp(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.state = platen.AutomationCancelled
	s.record.Orphans = true
	s.fail["FillTags"] = always(errAway)
	env := environment(s)
	began := env.Now()
	env.RegisterDelayedCallback(env.CancelWorkflow, 30*time.Second)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if err := env.GetWorkflowError(); !temporal.IsCanceledError(err) {
		t.Fatalf("got %v, want the run to end as cancelled", err)
	}
	// The test environment goes on trying activities whose run was cancelled.
	steps := slices.DeleteFunc(s.steps(), func(step string) bool { return step == "FillTags" })
	tail := steps[max(0, len(steps)-4):]
	if want := []string{"RecordFailure cancelled", "SendEvent", "TrashLeftovers", "FinishAutomation"}; !slices.Equal(tail, want) {
		t.Errorf("last steps: got %v, want %v", tail, want)
	}
	if took := env.Now().Sub(began); took > time.Minute {
		t.Errorf("the run ended after %v, want soon after 30s", took)
	}
}

func TestCancellingKeepsWhatIsMade(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents = []activities.DocumentSteps{
		{OutputID: "out_1", DocumentID: "doc_1"},
		{OutputID: "out_2", DocumentID: "doc_2", MakePDF: true},
	}
	s.state = platen.AutomationCancelled
	s.fail["MakePDF"] = always(errAway)
	env := environment(s)
	env.RegisterDelayedCallback(env.CancelWorkflow, 30*time.Second)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if err := env.GetWorkflowError(); !temporal.IsCanceledError(err) {
		t.Fatalf("got %v, want the run to end as cancelled", err)
	}
	if s.count("RecordOutput") != 1 || s.count("RecordFailure cancelled") != 1 {
		t.Errorf("steps: got %v, want one document made and one cancelled", s.steps())
	}
}

func TestARunOfACancelledAutomationMakesNothing(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Cancelled = true
	s.state = platen.AutomationCancelled
	_, err := run(t, s)
	if !temporal.IsCanceledError(err) {
		t.Fatalf("got %v, want the run to end as cancelled", err)
	}
	if want := []string{"LoadPlan", "RecordFailure cancelled", "SendEvent", "FinishAutomation"}; !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestCancellingTooLateChangesNothing(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["RecordOutput"] = []error{errAway, errAway, errAway, errAway, errAway, errAway, errAway}
	env := environment(s)
	env.RegisterDelayedCallback(env.CancelWorkflow, 30*time.Second)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatalf("got %v, want the run to end as completed", err)
	}
	if s.count("RecordOutput") != 8 || s.count("SendEvent") != 1 {
		t.Errorf("steps: got %v, want the output recorded and told", s.steps())
	}
}

func TestWithoutAPlanTheAutomationFailsWithTheReason(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["LoadPlan"] = []error{temporal.NewNonRetryableApplicationError("The workflow had no template document.", "workflow_incomplete", nil)}
	_, err := run(t, s)
	var application *temporal.ApplicationError
	if !errors.As(err, &application) || application.Type() != "workflow_incomplete" {
		t.Fatalf("got %v, want an error of type workflow_incomplete", err)
	}
	if want := []string{"LoadPlan", "FailAutomation workflow_incomplete"}; !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestDeliveriesBegunAnewHaveTheirWholeSchedule(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(activities.SendResult{Wait: time.Second}, activities.SendResult{Delivered: true, Ended: true})
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 11, Before: 10})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	want := []activities.SendInput{{EventID: "evt_1", Attempt: 11, Before: 10}, {EventID: "evt_1", Attempt: 12, Before: 10}}
	if !slices.Equal(a.inputs, want) {
		t.Errorf("attempts: got %+v, want %+v", a.inputs, want)
	}
}
