package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// A run may have made every document before it is known that it was started.
func TestAnAutomationWhoseDocumentsAreAllMadeIsNotCancelled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	user := f.User(nil)
	w := f.Workflow(user)
	p := f.Planned(w)
	f.Park(p.AutomationID)
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	if a, err := f.Automations.CancelAutomation(t.Context(), user, w.ID, p.AutomationID); err != nil || a.State != platen.AutomationRunning {
		t.Fatalf("cancelled: got %s, %v; want its run to end it", a.State, err)
	}
	if state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || state != platen.AutomationCompleted {
		t.Errorf("ended: got %s, %v; want COMPLETED, for every document is made", state, err)
	}
}

func TestAnAutomationThatIsCancelledWaitsForNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	user := f.User(nil)
	w := f.Workflow(user)
	id := f.Accept(w, 1)[0]
	f.Park(id)
	a, err := f.Automations.CancelAutomation(t.Context(), user, w.ID, id)
	if err != nil || a.State != platen.AutomationCancelled || a.ParkedAt != nil || len(a.Waits) > 0 {
		t.Errorf("got %s, parked %v, waits %v, %v; want CANCELLED, and nothing that it waits for", a.State, a.ParkedAt, a.Waits, err)
	}
}

func TestCancellingARetryThatWaitsTellsOfItsOutputs(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Running(w)
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode = platen.OutputFailed, "broken"
		return nil
	}, storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	for range 2 {
		a, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
		if err != nil || a.State != platen.AutomationRunning || a.CancelRequestedAt == nil {
			t.Fatalf("got %+v, %v; want the wish noted", a, err)
		}
	}
	if claimed := f.Claim(10, 10); len(claimed) != 0 {
		t.Errorf("claimed %v, want nothing", storetest.IDs(claimed))
	}
	if got := f.Commands(); len(got) != 1 || got[0].Kind != platen.CommandCancel {
		t.Fatalf("commands: got %+v, want one to cancel it", got)
	}
	// The wish may have met the run of the attempt before, which ends nothing.
	overdue, err := f.Queue.OverdueAutomations(t.Context(), -time.Hour, platen.Automation{})
	if err != nil || len(overdue) != 1 || overdue[0].Attempt != 2 {
		t.Errorf("got %+v, %v; want the reconciler to see it", overdue, err)
	}
	// What dispatch does when Temporal has no open run of it.
	state, err := f.Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 0, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
	if n := f.Count(`SELECT count(*) FROM events WHERE automation_id = $1`, p.AutomationID); n != 2 {
		t.Errorf("%d events, want one of the failure and one of the cancelled retry", n)
	}
}

func TestCancellingOneThatWaitsEndsItAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(f.Team("Sales")))
	id := f.Accept(w, 1)[0]
	for range 2 {
		a, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, id)
		if err != nil || a.State != platen.AutomationCancelled || a.FinishedAt == nil || a.CancelRequestedAt == nil {
			t.Fatalf("got %+v, %v; want CANCELLED", a, err)
		}
	}
	if claimed := f.Claim(10, 10); len(claimed) != 0 {
		t.Errorf("claimed %v, want nothing", storetest.IDs(claimed))
	}
	want := platen.OutboxCommand{Kind: platen.CommandCancel, ID: id, Version: 1, WorkflowID: w.ID, OwnerID: w.Owner.ID, TeamID: w.Team.ID}
	if got := f.Commands(); len(got) != 1 || got[0] != want {
		t.Errorf("commands: got %+v, want %+v: a run may have been started", got, want)
	}
	// A run that comes up late makes nothing.
	p, err := f.Plans.Plan(t.Context(), id)
	if err != nil || !p.Cancelled || len(p.Documents) != 0 {
		t.Errorf("plan: got %+v, %v; want a cancelled one without documents", p, err)
	}
	if state, err := f.Automations.EndAutomation(t.Context(), id, 1); err != nil || state != platen.AutomationCancelled {
		t.Errorf("finish: got %s, %v; want CANCELLED", state, err)
	}
}

func TestCancellingOneThatRunsIsTheRunsToCarryOut(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	p := f.Running(w)
	a, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	if err != nil || a.State != platen.AutomationRunning || a.CancelRequestedAt == nil || len(a.Outputs) != 2 {
		t.Fatalf("got %+v, %v; want RUNNING with the wish noted", a, err)
	}
	if again, err := f.Plans.Plan(t.Context(), p.AutomationID); err != nil || !again.Cancelled || len(again.Documents) != 2 {
		t.Errorf("plan: got %+v, %v; want the pinned one, cancelled", again, err)
	}
	_, _, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	if _, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); !platen.IsForgotten(err) {
		t.Errorf("finish before the other output is recorded: got %v, want that its end was forgotten", err)
	}
	_, _, err = f.Outputs.RecordOutput(t.Context(), p.Documents[1].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode, o.Failure = platen.OutputFailed, platen.CodeCancelled, platen.MessageCancelled
		return nil
	}, storetest.EventFor)
	f.Must(err)
	state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("finish: got %s, %v; want CANCELLED", state, err)
	}
	if o, err := f.Outputs.Output(t.Context(), p.Documents[1].OutputID); err != nil || o.State != platen.OutputFailed || o.FailureCode != platen.CodeCancelled {
		t.Errorf("the output that was not done: got %+v, %v", o, err)
	}
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	storetest.WantKind(t, "retry of a cancelled one", err, platen.KindInvalid, "automation_not_failed")
}

func TestCancellingTooLate(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Running(w)
	_, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	_, _, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	if state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || state != platen.AutomationCompleted {
		t.Errorf("with every output done: got %s, %v; want COMPLETED", state, err)
	}
	_, err = f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	storetest.WantKind(t, "cancel of an ended one", err, platen.KindInvalid, "automation_ended")
}

func TestARunThatWasCancelledElsewhereEndsAsCancelled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Running(f.Workflow(f.User(nil)))
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode, o.Failure = platen.OutputFailed, platen.CodeCancelled, platen.MessageCancelled
		return nil
	}, storetest.EventFor)
	f.Must(err)
	if state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
}
