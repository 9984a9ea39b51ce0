package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen"
)

func (f *fixture) commands() []platen.OutboxCommand {
	f.t.Helper()
	claimed, err := f.Outbox.ClaimCommands(f.t.Context(), 100, time.Minute)
	f.must(err)
	return claimed
}

// running is an automation with a pinned plan and a run.
func (f *fixture) running(w platen.Workflow) platen.Plan {
	f.t.Helper()
	p := f.planned(w)
	f.must(f.Queue.MarkStarted(f.t.Context(), firsts(p.AutomationID)))
	return p
}

func TestCancellingOneThatWaitsEndsItAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(f.team("Sales")))
	id := f.accept(w, 1)[0]
	for range 2 {
		a, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, id)
		if err != nil || a.State != platen.AutomationCancelled || a.FinishedAt == nil || a.CancelRequestedAt == nil {
			t.Fatalf("got %+v, %v; want CANCELLED", a, err)
		}
	}
	if claimed := f.claim(10, 10); len(claimed) != 0 {
		t.Errorf("claimed %v, want nothing", ids(claimed))
	}
	want := platen.OutboxCommand{Kind: platen.CommandCancel, ID: id, Version: 1, WorkflowID: w.ID, OwnerID: w.Owner.ID, TeamID: w.Team.ID}
	if got := f.commands(); len(got) != 1 || got[0] != want {
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
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.Documents = append(w.Documents, newDocument(w.ID, now())) })
	p := f.running(w)
	a, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	if err != nil || a.State != platen.AutomationRunning || a.CancelRequestedAt == nil || len(a.Outputs) != 2 {
		t.Fatalf("got %+v, %v; want RUNNING with the wish noted", a, err)
	}
	if again, err := f.Plans.Plan(t.Context(), p.AutomationID); err != nil || !again.Cancelled || len(again.Documents) != 2 {
		t.Errorf("plan: got %+v, %v; want the pinned one, cancelled", again, err)
	}
	_, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	if err != nil || state != platen.AutomationCancelled {
		t.Errorf("finish: got %s, %v; want CANCELLED", state, err)
	}
	if o, err := f.Outputs.Output(t.Context(), p.Documents[1].OutputID); err != nil || o.State != platen.OutputFailed || o.FailureCode != platen.CodeCancelled {
		t.Errorf("the output that was not done: got %+v, %v", o, err)
	}
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	wantKind(t, "retry of a cancelled one", err, platen.KindInvalid, "automation_not_failed")
}

func TestCancellingTooLate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.running(w)
	_, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.must(err)
	_, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	if state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || state != platen.AutomationCompleted {
		t.Errorf("with every output done: got %s, %v; want COMPLETED", state, err)
	}
	_, err = f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	wantKind(t, "cancel of an ended one", err, platen.KindInvalid, "automation_ended")
}

func TestARunThatWasCancelledElsewhereEndsAsCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.running(f.workflow(f.user(nil)))
	_, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode, o.Failure = platen.OutputFailed, platen.CodeCancelled, platen.MessageCancelled
		return nil
	}, eventFor)
	f.must(err)
	if state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %s, %v; want CANCELLED", state, err)
	}
}

func TestAnAutomationThatCannotBeginFailsWithTheReasonAndCanBeRetried(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	id := f.accept(w, 1)[0]
	_, err := f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, anyDocument)
	f.must(err)
	_, err = f.Plans.Plan(t.Context(), id)
	wantKind(t, "plan", err, platen.KindInvalid, "workflow_incomplete")
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

func TestWhatIsAnotherWorkflowsIsNotFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	owner := f.user(nil)
	w, other := f.workflow(owner), f.workflow(owner)
	p := f.planned(w)
	evt, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	stranger := f.user(nil)
	for _, c := range []struct {
		caller   platen.User
		workflow string
		code     string
	}{{owner, other.ID, ""}, {stranger, w.ID, "workflow_not_found"}} {
		check := func(what string, err error, code string) {
			t.Helper()
			if c.code != "" {
				code = c.code
			}
			wantKind(t, what, err, platen.KindNotFound, code)
		}
		_, err := f.Automations.WorkflowAutomation(t.Context(), c.caller, c.workflow, p.AutomationID)
		check("automation", err, "automation_not_found")
		_, err = f.Automations.RetryAutomation(t.Context(), c.caller, c.workflow, p.AutomationID)
		check("retry", err, "automation_not_found")
		_, err = f.Automations.CancelAutomation(t.Context(), c.caller, c.workflow, p.AutomationID)
		check("cancel", err, "automation_not_found")
		_, _, err = f.Events.WorkflowEvent(t.Context(), c.caller, c.workflow, evt)
		check("event", err, "event_not_found")
		check("redeliver", f.Events.RedeliverEvent(t.Context(), c.caller, c.workflow, evt), "event_not_found")
		if c.code != "" {
			_, err = f.Automations.WorkflowAutomations(t.Context(), c.caller, c.workflow, platen.AutomationQuery{})
			check("automations", err, "")
			_, err = f.Outputs.WorkflowOutputs(t.Context(), c.caller, c.workflow, platen.OutputQuery{})
			check("outputs", err, "")
			_, err = f.Events.WorkflowEvents(t.Context(), c.caller, c.workflow, platen.EventQuery{})
			check("events", err, "")
			_, err = f.Events.RecoverEvents(t.Context(), c.caller, c.workflow, time.Time{}, 10)
			check("recover", err, "")
		}
	}
	if got := f.commands(); len(got) != 0 {
		t.Errorf("commands: got %+v, want none", got)
	}
}

