package api

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
)

// What newcomers stumbled over on the console's pages.

// withShownRun is withRun whose ids are whole. It returns the path of the workflow's page.
func (x *harness) withShownRun(t *testing.T, state platen.AutomationState) string {
	t.Helper()
	wf := x.withRun(t, state)
	x.output(0).ID, x.output(1).ID = "out_0000000000000001", "out_0000000000000002"
	x.store.runs.events[0].OutputID, x.store.runs.events[0].AutomationID = x.output(0).ID, autID
	return strings.Replace(wf, "/v0", "/console", 1) + "/"
}

func ownDrive(o *console.SiteOptions) { o.OwnDrive = true }

func TestATemplateAndAnOriginalCanBeLookedAtAndDownloaded(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	for _, w := range x.store.workflows {
		w.Documents[0].File.URL = "https://drive.test/d/key"
	}
	x.output(0).Removed, x.output(0).Copy = false, &platen.File{ID: "f2", Name: "A", URL: "https://drive.test/open?id=f2", MIMEType: platen.MIMEDocs}
	b := x.console(t, ownDrive).signIn(adaToken)
	b.get(wf).is(200).shows(`href="https://drive.test/d/key">Look at the template as a PDF</a>`, `href="https://drive.test/d/key?download=office">Download the template</a>`)
	for _, page := range []string{wf + "outputs/", wf + "runs/" + autID + "/"} {
		a := b.get(page).is(200).shows(`href="https://drive.test/open?download=office&amp;id=f2">Download the original</a>`, "original, shown as a PDF")
		if n := strings.Count(a.body, "Download the original"); n != 1 {
			t.Errorf("%s: %d files can be downloaded as originals, want one: a PDF is none", page, n)
		}
	}
	x.output(0).Copy.Properties = map[string]string{platen.PropertyProtection: string(platen.ProtectionCredentials)}
	b.get(wf + "outputs/").is(200).shows("original, shown as a PDF, asks for credentials").lacks("Download the original")
	google := x.console(t).signIn(adaToken)
	google.get(wf).is(200).shows("Open the template in Google").lacks("download=office")
	google.get(wf + "outputs/").is(200).shows("original, opens in Google").lacks("download=office")
}

func TestTheFirstPageTellsOfReceiversThatTakeNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	b := x.console(t).signIn(adaToken)
	since := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	x.store.runs.events[0].State = platen.EventPending
	x.store.runs.deliveries[evtID] = x.store.runs.deliveries[evtID][:1]
	x.store.runs.endpoint = platen.EndpointState{Failures: 7, FailingSince: since, OpenUntil: since.Add(time.Hour)}
	b.get("/").is(200).shows(`href="#receivers">1 receiver has not taken all events</a>`, "https://example.com/events", "breaker open", "Since <time datetime=\"2026-01-02T03:00:00",
		"It failed 7 times in a row", "the receiver answered 500", "2026-01-02 04:00:00 UTC, by itself", `<a href="`+wf+`events/?state=PENDING">1 event waits</a>`, `<a href="`+wf+`events/?state=HELD">3 events are held</a>`, `href="`+wf+`#receiver"`)
	x.store.runs.events[0].State = platen.EventHeld
	x.store.runs.endpoint = platen.EndpointState{Failures: 90, FailingSince: since, Disabled: platen.CodeEndpointFailing, DisabledAt: since.Add(time.Hour)}
	b.get("/").is(200).shows("disabled", "Since <time datetime=\"2026-01-02T04:00:00", "has taken no event for days", `href="`+wf+`#receiver">Send a test event or set the address</a>`, `href="`+wf+`events/?state=HELD">3 events are held</a>`)
	x.store.runs.endpoint = platen.EndpointState{} // it works again, and nobody recovered what is held
	b.get("/").is(200).shows("1 receiver has not taken all events", "in use").lacks("not take events")
	for _, w := range x.store.workflows {
		w.OutgoingWebhook = nil
	}
	b.get("/").is(200).lacks("receivers")
}

func TestListsCountWhatIsOddAboutRuns(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	x.output(1).State, x.output(1).Failure, x.output(1).FailureCode = platen.OutputDone, "", ""
	b := x.console(t).signIn(adaToken)
	run := wf + "runs/" + autID + "/#documents"
	for _, page := range []string{"/", wf, wf + "runs/"} {
		b.get(page).is(200).shows(`href="` + run + `">2 fields empty, 1 finding</a>`)
	}
	b.get(wf+"outputs/").is(200).shows(`href="`+run+`">2 fields empty, 1 finding</a>`, `href="`+run+`">1 field empty</a>`)
	x.output(0).Findings = []platen.Finding{{Code: platen.CodeNoField, Message: "None."}}
	b.get("/").is(200).shows(`>the event gave no field of the template</a>`)
	x.output(0).Findings, x.output(0).MissingFields, x.output(1).MissingFields = nil, nil, nil
	for _, page := range []string{"/", wf, wf + "runs/", wf + "outputs/"} {
		b.get(page).is(200).lacks("#documents")
	}
}

