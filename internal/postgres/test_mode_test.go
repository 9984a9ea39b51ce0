package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

const (
	testURL = "https://tests.example.org/in"
)

// tested is a workflow with a test receiver.
func (f *harness) tested(owner platen.User) platen.Workflow {
	f.T.Helper()
	w := f.Workflow(owner)
	f.setTestReceiver(w, testURL)
	return w
}

func (f *harness) setTestReceiver(w platen.Workflow, url string) platen.OutgoingWebhook {
	f.T.Helper()
	o := platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixTestReceiver), URL: url, Secret: delivery.NewSecret(), CreatedAt: storetest.Now(), UpdatedAt: storetest.Now()}
	set, _, err := f.Webhooks.SetTestReceiver(f.T.Context(), w.Owner, w.ID, o, func(platen.OutgoingWebhook) error { return nil })
	f.Must(err)
	return set
}

// try accepts an event as a test, and returns its automation.
func (f *harness) try(w platen.Workflow) string {
	f.T.Helper()
	e := storetest.Event(w, "Name")
	e.Test = true
	f.Must(storetest.Send(f.T.Context(), f.DB.DB, e))
	return e.AutomationID
}

// run claims and plans an automation.
func (f *harness) runOf(id string) platen.Plan {
	f.T.Helper()
	f.Must(f.Queue.MarkStarted(f.T.Context(), f.Claim(10, 100)))
	p, err := f.Plans.Plan(f.T.Context(), id)
	f.Must(err)
	return p
}

func TestATestKeepsApartWhatItMakes(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.tested(f.User(nil))
	live := f.Planned(w)
	p := f.runOf(f.try(w))
	if !p.Test || live.Test {
		t.Fatalf("plans: got test %t and %t, want the second alone", live.Test, p.Test)
	}
	body, err := f.Automations.SourceData(t.Context(), p.AutomationID)
	if f.Must(err); len(body) == 0 {
		t.Error("the source data of a test cannot be read")
	}
	eventOf := func(o platen.Output) (platen.Event, error) { return delivery.NewEvent(w.ID, o, storetest.Now()) }
	_, ofLive, err := f.Outputs.RecordOutput(t.Context(), live.Documents[0].OutputID, storetest.Done, eventOf)
	f.Must(err)
	o, ofTest, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, eventOf)
	if f.Must(err); !o.Test || ofTest == "" {
		t.Fatalf("got output %+v and event %q, want both of a test", o, ofTest)
	}
	for id, want := range map[string]platen.Endpoint{ofLive: {URL: w.OutgoingWebhook.URL}, ofTest: {URL: testURL, Test: true}} {
		e, to, err := f.Deliveries.Event(t.Context(), id)
		if f.Must(err); to == nil || to.URL != want.URL || to.Test != want.Test || e.Test != want.Test || len(e.Payload) == 0 {
			t.Errorf("event %s: got %+v to %+v, want it at %+v", id, e, to, want)
		}
	}
	for _, test := range []bool{false, true} {
		of, output, event := live, live.Documents[0].OutputID, ofLive
		if test {
			of, output, event = p, p.Documents[0].OutputID, ofTest
		}
		automations, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{Test: test})
		if f.Must(err); len(automations) != 1 || automations[0].ID != of.AutomationID || automations[0].Test != test {
			t.Errorf("automations, tests %t: got %+v, want %s", test, automations, of.AutomationID)
		}
		all, err := f.Automations.CallersAutomations(t.Context(), w.Owner, platen.AutomationQuery{Test: test})
		if f.Must(err); len(all) != 1 || all[0].ID != of.AutomationID {
			t.Errorf("automations of all workflows, tests %t: got %+v, want %s", test, all, of.AutomationID)
		}
		for what, q := range map[string]platen.OutputQuery{"all": {Test: test}, "by id": {IDs: []string{output}}} {
			outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, q)
			if f.Must(err); len(outputs) != 1 || outputs[0].ID != output {
				t.Errorf("outputs, %s, tests %t: got %+v, want %s", what, test, outputs, output)
			}
		}
		for what, q := range map[string]platen.EventQuery{"all": {Test: test}, "by output": {OutputIDs: []string{output}}} {
			events, err := f.Events.WorkflowEvents(t.Context(), w.Owner, w.ID, q)
			if f.Must(err); len(events) != 1 || events[0].ID != event || events[0].Test != test {
				t.Errorf("events, %s, tests %t: got %+v, want %s", what, test, events, event)
			}
		}
	}
}

// Without a test receiver no event is sent, as without an outgoing webhook. The address
// of the outgoing webhook never receives test events.
func TestATestNeverReachesTheOutgoingWebhook(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	eventOf := func(o platen.Output) (platen.Event, error) { return delivery.NewEvent(w.ID, o, storetest.Now()) }
	if _, id, err := f.Outputs.RecordOutput(t.Context(), f.runOf(f.try(w)).Documents[0].OutputID, storetest.Done, eventOf); err != nil || id != "" {
		t.Errorf("without a test receiver: got event %q, %v, want none", id, err)
	}
	same := platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixTestReceiver), URL: w.OutgoingWebhook.URL, Secret: delivery.NewSecret(), CreatedAt: storetest.Now(), UpdatedAt: storetest.Now()}
	if _, _, err := f.Webhooks.SetTestReceiver(t.Context(), w.Owner, w.ID, same, nil); storetest.CodeOf(err) != "test_receiver_live" {
		t.Errorf("the address of the outgoing webhook: got %v, want test_receiver_live", err)
	}
	f.setTestReceiver(w, testURL)
	_, id, err := f.Outputs.RecordOutput(t.Context(), f.runOf(f.try(w)).Documents[0].OutputID, storetest.Done, eventOf)
	f.Must(err)
	_, err = f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.URL = testURL; return nil })
	f.Must(err)
	if _, to, err := f.Deliveries.Event(t.Context(), id); err != nil || to != nil {
		t.Errorf("when the outgoing webhook has the address: got %+v, %v, want nowhere", to, err)
	}
}

func TestFailuresOfTestsAreToldToNobodyAndTheirBreakerIsTheirOwn(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.tested(owner)
	p := f.runOf(f.try(w))
	_, err := f.Automations.FailAutomation(t.Context(), p.AutomationID, 1, "template_faulty", "Why.")
	f.Must(err)
	key := platen.EndpointKey{OwnerID: owner.ID, URL: testURL, Test: true}
	f.Change(key, func(s *platen.EndpointState, at time.Time) { s.Disabled, s.DisabledAt = platen.CodeEndpointGone, at })
	if got := f.Due(owner); len(got) > 0 {
		t.Errorf("notices: got %+v, want none", got)
	}
	if s := f.Endpoint(platen.EndpointKey{OwnerID: owner.ID, URL: testURL}); s.Disabled != "" {
		t.Errorf("the same address without tests: got %+v, want it in use", s)
	}
	overview, err := f.Overview(t.Context())
	if f.Must(err); overview.Endpoints["disabled"] != 0 {
		t.Errorf("overview: got %v, want no endpoint of tests", overview.Endpoints)
	}
	retried, err := f.Automations.RetryAutomation(t.Context(), owner, w.ID, p.AutomationID)
	if f.Must(err); !retried.Test {
		t.Error("a retry of a test is no test")
	}
	if again := f.setTestReceiver(w, testURL); again.ID == "" || f.Endpoint(key).Disabled != "" {
		t.Error("setting the address does not enable it")
	}
}
