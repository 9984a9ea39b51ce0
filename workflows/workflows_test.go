package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// A script stands in for the activities: it notes each call, and fails those listed in
// fail.
type script struct {
	mu     sync.Mutex
	called []string
	plan   activities.LoadPlanResult
	fail   map[string][]error // by activity, one for each call
	sent   []activities.SendResult
	send   func(activities.SendInput) activities.SendResult // in place of sent
	ask    func(activities.SendInput) (activities.SendResult, error)
	record activities.RecordResult
	state  platen.AutomationState
	// failure is what the last RecordFailure or GiveUpMail said.
	failure string
	// gathered says whether all outputs are made that a mail brings; nil: they are.
	gathered func(activities.Step) activities.MailResult
}

func (s *script) note(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.called = append(s.called, name)
	if errs := s.fail[name]; len(errs) > 0 {
		s.fail[name] = errs[1:]
		return errs[0]
	}
	return nil
}

// steps are those that were called so far.
func (s *script) steps() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.called)
}

func (s *script) count(name string) (n int) {
	for _, c := range s.steps() {
		if c == name {
			n++
		}
	}
	return n
}

func environment(s *script) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute) // without anything to do: three seconds are not enough on a busy machine
	env.RegisterWorkflow(workflows.RunAutomation)
	env.RegisterWorkflow(workflows.DeliverEvent)
	env.RegisterWorkflow(workflows.DeliverMail)
	s.makes(env)
	s.delivers(env)
	s.mails(env)
	s.targets(env)
	return env
}

// makes stands in for what makes documents.
func (s *script) makes(env *testsuite.TestWorkflowEnvironment) {
	var d *activities.Documents
	env.RegisterActivity(d)
	step := func(name string) func(context.Context, activities.Step) (struct{}, error) {
		return func(context.Context, activities.Step) (struct{}, error) { return struct{}{}, s.note(name) }
	}
	env.OnActivity(d.LoadPlan, mock.Anything, mock.Anything).Return(func(context.Context, activities.LoadPlanInput) (activities.LoadPlanResult, error) {
		return s.plan, s.note("LoadPlan")
	})
	env.OnActivity(d.CopyTemplate, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) (activities.CopyResult, error) {
		_, err := step("CopyTemplate")(ctx, in)
		return activities.CopyResult{}, err
	})
	env.OnActivity(d.FillTags, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) (activities.FillResult, error) {
		_, err := step("FillTags")(ctx, in)
		return activities.FillResult{}, err
	})
	env.OnActivity(d.FillAppendices, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) (activities.AppendResult, error) {
		_, err := step("FillAppendices")(ctx, in)
		return activities.AppendResult{}, err
	})
	env.OnActivity(d.MakePDF, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) (activities.PDFResult, error) {
		_, err := step("MakePDF")(ctx, in)
		return activities.PDFResult{}, err
	})
	env.OnActivity(d.RemoveOriginal, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) (activities.RemoveResult, error) {
		_, err := step("RemoveOriginal")(ctx, in)
		return activities.RemoveResult{}, err
	})
	env.OnActivity(d.RecordOutput, mock.Anything, mock.Anything).Return(func(context.Context, activities.Step) (activities.RecordResult, error) {
		return s.record, s.note("RecordOutput")
	})
	env.OnActivity(d.RecordFailure, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.FailureInput) (activities.RecordResult, error) {
		s.mu.Lock()
		s.failure = in.Message
		s.mu.Unlock()
		return s.record, s.note("RecordFailure " + in.Code)
	})
	env.OnActivity(d.TrashLeftovers, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.Step) (activities.OrphansResult, error) {
		_, err := step("TrashLeftovers")(ctx, in)
		return activities.OrphansResult{}, err
	})
	env.OnActivity(d.FailAutomation, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.FailInput) (activities.FinishResult, error) {
		return activities.FinishResult{State: platen.AutomationFailed}, s.note("FailAutomation " + in.Code)
	})
	env.OnActivity(d.FinishAutomation, mock.Anything, mock.Anything).Return(func(context.Context, activities.FinishInput) (activities.FinishResult, error) {
		return activities.FinishResult{State: s.state}, s.note("FinishAutomation")
	})
}

