package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// pagesOf are the addresses of every page about a tenant's things.
func pagesOf(ids map[string]string) map[string]string {
	wf := "/console/workflows/" + ids["workflow"] + "/"
	run := wf + "runs/" + ids["automation"] + "/"
	return map[string]string{
		wf: "GET", wf + "outputs/": "GET", wf + "events/": "GET", wf + "runs/": "GET", run: "GET", run + "?data=shown": "GET",
		wf + "test": "POST", wf + "documents/" + ids["document"] + "/check": "POST",
		run + "retry": "POST", run + "cancel": "POST", run + "events/" + ids["event"] + "/redeliver": "POST",
	}
}

func TestPagesOfTheConsoleShowWhatTheCallerMade(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	wf := "/console/workflows/" + me.IDs["workflow"] + "/"
	run := wf + "runs/" + me.IDs["automation"] + "/"
	b.get("/").is(200).shows("Of Mine", run, "First steps", "curl -H ")
	_, err := x.Owner.Exec(t.Context(), `UPDATE events SET state = 'DELIVERED' WHERE id = $1`, me.IDs["event"])
	x.Must(err)
	b.get("/").is(200).lacks("First steps")
	_, err = x.Owner.Exec(t.Context(), `UPDATE events SET state = 'FAILED' WHERE id = $1`, me.IDs["event"])
	x.Must(err)
	b.get("/console/workflows/").is(200).shows("Of Mine", wf, run)
	b.whole(wf).shows("Of Mine", "https://hooks.test/", "in use", "Send a test event", run)
	b.get(wf + "runs/").is(200).shows(run)
	b.get(wf + "runs/?state=COMPLETED").is(200).lacks(run)
	b.get(wf+"outputs/").is(200).shows(run, "failed") // its event
	b.get(run).is(200).shows("The event was received", me.IDs["event"], "Redeliver", "Cancel", "https://temporal.test/").lacks("secret of")
	b.get(run + "?data=shown").is(200).shows("secret of " + me.User.ID)
	for _, id := range []string{me.IDs["automation"], me.IDs["output"], me.IDs["event"]} {
		if a := b.get(wf + "outputs/?q=" + id).is(http.StatusSeeOther); a.header.Get("Location") != run {
			t.Errorf("a search for %s leads to %q, want %s", id, a.header.Get("Location"), run)
		}
	}
	b.get(wf + "outputs/?q=" + platen.NewID(platen.PrefixOutput)).is(200).shows("nothing with this id")
	b.get(wf + "outputs/?q=invoice").is(200).shows("Nothing.")
	b.get(wf + "outputs/?q=out_short").is(200).shows("Paste a whole id")
	_, err = x.Owner.Exec(t.Context(), `UPDATE outputs SET state = 'FAILED', failure_code = 'drive_file_not_found', failure = 'It is gone.' WHERE id = $1`, me.IDs["output"])
	x.Must(err)
	b.get(run).is(200).shows("It is gone.", `href="/docs/errors#drive_file_not_found"`)
}

func TestPagesOfTheConsoleAreTheCallersAlone(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	victim := x.tenant("Victims")
	stranger := x.tenant("Strangers")
	b := x.console(t).signIn(stranger.Token)
	before := x.whole(victim)
	for path, method := range pagesOf(victim.IDs) {
		a := b.open(method, path, nil).is(http.StatusNotFound)
		showsNothing(a, victim)
	}
	for mixed, ids := range stranger.Mixtures(victim, "automation", "document", "event") {
		for name, own := range stranger.IDs {
			if ids[name] == "" {
				ids[name] = own
			}
		}
		for path, method := range pagesOf(ids) {
			if mixed != "workflow" && strings.Contains(path, victim.IDs[mixed]) {
				showsNothing(b.open(method, path, nil).is(http.StatusNotFound), victim)
			}
		}
	}
	for _, path := range []string{"/", "/console/workflows/", "/console/workflows/" + stranger.IDs["workflow"] + "/outputs/?q=" + victim.IDs["output"]} {
		showsNothing(b.get(path).is(200).lacks(victim.IDs["workflow"]), victim)
	}
	if after := x.whole(victim); after != before {
		t.Error("the victim's workflow was changed")
	}
	for path, method := range pagesOf(map[string]string{"workflow": "wkf_1", "automation": "aut_1", "document": "d", "event": "e"}) {
		b.open(method, path, nil).is(http.StatusNotFound)
	}
}

func TestAFormOfAnotherSiteChangesNothing(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	for path, method := range pagesOf(me.IDs) {
		if method != "POST" {
			continue
		}
		for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.test"}} {
			b.open("POST", path, nil, header...).is(http.StatusForbidden).shows("This came from another page")
		}
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {me.Token}}, "Sec-Fetch-Site", "cross-site").is(http.StatusForbidden)
	a := x.as(t, me.Token, "GET", "/v0/workflows/"+me.IDs["workflow"]+"/automations/"+me.IDs["automation"]+"/", "").is(200).object()
	if a["cancelRequestedAt"] != nil {
		t.Error("the automation was cancelled")
	}
}

func TestAShortenedAddressLeadsToTheFirstPage(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t, func(o *console.SiteOptions) { o.PublicURL = "https://api.test/platen" })
	for _, path := range []string{"/console", "/console/"} {
		if got := b.get(path).is(http.StatusSeeOther).header.Get("Location"); got != "/platen/" {
			t.Errorf("%s leads to %q, want the first page", path, got)
		}
	}
}

func TestEveryPageHasAnIcon(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	a := x.console(t).open("GET", "/favicon.ico", nil, "Accept", "image/*").is(200).shows("<svg ")
	if got := a.header.Get("Content-Type"); got != "image/svg+xml" {
		t.Errorf("got %s, want an SVG", got)
	}
}

// Words in the number of what they count, and sentences that are some.
func TestPagesSpeakInSentences(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	x.store.Runs.Endpoint = platen.EndpointState{Failures: 1}
	b := x.console(t).signIn(memory.AdaToken)
	b.whole(wf).shows(`Owner <bdi>Ada</bdi>`, "The last attempt failed").lacks("The last 1 attempts", ">of <bdi>")
	b.get(wf+"runs/").is(200).shows(">running</a>", ">waiting for its turn</a>")
	odd := regexp.MustCompile(`(?:>|[^0-9.,:])1 (?:events|runs|times|fields|findings|attempts|workers|outputs|wait|receivers|are)\b|\b0 (?:run|event|attempt)\b`)
	for _, page := range []string{"/", wf, wf + "runs/", wf + "outputs/", wf + "events/", wf + "runs/" + memory.AutomationID + "/", "/console/workflows/"} {
		if found := odd.FindString(b.get(page).is(200).body); found != "" {
			t.Errorf("%s says %q", page, found)
		}
	}
}
