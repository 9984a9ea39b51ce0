package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestErrorPagesKeepTheMenuAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationRunning)
	run := wf + "runs/" + autID + "/"
	b := x.console(t).signIn(adaToken)
	menu := []string{`<a href="/console/workflows/"`, `<a href="/docs/">Docs</a>`, "Sign out", "Ada"}
	b.get("/console/nothing").is(404).shows(menu...)
	b.get("/console/workflows/wkf_00000000000000/").is(404).shows(menu...).shows("Look for it in the list of workflows")
	b.open("POST", run+"retry", nil, "Referer", "https://api.test"+run).is(400).shows(menu...).shows(`<a href="` + run + `">Back to the page before</a>`)
	b.open("POST", run+"retry", nil, "Referer", "https://evil.test"+run).is(400).lacks("Back to the page before", "evil")
	b.open("POST", run+"cancel", nil, "Sec-Fetch-Site", "cross-site").is(403).shows(menu...)
	x.scoped(t, "read")
	b.open("POST", run+"cancel", nil).is(403).shows(menu...).shows("platen token create")
	x.store.fail = platen.Errorf(platen.KindInternal, "", "broken")
	b.get(run).is(500).shows(`<a href="/console/workflows/"`, "req_", "operator").lacks("broken")
	x.console(t).get("/console/nothing").is(404).shows(`href="/console/sign-in"`).lacks("Sign out")
}

func TestABrowserGetsAPageWhereNothingIs(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t)
	const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	get := func(path string, header ...string) answer { return b.open("GET", path, nil, header...) }
	links := []string{`href="/"`, `href="/docs/"`, "<h1>"}
	a := get("/nothing", "Accept", browsers).is(404).shows(links...).shows("There is nothing at this address")
	if got := a.header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || a.header.Get("Vary") != "Accept" {
		t.Errorf("the page has the policy %q and varies by %q", got, a.header.Get("Vary"))
	}
	for _, path := range []string{"/v0", "/v0/", "/v0/workflows/"} {
		get(path, "Accept", browsers).is(403).shows(links...).shows("This is the API of Platen", `href="/docs/api"`, `href="/docs/contract"`)
	}
	for _, accept := range []string{"", "*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0.1, */*", "text/*;q=0, */*", "nonsense"} {
		get("/nothing", "Accept", accept).problem(404, "path_not_found")
		get("/v0", "Accept", accept).problem(403, "credentials_missing")
	}
	get("/v0/workflows/", "Accept", browsers, "Authorization", nobodys).problem(403, "token_unknown")
	b.open("POST", "/v0/workflows/", nil, "Accept", browsers).problem(403, "credentials_missing")
	if a := get("/openapi.json", "Accept", browsers).is(200); !strings.HasPrefix(a.body, "{") {
		t.Errorf("the contract is %.60q", a.body)
	}
	b.signIn(adaToken)
	get("/nothing", "Accept", browsers).is(404).shows("Sign out", `<a href="/console/workflows/"`)
}

// Where a form was refused the page stands at the form's address: it may be loaded again.
func TestTheAddressOfAnyOtherFormLeadsToItsPage(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/console" + strings.TrimPrefix(x.newWorkflow(t, `{"name":"W"}`), "/v0") + "/"
	run := wf + "runs/" + autID + "/"
	b := x.console(t).signIn(adaToken)
	for at, want := range map[string]string{
		wf + "events/recover": wf + "events/", wf + "events/evt_0000000000000001/redeliver": wf + "events/",
		run + "erase": run, run + "retry": run, run + "events/evt_0000000000000001/redeliver": run,
		"/console/sign-out": "/console/",
	} {
		if to := b.get(at).is(http.StatusSeeOther).header.Get("Location"); to != want {
			t.Errorf("%s leads to %q, want %q", at, to, want)
		}
	}
	for _, at := range []string{wf + "nothing", "/console/nothing", wf + "events/recover/more"} {
		b.get(at).is(http.StatusNotFound)
	}
	b.open("PUT", wf+"events/recover", nil).is(http.StatusNotFound)
}
