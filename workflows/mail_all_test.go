package workflows_test

import (
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// invoiceAndContract is a run of two documents; the mail of the first brings both outputs.
func invoiceAndContract() *script {
	s := oneDocument()
	s.record = activities.RecordResult{}
	s.plan.Documents = []activities.DocumentSteps{
		{OutputID: "out_1", DocumentID: "doc_1", Mail: true, MailAll: true},
		{OutputID: "out_2", DocumentID: "doc_2", MakePDF: true},
	}
	return s
}

func TestAMailOfAllOutputsGoesOutOnceAllHaveEnded(t *testing.T) {
	t.Parallel()
	s := invoiceAndContract()
	away := temporal.NewApplicationError("The drive is away.", "drive_unavailable")
	s.fail["MakePDF"] = []error{away, away, away} // of the second alone, which takes minutes
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	steps := s.steps()
	if want := []string{"RecordOutput", "GatherOutputs", "SendMail", "FinishAutomation"}; len(steps) < 4 || !slices.Equal(steps[len(steps)-4:], want) || s.count("RecordOutput") != 2 || s.count("SendMail") != 1 {
		t.Errorf("steps: got %v, want one mail behind both outputs", steps)
	}
}

func TestAMailOfAllOutputsIsNotSentBeforeAllAreMade(t *testing.T) {
	t.Parallel()
	for _, state := range []platen.MailState{"", platen.MailFailed} {
		s := invoiceAndContract()
		s.gathered = func(activities.Step) activities.MailResult { return activities.MailResult{State: state} }
		if _, err := run(t, s); err != nil {
			t.Fatal(err)
		}
		if s.count("GatherOutputs") != 1 || s.count("SendMail") != 0 {
			t.Errorf("%q: got %v, want no mail", state, s.steps())
		}
	}
}

// The database is never given up, so that no run ends without its mail.
func TestWhatAMailBringsIsGatheredUntilTheDatabaseAnswers(t *testing.T) {
	t.Parallel()
	s := invoiceAndContract()
	down := temporal.NewApplicationError("The database is away.", "internal")
	s.fail["GatherOutputs"] = slices.Repeat([]error{down}, 5)
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if s.count("GatherOutputs") != 6 || s.count("SendMail") != 1 {
		t.Errorf("got %d tries and %d mails, want 6 and 1", s.count("GatherOutputs"), s.count("SendMail"))
	}
}

// Whichever output people decide on last, the attempt of that decision sends the mail.
func TestADecisionSendsTheMailOfAllOutputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second activities.DocumentSteps
		want          int
	}{
		"on the other":         {activities.DocumentSteps{Ended: true}, activities.DocumentSteps{Verdict: platen.VerdictApproved}, 1},
		"on its own":           {activities.DocumentSteps{Verdict: platen.VerdictApproved}, activities.DocumentSteps{Ended: true}, 1},
		"which is still to be": {activities.DocumentSteps{Waits: true}, activities.DocumentSteps{Verdict: platen.VerdictApproved}, 0},
	} {
		s := invoiceAndContract()
		for i, d := range []activities.DocumentSteps{c.first, c.second} {
			d.OutputID, d.DocumentID, d.MakePDF = s.plan.Documents[i].OutputID, s.plan.Documents[i].DocumentID, true
			d.Mail, d.MailAll = i == 0, i == 0
			s.plan.Documents[i] = d
		}
		env := reviewing(s, environment(s), nil)
		env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 2})
		if err := env.GetWorkflowError(); err != nil {
			t.Fatal(err)
		}
		if got := s.count("SendMail"); got != c.want {
			t.Errorf("%s: got %v, want %d mails", name, s.steps(), c.want)
		}
	}
}

// The failure of the other document is noted with the mail, also in a run that is cancelled.
func TestACancelledRunStillGathersWhatItsMailBrings(t *testing.T) {
	t.Parallel()
	s := invoiceAndContract()
	s.state = platen.AutomationCancelled
	s.fail["MakePDF"] = always(temporal.NewApplicationError("The drive is away.", "drive_unavailable"))
	env := environment(s)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if s.count("RecordFailure cancelled") != 1 || s.count("GatherOutputs") != 1 || s.count("FinishAutomation") != 1 {
		t.Errorf("steps: got %v", s.steps())
	}
}
