package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen"
)

func TestOverdueEventsAreClaimedOnceAndGoOnWhereTheyWere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.planned(w)
	id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, eventFor)
	f.must(err)
	f.must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: id, Attempt: 1, At: now(), Failure: "busy"}, platen.EventPending, 5*time.Hour))
	age := 15 * time.Minute
	claim := func() []platen.OverdueEvent {
		t.Helper()
		claimed, err := f.Deliveries.ClaimOverdueEvents(t.Context(), age, time.Minute, 10)
		f.must(err)
		return claimed
	}
	pass := func(d time.Duration) { f.exec(`UPDATE events SET next_at = next_at - $1::interval`, d) }
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
	f.must(f.Deliveries.MarkEventsUnderWay(t.Context(), []string{id}))
	pass(age - time.Second)
	if got := claim(); len(got) != 0 {
		t.Errorf("under way, before the next age has passed: got %+v, want none", got)
	}
	pass(2 * time.Second)
	if got := claim(); len(got) != 1 {
		t.Fatalf("under way, after an age: got %+v, want it again", got)
	}
	f.must(f.Deliveries.DeliverOverdue(t.Context(), []string{id}))
	pass(2 * age)
	if got := claim(); len(got) != 0 {
		t.Errorf("waiting as an outbox command: got %+v, want none", got)
	}
	if got := f.commands(); len(got) != 1 || got[0].ID != id || got[0].Before != 0 || got[0].Attempt != 2 {
		t.Errorf("commands: got %+v, want attempt 2 of the same schedule", got)
	}
}

func TestAnEventThatWentOnMeanwhileIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	var ids []string
	for range 2 {
		id, err := f.Outputs.RecordOutput(t.Context(), f.planned(w).Documents[0].OutputID, done, eventFor)
		f.must(err)
		ids = append(ids, id)
	}
	// Events of the previous release have no time of their next attempt.
	f.exec(`UPDATE events SET next_at = NULL, created_at = now() - interval '1 day'`)
	claimed, err := f.Deliveries.ClaimOverdueEvents(t.Context(), 15*time.Minute, time.Minute, 10)
	if err != nil || len(claimed) != 2 {
		t.Fatalf("got %+v, %v; want both", claimed, err)
	}
	f.must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: ids[0], Attempt: 1, At: now(), Failure: "busy"}, platen.EventPending, time.Hour))
	f.must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: ids[1], Attempt: 1, At: now()}, platen.EventDelivered, 0))
	f.must(f.Deliveries.DeliverOverdue(t.Context(), ids))
	f.must(f.Deliveries.MarkEventsUnderWay(t.Context(), ids))
	if got := f.commands(); len(got) != 0 {
		t.Errorf("commands: got %+v, want none", got)
	}
	if n := f.count(`SELECT count(*) FROM events WHERE next_at > now() + interval '50 minutes'`); n != 1 {
		t.Errorf("%d events are due in an hour, want the one whose attempt failed", n)
	}
}
