package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// receiver adds one to a workflow.
func (f *harness) receiver(w platen.Workflow, name, when string, events ...string) platen.Receiver {
	f.T.Helper()
	r, err := f.Receivers.CreateReceiver(f.T.Context(), w.Owner, platen.Receiver{
		OutgoingWebhook: platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixReceiver), URL: "https://" + strings.ToLower(name) + ".example", Secret: delivery.NewSecret()},
		WorkflowID:      w.ID, OwnerID: w.Owner.ID, Name: name, Events: events, When: when,
	})
	f.Must(err)
	return r
}

func eventOf(w platen.Workflow) func(platen.Output) (platen.Event, error) {
	return func(o platen.Output) (platen.Event, error) { return delivery.NewEvent(w.ID, o, storetest.Now()) }
}

// toldOf are the events of a workflow by the names of their receivers, "" for the outgoing
// webhook.
func (f *harness) toldOf(w platen.Workflow, all ...platen.Receiver) map[string]platen.Event {
	f.T.Helper()
	found, err := f.Events.WorkflowEvents(f.T.Context(), w.Owner, w.ID, platen.EventQuery{})
	f.Must(err)
	told := map[string]platen.Event{}
	for _, e := range found {
		name := e.ReceiverID
		for _, r := range all {
			if r.ID == e.ReceiverID {
				name = r.Name
			}
		}
		told[name] = e
	}
	return told
}

func TestReceiversGetEventsOfTheirOwnByTheirRules(t *testing.T) {
	t.Parallel()
	for _, locked := range []bool{false, true} {
		f := newHarness(t)
		f.deciding()
		w := f.Workflow(f.User(nil))
		all := f.receiver(w, "All", "", platen.EventTypes()...)
		large := f.receiver(w, "Large", "large", platen.EventTypes()...)
		small := f.receiver(w, "Small", "small", platen.EventDocumentsCreated)
		failures := f.receiver(w, "Failures", "", platen.EventDocumentFailed)
		faulty := f.receiver(w, "Faulty", "faulty", platen.EventTypes()...)
		e := storetest.Event(w)
		e.Body = []byte(`{"a": "small"}`)
		f.Must(storetest.Send(t.Context(), f.DB.DB, e))
		p, err := f.Plans.Plan(t.Context(), e.AutomationID)
		f.Must(err)
		want := []platen.Skipped{{Part: platen.PartReceiver, When: "large", ReceiverID: large.ID, Receiver: "Large"}}
		if a := f.Automation(w, e.AutomationID); !slices.Equal(a.Skipped, want) || !slices.Equal(p.Skipped, want) {
			t.Errorf("skipped %+v, of the plan %+v; want %+v", a.Skipped, p.Skipped, want)
		}
		// A rule that is changed, and a receiver that is added, count for later automations.
		f.receiver(w, "Later", "", platen.EventTypes()...)
		output := p.Documents[0].OutputID
		if locked { // the row is not as this process remembers it
			f.Exec(`UPDATE outputs SET updated_at = now() WHERE id = $1`, output)
		}
		_, id, err := f.Outputs.RecordOutput(t.Context(), output, storetest.Done, eventOf(w))
		f.Must(err)
		told := f.toldOf(w, all, large, small, failures, faulty)
		if len(told) != 4 || told[""].ID != id || told["All"].State != platen.EventPending || told["Small"].State != platen.EventPending || told["Faulty"].State != platen.EventHeld || told["Faulty"].Reason != platen.CodeReceiverCondition {
			t.Errorf("locked %v: got events %+v, want those of the webhook, All, Small, and a HELD one of Faulty", locked, told)
		}
		ids, err := f.Deliveries.ReceiverEvents(t.Context(), output, 1)
		f.Must(err)
		wantIDs := []string{told["All"].ID, told["Small"].ID}
		slices.Sort(wantIDs)
		if !slices.Equal(ids, wantIDs) {
			t.Errorf("locked %v: to be delivered are %v, want %v", locked, ids, wantIDs)
		}
		for name, to := range map[string]platen.Receiver{"All": all, "Small": small} {
			e, endpoint, err := f.Deliveries.Event(t.Context(), told[name].ID)
			f.Must(err)
			begin := fmt.Sprintf(`{"event_id":%q,"event_type":"DOCUMENTS_CREATED"`, told[name].ID)
			if endpoint == nil || endpoint.URL != to.URL || !slices.Equal(endpoint.Secrets, []platen.Secret{to.Secret}) || !strings.HasPrefix(string(e.Payload), begin) {
				t.Errorf("%s: got %s to %+v, want its own id, address and secret", name, e.Payload, endpoint)
			}
		}
		// Recorded again, the same events are there.
		_, again, err := f.Another().Outputs.RecordOutput(t.Context(), output, storetest.Done, eventOf(w))
		f.Must(err)
		if after := f.toldOf(w); again != id || len(after) != 4 {
			t.Errorf("recorded again: got %s and %d events", again, len(after))
		}
	}
}

