package postgres_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAnOrderIsFoundByWhatItsSenderNamedIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	b := f.Batcher(accept.BatcherOptions{})
	var ids []string
	for i, body := range []string{`{"n":1}`, `{"n":2}`} {
		ids = append(ids, platen.NewID(platen.PrefixAutomation))
		f.Must(b.Accept(t.Context(), platen.SourceEvent{
			AutomationID: ids[i], SourceKey: w.Source.Key, Body: []byte(body), ReceivedAt: storetest.Now(), RequestID: "R/2026-1", Reference: "Order 1", EventKey: platen.EventKey("Idempotency-Key", "order 1", false),
		}))
	}
	f.Accept(w, 1)
	list := func(q platen.AutomationQuery) (found []platen.Automation) {
		t.Helper()
		found, err := f.Automations.WorkflowAutomations(t.Context(), owner, w.ID, q)
		f.Must(err)
		all, err := f.Automations.CallersAutomations(t.Context(), owner, q)
		f.Must(err)
		if len(all) != len(found) {
			t.Errorf("got %d of all workflows, %d of the one", len(all), len(found))
		}
		return found
	}
	for name, q := range map[string]platen.AutomationQuery{"the request": {RequestID: "R/2026-1"}, "the reference": {Reference: "Order 1"}, "the key": {EventKey: "order 1"}} {
		found := list(q)
		if len(found) != 2 {
			t.Fatalf("%s: got %d, want both", name, len(found))
		}
		if found[0].ID != ids[0] || found[1].ID != ids[1] || found[1].Reason != platen.ReasonKeyReused || found[1].KeyTakenBy != ids[0] || found[0].KeyTakenBy != "" || found[1].Reference != "Order 1" {
			t.Errorf("%s: got %+v, want the second skipped for the first", name, found)
		}
	}
	if n := len(list(platen.AutomationQuery{RequestID: "R/2026"})) + len(list(platen.AutomationQuery{Reference: "Order"})) + len(list(platen.AutomationQuery{EventKey: "order"})) + len(list(platen.AutomationQuery{EventKey: "order 1", Test: true})); n != 0 {
		t.Errorf("other names find %d", n)
	}
	p, err := f.Plans.Plan(t.Context(), ids[0])
	f.Must(err)
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(ids[0])))
	_, event, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, func(o platen.Output) (platen.Event, error) { return delivery.NewEvent(w.ID, o, storetest.Now()) })
	f.Must(err)
	if event == "" {
		t.Fatal("there is no event")
	}
	e, _, err := f.Events.WorkflowEvent(t.Context(), owner, w.ID, event)
	f.Must(err)
	if !strings.Contains(string(e.Payload), `"requestId":"R/2026-1","idempotencyKey":"order 1","reference":"Order 1"`) {
		t.Errorf("the event says %s", e.Payload)
	}
	outputs, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{IDs: []string{p.Documents[0].OutputID}})
	f.Must(err)
	if len(outputs) != 1 || outputs[0].Reference != "Order 1" {
		t.Errorf("got %+v, want the output with the reference", outputs)
	}
	_, err = f.Automations.EndAutomation(t.Context(), ids[0], 1)
	f.Must(err)
	f.Must(f.Automations.EraseData(t.Context(), ids[0]))
	if n := f.Count(`SELECT count(*) FROM automations WHERE id = $1 AND (event_key IS NOT NULL OR reference <> '')`, ids[0]); n != 0 {
		t.Error("the key or the reference is kept beyond the data")
	}
}

func TestAnEventThatIsNotDeliveredSaysWhyAndWhenItIsTried(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	events := func() platen.Event {
		t.Helper()
		found, err := f.Events.WorkflowEvents(t.Context(), owner, w.ID, platen.EventQuery{OutputIDs: []string{key.OutputID}})
		f.Must(err)
		if len(found) != 1 {
			t.Fatalf("got %d events, want one", len(found))
		}
		one, _, err := f.Events.WorkflowEvent(t.Context(), owner, w.ID, found[0].ID)
		f.Must(err)
		if one.LastFailure != found[0].LastFailure || (one.NextAt == nil) != (found[0].NextAt == nil) {
			t.Errorf("the list says %+v, the event %+v", found[0], one)
		}
		return one
	}
	e := events()
	f.Exec(`INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, retry_after) VALUES ($1, 1, now(), '0', 500, 'The receiver answered 500.', '0')`, e.ID)
	f.Exec(`UPDATE events SET next_at = now() + interval '5 minutes' WHERE id = $1`, e.ID)
	if e = events(); e.LastFailure != "The receiver answered 500." || e.NextAt == nil {
		t.Errorf("got %+v, want why the last attempt failed and when the next comes", e)
	}
	f.Exec(`UPDATE events SET state = 'DELIVERED', next_at = NULL WHERE id = $1`, e.ID)
	if e = events(); e.LastFailure != "" || e.NextAt != nil {
		t.Errorf("delivered: got %+v", e)
	}
}
