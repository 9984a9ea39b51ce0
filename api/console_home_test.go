package api

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheFirstPageTellsOfReceiversThatTakeNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	b := x.console(t).signIn(adaToken)
	since := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	x.store.runs.events[0].State = platen.EventPending
	x.store.runs.deliveries[evtID] = x.store.runs.deliveries[evtID][:1]
	x.store.runs.endpoint = platen.EndpointState{Failures: 7, FailingSince: since, OpenUntil: since.Add(time.Hour)}
	b.get("/").is(200).shows(`<a class="figure" href="#receivers">`, "1 receiver has not taken all events", "https://example.com/events", "breaker open", "Since <time data-at datetime=\"2026-01-02T03:00:00",
		"It failed 7 times in a row", "the receiver answered 500", `<time data-at datetime="2026-01-02T04:00:00.000000&#43;00:00">2026-01-02 04:00:00 UTC</time>, by itself`, `<a href="`+wf+`events/?state=PENDING">1 event waits</a>`, `<a href="`+wf+`events/?state=HELD">3 events are held</a>`, `href="`+wf+`delivery/#receiver"`)
	x.store.runs.events[0].State = platen.EventHeld
	x.store.runs.endpoint = platen.EndpointState{Failures: 90, FailingSince: since, Disabled: platen.CodeEndpointFailing, DisabledAt: since.Add(time.Hour)}
	b.get("/").is(200).shows("disabled", "Since <time data-at datetime=\"2026-01-02T04:00:00", "has taken no event for days", `href="`+wf+`delivery/#receiver">Send a test event or set the address</a>`, `href="`+wf+`events/?state=HELD">3 events are held</a>`)
	x.store.runs.endpoint = platen.EndpointState{} // it works again, and nobody recovered what is held
	b.get("/").is(200).shows("1 receiver has not taken all events", "in use").lacks("not take events")
	for _, w := range x.store.workflows {
		w.OutgoingWebhook = nil
	}
	b.get("/").is(200).lacks("receivers")
}
