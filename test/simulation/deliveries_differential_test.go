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

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// A deliveryScript says how each step of a delivery ends, and when somebody cancels
// the delivery: the seed decides. It notes the steps with what they are given.
type deliveryScript struct {
	seed     uint64
	in       workflows.DeliverEventInput
	cancelAt time.Duration // after the start, never when a timer fires; 0: nobody does
	againAt  time.Duration // when it is redelivered, likewise

	mu   sync.Mutex
	made []string
	told bool
}

func newDeliveryScript(seed uint64) *deliveryScript {
	d := &generator{seed: seed}
	s := &deliveryScript{seed: seed, in: workflows.DeliverEventInput{
		EventID: "evt_1", Owner: "usr_1", Attempt: 1 + d.below(2), Before: d.below(2), Wait: time.Duration(d.below(3)) * time.Minute,
	}}
	if d.below(3) == 0 {
		s.cancelAt = time.Duration(d.below(8))*time.Minute + 30*time.Second
	}
	if d.below(3) == 0 {
		s.againAt = time.Duration(d.below(8))*time.Minute + 15*time.Second
	}
	return s
}

// ends is how a step ends; a first attempt may also fail for a reason that may pass.
func (s *deliveryScript) ends(name string, in activities.SendInput, local bool) outcome {
	step := fmt.Sprintf("%s %+v, local: %t", name, in, local)
	s.mu.Lock()
	s.made = append(s.made, step)
	s.mu.Unlock()
	d := &generator{seed: draw(s.seed, "ends ", step)}
	switch n := d.below(10); {
	case local && n < 3:
		return outcome{failed: true, code: "store_unavailable", message: "It does not answer."}
	case n == 3:
		return outcome{failed: true, nonRetryable: true, code: []string{platen.CodeForgotten, "event_not_found"}[d.below(2)], message: "No."}
	}
	wait := time.Duration(1+d.below(4)) * time.Minute // a step that is made again at once would end the same for ever
	switch n := d.below(6); {
	case name == "HoldCancelled":
		return outcome{}
	case n == 0:
		return outcome{result: activities.SendResult{Ended: true, Held: true}}
	case n == 1:
		return outcome{result: activities.SendResult{Postponed: true, Wait: wait}}
	case name == "AskEndpoint":
		return outcome{result: activities.SendResult{}}
	case n == 2, in.Attempt > 5:
		return outcome{result: activities.SendResult{Ended: true, Delivered: d.below(2) == 0}}
	}
	return outcome{result: activities.SendResult{Wait: wait}}
}

// redelivered is what a redelivery begins with.
var redelivered = workflows.Redelivery{Attempt: 4, Before: 3}

// TestTheStepsOfADeliveryAreThoseOfTheWorkflow runs the product's workflow in
// Temporal's own environment and the simulation's beside it, and compares the steps
// that they ask for, their inputs, how they end and whether that is reported.
func TestTheStepsOfADeliveryAreThoseOfTheWorkflow(t *testing.T) {
	statuses := map[enums.WorkflowExecutionStatus]int{}
	for seed := uint64(1); seed <= 100; seed++ {
		real, simulated := newDeliveryScript(seed), newDeliveryScript(seed)
		want, got := real.runWorkflow(), simulated.runFlow(t)
		if diff := cmp.Diff(real.made, simulated.made); diff != "" {
			t.Fatalf("seed %d, cancelled after %v, redelivered after %v, steps (-workflow +simulated):\n%s", seed, real.cancelAt, real.againAt, diff)
		}
		if got != want || real.told != simulated.told {
			t.Fatalf("seed %d, cancelled after %v: got %v, told: %t, want %v, told: %t after %v", seed, real.cancelAt, got, simulated.told, want, real.told, real.made)
		}
		statuses[got]++
	}
	if len(statuses) != 3 {
		t.Errorf("deliveries ended as %v, want some completed, failed and cancelled", slices.Collect(maps.Keys(statuses)))
	}
}

func mockedDelivery(env *testsuite.TestWorkflowEnvironment, s *deliveryScript, method any, name string) {
	env.OnActivity(method, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.SendInput) (activities.SendResult, error) {
		return answered[activities.SendResult](s.ends(name, in, activity.GetInfo(ctx).IsLocalActivity))
	})
}

// runWorkflow runs the product's workflow, and returns how it ended.
func (s *deliveryScript) runWorkflow() enums.WorkflowExecutionStatus {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent)
	env := suite.NewTestWorkflowEnvironment()
	e := &activities.Deliveries{}
	env.RegisterActivity(e)
	env.RegisterWorkflow(workflows.DeliverEvent)
	mockedDelivery(env, s, e.SendEvent, "SendEvent")
	mockedDelivery(env, s, e.AskEndpoint, "AskEndpoint")
	env.OnActivity(e.HoldCancelled, mock.Anything, mock.Anything).Return(func(ctx context.Context, in activities.SendInput) error {
		_, err := answered[any](s.ends("HoldCancelled", in, activity.GetInfo(ctx).IsLocalActivity))
		return err
	})
	env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(mock.Arguments) { s.told = true }).Return(nil).Maybe()
	if s.cancelAt > 0 {
		env.RegisterDelayedCallback(env.CancelWorkflow, s.cancelAt)
	}
	if s.againAt > 0 {
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(workflows.RedeliverUpdate, "", &testsuite.TestUpdateCallback{OnAccept: func() {}, OnReject: func(error) {}, OnComplete: func(any, error) {}}, redelivered)
		}, s.againAt)
	}
	env.ExecuteWorkflow(workflows.DeliverEvent, s.in)
	switch err := env.GetWorkflowError(); {
	case err == nil:
		return enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	case temporal.IsCanceledError(err):
		return enums.WORKFLOW_EXECUTION_STATUS_CANCELED
	}
	return enums.WORKFLOW_EXECUTION_STATUS_FAILED
}

// runFlow runs the simulation's, one task after the other.
func (s *deliveryScript) runFlow(t *testing.T) enums.WorkflowExecutionStatus {
	t.Helper()
	r := &run{id: s.in.EventID, workflow: deliverEvent, delivers: s.in, records: map[string]record{}, activities: map[string]*scheduled{}, timers: map[string]time.Time{}}
	at := time.Duration(0)
	for range 200 {
		a := newFlow(r, func(name string, _ preset, input any) outcome {
			return s.ends(name, input.(activities.SendInput), true)
		}).task()
		if a.again {
			r.again = nil
		}
		if a.state != nil {
			r.delivers, r.records = *a.state, map[string]record{}
		}
		maps.Copy(r.records, a.records)
		s.told = s.told || a.told
		for _, o := range a.orders {
			r.records[o.key] = record{outcome: s.ends(o.name, o.input.(activities.SendInput), false)}
		}
		if wait, armed := a.timers["timer"]; armed {
			fires, again := at+wait, s.againAt > at && s.againAt < at+wait
			switch cancelled := s.cancelAt > at && s.cancelAt < fires; {
			case cancelled && (!again || s.cancelAt < s.againAt):
				r.cancel, at = true, s.cancelAt
			case again:
				r.again, at = &redelivered, s.againAt
			default:
				r.records["timer"], at = record{}, fires
			}
		}
		if a.closes != 0 {
			return a.closes
		}
	}
	t.Fatalf("seed %d: the delivery does not end: %v", s.seed, s.made)
	return 0
}
