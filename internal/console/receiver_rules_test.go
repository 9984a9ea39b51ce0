package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

var idOfReceiver = regexp.MustCompile(`rcv_[0-9A-Za-z]+`)

func TestAReceiverByRulesIsAddedTriedChangedAndRemovedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) {
		o.Tags = func([]string, []string) []api.TagFinding { return []api.TagFinding{{Name: "Totl"}} }
		o.Templates = &memory.Templates{}
	})
	page := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page+"delivery/").is(200).shows("Receivers by rules", "Tell another receiver, too").lacks("Try the conditions")

	form := url.Values{"name": {"Accounts"}, "webhookUrl": {"accounts.example"}, "when": {"Total > 1000"}}
	b.open("POST", page+"receivers/", form).is(http.StatusBadRequest).shows("Tick at least one kind of event", `value="Total &gt; 1000"`)
	form.Set("DOCUMENTS_CREATED", "on")
	b.open("POST", page+"receivers/", form).is(http.StatusBadRequest).shows("The address must be an absolute http or https address", `name="DOCUMENTS_CREATED" checked`)
	form.Set("webhookUrl", "https://accounts.example/in")
	to := b.open("POST", page+"receivers/", form).is(http.StatusSeeOther).header.Get("Location")
	added := b.get(to).is(200).shows("The receiver is added.", "https://accounts.example/in", "Only if this is true of the event: <code>Total &gt; 1000</code>", "Try the conditions").lacks("whsec_")
	id := idOfReceiver.FindString(added.body)

	b.open("POST", page+"receivers/"+id+"/secret", nil).is(200).shows("whsec_")
	b.open("POST", page+"receivers/"+id+"/rotate", nil).is(http.StatusSeeOther)
	b.open("POST", page+"receivers/"+id+"/test", nil).is(200).shows("the test event")
	b.open("POST", page+"receivers/check", nil).is(200).shows("of the last events", "No event has what the condition asks for: <code>Totl</code>")
	change := b.get(page + "delivery/?form=rule-" + id).is(200).shows(`action="` + page + "receivers/" + id + `/change"`)
	form = url.Values{"etag": {change.etagOf(page + "receivers/" + id + "/change")}, "name": {"Books"}, "webhookUrl": {"https://books.example"}, "BATCH_COMPLETED": {"on"}}
	b.open("POST", page+"receivers/"+id+"/change", form).is(http.StatusSeeOther)
	b.get(page+"delivery/?done=rule&of="+id).is(200).shows("The receiver is saved.", "https://books.example", "<code>BATCH_COMPLETED</code>").lacks("Total &gt; 1000</code>")
	form.Set("name", "Another")
	b.open("POST", page+"receivers/"+id+"/change", form).is(http.StatusBadRequest).shows("Somebody changed this while the page was open")

	b.open("POST", page+"receivers/"+id+"/remove", url.Values{}).is(http.StatusBadRequest).shows("Tick the box first")
	to = b.open("POST", page+"receivers/"+id+"/remove", url.Values{"certain": {"on"}}).is(http.StatusSeeOther).header.Get("Location")
	b.get(to).is(200).shows("The receiver is removed.").lacks("https://books.example")
	b.open("POST", page+"receivers/rcv_nothing/test", nil).is(http.StatusNotFound)
}

func TestPagesSayToWhichReceiverAnEventGoesAndWhichWasSkipped(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	id := x.do(t, "POST", strings.Replace(wf, "/console", "/v0", 1)+"receivers/", `{"name":"Accounts","webhookUrl":"https://accounts.example"}`).is(http.StatusCreated).object()["id"].(string)
	e := x.store.Runs.Events[0]
	e.ID, e.ReceiverID, e.State, e.Reason = "evt_00000000000077", id, platen.EventHeld, platen.CodeReceiverCondition
	x.store.Runs.Events = append(x.store.Runs.Events, e)
	x.store.Runs.Automations[0].Skipped = []platen.Skipped{{Part: platen.PartReceiver, When: "Total > 1", ReceiverID: id, Receiver: "Large ones"}}
	b := x.console(t).signIn(memory.AdaToken)
	b.get(wf+"events/?receiver="+id).is(200).shows("<bdi>Accounts</bdi>", e.ID, "receiver_condition")
	// Its events alone are delivered again from their page.
	b.get(wf + "events/?receiver=" + id).is(200).shows(`name="receiver" value="` + id + `"`)
	if to := b.open("POST", wf+"events/recover", url.Values{"since": {"2026-01-01"}, "receiver": {id}}).is(http.StatusSeeOther).header.Get("Location"); !strings.Contains(to, "receiver="+id) || !strings.Contains(to, "recovered=4") {
		t.Errorf("leads to %s, want the four events of the receiver", to)
	} else {
		b.get(to).is(200).shows("3 of 4 events are delivered")
	}
	b.open("POST", wf+"events/recover", url.Values{"since": {"yesterday"}, "receiver": {id}}).is(http.StatusBadRequest).shows(`name="receiver" value="`+id+`"`, e.ID)
	b.get(wf+"runs/"+memory.AutomationID+"/").is(200).shows("<bdi>Accounts</bdi>", "A receiver got no event.", "Large ones", "Total &gt; 1")
}
