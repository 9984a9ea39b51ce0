package workflows_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// reviewing adds what looks after reviews to an environment. tend is one look.
func reviewing(s *script, env *testsuite.TestWorkflowEnvironment, tend func() activities.ReviewResult) *testsuite.TestWorkflowEnvironment {
	var v *activities.Reviews
	env.RegisterWorkflow(workflows.AwaitReview)
	env.RegisterActivity(v)
	env.OnActivity(v.ReleaseOutput, mock.Anything, mock.Anything).Return(func(context.Context, activities.Step) error { return s.note("ReleaseOutput") })
	env.OnActivity(v.TendReview, mock.Anything, mock.Anything).Return(func(context.Context, activities.ReviewInput) (activities.ReviewResult, error) {
		if err := s.note("TendReview"); err != nil {
			return activities.ReviewResult{}, err
		}
		return tend(), nil
	})
	return env
}

// The run that made a document ends while people look at it: no event, no mail.
func TestARunEndsWhereItsDocumentWaitsForPeople(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Mail = true
	s.record, s.state = activities.RecordResult{Waits: true}, platen.AutomationReview
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	want := []string{"LoadPlan", "CopyTemplate", "FillTags", "MakePDF", "RemoveOriginal", "RecordOutput", "FinishAutomation"}
	if !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestARunDoesWhatWasDecided(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps activities.DocumentSteps
		state platen.AutomationState
		want  []string
	}{
		"approved":     {activities.DocumentSteps{Verdict: platen.VerdictApproved, MakePDF: true, Mail: true}, platen.AutomationCompleted, []string{"LoadPlan", "ReleaseOutput", "RecordOutput", "SendEvent", "SendMail", "FinishAutomation"}},
		"rejected":     {activities.DocumentSteps{Verdict: platen.VerdictRejected, MakePDF: true, Mail: true}, platen.AutomationFailed, []string{"LoadPlan", "RecordFailure approval_rejected", "SendEvent", "FinishAutomation"}},
		"too late":     {activities.DocumentSteps{Verdict: platen.VerdictExpired, MakePDF: true}, platen.AutomationFailed, []string{"LoadPlan", "RecordFailure approval_expired", "SendEvent", "FinishAutomation"}},
		"still waited": {activities.DocumentSteps{Waits: true, MakePDF: true, Mail: true}, platen.AutomationReview, []string{"LoadPlan", "FinishAutomation"}},
	} {
		s := oneDocument()
		c.steps.OutputID, c.steps.DocumentID = "out_1", "doc_1"
		s.plan.Documents, s.state = []activities.DocumentSteps{c.steps}, c.state
		env := reviewing(s, environment(s), nil)
		env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 2})
		if failed := env.GetWorkflowError() != nil; failed != (c.state == platen.AutomationFailed) {
			t.Errorf("%s: the run failed %t: %v", name, failed, env.GetWorkflowError())
		}
		if !slices.Equal(s.steps(), c.want) {
			t.Errorf("%s: got %v, want %v", name, s.steps(), c.want)
		}
	}
}

// What was approved does not go out if the bytes are others.
func TestAChangedFileIsNotReleased(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents, s.state = []activities.DocumentSteps{{OutputID: "out_1", DocumentID: "doc_1", Verdict: platen.VerdictApproved}}, platen.AutomationFailed
	s.fail["ReleaseOutput"] = []error{temporal.NewNonRetryableApplicationError("The PDF is another.", platen.CodeApprovedFileChanged, nil)}
	env := reviewing(s, environment(s), nil)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 2})
	if want := []string{"LoadPlan", "ReleaseOutput", "RecordFailure approved_file_changed", "SendEvent", "FinishAutomation"}; !slices.Equal(s.steps(), want) {
		t.Errorf("got %v, want %v", s.steps(), want)
	}
}

// Ninety days with a reminder every third: each look is a few events of the history.
func TestAReviewWaitsForMonths(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	var began time.Time
	var last time.Duration
	reviewing(s, env, func() activities.ReviewResult {
		if began.IsZero() {
			began = env.Now()
		}
		last = env.Now().Sub(began)
		if last >= 90*24*time.Hour {
			return activities.ReviewResult{Ended: true}
		}
		return activities.ReviewResult{Wait: 3 * 24 * time.Hour}
	})
	env.ExecuteWorkflow(workflows.AwaitReview, workflows.AwaitReviewInput{Step: activities.Step{AutomationID: "aut_1", OutputID: "out_1"}, Owner: "usr_1"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if got := s.count("TendReview"); got != 31 || last.Round(time.Hour) != 90*24*time.Hour {
		t.Errorf("got %d looks in %v, want 31 in 90 days", got, last)
	}
}

// A decision ends the wait at once.
func TestADecisionEndsTheTimer(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	decided := false
	reviewing(s, env, func() activities.ReviewResult {
		return activities.ReviewResult{Ended: decided, Wait: 30 * 24 * time.Hour}
	})
	began := env.Now()
	env.RegisterDelayedCallback(func() {
		decided = true
		env.SignalWorkflow(workflows.ReviewSignal, nil)
	}, time.Hour)
	env.ExecuteWorkflow(workflows.AwaitReview, workflows.AwaitReviewInput{Step: activities.Step{AutomationID: "aut_1", OutputID: "out_1"}})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if took := env.Now().Sub(began); took > 2*time.Hour || s.count("TendReview") != 2 {
		t.Errorf("got %d looks in %v, want 2 in an hour", s.count("TendReview"), took)
	}
}
