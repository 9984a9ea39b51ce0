package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestOutputsOfARunThatIsGoneAreToldOf(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()), storetest.NewDocument(w.ID, storetest.Now()))
	})
	p := f.Running(w)
	_, recorded, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	_, delivered, err := f.Outputs.RecordOutput(t.Context(), p.Documents[1].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: delivered, Attempt: 1, At: storetest.Now()}, platen.EventDelivered, 0))
	var told platen.Event
	for range 2 {
		state, err := f.Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 1, func(a platen.Automation, o platen.Output) (platen.Event, error) {
			if a.WorkflowID != w.ID || o.ID != p.Documents[2].OutputID || o.State != platen.OutputFailed || o.FailureCode != "run_ended" {
				t.Errorf("the event is to be about %+v of %+v", o, a)
			}
			told, err = storetest.EventFor(o)
			return told, err
		})
		if err != nil || state != platen.AutomationFailed {
			t.Fatalf("got %s, %v; want FAILED", state, err)
		}
	}
	due := map[string]int{}
	for _, e := range f.Commands() {
		if e.Kind == platen.CommandMail { // of what is made
			continue
		}
		if e.Kind != platen.CommandDeliver || e.WorkflowID != w.ID || e.Version != 1 {
			t.Errorf("command: got %+v", e)
		}
		due[e.ID] = e.Before
	}
	// The run may have begun to deliver what it had recorded: attempt 1 is its own.
	if before, ok := due[recorded]; !ok || before != 1 {
		t.Errorf("the event that was recorded: due %t after %d attempts, want after 1", ok, before)
	}
	if before, ok := due[told.ID]; !ok || before != 0 {
		t.Errorf("the event of the output that was not made: due %t after %d attempts, want after 0", ok, before)
	}
	if len(due) != 2 {
		t.Errorf("got %d deliveries, want 2: %v", len(due), due)
	}
}

func TestACancelledRunThatIsGoneIsToldOfAsCancelled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Running(w)
	_, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	state, err := f.Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 1, func(_ platen.Automation, o platen.Output) (platen.Event, error) {
		if o.FailureCode != platen.CodeCancelled {
			t.Errorf("failure code: got %s, want %s", o.FailureCode, platen.CodeCancelled)
		}
		return storetest.EventFor(o)
	})
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
}

func TestAnAttemptThatWasSupersededEndsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	for name, end := range map[string]func(string) (platen.AutomationState, error){
		"end": func(id string) (platen.AutomationState, error) {
			return f.Automations.EndAutomation(t.Context(), id, 1)
		},
		"fail": func(id string) (platen.AutomationState, error) {
			return f.Automations.FailAutomation(t.Context(), id, 1, "c", "m")
		},
		"end abandoned": func(id string) (platen.AutomationState, error) {
			return f.Automations.EndAbandonedAutomation(t.Context(), id, 1, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
		},
	} {
		p := f.Retried(w)
		id := p.Documents[0].OutputID
		check := func(when string, want platen.AutomationState, output platen.OutputState) {
			t.Helper()
			_, err := end(p.AutomationID)
			storetest.WantKind(t, name+" "+when, err, platen.KindGone, platen.CodeSuperseded)
			o, err := f.Outputs.Output(t.Context(), id)
			if err != nil || o.State != output || o.Attempt != 2 {
				t.Errorf("%s %s: the output became %+v, %v; want %s of attempt 2", name, when, o, err, output)
			}
			if got := f.State(p.AutomationID); got != want {
				t.Errorf("%s %s: got %s, want %s", name, when, got, want)
			}
		}
		check("while the retry runs", platen.AutomationRunning, platen.OutputPending)
		_, _, err := f.Outputs.RecordOutput(t.Context(), id, storetest.Done, storetest.EventFor)
		f.Must(err)
		check("when its documents are made", platen.AutomationRunning, platen.OutputDone)
		if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 2); err != nil || got != platen.AutomationCompleted {
			t.Errorf("%s: the retry ended as %s, %v; want COMPLETED", name, got, err)
		}
		check("when the retry has ended", platen.AutomationCompleted, platen.OutputDone)
	}
}

func TestAnAttemptThatIsNotKnownEndsTheLatest(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Retried(f.Workflow(f.User(nil)))
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Failed, storetest.EventFor)
	f.Must(err)
	if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 0); err != nil || got != platen.AutomationFailed {
		t.Errorf("got %s, %v; want FAILED", got, err)
	}
}