func TestReceiversAreToldOfWhatFailedWithoutAnOutgoingWebhook(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Must(f.Webhooks.DeleteOutgoingWebhook(t.Context(), w.Owner, w.ID, func(platen.OutgoingWebhook) error { return nil }))
	failures := f.receiver(w, "Failures", "", platen.EventDocumentFailed)
	f.receiver(w, "Made", "", platen.EventDocumentsCreated)
	p := f.Running(w)
	_, err := f.Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 1, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return eventOf(w)(o) })
	f.Must(err)
	told := f.toldOf(w, failures)
	if len(told) != 1 || told["Failures"].Type != platen.EventDocumentFailed {
		t.Fatalf("got %+v, want one of Failures", told)
	}
	if n := f.Count(`SELECT count(*) FROM errands WHERE kind = 'DELIVER' AND id = $1`, told["Failures"].ID); n != 1 {
		t.Errorf("got %d commands to deliver it", n)
	}
	commands, err := f.Outbox.ClaimCommands(t.Context(), 10, time.Minute)
	f.Must(err)
	if len(commands) != 1 || commands[0].Endpoint != (platen.EndpointKey{OwnerID: w.Owner.ID, URL: failures.URL}) {
		t.Errorf("got %+v, want one command to the address of the receiver", commands)
	}
}

func TestATestTellsNoReceiver(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.deciding()
	w := f.Workflow(f.User(nil))
	r := f.receiver(w, "All", "", platen.EventTypes()...)
	f.receiver(w, "Faulty", "faulty", platen.EventTypes()...)
	id := f.Accept(w, 1)[0]
	f.Exec(`UPDATE automations SET test = true WHERE id = $1`, id)
	p, err := f.Plans.Plan(t.Context(), id)
	f.Must(err)
	_, _, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, eventOf(w))
	f.Must(err)
	if n := f.Count(`SELECT count(*) FROM events`); n != 0 || len(p.Receivers)+len(p.Skipped) != 0 {
		t.Errorf("got %d events, a plan with %v and %v skipped; want none", n, p.Receivers, p.Skipped)
	}
	allowed := func(platen.OutgoingWebhook) error { return nil }
	_, _, err = f.Webhooks.SetTestReceiver(t.Context(), w.Owner, w.ID, platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixTestReceiver), URL: r.URL, Secret: delivery.NewSecret()}, allowed)
	storetest.WantKind(t, "a test receiver with the address of a receiver", err, platen.KindInvalid, "test_receiver_live")
	const tests = "https://tests.example/events"
	_, _, err = f.Webhooks.SetTestReceiver(t.Context(), w.Owner, w.ID, platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixTestReceiver), URL: tests, Secret: delivery.NewSecret()}, allowed)
	f.Must(err)
	wrong := r
	wrong.ID, wrong.Name, wrong.URL = platen.NewID(platen.PrefixReceiver), "Wrong", tests
	_, err = f.Receivers.CreateReceiver(t.Context(), w.Owner, wrong)
	storetest.WantKind(t, "a receiver with the address of the test receiver", err, platen.KindInvalid, "test_receiver_live")
	_, err = f.Receivers.UpdateReceiver(t.Context(), w.Owner, w.ID, r.ID, func(r *platen.Receiver) error { r.URL = tests; return nil })
	storetest.WantKind(t, "a receiver that gets the address of the test receiver", err, platen.KindInvalid, "test_receiver_live")
}

func TestAnEventGoesAgainToItsOwnReceiver(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	dead, live := f.receiver(w, "Dead", "", platen.EventTypes()...), f.receiver(w, "Live", "", platen.EventTypes()...)
	p := f.Running(w)
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, eventOf(w))
	f.Must(err)
	told := f.toldOf(w, dead, live)
	for _, e := range told {
		f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: e.ID, Attempt: 1, At: storetest.Now(), Failure: "refused"}, platen.EventFailed, 0))
	}
	key := platen.EndpointKey{OwnerID: w.Owner.ID, URL: dead.URL}
	f.Change(key, func(s *platen.EndpointState, now time.Time) {
		s.Disabled, s.DisabledAt = platen.CodeEndpointFailing, now
	})
	state, held, err := f.Receivers.ReceiverState(t.Context(), w.Owner, w.ID, dead.ID)
	if err != nil || state.Disabled == "" || held != 0 {
		t.Errorf("got %+v, %d held, %v; want it disabled", state, held, err)
	}
	storetest.WantKind(t, "to a disabled receiver", f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, told["Dead"].ID), platen.KindInvalid, "endpoint_disabled")
	f.Must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, told["Live"].ID))
	n, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, time.Time{}, 10)
	if err != nil || n.Events != 1 {
		t.Errorf("recovered %+v, %v; want that of the webhook alone", n, err)
	}
	_, err = f.Events.RecoverReceiverEvents(t.Context(), w.Owner, w.ID, dead.ID, time.Time{}, 10)
	storetest.WantKind(t, "recovery of a disabled receiver", err, platen.KindInvalid, "endpoint_disabled")
	f.Must(f.Receivers.EnableReceiver(t.Context(), w.Owner, w.ID, dead.ID, dead.URL))
	if n, err := f.Events.RecoverReceiverEvents(t.Context(), w.Owner, w.ID, dead.ID, time.Time{}, 10); err != nil || n.Events != 1 {
		t.Errorf("recovered %+v, %v; want that of the receiver", n, err)
	}
	found, err := f.Events.WorkflowEvents(t.Context(), w.Owner, w.ID, platen.EventQuery{Receivers: []string{dead.ID}})
	if err != nil || len(found) != 1 || found[0].ID != told["Dead"].ID || found[0].State != platen.EventPending {
		t.Errorf("events of the receiver: got %+v, %v", found, err)
	}

	f.Exec(`UPDATE events SET state = 'HELD', reason = 'endpoint_failing' WHERE id = $1`, told["Dead"].ID)
	f.Must(f.Receivers.DeleteReceiver(t.Context(), w.Owner, w.ID, dead.ID, func(platen.Receiver) error { return nil }))
	if n := f.Count(`SELECT count(*) FROM events WHERE state = 'HELD' OR state = 'FAILED' AND reason <> ''`); n != 0 {
		t.Errorf("%d events are held for a deleted receiver, want none", n)
	}
	e, endpoint, err := f.Deliveries.Event(t.Context(), told["Dead"].ID)
	if err != nil || endpoint != nil || e.ReceiverID != dead.ID {
		t.Errorf("of a deleted receiver: got %+v to %+v, %v; want the event, and nowhere to send it", e, endpoint, err)
	}
	storetest.WantKind(t, "to a deleted receiver", f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, told["Dead"].ID), platen.KindNotFound, "receiver_not_found")
	if n := f.Count(`SELECT count(*) FROM events`); n != 3 {
		t.Errorf("%d events are left, want three", n)
	}
}

