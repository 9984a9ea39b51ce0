package workflows_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// asked is what SendEvent is asked for, one after the other, and answers is
// what it answers.
type asked struct {
	inputs  []activities.SendInput
	answers []activities.SendResult
}

// sending makes the script's SendEvent answer one by one.
func (s *script) sending(answers ...activities.SendResult) *asked {
	a := &asked{answers: answers}
	s.send = func(in activities.SendInput) activities.SendResult {
		a.inputs = append(a.inputs, in)
		return a.answers[min(len(a.inputs), len(a.answers))-1]
	}
	return a
}

func TestWaitingForAnEndpointTakesNoAttemptAway(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(
		activities.SendResult{Postponed: true, Wait: time.Minute},
		activities.SendResult{Postponed: true, Wait: time.Hour},
		activities.SendResult{Wait: 5 * time.Minute},
		activities.SendResult{Postponed: true, Wait: time.Second},
		activities.SendResult{Delivered: true, Ended: true},
	)
	env := environment(s)
	began := env.Now()
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Owner: "usr_1", Attempt: 2, Wait: 5 * time.Second})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	want := []activities.SendInput{
		{EventID: "evt_1", Attempt: 2},
		{EventID: "evt_1", Attempt: 2, Waited: time.Minute},
		{EventID: "evt_1", Attempt: 2, Waited: time.Hour + time.Minute},
		{EventID: "evt_1", Attempt: 3, Waited: time.Hour + time.Minute},
		{EventID: "evt_1", Attempt: 3, Waited: time.Hour + time.Minute + time.Second},
	}
	if len(a.inputs) != len(want) {
		t.Fatalf("got %d attempts %+v, want %d", len(a.inputs), a.inputs, len(want))
	}
	for i, in := range a.inputs {
		if in != want[i] {
			t.Errorf("attempt %d: got %+v, want %+v", i, in, want[i])
		}
	}
	if slept, least := env.Now().Sub(began), time.Hour+6*time.Minute+6*time.Second; slept < least {
		t.Errorf("slept %v, want %v", slept, least)
	}
}

func TestAnAttemptIsMadeWhenTheEndpointHasAPlaceOrDoesNotSay(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(activities.SendResult{Wait: time.Minute}, activities.SendResult{Delivered: true, Ended: true})
	var questions []activities.SendInput
	s.ask = func(in activities.SendInput) (activities.SendResult, error) {
		questions = append(questions, in)
		switch len(questions) {
		case 1, 2:
			return activities.SendResult{Postponed: true, Wait: time.Hour}, nil
		case 3:
			return activities.SendResult{}, errAway
		}
		return activities.SendResult{}, nil
	}
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 1})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(questions) != 4 || questions[2] != (activities.SendInput{EventID: "evt_1", Attempt: 1, Waited: 2 * time.Hour}) {
		t.Errorf("asked %+v, want four times, the third after two hours", questions)
	}
	if len(a.inputs) != 2 || a.inputs[1].Attempt != 2 {
		t.Errorf("attempts: got %+v, want two", a.inputs)
	}
}

func TestAnEventThatIsHeldWhenItAsksIsNotSent(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(activities.SendResult{Delivered: true, Ended: true})
	s.ask = func(activities.SendInput) (activities.SendResult, error) {
		return activities.SendResult{Held: true, Ended: true}, nil
	}
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 1})
	var application *temporal.ApplicationError
	if err := env.GetWorkflowError(); !errors.As(err, &application) || application.Type() != workflows.HeldType || len(a.inputs) != 0 {
		t.Fatalf("got %v after %d attempts, want an error of type %s after none", err, len(a.inputs), workflows.HeldType)
	}
}

func TestAnEventOfADisabledEndpointEndsAsHeld(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.sending(activities.SendResult{Postponed: true, Wait: time.Minute}, activities.SendResult{Held: true, Ended: true})
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 1})
	var application *temporal.ApplicationError
	if err := env.GetWorkflowError(); !errors.As(err, &application) || application.Type() != workflows.HeldType {
		t.Fatalf("got %v, want an error of type %s", err, workflows.HeldType)
	}
}

func TestARunHandsAnEventOnWhoseAttemptIsPostponed(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(activities.SendResult{Postponed: true, Wait: time.Minute}, activities.SendResult{Delivered: true, Ended: true})
	env := environment(s)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(a.inputs) == 0 || a.inputs[0] != (activities.SendInput{EventID: "evt_1", Attempt: 1, InRun: true}) {
		t.Fatalf("the run: got %+v, want attempt 1 as one that must not wait", a.inputs)
	}
	// The child may begin before the test environment ends.
	if len(a.inputs) > 1 && a.inputs[1] != (activities.SendInput{EventID: "evt_1", Attempt: 1}) {
		t.Errorf("the event's own run: got %+v, want attempt 1 still", a.inputs[1])
	}
}

