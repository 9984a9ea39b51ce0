package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestADeliveryBegunAnewSupersedesTheOldOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	_, id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	attempt := func(n int, failure string, state platen.EventState) platen.EventState {
		t.Helper()
		f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: id, Attempt: n, At: storetest.Now(), Failure: failure}, state, 0))
		e, _, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id)
		f.Must(err)
		return e.State
	}
	attempt(1, "busy", platen.EventPending)
	f.Must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id))
	command := f.Commands()[0]
	if command.Kind != platen.CommandDeliver || command.ID != id || command.Before != 2 || command.OwnerID != w.Owner.ID {
		t.Fatalf("command: got %+v, want the event's, after attempt 2, which may be under way", command)
	}
	if got := attempt(2, "busy", platen.EventFailed); got != platen.EventPending {
		t.Errorf("after the old series ended: got %s, want PENDING", got)
	}
	if got := attempt(3, "", platen.EventDelivered); got != platen.EventDelivered {
		t.Errorf("after the new series: got %s, want DELIVERED", got)
	}
	f.Must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id))
	if e, deliveries, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id); err != nil || e.State != platen.EventPending || len(deliveries) != 3 {
		t.Errorf("got %+v with %d deliveries, %v; want PENDING with 3", e, len(deliveries), err)
	}
	// Asked for again while it was being passed on: that is not forgotten.
	f.Must(f.Outbox.AcknowledgeCommand(t.Context(), command))
	if got := f.Commands(); len(got) != 1 || got[0].Version != 2 || got[0].Before != 3 {
		t.Errorf("commands: got %+v, want the second request", got)
	}
	f.Must(f.Webhooks.DeleteOutgoingWebhook(t.Context(), w.Owner, w.ID, func(platen.OutgoingWebhook) error { return nil }))
	storetest.WantKind(t, "without a webhook", f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, id), platen.KindNotFound, "outgoing_webhook_not_found")
}

func TestFailedEventsSinceATimeAreRecovered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	for i, state := range []platen.EventState{platen.EventFailed, platen.EventFailed, platen.EventFailed, platen.EventDelivered, platen.EventPending} {
		_, id, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
		f.Must(err)
		f.Exec(`UPDATE events SET state = $2, created_at = $3 WHERE id = $1`, id, state, time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC))
	}
	since := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, want := range []int{1, 1, 0} {
		if n, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, since, 1); err != nil || n.Events != want {
			t.Errorf("recovered %+v, %v; want %d", n, err, want)
		}
	}
	if n := f.Count(`SELECT count(*) FROM events WHERE state = 'FAILED'`); n != 1 || len(f.Commands()) != 2 {
		t.Errorf("%d are still FAILED, want the one from before", n)
	}
}
