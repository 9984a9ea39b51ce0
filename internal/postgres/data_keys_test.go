package postgres_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

const canary = "Canary of Ada"

// delivered makes an automation that completed, with an event, an attempt and an answer
// that all contain the canary.
func (f *harness) delivered(w platen.Workflow) (automationID, eventID string) {
	f.t.Helper()
	b := f.batcher(postgres.BatcherOptions{})
	e := platen.SourceEvent{AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: w.Source.Key, Body: []byte(`{"Name":"` + canary + `"}`), Fields: []string{"Name"}, RequestID: "req", ReceivedAt: now()}
	f.must(b.Accept(f.t.Context(), e))
	p, err := f.Plans.Plan(f.t.Context(), e.AutomationID)
	f.must(err)
	f.must(f.Queue.MarkStarted(f.t.Context(), firsts(p.AutomationID)))
	_, eventID, err = f.Outputs.RecordOutput(f.t.Context(), p.Documents[0].OutputID, done, func(platen.Output) (platen.Event, error) {
		return platen.Event{ID: platen.NewID(platen.PrefixEvent), Type: platen.EventDocumentsCreated, Payload: []byte(`{"name":"` + canary + `"}`), CreatedAt: now()}, nil
	})
	f.must(err)
	attempt := platen.Delivery{EventID: eventID, Attempt: 1, At: now(), Status: 200, Answer: "thanks, " + canary}
	f.must(f.Deliveries.RecordDelivery(f.t.Context(), attempt, platen.EventDelivered, 0))
	_, err = f.Automations.EndAutomation(f.t.Context(), p.AutomationID, 1)
	f.must(err)
	return p.AutomationID, eventID
}

// showsCanary tells whether the canary stands in a row of a table of runs.
func (f *harness) showsCanary() bool {
	f.t.Helper()
	var all string
	f.must(f.pool.QueryRow(f.t.Context(), `
		SELECT (SELECT string_agg(a::text, ' ') FROM automations a)
			|| coalesce((SELECT string_agg(e::text, ' ') FROM events e), '')
			|| coalesce((SELECT string_agg(d::text, ' ') FROM deliveries d), '')
			|| coalesce((SELECT string_agg(o::text, ' ') FROM outputs o), '')`).Scan(&all))
	return strings.Contains(all, canary) || strings.Contains(all, hex.EncodeToString([]byte(canary)))
}

// reads checks that all data of an automation is what it was.
func (f *harness) reads(caller platen.User, w platen.Workflow, automationID, eventID string) {
	f.t.Helper()
	other := f.another() // remembers nothing
	body, err := other.Automations.SourceData(f.t.Context(), automationID)
	if want := `{"Name":"` + canary + `"}`; err != nil || string(body) != want {
		f.t.Errorf("source data: got %q and %v, want %q", body, err, want)
	}
	e, attempts, err := other.Events.WorkflowEvent(f.t.Context(), caller, w.ID, eventID)
	f.must(err)
	if want := `{"name":"` + canary + `"}`; string(e.Payload) != want {
		f.t.Errorf("payload: got %q, want %q", e.Payload, want)
	}
	if len(attempts) != 1 || attempts[0].Answer != "thanks, "+canary {
		f.t.Errorf("attempts: got %+v, want one with its answer", attempts)
	}
	sent, _, err := other.Deliveries.Event(f.t.Context(), eventID)
	f.must(err)
	if diff := cmp.Diff(string(e.Payload), string(sent.Payload)); diff != "" {
		f.t.Errorf("payload that is sent (-shown +sent):\n%s", diff)
	}
}

func TestDataOfAutomationsIsUnreadableAtRest(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	a, e := f.delivered(w)
	if f.showsCanary() {
		t.Errorf("got rows in which %q stands", canary)
	}
	f.reads(u, w, a, e)
	f.exec(`UPDATE automations SET data_key = NULL`)
	if body, err := f.another().Automations.SourceData(t.Context(), a); err == nil {
		t.Errorf("without its key: got %q, want an error", body)
	}
}