func TestAReceiverIsKeptWithItsRulesAndSecrets(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w, other := f.Workflow(u), f.Workflow(f.User(nil))
	r := f.receiver(w, "Accounts", "Total > 1", platen.EventDocumentsCreated)
	changed, err := f.Receivers.UpdateReceiver(t.Context(), u, w.ID, r.ID, func(r *platen.Receiver) error {
		r.PreviousSecret, r.PreviousUntil, r.Secret, r.Name, r.Events = r.Secret, storetest.Now().Add(time.Hour), delivery.NewSecret(), "Books", platen.EventTypes()
		return nil
	})
	f.Must(err)
	found, err := f.Another().Receivers.Receiver(t.Context(), u, w.ID, r.ID)
	if err != nil || found.Name != "Books" || found.When != "Total > 1" || found.PreviousSecret != r.Secret || found.Secret != changed.Secret || !slices.Equal(found.Events, platen.EventTypes()) {
		t.Errorf("got %+v, %v", found, err)
	}
	_, err = f.Receivers.Receiver(t.Context(), other.Owner, other.ID, r.ID)
	storetest.WantKind(t, "by another workflow", err, platen.KindNotFound, "receiver_not_found")
	_, err = f.Receivers.Receiver(t.Context(), other.Owner, w.ID, r.ID)
	storetest.WantKind(t, "of a stranger", err, platen.KindNotFound, "workflow_not_found")
	again := r
	again.ID, again.Name = platen.NewID(platen.PrefixReceiver), "Books"
	_, err = f.Receivers.CreateReceiver(t.Context(), u, again)
	storetest.WantKind(t, "a name twice", err, platen.KindInvalid, "receiver_name_taken")
	for n := 1; n < platen.MaxReceivers; n++ {
		f.receiver(w, fmt.Sprint("R", n), "", platen.EventTypes()...)
	}
	again.Name = "One more"
	_, err = f.Receivers.CreateReceiver(t.Context(), u, again)
	storetest.WantKind(t, "one more", err, platen.KindInvalid, "too_many_receivers")
	if all, err := f.Receivers.Receivers(t.Context(), u, w.ID); err != nil || len(all) != platen.MaxReceivers || all[0].ID != r.ID {
		t.Errorf("got %d receivers, %v", len(all), err)
	}
}

func TestABatchTellsTheReceiversThatWantIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.deciding()
	f.Batches.Completed = delivery.NewBatchEvent
	w := f.Workflow(f.User(nil))
	wants := f.receiver(w, "Wants", "never true", platen.EventBatchCompleted)
	f.receiver(w, "Other", "", platen.EventDocumentsCreated)
	f.store(w, 1)
	f.move(4)
	f.endRows(w, storetest.Done, f.inQueue(w)[0])
	f.move(4)
	got := f.batchEvents(w)
	if len(got) != 2 || got[0].ID == got[1].ID || got[0].ReceiverID == got[1].ReceiverID {
		t.Fatalf("got %+v, want one of the webhook and one of the receiver", got)
	}
	for _, e := range got {
		if e.ReceiverID != "" && e.ReceiverID != wants.ID || !strings.Contains(string(e.Payload), e.ID) {
			t.Errorf("got %+v", e)
		}
		if n := f.Count(`SELECT count(*) FROM errands WHERE kind = 'DELIVER' AND id = $1`, e.ID); n != 1 {
			t.Errorf("got %d commands to deliver %s", n, e.ID)
		}
	}
}
