package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

var actionOf = regexp.MustCompile(`(?:form)?action="(/console/workflows/[^"]+)"`)

// After a form was refused its address is the page's: who loads that again gets the form.
func TestTheAddressOfAFormLeadsToTheForm(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) { o.Mails = true })
	b := x.console(t).signIn(memory.AdaToken)
	wf := x.newWorkflow(t, `{"name":"W","outgoingWebhook":{"webhookUrl":"https://one.example/"}}`)
	id := x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "first")).is(201).object()["id"].(string)
	document := wf + "/documents/" + id
	x.do(t, "PATCH", document+"/", `{"email":{"to":"{{Email}}","subject":"A","text":"B"}}`).is(200)
	x.do(t, "POST", document+"/versions/", `{}`).is(201)
	x.do(t, "PUT", wf+"/outgoing-webhooks/test-receiver/", `{"webhookUrl":"https://test.example/"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	body := b.whole(page).body
	forms := map[string]string{
		page + "name": "name", page + "archive": "archive", page + "receiver": "receiver", page + "copy": "copy", page + "test-receiver": "test-receiver",
		page + "documents/": "add", page + "documents/" + id + "/settings": "settings-" + id, page + "documents/" + id + "/mail": "mail-" + id,
		page + "documents/" + id + "/template": "template-" + id, page + "documents/" + id + "/sample": "sample-" + id, page + "documents/" + id + "/versions/": "keep-" + id,
		page + "source/verification": "verification", page + "receiver/recover": "recover",
	}
	found := actionOf.FindAllStringSubmatch(body, -1)
	if len(found) < len(forms)+5 {
		t.Fatalf("got %d forms, want each of the page", len(found))
	}
	for _, action := range found {
		to := b.get(action[1]).is(http.StatusSeeOther).header.Get("Location")
		at, fragment, _ := strings.Cut(to, "#")
		again := b.get(at).is(200)
		if fragment == "" || !strings.Contains(again.body, `id="`+fragment+`"`) {
			t.Errorf("%s leads to %s, which has no such place", action[1], to)
		}
		if name, ok := forms[action[1]]; ok {
			again.shows(`<details id="form-` + name + `" open>`)
			delete(forms, action[1])
		}
	}
	if len(forms) > 0 {
		t.Errorf("the page has no forms to %v", forms)
	}
	b.get(page + "documents/doc_x/settings").is(http.StatusNotFound)
	x.console(t).signIn(memory.BobToken).get(b.get(page + "name").header.Get("Location")).is(http.StatusNotFound)
}

func TestErrorPagesKeepTheMenuAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationRunning)
	run := wf + "runs/" + memory.AutomationID + "/"
	b := x.console(t).signIn(memory.AdaToken)
	menu := []string{`<a href="/console/workflows/"`, `<a href="/docs/">Docs</a>`, "Sign out", "Ada"}
	b.get("/console/nothing").is(404).shows(menu...)
	b.get("/console/workflows/wkf_00000000000000/").is(404).shows(menu...).shows("Look for it in the list of workflows")
	b.open("POST", run+"retry", nil, "Referer", "https://api.test"+run).is(400).shows(menu...).shows(`<a href="` + run + `">Back to the page before</a>`)
	b.open("POST", run+"retry", nil, "Referer", "https://evil.test"+run).is(400).lacks("Back to the page before", "evil")
	b.open("POST", run+"cancel", nil, "Sec-Fetch-Site", "cross-site").is(403).shows(menu...)
	x.store.Scope(memory.AdaToken, "read")
	b.open("POST", run+"cancel", nil).is(403).shows(menu...).shows("platen token create")
	x.store.Fail = platen.Errorf(platen.KindInternal, "", "broken")
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
	get("/v0/workflows/", "Accept", browsers, "Authorization", memory.NobodyToken).problem(403, "token_unknown")
	b.open("POST", "/v0/workflows/", nil, "Accept", browsers).problem(403, "credentials_missing")
	if a := get("/openapi.json", "Accept", browsers).is(200); !strings.HasPrefix(a.body, "{") {
		t.Errorf("the contract is %.60q", a.body)
	}
	b.signIn(memory.AdaToken)
	get("/nothing", "Accept", browsers).is(404).shows("Sign out", `<a href="/console/workflows/"`)
}

// Where a form was refused the page stands at the form's address: it may be loaded again.
func TestTheAddressOfAnyOtherFormLeadsToItsPage(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/console" + strings.TrimPrefix(x.newWorkflow(t, `{"name":"W"}`), "/v0") + "/"
	run := wf + "runs/" + memory.AutomationID + "/"
	b := x.console(t).signIn(memory.AdaToken)
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