// delivers stands in for attempts to deliver.
func (s *script) delivers(env *testsuite.TestWorkflowEnvironment) {
	var e *activities.Deliveries
	env.RegisterActivity(e)
	env.OnActivity(e.AskEndpoint, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.SendInput) (activities.SendResult, error) {
		if s.ask == nil {
			return activities.SendResult{}, nil
		}
		return s.ask(in)
	})
	env.OnActivity(e.HoldCancelled, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.SendInput) error {
		return s.note(fmt.Sprintf("HoldCancelled %s %d", in.EventID, in.Attempt))
	})
	env.OnActivity(e.SendEvent, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.SendInput) (activities.SendResult, error) {
		s.mu.Lock()
		result := s.sent[min(in.Attempt, len(s.sent))-1]
		if s.send != nil {
			result = s.send(in)
		}
		s.mu.Unlock()
		return result, s.note("SendEvent")
	})
}

// mails stands in for what sends mails.
func (s *script) mails(env *testsuite.TestWorkflowEnvironment) {
	var m *activities.Mails
	env.RegisterActivity(m)
	env.OnActivity(m.SendMail, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.MailInput) (activities.MailResult, error) {
		if err := s.note("SendMail"); err != nil {
			if in.InRun {
				return activities.MailResult{State: platen.MailPending}, nil
			}
			return activities.MailResult{}, err
		}
		return activities.MailResult{State: platen.MailSent}, nil
	})
	env.OnActivity(m.GatherOutputs, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.Step) (activities.MailResult, error) {
		if s.gathered == nil {
			return activities.MailResult{State: platen.MailPending}, s.note("GatherOutputs")
		}
		return s.gathered(in), s.note("GatherOutputs")
	})
	env.OnActivity(m.GiveUpMail, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.MailFailure) error {
		s.mu.Lock()
		s.failure = in.Message
		s.mu.Unlock()
		return s.note("GiveUpMail " + in.Code)
	})
}

func oneDocument() *script {
	return &script{
		plan: activities.LoadPlanResult{OwnerID: "usr_1", Documents: []activities.DocumentSteps{
			{OutputID: "out_1", DocumentID: "doc_1", MakePDF: true, Remove: true},
		}},
		fail:   map[string][]error{},
		sent:   []activities.SendResult{{Delivered: true, Ended: true}},
		record: activities.RecordResult{EventID: "evt_1"},
		state:  platen.AutomationCompleted,
	}
}

func run(t *testing.T, s *script) (*testsuite.TestWorkflowEnvironment, error) {
	t.Helper()
	env := environment(s)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if !env.IsWorkflowCompleted() {
		t.Fatal("the run did not end")
	}
	return env, env.GetWorkflowError()
}

func TestRunTakesEveryStepInOrder(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	want := []string{"LoadPlan", "CopyTemplate", "FillTags", "MakePDF", "RemoveOriginal", "RecordOutput", "SendEvent", "FinishAutomation"}
	if !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestEveryStepOfARunSaysItsAttempt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*script){
		"made":   func(*script) {},
		"failed": func(s *script) { s.fail["CopyTemplate"] = []error{permanent()} },
		"not begun": func(s *script) {
			s.fail["LoadPlan"] = []error{permanent()}
		},
	} {
		s := oneDocument()
		s.record.Orphans = true
		change(s)
		env := environment(s)
		said := 0
		env.SetOnLocalActivityStartedListener(func(info *activity.Info, _ context.Context, args []any) {
			if info.ActivityType.Name == "SendEvent" {
				return // its attempt is that of the delivery
			}
			said++
			if got := reflect.ValueOf(args[0]).FieldByName("Attempt").Int(); got != 3 {
				t.Errorf("%s: %s: got attempt %d, want 3", name, info.ActivityType.Name, got)
			}
		})
		env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 3})
		if said < 2 {
			t.Errorf("%s: %d steps said their attempt: %v", name, said, s.steps())
		}
	}
}

func permanent() error {
	return temporal.NewNonRetryableApplicationError("The template is gone.", "drive_file_not_found", nil)
}

func TestWithoutPDFNothingIsRemoved(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].MakePDF, s.plan.Documents[0].Remove = false, false
	s.record.EventID = ""
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	want := []string{"LoadPlan", "CopyTemplate", "FillTags", "RecordOutput", "FinishAutomation"}
	if !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestPassingFaultIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	away := temporal.NewApplicationError("the drive does not answer", "drive_unavailable")
	s.fail["FillTags"] = []error{away, away, away}
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if got := s.count("FillTags"); got != 4 {
		t.Errorf("FillTags ran %d times, want 4", got)
	}
}

