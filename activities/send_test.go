package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/activities"
)

// mailbox is one PENDING event whose receiver is always busy.
type mailbox struct {
	recorded []platen.EventState
}

func (m *mailbox) Event(_ context.Context, id string) (platen.Event, *platen.Endpoint, error) {
	return platen.Event{ID: id, State: platen.EventPending}, &platen.Endpoint{URL: "https://busy.example"}, nil
}

func (m *mailbox) RecordDelivery(_ context.Context, _ platen.Delivery, state platen.EventState) error {
	m.recorded = append(m.recorded, state)
	return nil
}

func (m *mailbox) Send(_ context.Context, e platen.Event, _ platen.Endpoint, attempt int) (platen.Delivery, error) {
	return platen.Delivery{EventID: e.ID, Attempt: attempt, Status: 503, Failure: "busy"}, nil
}

func TestDeliveriesBegunAnewFollowTheWholeSchedule(t *testing.T) {
	t.Parallel()
	for before := range 3 {
		m := &mailbox{}
		d := &activities.Deliveries{Events: m, Sender: m, Schedule: []time.Duration{0, time.Minute, time.Hour}}
		for n, least := range []time.Duration{time.Minute, time.Hour, 0} {
			sent, err := d.SendEvent(t.Context(), activities.SendInput{EventID: "evt_1", Attempt: before + n + 1, Before: before})
			if err != nil || sent.Ended != (n == 2) || sent.Wait < least || sent.Wait > 2*least {
				t.Errorf("attempt %d after %d: got %+v, %v; want a wait of about %v", before+n+1, before, sent, err, least)
			}
		}
		if got := m.recorded[2]; got != platen.EventFailed {
			t.Errorf("after the last attempt: got %s, want FAILED", got)
		}
	}
}