func TestAnAutomationThatCannotBeginFailsWithTheReasonAndCanBeRetried(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	id := f.Accept(w, 1)[0]
	_, err := f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, storetest.AnyDocument)
	f.Must(err)
	_, err = f.Plans.Plan(t.Context(), id)
	storetest.WantKind(t, "plan", err, platen.KindInvalid, "workflow_incomplete")
	for range 2 {
		if state, err := f.Automations.FailAutomation(t.Context(), id, 1, "workflow_incomplete", "no template"); err != nil || state != platen.AutomationFailed {
			t.Fatalf("got %s, %v; want FAILED", state, err)
		}
	}
	a, err := f.Automations.WorkflowAutomation(t.Context(), w.Owner, w.ID, id)
	if err != nil || a.FailureCode != "workflow_incomplete" || a.Failure != "no template" {
		t.Errorf("got %+v, %v", a, err)
	}
	a, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, id)
	if err != nil || a.State != platen.AutomationAccepted || a.FailureCode != "" {
		t.Errorf("retried: got %+v, %v", a, err)
	}
}

func TestTheFinalStateFollowsTheOutputs(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	for want, changes := range map[platen.AutomationState][]func(*platen.Output) error{
		platen.AutomationCompleted: {storetest.Done, storetest.Done},
		platen.AutomationFailed:    {storetest.Done, storetest.Failed},
	} {
		p := f.Planned(w)
		for i, change := range changes {
			_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[i].OutputID, change, storetest.EventFor)
			f.Must(err)
		}
		for range 2 {
			if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || got != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		}
		a, err := f.Automations.Automation(t.Context(), p.AutomationID)
		if err != nil || a.State != want || a.FinishedAt == nil {
			t.Errorf("row: %+v, %v; want %s", a, err, want)
		}
	}
	p := f.Planned(w)
	if got, err := f.Automations.FailAutomation(t.Context(), p.AutomationID, 1, "c", "m"); err != nil || got != platen.AutomationFailed {
		t.Errorf("with pending outputs: %s, %v; want FAILED", got, err)
	}
	if o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID); err != nil || o.FailureCode != "run_ended" {
		t.Errorf("a pending output became %+v, %v; want run_ended", o, err)
	}
}

func TestEachEndIsToldOnceWithItsReason(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	var ended []platen.Ending
	db, err := postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Ended: func(_ context.Context, e platen.Ending) { ended = append(ended, e) }})
	f.Must(err)
	t.Cleanup(db.Close)
	w := f.Workflow(f.User(nil))
	made, failed, none := f.Running(w), f.Running(w), f.Running(w)
	_, _, err = f.Outputs.RecordOutput(t.Context(), made.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	_, _, err = f.Outputs.RecordOutput(t.Context(), failed.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode = platen.OutputFailed, "template_faulty"
		return nil
	}, storetest.EventFor)
	f.Must(err)
	waits := f.Accept(w, 1)[0]
	for range 2 {
		_, err = db.Automations.EndAutomation(t.Context(), made.AutomationID, 1)
		f.Must(err)
		_, err = db.Automations.EndAutomation(t.Context(), failed.AutomationID, 1)
		f.Must(err)
		_, err = db.Automations.FailAutomation(t.Context(), none.AutomationID, 1, "plan_unreadable", "words")
		f.Must(err)
		_, err = db.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, waits)
		f.Must(err)
	}
	want := []platen.Ending{
		{AutomationID: made.AutomationID, State: platen.AutomationCompleted},
		{AutomationID: failed.AutomationID, State: platen.AutomationFailed, Code: "template_faulty"},
		{AutomationID: none.AutomationID, State: platen.AutomationFailed, Code: "plan_unreadable"},
		{AutomationID: waits, State: platen.AutomationCancelled},
	}
	if len(ended) != len(want) {
		t.Fatalf("got %d ends, want %d: %+v", len(ended), len(want), ended)
	}
	for i, got := range ended {
		if got.AcceptedAt.IsZero() || got.FinishedAt.Before(got.AcceptedAt) || got.StartedAt.IsZero() != (got.AutomationID == waits) {
			t.Errorf("end %d: times of %+v", i, got)
		}
		got.AcceptedAt, got.StartedAt, got.FinishedAt = time.Time{}, time.Time{}, time.Time{}
		want[i].WorkflowID, want[i].OwnerID, want[i].Attempt = w.ID, w.Owner.ID, 1
		if got != want[i] {
			t.Errorf("end %d: got %+v, want %+v", i, got, want[i])
		}
	}
}
