package workflows_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

func TestAMailIsSentAfterTheEvent(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Mail = true
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	want := []string{"LoadPlan", "CopyTemplate", "FillTags", "MakePDF", "RemoveOriginal", "RecordOutput", "SendEvent", "SendMail", "FinishAutomation"}
	if !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestNoMailIsSentOfADocumentThatFailed(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Mail, s.state = true, platen.AutomationFailed
	s.fail["CopyTemplate"] = []error{permanent()}
	if _, err := run(t, s); err == nil {
		t.Fatal("the run did not fail")
	}
	if got := s.count("SendMail"); got != 0 {
		t.Errorf("got %d mails, want none", got)
	}
}

func TestAMailThatWaitsKeepsNoRunOpen(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Mail = true
	away := temporal.NewApplicationError("The mail server does not take mails now.", "smtp_unavailable")
	s.fail["SendMail"] = always(away)
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if s.count("FinishAutomation") != 1 {
		t.Errorf("steps: got %v, want the run finished", s.steps())
	}
}

var mailOfOne = workflows.DeliverMailInput{Step: activities.Step{AutomationID: "aut_1", OutputID: "out_1", Attempt: 1}, Owner: "usr_1"}

func TestAMailIsTriedUntilTheServerTakesIt(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	away := temporal.NewApplicationError("The mail server does not take mails now.", "smtp_unavailable")
	s.fail["SendMail"] = []error{away, away, away}
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverMail, mailOfOne)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"SendMail", "SendMail", "SendMail", "SendMail"}; !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestAMailIsGivenUpAfterADay(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["SendMail"] = always(temporal.NewApplicationError("The mail server does not take mails now.", "smtp_unavailable"))
	env := environment(s)
	var within time.Duration
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityType.Name == "SendMail" {
			within = info.ScheduleToCloseTimeout
		}
	})
	env.ExecuteWorkflow(workflows.DeliverMail, mailOfOne)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if s.count("GiveUpMail smtp_unavailable") != 1 || within != 24*time.Hour {
		t.Errorf("got %v, %v for all attempts; want the mail given up after a day", s.steps(), within)
	}
}

func TestAMailThatIsGivenUpSaysHowLongItWasTried(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails error
		want  string
	}{
		"tried for a day": {
			temporal.NewApplicationError("The mail server does not take mails now.", "smtp_unavailable"),
			"The mail server does not take mails now. It was given up after a day of tries.",
		},
		"at once": {
			temporal.NewNonRetryableApplicationError("The drive has no file.", "drive_file_not_found", nil),
			"The drive has no file.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := oneDocument()
			s.fail["SendMail"] = always(c.fails)
			env := environment(s)
			env.ExecuteWorkflow(workflows.DeliverMail, mailOfOne)
			if s.failure != c.want {
				t.Errorf("got %q, want %q", s.failure, c.want)
			}
		})
	}
}

func TestAMailThatIsCancelledIsGivenUp(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["SendMail"] = always(temporal.NewApplicationError("away", "smtp_unavailable"))
	env := environment(s)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(workflows.DeliverMail, mailOfOne)
	if s.count("GiveUpMail cancelled") != 1 {
		t.Errorf("steps: got %v, want the mail given up", s.steps())
	}
}
