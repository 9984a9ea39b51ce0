package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAnOutboxCommandIsClaimedAgainWhenItsLeaseEnds(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	_, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, f.Accept(w, 1)[0])
	f.Must(err)
	if first, second := f.Commands(), f.Commands(); len(first) != 1 || len(second) != 0 {
		t.Errorf("claimed %d and %d, want 1 and 0", len(first), len(second))
	}
	f.Exec(`UPDATE errands SET leased_until = now() - interval '1 second'`)
	again := f.Commands()
	if len(again) != 1 {
		t.Fatalf("claimed %d after the lease, want 1", len(again))
	}
	f.Must(f.Outbox.AcknowledgeCommand(t.Context(), again[0]))
	f.Must(f.Outbox.AcknowledgeCommand(t.Context(), again[0]))
	if n := f.Count(`SELECT count(*) FROM errands`); n != 0 {
		t.Errorf("%d commands are left", n)
	}
}

func TestDeliveriesToAClosedEndpointArePutOffOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	failed := func(w platen.Workflow) {
		t.Helper()
		for range 3 {
			_, id, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
			f.Must(err)
			f.Exec(`UPDATE events SET state = 'FAILED' WHERE id = $1`, id)
		}
		_, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, time.Time{}, 10)
		f.Must(err)
	}
	closed, other := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	failed(closed)
	failed(other)
	f.Exec(`UPDATE errands SET requested_at = now()`)
	claimed := f.Commands()
	if len(claimed) != 6 {
		t.Fatalf("claimed %d commands, want 6", len(claimed))
	}
	key := platen.EndpointKey{OwnerID: closed.Owner.ID, URL: closed.OutgoingWebhook.URL}
	if n := len(slices.DeleteFunc(slices.Clone(claimed), func(e platen.OutboxCommand) bool { return e.Endpoint != key })); n != 3 {
		t.Errorf("%d commands say that they go to %+v, want 3: %+v", n, key, claimed)
	}
	f.Must(f.Outbox.PutOffDeliveries(t.Context(), key, time.Hour))
	const putOff = `SELECT count(*) FROM errands WHERE leased_until IS NULL AND requested_at > now() + interval '59 minutes'`
	if n := f.Count(putOff); n != 3 {
		t.Errorf("%d commands are put off, want those 3 of that endpoint", n)
	}
	if n := f.Count(`SELECT count(DISTINCT requested_at) FROM errands WHERE leased_until IS NULL`); n != 3 {
		t.Errorf("they come due at %d times, want one after the other", n)
	}
	if again := f.Commands(); len(again) != 0 {
		t.Errorf("claimed %+v, want none", again)
	}
	f.Exec(`UPDATE errands SET requested_at = requested_at - interval '2 hours', leased_until = NULL`)
	if again := f.Commands(); len(again) != 6 {
		t.Errorf("claimed %d when all are due, want 6", len(again))
	}
}
