package journey

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// told makes a receiver of a workflow that gets events by a rule, and checks their signatures by
// its own secret.
func (h *harness) told(t *testing.T, w workflow, name, when string, r *receiver, events ...client.EventType) client.Receiver {
	t.Helper()
	c := h.client(t)
	made, err := c.CreateReceiver(t.Context(), w.ID, client.ReceiverChange{Name: &name, URL: &r.url, When: &when, Events: events})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := c.ReceiverSecret(t.Context(), w.ID, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	r.trust(t, secret.Secret)
	return made
}

// Three receivers by rules stand beside the outgoing webhook. One is dead, and holds back none of
// the others. Once it is back, it gets what it missed, and nobody else does.
func TestReceiversByRulesGetTheirEventsAndADeadOneHoldsBackNone(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: "0s,10m"})
	main, large, failures, dead := newReceiver(t), newReceiver(t), newReceiver(t), newReceiver(t, slices.Repeat([]int{http.StatusServiceUnavailable}, 2)...)
	w := h.simple(t, main)
	h.told(t, w, "Large", "Total > 1000", large)
	h.told(t, w, "Failures", "", failures, client.DocumentFailed)
	gone := h.told(t, w, "Dead", "", dead, client.DocumentsCreated)
	c := h.client(t)

	post(t, w.Source.WebhookURL, []byte(`{"Name": "Ada", "Total": 20}`), http.StatusOK)
	post(t, w.Source.WebhookURL, []byte(`{"Name": "Bob", "Total": 2000}`), http.StatusOK)
	ids := map[string]bool{}
	for range 2 {
		ids[main.next(t).event.ID] = true
	}
	told := large.next(t)
	missed := []string{dead.next(t).id, dead.next(t).id}
	for _, id := range append(missed, told.id) {
		ids[id] = true
	}
	if len(ids) != 5 || told.event.Type != "DOCUMENTS_CREATED" {
		t.Errorf("got %d ids and %+v, want an event of its own for each receiver", len(ids), told.event)
	}
	eventually(t, "the runs have ended", func() error {
		all, err := client.Collect(c.Automations(t.Context(), w.ID, client.AutomationQuery{States: []string{"COMPLETED"}}))
		if err == nil && len(all) != 2 {
			err = fmt.Errorf("%d have", len(all))
		}
		if err != nil {
			return err
		}
		for _, a := range all {
			told, ok := len(a.Skipped), a.Skipped
			if told > 1 || told == 1 && (ok[0].Receiver != "Large" || ok[0].When != "Total > 1000") {
				t.Errorf("skipped %+v, want Large where its condition is false", a.Skipped)
			}
		}
		return nil
	})
	checked, err := c.CheckReceivers(t.Context(), w.ID, nil)
	if err != nil || checked.Events != 2 || checked.Receivers[0].Sent != 1 || checked.Receivers[0].Skipped != 1 {
		t.Errorf("the check says %+v, %v; want one event of two for Large", checked, err)
	}

	// It is back, and the events that it missed come again, to it alone.
	if _, err := c.UpdateReceiver(t.Context(), w.ID, gone.ID, client.ReceiverChange{URL: &dead.url}); err != nil {
		t.Fatal(err)
	}
	for _, id := range missed {
		if _, err := c.RedeliverEvent(t.Context(), w.ID, id); err != nil {
			t.Fatal(err)
		}
	}
	again := []string{dead.next(t).id, dead.next(t).id}
	slices.Sort(again)
	slices.Sort(missed)
	if !slices.Equal(again, missed) {
		t.Errorf("got %v again, want %v", again, missed)
	}
	eventually(t, "all events are delivered", func() error {
		for e, err := range c.Events(t.Context(), w.ID, client.EventQuery{}) {
			if err != nil || e.State != "DELIVERED" {
				return fmt.Errorf("event %s is %s: %v", e.ID, e.State, err)
			}
		}
		return nil
	})
	for name, r := range map[string]*receiver{"the outgoing webhook": main, "Large": large, "Failures": failures} {
		if n := len(r.received); n != 0 {
			t.Errorf("%s got %d more", name, n)
		}
	}
}

// A condition that cannot be worked out makes the documents and holds the event.
func TestAReceiverWhoseConditionCannotBeWorkedOutLosesNothing(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	main, odd := newReceiver(t), newReceiver(t)
	w := h.simple(t, main)
	r := h.told(t, w, "Odd", "Total / Count > 2", odd)
	post(t, w.Source.WebhookURL, []byte(`{"Name": "Ada", "Total": 20, "Count": "none"}`), http.StatusOK)
	main.next(t)
	c := h.client(t)
	var held client.Event
	eventually(t, "an event is held", func() error {
		all, err := client.Collect(c.Events(t.Context(), w.ID, client.EventQuery{States: []string{"HELD"}, Receivers: []string{r.ID}}))
		if err == nil && (len(all) != 1 || all[0].Held == nil || all[0].Held.Code != "receiver_condition") {
			err = fmt.Errorf("got %+v", all)
		}
		if err == nil {
			held = all[0]
		}
		return err
	})
	if _, err := c.RedeliverEvent(t.Context(), w.ID, held.ID); err != nil {
		t.Fatal(err)
	}
	if got := odd.next(t); got.id != held.ID {
		t.Errorf("got %s, want the event that was held", got.id)
	}
}

// The first attempt at a receiver fails, and those at the others do not.
func playToReceivers(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: "0s,10m"})
	main, fails, takes := newReceiver(t), newReceiver(t, http.StatusServiceUnavailable), newReceiver(t)
	w := h.letter(t, main, object{"outputName": "Letter for {{Name}}"})
	h.told(t, w, "Fails", "", fails)
	h.told(t, w, "Takes", "", takes)
	send(t, w)
	for _, r := range []*receiver{main, fails, takes} {
		r.next(t)
	}
	return h, map[string]run{"run-to-receivers": {id: h.finished(t, w.ID, platen.AutomationCompleted).id}}
}