func TestARunDoesNotHandOnWhatIsHeld(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(activities.SendResult{Held: true, Ended: true})
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	if len(a.inputs) != 1 || s.state != platen.AutomationCompleted {
		t.Errorf("got %+v, want one attempt and the run completed", a.inputs)
	}
}

func TestACancelledDeliveryHoldsItsEvent(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.sending(activities.SendResult{Wait: time.Minute}, activities.SendResult{Wait: time.Hour})
	env := environment(s)
	env.RegisterDelayedCallback(env.CancelWorkflow, 30*time.Minute) // while the third attempt waits
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 1})
	if err := env.GetWorkflowError(); !temporal.IsCanceledError(err) {
		t.Errorf("the delivery ended with %v, want it cancelled", err)
	}
	if want := []string{"SendEvent", "SendEvent", "HoldCancelled evt_1 3"}; !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %q, want %q", s.steps(), want)
	}
}

// redelivery asks a delivery to begin again, and notes what it answers.
func redelivery(env *testsuite.TestWorkflowEnvironment, attempt int, refused *error) {
	env.UpdateWorkflow(workflows.RedeliverUpdate, "", &testsuite.TestUpdateCallback{
		OnAccept: func() {}, OnReject: func(err error) { *refused = err }, OnComplete: func(_ any, err error) { *refused = errors.Join(*refused, err) },
	}, workflows.Redelivery{Attempt: attempt, Before: attempt - 1})
}

func TestARedeliveryTakesThePlaceOfTheAttemptThatWaits(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	a := s.sending(
		activities.SendResult{Postponed: true, Wait: time.Minute}, activities.SendResult{Wait: time.Hour},
		activities.SendResult{Wait: time.Second}, activities.SendResult{Delivered: true, Ended: true},
	)
	env := environment(s)
	var refused error
	var shown string
	env.RegisterDelayedCallback(func() {
		payload, err := env.QueryWorkflow("__temporal_workflow_metadata")
		if err == nil {
			var metadata sdkpb.WorkflowMetadata
			err = payload.Get(&metadata)
			shown = metadata.GetCurrentDetails()
		}
		if err != nil {
			t.Error(err)
		}
		redelivery(env, 5, &refused)
	}, 30*time.Minute)
	began := env.Now()
	env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 1})
	if err := errors.Join(env.GetWorkflowError(), refused); err != nil {
		t.Fatal(err)
	}
	want := []activities.SendInput{
		{EventID: "evt_1", Attempt: 1}, {EventID: "evt_1", Attempt: 1, Waited: time.Minute},
		{EventID: "evt_1", Attempt: 5, Before: 4}, {EventID: "evt_1", Attempt: 6, Before: 4},
	}
	if !slices.Equal(a.inputs, want) {
		t.Errorf("attempts: got %+v, want %+v", a.inputs, want)
	}
	if took := env.Now().Sub(began); took > 31*time.Minute {
		t.Errorf("the delivery took %v, want it to have begun again after 30m", took)
	}
	if !strings.HasPrefix(shown, "Waits for its next attempt: attempt 2 after 1h0m0s, which is due at 20") {
		t.Errorf("details while it waits: got %q", shown)
	}
}

func TestARedeliveryBeginsAfterTheAttemptUnderWay(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]activities.SendResult{
		"that was taken": {Delivered: true, Ended: true}, "that was the last": {Ended: true}, "that failed": {Wait: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := oneDocument()
			var a *asked
			env := environment(s)
			var refused error
			a = s.sending(sent, activities.SendResult{Delivered: true, Ended: true})
			send := s.send
			s.send = func(in activities.SendInput) activities.SendResult {
				if in.Attempt == 1 {
					redelivery(env, 3, &refused)
				}
				return send(in)
			}
			env.ExecuteWorkflow(workflows.DeliverEvent, workflows.DeliverEventInput{EventID: "evt_1", Attempt: 1})
			if err := errors.Join(env.GetWorkflowError(), refused); err != nil {
				t.Fatal(err)
			}
			if want := []activities.SendInput{{EventID: "evt_1", Attempt: 1}, {EventID: "evt_1", Attempt: 3, Before: 2}}; !slices.Equal(a.inputs, want) {
				t.Errorf("attempts: got %+v, want %+v", a.inputs, want)
			}
		})
	}
}
