package storetest

import (
	"encoding/hex"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
)

// Canary is in the data of what Delivered delivers, and must be nowhere else.
const Canary = "Canary of Ada"

// Delivered makes an automation that completed, with an event, an attempt and an answer
// that all contain the canary.
func (f *Harness) Delivered(w platen.Workflow) (automationID, eventID string) {
	f.T.Helper()
	b := f.Batcher(accept.BatcherOptions{})
	e := platen.SourceEvent{AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: w.Source.Key, Body: []byte(`{"Name":"` + Canary + `"}`), Fields: []string{"Name"}, RequestID: "req", ReceivedAt: Now()}
	f.Must(b.Accept(f.T.Context(), e))
	p, err := f.Plans.Plan(f.T.Context(), e.AutomationID)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(f.T.Context(), Firsts(p.AutomationID)))
	_, eventID, err = f.Outputs.RecordOutput(f.T.Context(), p.Documents[0].OutputID, Done, func(platen.Output) (platen.Event, error) {
		return platen.Event{ID: platen.NewID(platen.PrefixEvent), Type: platen.EventDocumentsCreated, Payload: []byte(`{"name":"` + Canary + `"}`), CreatedAt: Now()}, nil
	})
	f.Must(err)
	attempt := platen.Delivery{EventID: eventID, Attempt: 1, At: Now(), Status: 200, Answer: "thanks, " + Canary}
	f.Must(f.Deliveries.RecordDelivery(f.T.Context(), attempt, platen.EventDelivered, 0))
	_, err = f.Automations.EndAutomation(f.T.Context(), p.AutomationID, 1)
	f.Must(err)
	return p.AutomationID, eventID
}

// ShowsCanary tells whether the canary stands in a row of a table of runs.
func (f *Harness) ShowsCanary() bool {
	f.T.Helper()
	var all string
	f.Must(f.Owner.QueryRow(f.T.Context(), `
		SELECT (SELECT string_agg(a::text, ' ') FROM automations a)
			|| coalesce((SELECT string_agg(e::text, ' ') FROM events e), '')
			|| coalesce((SELECT string_agg(d::text, ' ') FROM deliveries d), '')
			|| coalesce((SELECT string_agg(o::text, ' ') FROM outputs o), '')`).Scan(&all))
	return strings.Contains(all, Canary) || strings.Contains(all, hex.EncodeToString([]byte(Canary)))
}

// Reads checks that all data of an automation is what it was.
func (f *Harness) Reads(caller platen.User, w platen.Workflow, automationID, eventID string) {
	f.T.Helper()
	other := f.Another() // remembers nothing
	body, err := other.Automations.SourceData(f.T.Context(), automationID)
	if want := `{"Name":"` + Canary + `"}`; err != nil || string(body) != want {
		f.T.Errorf("source data: got %q and %v, want %q", body, err, want)
	}
	e, attempts, err := other.Events.WorkflowEvent(f.T.Context(), caller, w.ID, eventID)
	f.Must(err)
	if want := `{"name":"` + Canary + `"}`; string(e.Payload) != want {
		f.T.Errorf("payload: got %q, want %q", e.Payload, want)
	}
	if len(attempts) != 1 || attempts[0].Answer != "thanks, "+Canary {
		f.T.Errorf("attempts: got %+v, want one with its answer", attempts)
	}
	sent, _, err := other.Deliveries.Event(f.T.Context(), eventID)
	f.Must(err)
	if diff := cmp.Diff(string(e.Payload), string(sent.Payload)); diff != "" {
		f.T.Errorf("payload that is sent (-shown +sent):\n%s", diff)
	}
}