func TestListsArePagedInOrderAndTheirWholeIsTheirEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.Documents = append(w.Documents, newDocument(w.ID, now())) })
	f.accept(f.workflow(w.Owner), 2) // another's
	var want []string
	for range 5 {
		p := f.planned(w)
		want = append(want, p.AutomationID)
		for _, d := range p.Documents {
			_, err := f.Outputs.RecordOutput(t.Context(), d.OutputID, done, eventFor)
			f.must(err)
		}
	}
	all, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{})
	f.must(err)
	if got := ids(all); !slices.Equal(got, want) {
		t.Errorf("automations: got %v, want %v", got, want)
	}
	if len(all[0].Outputs) != 2 || all[0].Outputs[0].DocumentID != w.Documents[0].ID {
		t.Errorf("outputs of an automation: got %+v, want those of both documents in their order", all[0].Outputs)
	}
	page, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{
		Page: platen.Page{Limit: 2, After: platen.Position{CreatedAt: all[1].AcceptedAt, ID: all[1].ID}}})
	if f.must(err); !slices.Equal(ids(page), want[2:4]) {
		t.Errorf("second page: got %v, want %v", ids(page), want[2:4])
	}
	none, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{States: []platen.AutomationState{platen.AutomationFailed}})
	if err != nil || len(none) != 0 {
		t.Errorf("FAILED ones: got %v, %v; want none", ids(none), err)
	}
	outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{States: []platen.OutputState{platen.OutputDone}})
	if err != nil || len(outputs) != 10 || !slices.IsSortedFunc(outputs, func(a, b platen.Output) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
		t.Errorf("outputs: got %d, %v; want 10 in order", len(outputs), err)
	}
	next, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{
		Page: platen.Page{Limit: 3, After: platen.Position{CreatedAt: outputs[6].CreatedAt, ID: outputs[6].ID}}})
	if err != nil || len(next) != 3 || next[0].ID != outputs[7].ID || next[2].ID != outputs[9].ID {
		t.Errorf("last page of outputs: got %+v, %v", next, err)
	}
	events, err := f.Events.WorkflowEvents(t.Context(), w.Owner, w.ID, platen.EventQuery{States: []platen.EventState{platen.EventPending}})
	if err != nil || len(events) != 10 || events[0].Payload != nil {
		t.Errorf("events: got %d, %v; want 10 without payload", len(events), err)
	}
}

func TestADeliveryBegunAnewOvertakesTheOldOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.planned(w)
	id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	attempt := func(n int, failure string, state platen.EventState) platen.EventState {
		t.Helper()
		f.must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: id, Attempt: n, At: now(), Failure: failure}, state, 0))
		e, _, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id)
		f.must(err)
		return e.State
	}
	attempt(1, "busy", platen.EventPending)
	f.must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id))
	command := f.commands()[0]
	if command.Kind != platen.CommandDeliver || command.ID != id || command.Before != 2 || command.OwnerID != w.Owner.ID {
		t.Fatalf("command: got %+v, want the event's, after attempt 2, which may be under way", command)
	}
	if got := attempt(2, "busy", platen.EventFailed); got != platen.EventPending {
		t.Errorf("after the old series ended: got %s, want PENDING", got)
	}
	if got := attempt(3, "", platen.EventDelivered); got != platen.EventDelivered {
		t.Errorf("after the new series: got %s, want DELIVERED", got)
	}
	f.must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id))
	if e, deliveries, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id); err != nil || e.State != platen.EventPending || len(deliveries) != 3 {
		t.Errorf("got %+v with %d deliveries, %v; want PENDING with 3", e, len(deliveries), err)
	}
	// Asked for again while it was being passed on: that is not forgotten.
	f.must(f.Outbox.AcknowledgeCommand(t.Context(), command))
	if got := f.commands(); len(got) != 1 || got[0].Version != 2 || got[0].Before != 3 {
		t.Errorf("commands: got %+v, want the second request", got)
	}
	f.must(f.Webhooks.DeleteOutgoingWebhook(t.Context(), w.Owner, w.ID, func(platen.OutgoingWebhook) error { return nil }))
	wantKind(t, "without a webhook", f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id), platen.KindNotFound, "outgoing_webhook_not_found")
}