func TestARefusedSignInSaysWhatToDo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t)
	for _, wrong := range []string{"", "plt_1", nobodys} {
		b.open("POST", "/console/sign-in", url.Values{"token": {wrong}}).is(http.StatusForbidden).
			shows(`role="alert"`, "platen token create --user").lacks("Authorization", "the header")
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {nobodys}}).shows("This token is not valid")
}

func TestAZipOfNothingComesBackToTheList(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "A.pdf", "B.pdf")
	at := "/console" + strings.TrimPrefix(wf, "/v0") + "/outputs/"
	b := x.console(t).signIn(adaToken)
	b.get(at + "?q=A&state=DONE").is(200).shows(`<input type="hidden" name="state" value="DONE"><input type="hidden" name="q" value="A">`)
	b.get(at+"zip?q=A&state=DONE").is(400).shows(`role="alert" tabindex="-1" autofocus>Choose at least one output.`, ids[0], `value="A"`).lacks("parameter", ids[1])
}

func TestErrorPagesKeepTheMenuAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationRunning)
	run := wf + "runs/" + autID + "/"
	b := x.console(t).signIn(adaToken)
	menu := []string{`<a href="/console/workflows/">Workflows</a>`, `<a href="/docs/">Docs</a>`, "Sign out", "Ada"}
	b.get("/console/nothing").is(404).shows(menu...)
	b.get("/console/workflows/wkf_00000000000000/").is(404).shows(menu...).shows("Look for it in the list of workflows")
	b.open("POST", run+"retry", nil, "Referer", "https://api.test"+run).is(400).shows(menu...).shows(`<a href="` + run + `">Back to the page before</a>`)
	b.open("POST", run+"retry", nil, "Referer", "https://evil.test"+run).is(400).lacks("Back to the page before", "evil")
	b.open("POST", run+"cancel", nil, "Sec-Fetch-Site", "cross-site").is(403).shows(menu...)
	x.scoped(t, "read")
	b.open("POST", run+"cancel", nil).is(403).shows(menu...).shows("platen token create")
	x.store.fail = platen.Errorf(platen.KindInternal, "", "broken")
	b.get(run).is(500).shows(`<a href="/console/workflows/">Workflows</a>`, "req_", "operator").lacks("broken")
	x.console(t).get("/console/nothing").is(404).shows(`href="/console/sign-in"`).lacks("Sign out")
}

func TestEveryPageHasAnIcon(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	a := x.console(t).open("GET", "/favicon.ico", nil, "Accept", "image/*").is(200).shows("<svg ")
	if got := a.header.Get("Content-Type"); got != "image/svg+xml" {
		t.Errorf("got %s, want an SVG", got)
	}
}

func TestASearchThatFindsNothingSaysHowNamesBecomeTold(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	page := "/console" + strings.TrimPrefix(x.newWorkflow(t, `{"name":"Invoices","document":{}}`), "/v0") + "/"
	x.console(t).signIn(adaToken).get(page+"outputs/?q=Kiel").is(200).
		shows("Nothing.", "Name of each output", `href="`+page+`#documents"`)
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
	get("/nothing", "Accept", browsers).is(404).shows("Sign out", `<a href="/console/workflows/">Workflows</a>`)
}

// Words in the number of what they count, and sentences that are some.
func TestPagesSpeakInSentences(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	x.store.runs.endpoint = platen.EndpointState{Failures: 1}
	b := x.console(t).signIn(adaToken)
	b.get(wf).is(200).shows(`Its owner is <bdi>Ada</bdi>`, "The last attempt failed").lacks("The last 1 attempts", ">of <bdi>")
	b.get(wf+"runs/").is(200).shows(">running</a>", ">waiting for its turn</a>")
	odd := regexp.MustCompile(`(?:>|[^0-9.,:])1 (?:events|runs|times|fields|findings|attempts|workers|outputs|wait|receivers|are)\b|\b0 (?:run|event|attempt)\b`)
	for _, page := range []string{"/", wf, wf + "runs/", wf + "outputs/", wf + "events/", wf + "runs/" + autID + "/", "/console/workflows/"} {
		if found := odd.FindString(b.get(page).is(200).body); found != "" {
			t.Errorf("%s says %q", page, found)
		}
	}
}