func TestPermanentFaultEndsTheDocumentNotItsNeighbours(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents = append(s.plan.Documents, activities.DocumentSteps{OutputID: "out_2", DocumentID: "doc_2"})
	s.record.Orphans = true
	s.state = platen.AutomationFailed
	s.fail["CopyTemplate"] = []error{temporal.NewNonRetryableApplicationError("The template is gone.", "drive_file_not_found", nil)}
	_, err := run(t, s)
	var application *temporal.ApplicationError
	if !errors.As(err, &application) || application.Type() != workflows.FailedType {
		t.Fatalf("got %v, want an error of type %s", err, workflows.FailedType)
	}
	// An operator reads it in Temporal's UI.
	if want := " was not made (drive_file_not_found): The template is gone."; !strings.HasPrefix(application.Message(), "doc_") || !strings.HasSuffix(application.Message(), want) {
		t.Errorf("got %q, want a document and %q", application.Message(), want)
	}
	if s.count("CopyTemplate") != 2 || s.count("RecordFailure drive_file_not_found") != 1 || s.count("RecordOutput") != 1 {
		t.Errorf("steps: got %v, want one document failed and one made", s.steps())
	}
	if s.count("TrashLeftovers") != 2 {
		t.Errorf("steps: got %v, want orphans removed", s.steps())
	}
}

func TestDocumentsThatEndedBeforeAreToldOfAndNotMadeAgain(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Ended = true
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if want := []string{"LoadPlan", "RecordOutput", "SendEvent", "FinishAutomation"}; !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestUndeliveredEventGoesOnByItself(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.sent = []activities.SendResult{{Wait: 5 * time.Second}, {Wait: time.Hour}, {Delivered: true, Ended: true}}
	env := environment(s)
	started := env.Now()
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 2, Wait: 5 * time.Second})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if got := s.count("SendEvent"); got != 2 {
		t.Errorf("attempts: got %d, want 2", got)
	}
	if waited := env.Now().Sub(started); waited < time.Hour+5*time.Second {
		t.Errorf("waited %v, want the schedule's waits", waited)
	}
}

func TestDeliveryGivesUpInTheEnd(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.sent = []activities.SendResult{{}, {Ended: true}}
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 2})
	var application *temporal.ApplicationError
	if err := env.GetWorkflowError(); !errors.As(err, &application) || application.Type() != workflows.UndeliveredType {
		t.Fatalf("got %v, want an error of type %s", err, workflows.UndeliveredType)
	}
}

func TestRunEndsWhenTheFirstAttemptFails(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.sent = []activities.SendResult{{Wait: 5 * time.Second}, {Delivered: true, Ended: true}}
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if s.count("FinishAutomation") != 1 {
		t.Errorf("steps: got %v, want the run finished", s.steps())
	}
}

func TestADocumentThatIsGivenUpSaysWhyTheLastTryFailed(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["FillTags"] = always(temporal.NewApplicationError("The drive takes no more calls for now.", "drive_rate_limited"))
	s.state = platen.AutomationFailed
	if _, err := run(t, s); err == nil {
		t.Fatal("the run did not fail")
	}
	if s.count("RecordFailure gave_up") != 1 || !strings.Contains(s.failure, "The drive takes no more calls") {
		t.Errorf("got %v with %q, want the last reason", s.steps(), s.failure)
	}
}

func TestARunDeliversTheEventsOfAllReceiversSideBySide(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.record.ReceiverEvents = []string{"evt_2", "evt_3"}
	var mu sync.Mutex
	sent := map[string]int{}
	s.send = func(in activities.SendInput) activities.SendResult {
		mu.Lock()
		defer mu.Unlock()
		sent[in.EventID]++
		if in.EventID == "evt_2" && in.InRun { // its receiver is down
			return activities.SendResult{Wait: time.Minute}
		}
		return activities.SendResult{Delivered: true, Ended: true}
	}
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if sent["evt_1"] != 1 || sent["evt_3"] != 1 || sent["evt_2"] < 1 || s.count("FinishAutomation") != 1 {
		t.Errorf("sent %v, want each once, and evt_2 to go on by itself", sent)
	}
}

func TestARunOfAWorkflowWithoutAnOutgoingWebhookTellsItsReceivers(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.record = activities.RecordResult{ReceiverEvents: []string{"evt_2"}}
	if _, err := run(t, s); err != nil || s.count("SendEvent") != 1 {
		t.Errorf("got %v after %v, want one event sent", err, s.steps())
	}
}