func TestFailedEventsSinceATimeAreRecovered(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	for i, state := range []platen.EventState{platen.EventFailed, platen.EventFailed, platen.EventFailed, platen.EventDelivered, platen.EventPending} {
		id, err := f.Outputs.RecordOutput(t.Context(), f.planned(w).Documents[0].OutputID, done, eventFor)
		f.must(err)
		f.exec(`UPDATE events SET state = $2, created_at = $3 WHERE id = $1`, id, state, time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC))
	}
	since := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, want := range []int{1, 1, 0} {
		if n, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, since, 1); err != nil || n.Events != want {
			t.Errorf("recovered %+v, %v; want %d", n, err, want)
		}
	}
	if n := f.count(`SELECT count(*) FROM events WHERE state = 'FAILED'`); n != 1 || len(f.commands()) != 2 {
		t.Errorf("%d are still FAILED, want the one from before", n)
	}
}

func TestAnOutboxCommandIsClaimedAgainWhenItsLeaseEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	_, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, f.accept(w, 1)[0])
	f.must(err)
	if first, second := f.commands(), f.commands(); len(first) != 1 || len(second) != 0 {
		t.Errorf("claimed %d and %d, want 1 and 0", len(first), len(second))
	}
	f.exec(`UPDATE errands SET leased_until = now() - interval '1 second'`)
	again := f.commands()
	if len(again) != 1 {
		t.Fatalf("claimed %d after the lease, want 1", len(again))
	}
	f.must(f.Outbox.AcknowledgeCommand(t.Context(), again[0]))
	f.must(f.Outbox.AcknowledgeCommand(t.Context(), again[0]))
	if n := f.count(`SELECT count(*) FROM errands`); n != 0 {
		t.Errorf("%d commands are left", n)
	}
}

func TestDeliveriesToAClosedEndpointArePutOffOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	failed := func(w platen.Workflow) {
		t.Helper()
		for range 3 {
			id, err := f.Outputs.RecordOutput(t.Context(), f.planned(w).Documents[0].OutputID, done, eventFor)
			f.must(err)
			f.exec(`UPDATE events SET state = 'FAILED' WHERE id = $1`, id)
		}
		_, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, time.Time{}, 10)
		f.must(err)
	}
	closed, other := f.workflow(f.user(nil)), f.workflow(f.user(nil))
	failed(closed)
	failed(other)
	f.exec(`UPDATE errands SET requested_at = now()`)
	claimed := f.commands()
	if len(claimed) != 6 {
		t.Fatalf("claimed %d commands, want 6", len(claimed))
	}
	key := platen.EndpointKey{OwnerID: closed.Owner.ID, URL: closed.OutgoingWebhook.URL}
	if n := len(slices.DeleteFunc(slices.Clone(claimed), func(e platen.OutboxCommand) bool { return e.Endpoint != key })); n != 3 {
		t.Errorf("%d commands say that they go to %+v, want 3: %+v", n, key, claimed)
	}
	f.must(f.Outbox.PutOffDeliveries(t.Context(), key, time.Hour))
	const putOff = `SELECT count(*) FROM errands WHERE leased_until IS NULL AND requested_at > now() + interval '59 minutes'`
	if n := f.count(putOff); n != 3 {
		t.Errorf("%d commands are put off, want those 3 of that endpoint", n)
	}
	if n := f.count(`SELECT count(DISTINCT requested_at) FROM errands WHERE leased_until IS NULL`); n != 3 {
		t.Errorf("they come due at %d times, want one after the other", n)
	}
	if again := f.commands(); len(again) != 0 {
		t.Errorf("claimed %+v, want none", again)
	}
	f.exec(`UPDATE errands SET requested_at = requested_at - interval '2 hours', leased_until = NULL`)
	if again := f.commands(); len(again) != 6 {
		t.Errorf("claimed %d when all are due, want 6", len(again))
	}
}

func TestWhatIsKnownOfAnEndpointHasTheTimeOfItsClock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := platen.EndpointKey{OwnerID: f.user(nil).ID, URL: "https://receiver.example/"}
	if s, _, err := f.Endpoints.EndpointNow(t.Context(), key); err != nil || s.Failures != 0 {
		t.Errorf("unknown: got %+v, %v; want the zero state", s, err)
	}
	var until time.Time
	f.change(key, func(s *platen.EndpointState, now time.Time) {
		until = now.Add(time.Minute)
		s.Failures, s.OpenUntil = 5, until
	})
	s, now, err := f.Endpoints.EndpointNow(t.Context(), key)
	if err != nil || s.Failures != 5 || now.After(until) || until.Sub(now) > time.Minute {
		t.Errorf("got %+v at %v, %v; want five failures within a minute before %v", s, now, err, until)
	}
}
