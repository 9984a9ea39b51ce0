package dispatch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// queue is a queue in memory; what a test does not set answers nothing.
type queue struct {
	claim   func(context.Context) ([]platen.Automation, error)
	overdue [][]platen.Automation // by page
	end     func(id string) error
}

func (q queue) Claim(ctx context.Context, _ int, by platen.Claimer, _ time.Duration) (claimed []platen.Automation, seen platen.Occupancy, err error) {
	if q.claim != nil {
		claimed, err = q.claim(ctx)
	}
	return claimed, by.Occupancy(0, 0, platen.Others{}), err
}

func (q queue) MarkStarted(context.Context, []platen.Automation) error  { return nil }
func (q queue) Release(context.Context, []string, time.Duration) error  { return nil }
func (q queue) Listen(ctx context.Context, _ func(platen.Waking)) error { <-ctx.Done(); return nil }
func (q queue) Requeue(context.Context, string, int) error              { return nil }

func (q queue) OverdueAutomations(_ context.Context, _ time.Duration, after platen.Automation) ([]platen.Automation, error) {
	for i, page := range q.overdue {
		if i == 0 && after.ID == "" || i > 0 && after.ID == q.overdue[i-1][len(q.overdue[i-1])-1].ID {
			return page, nil
		}
	}
	return nil, nil
}

func (q queue) EndAbandonedAutomation(_ context.Context, id string, _ int, _ func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	return platen.AutomationFailed, q.end(id)
}

// A fake is all that dispatch knows of automations.
type fake interface {
	dispatch.Queue
	dispatch.Running
	dispatch.Automations
}

func dispatchUntil(t *testing.T, done <-chan struct{}, q fake, o dispatch.Options) {
	t.Helper()
	o.Queue, o.Running, o.Automations = q, q, q
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- dispatch.New(o).Run(ctx) }()
	<-done
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestAnAutomationThatCannotBeEndedKeepsNoneFromItsTurn(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	q := queue{overdue: [][]platen.Automation{{{ID: "aut_bad", Attempt: 1}}, {{ID: "aut_open", Attempt: 1}}, {{ID: "aut_good", Attempt: 1}}}, end: func(id string) error {
		if id == "aut_bad" {
			return errors.New("a row that makes no sense")
		}
		close(ended)
		return nil
	}}
	dispatchUntil(t, ended, q, dispatch.Options{
		Starter: starter{state: func(id string) (dispatch.RunState, error) {
			if id == "aut_open" { // one that stays must not be all that is ever seen
				return dispatch.RunOpen, nil
			}
			return dispatch.RunClosed, nil
		}},
	})
}

func TestAClaimHasATimeLimit(t *testing.T) {
	t.Parallel()
	claimed := make(chan struct{})
	q := queue{claim: func(ctx context.Context) ([]platen.Automation, error) {
		defer close(claimed)
		if _, ok := ctx.Deadline(); !ok {
			t.Error("got no deadline; a connection that hangs would end dispatch")
		}
		return nil, nil
	}}
	dispatchUntil(t, claimed, q, dispatch.Options{Poll: time.Hour})
}

// An eventfulQueue has an output left of each automation that it ends.
type eventfulQueue struct {
	queue
	events chan platen.Event
}

func (q eventfulQueue) EndAbandonedAutomation(_ context.Context, id string, _ int, event func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	e, err := event(platen.Automation{ID: id, WorkflowID: "wkf_1"}, platen.Output{ID: "out_1", AutomationID: id, State: platen.OutputFailed})
	q.events <- e
	return platen.AutomationFailed, err
}

func TestWhatARunThatIsGoneLeftEndsWithTheEventsThatItWouldHaveSent(t *testing.T) {
	t.Parallel()
	events, told := make(chan platen.Event, 1), make(chan struct{})
	var got platen.Event
	go func() { got = <-events; close(told) }()
	q := eventfulQueue{queue{overdue: [][]platen.Automation{{{ID: "aut_1", Attempt: 1}}}}, events}
	dispatchUntil(t, told, q, dispatch.Options{
		Starter: starter{state: func(string) (dispatch.RunState, error) { return dispatch.RunClosed, nil }},
	})
	if got.Type != platen.EventDocumentFailed || got.WorkflowID != "wkf_1" || got.AutomationID != "aut_1" || got.OutputID != "out_1" {
		t.Errorf("got %+v, want the event of its output", got)
	}
}
