package console_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestTheFirstPageCounts(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	figure := func(name, n string) string { return "<span>" + name + "</span><strong" + n + "</strong>" }
	b.get("/").is(200).shows(figure("Received in 24 hours", ">1"), figure("Failed", ">0"), figure("Waiting", ">0"))
	_, err := x.Owner.Exec(t.Context(), `UPDATE automations SET state = 'FAILED', finished_at = now() WHERE id = $1`, me.IDs["automation"])
	x.Must(err)
	b.get("/").is(200).shows(figure("Received in 24 hours", ">1"), figure("Failed", ` class="bad">1`), "1 cause")
	run := "/console/workflows/" + me.IDs["workflow"] + "/runs/" + me.IDs["automation"]
	done := b.open("POST", run+"/done", nil).is(303).header.Get("Location")
	b.get(strings.TrimSuffix(done, "#done")).is(200).shows("These failures are done.", `action="`+run+`/reopen"`).lacks("1 cause")
	b.get("/").is(200).shows("Nothing failed.").lacks("These failures are done.")
	b.get("/?done=x/y").is(200).lacks("These failures are done.")
	b.open("POST", run+"/reopen", nil).is(303)
	b.get("/").is(200).shows("1 cause", `action="`+run+`/done"`)
	b.get("/?span=days").is(200).shows(figure("Received in 30 days", ">1"), "Runs of the last 30 days")
}

func TestTheFirstPageTellsOfEventsThatNothingStarts(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.withRun(t, platen.AutomationAccepted)
	b := x.console(t).signIn(memory.AdaToken)
	a := &x.store.Runs.Automations[0]
	for age, want := range map[time.Duration]string{10 * time.Second: "<strong>0", 2 * time.Minute: `<strong class="odd">1`} {
		a.AcceptedAt = time.Now().Add(-age)
		b.get("/").is(200).shows("<span>Waiting</span>" + want)
	}
}

func TestTheFirstPageTellsOfReceiversThatTakeNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	b := x.console(t).signIn(memory.AdaToken)
	since := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	x.store.Runs.Events[0].State, x.store.Runs.Events[0].LastFailure = platen.EventPending, "the receiver answered 500"
	x.store.Runs.Deliveries[memory.EventID] = x.store.Runs.Deliveries[memory.EventID][:1]
	x.store.Runs.Endpoint = platen.EndpointState{Failures: 7, FailingSince: since, OpenUntil: since.Add(time.Hour)}
	b.get("/").is(200).shows(`<a class="figure" href="#receivers">`, "1 receiver has not taken all events", "https://example.com/events", "breaker open", "Since <time data-at datetime=\"2026-01-02T03:00:00",
		"It failed 7 times in a row", "the receiver answered 500", `<time data-at datetime="2026-01-02T04:00:00.000000&#43;00:00">2026-01-02 04:00:00 UTC</time>, by itself`, `<a href="`+wf+`events/?state=PENDING">1 event waits</a>`, `<a href="`+wf+`events/?state=HELD">3 events are held</a>`, `href="`+wf+`delivery/#receiver"`)
	x.store.Runs.Events[0].State = platen.EventHeld
	x.store.Runs.Endpoint = platen.EndpointState{Failures: 90, FailingSince: since, Disabled: platen.CodeEndpointFailing, DisabledAt: since.Add(time.Hour)}
	b.get("/").is(200).shows("disabled", "Since <time data-at datetime=\"2026-01-02T04:00:00", "has taken no event for days", `href="`+wf+`delivery/#receiver">Send a test event or set the address</a>`, `href="`+wf+`events/?state=HELD">3 events are held</a>`)
	x.store.Runs.Endpoint = platen.EndpointState{} // it works again, and nobody recovered what is held
	b.get("/").is(200).shows("1 receiver has not taken all events", "in use").lacks("not take events")
	for _, w := range x.store.ByID {
		w.OutgoingWebhook = nil
	}
	b.get("/").is(200).lacks("receivers")
}

func TestAnEventUnderAKeyOfBeforeIsOnTheFirstPageAndLeadsToTheOther(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	a := &x.store.Runs.Automations[0]
	const other = "aut_0000000000000009"
	a.State, a.Reason, a.KeyTakenBy, a.Outputs, a.RequestID = platen.AutomationSkipped, platen.ReasonKeyReused, other, nil, "R/2026-1"
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return a.AcceptedAt.Add(time.Hour) } }).signIn(memory.AdaToken)
	b.get("/").is(200).shows("1 event had the key of another event", `href="#reused"`, "runs/"+memory.AutomationID+"/")
	b.get(page+"runs/"+memory.AutomationID+"/").is(200).shows("Its sender gave another event the same key before.", page+"runs/"+other+"/")
	b.get(page+"outputs/?q="+url.QueryEscape("R/2026-1")).is(200).shows("The run of your event of this name", page+"runs/"+memory.AutomationID+"/")
	b.get(page + "outputs/?q=Kiel+%C3%BC").is(200).lacks("The run of your event of this name")
	if body := x.do(t, "GET", wf+"/automations/?requestId=R/2026-1", "").is(200).body; !strings.Contains(body, `"keyTakenBy":"`+other+`"`) {
		t.Errorf("got %s, want the automation that has the key", body)
	}
	for _, query := range []string{"requestId=%C3%BC", "reference=", "reference=a%09b"} {
		x.do(t, "GET", wf+"/automations/?"+query, "").problem(400, "invalid_parameter")
	}
}
