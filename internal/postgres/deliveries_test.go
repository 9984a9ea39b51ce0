package postgres_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestOverdueEventsAreClaimedOnceAndGoOnWhereTheyWere(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	_, id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: id, Attempt: 1, At: storetest.Now(), Failure: "busy"}, platen.EventPending, 5*time.Hour))
	age := 15 * time.Minute
	claim := func() []platen.OverdueEvent {
		t.Helper()
		claimed, err := f.Deliveries.ClaimOverdueEvents(t.Context(), age, time.Minute, 10)
		f.Must(err)
		return claimed
	}
	pass := func(d time.Duration) { f.Exec(`UPDATE events SET next_at = next_at - $1::interval`, d) }
	pass(5 * time.Hour)
	if got := claim(); len(got) != 0 {
		t.Errorf("when its attempt is due: got %+v, want none", got)
	}
	pass(age + time.Second)
	if got := claim(); len(got) != 1 || got[0] != (platen.OverdueEvent{ID: id, Attempt: 2}) {
		t.Fatalf("an age later: got %+v, want the event before its second attempt, with its run open", got)
	}
	if got := claim(); len(got) != 0 {
		t.Errorf("claimed before: got %+v, want none", got)
	}
	pass(time.Minute + time.Second)
	if got := claim(); len(got) != 1 {
		t.Errorf("after the lease: got %+v, want it again", got)
	}
	f.Must(f.Deliveries.MarkEventsUnderWay(t.Context(), []string{id}))
	pass(age - time.Second)
	if got := claim(); len(got) != 0 {
		t.Errorf("under way, before the next age has passed: got %+v, want none", got)
	}
	pass(2 * time.Second)
	if got := claim(); len(got) != 1 {
		t.Fatalf("under way, after an age: got %+v, want it again", got)
	}
	f.Must(f.Deliveries.DeliverOverdue(t.Context(), []string{id}))
	pass(2 * age)
	if got := claim(); len(got) != 0 {
		t.Errorf("waiting as an outbox command: got %+v, want none", got)
	}
	if got := f.Commands(); len(got) != 1 || got[0].ID != id || got[0].Before != 0 || got[0].Attempt != 2 {
		t.Errorf("commands: got %+v, want attempt 2 of the same schedule", got)
	}
}

func TestAnEventThatWentOnMeanwhileIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	var ids []string
	for range 2 {
		_, id, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
		f.Must(err)
		ids = append(ids, id)
	}
	// Before its first attempt an event has no time of the next.
	f.Exec(`UPDATE events SET next_at = NULL, created_at = now() - interval '1 day'`)
	claimed, err := f.Deliveries.ClaimOverdueEvents(t.Context(), 15*time.Minute, time.Minute, 10)
	if err != nil || len(claimed) != 2 {
		t.Fatalf("got %+v, %v; want both", claimed, err)
	}
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: ids[0], Attempt: 1, At: storetest.Now(), Failure: "busy"}, platen.EventPending, time.Hour))
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: ids[1], Attempt: 1, At: storetest.Now()}, platen.EventDelivered, 0))
	f.Must(f.Deliveries.DeliverOverdue(t.Context(), ids))
	f.Must(f.Deliveries.MarkEventsUnderWay(t.Context(), ids))
	if got := f.Commands(); len(got) != 0 {
		t.Errorf("commands: got %+v, want none", got)
	}
	if n := f.Count(`SELECT count(*) FROM events WHERE next_at > now() + interval '50 minutes'`); n != 1 {
		t.Errorf("%d events are due in an hour, want the one whose attempt failed", n)
	}
}

func TestAnEventIsSentToWhatIsConfiguredNow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	var made platen.Event
	_, id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, func(o platen.Output) (platen.Event, error) {
		var err error
		made, err = storetest.EventFor(o)
		return made, err
	})
	f.Must(err)
	_, err = f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.URL = "https://moved"; return nil })
	f.Must(err)
	got, to, err := f.Deliveries.Event(t.Context(), id)
	f.Must(err)
	want := made
	want.WorkflowID, want.AutomationID, want.OutputID, want.State = w.ID, p.AutomationID, p.Documents[0].OutputID, platen.EventPending
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT accepted_at FROM automations WHERE id = $1`, p.AutomationID).Scan(&want.AcceptedAt))
	if diff := cmp.Diff(want, got, cmpopts.EquateApproxTime(0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&platen.Endpoint{WebhookID: w.OutgoingWebhook.ID, OwnerID: w.Owner.ID, URL: "https://moved", Secrets: []platen.Secret{w.OutgoingWebhook.Secret}}, to); diff != "" {
		t.Errorf("endpoint (-want +got):\n%s", diff)
	}
	f.Exec(`DELETE FROM outgoing_webhooks`)
	if _, to, err := f.Deliveries.Event(t.Context(), id); err != nil || to != nil {
		t.Errorf("without a webhook: %+v, %v; want no endpoint", to, err)
	}
	_, _, err = f.Deliveries.Event(t.Context(), "evt_none")
	storetest.WantKind(t, "no event", err, platen.KindNotFound, "event_not_found")
}

func TestAnAttemptIsRecordedOnceAndDeliveredStaysDelivered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	_, id, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	first := platen.Delivery{EventID: id, Attempt: 1, At: storetest.Now(), Duration: 1234 * time.Microsecond, Status: 503, Failure: "busy", Answer: "a\x00b\xff", RetryAfter: 36 * time.Hour}
	for i, step := range []struct {
		delivery platen.Delivery
		state    platen.EventState
		want     platen.EventState
	}{
		{first, platen.EventPending, platen.EventPending},
		{platen.Delivery{EventID: id, Attempt: 1, At: storetest.Now(), Status: 500, Failure: "again"}, platen.EventPending, platen.EventPending},
		{platen.Delivery{EventID: id, Attempt: 2, At: storetest.Now(), Status: 500, Failure: "no"}, platen.EventPending, platen.EventPending},
		{platen.Delivery{EventID: id, Attempt: 2, At: storetest.Now(), Status: 204}, platen.EventDelivered, platen.EventDelivered},
		{platen.Delivery{EventID: id, Attempt: 2, At: storetest.Now(), Status: 500, Failure: "late"}, platen.EventFailed, platen.EventDelivered},
	} {
		f.Must(f.Deliveries.RecordDelivery(t.Context(), step.delivery, step.state, 0))
		if e, _, err := f.Deliveries.Event(t.Context(), id); err != nil || e.State != step.want {
			t.Errorf("step %d: state %s, %v; want %s", i, e.State, err, step.want)
		}
	}
	_, got, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id)
	f.Must(err)
	first.Answer = "a\uFFFDb\uFFFD"
	if len(got) != 2 || got[1].Status != 204 || !cmp.Equal(got[0], first) {
		t.Errorf("got %+v; want the first of attempt 1 and the success of attempt 2", got)
	}
	storetest.WantKind(t, "no event", f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: "evt_none", Attempt: 1}, platen.EventPending, 0), platen.KindNotFound, "event_not_found")
}
