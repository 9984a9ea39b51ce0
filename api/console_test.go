package api

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/secret"
)

// A browser is somebody who opens the console's pages, with the cookies that they set.
type browser struct {
	t       *testing.T
	site    http.Handler
	cookies map[string]*http.Cookie
}

func (x *harness) console(t *testing.T, changes ...func(*console.SiteOptions)) *browser {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	o := console.SiteOptions{API: x.handler, Sealer: box, PublicURL: "https://api.test", Done: t.Context().Done()}
	for _, change := range changes {
		change(&o)
	}
	site := console.NewSite(o)
	host := http.NewServeMux()
	host.Handle("/{$}", site)
	host.Handle("/console", site)
	host.Handle("/console/", site)
	host.HandleFunc("/favicon.ico", console.ServeIcon)
	host.Handle("/", site.ForBrowsers(x.handler))
	return &browser{t: t, site: host, cookies: map[string]*http.Cookie{}}
}

// open asks for a page as a browser does for one that was typed in, or sends one of
// the page's own forms.
func (b *browser) open(method, path string, form url.Values, header ...string) answer {
	b.t.Helper()
	if form != nil {
		header = append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)
	}
	return b.send(method, path, strings.NewReader(form.Encode()), header...)
}

func (b *browser) send(method, path string, body io.Reader, header ...string) answer {
	b.t.Helper()
	r := httptest.NewRequest(method, path, body)
	r.Host = "api.test"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.site.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		b.cookies[c.Name] = c
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return answer{b.t, w.Code, w.Header(), w.Body.String()}
}

func (b *browser) get(path string) answer { b.t.Helper(); return b.open("GET", path, nil) }

// whole is what the pages of a workflow show, one behind the other.
func (b *browser) whole(workflow string) (all answer) {
	b.t.Helper()
	var body string
	for _, tab := range []string{"", "template/", "data/", "delivery/", "settings/"} {
		all = b.get(workflow + tab).is(http.StatusOK)
		body += all.body
	}
	all.body = body
	return all
}

func (b *browser) signIn(token string) *browser {
	b.t.Helper()
	b.open("POST", "/console/sign-in", url.Values{"token": {token}}).is(http.StatusSeeOther)
	return b
}

func (a answer) shows(want ...string) answer {
	a.t.Helper()
	for _, text := range want {
		if !strings.Contains(a.body, text) {
			a.t.Errorf("the page lacks %s:\n%s", text, a.body)
		}
	}
	return a
}

func (a answer) lacks(unwanted ...string) answer {
	a.t.Helper()
	for _, text := range unwanted {
		if strings.Contains(a.body, text) {
			a.t.Errorf("the page has %s:\n%s", text, a.body)
		}
	}
	return a
}

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
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	wf := "/console/workflows/" + me.ids["workflow"] + "/"
	run := wf + "runs/" + me.ids["automation"] + "/"
	b.get("/").is(200).shows("Of Mine", run, "First steps", "curl -H ")
	_, err := x.db.Pool().Exec(t.Context(), `UPDATE events SET state = 'DELIVERED' WHERE id = $1`, me.ids["event"])
	x.must(t, err)
	b.get("/").is(200).lacks("First steps")
	_, err = x.db.Pool().Exec(t.Context(), `UPDATE events SET state = 'FAILED' WHERE id = $1`, me.ids["event"])
	x.must(t, err)
	b.get("/console/workflows/").is(200).shows("Of Mine", wf, run)
	b.whole(wf).shows("Of Mine", "https://hooks.test/", "in use", "Send a test event", run)
	b.get(wf + "runs/").is(200).shows(run)
	b.get(wf + "runs/?state=COMPLETED").is(200).lacks(run)
	b.get(wf+"outputs/").is(200).shows(run, "failed") // its event
	b.get(run).is(200).shows("The event was received", me.ids["event"], "Redeliver", "Cancel", "https://temporal.test/").lacks("secret of")
	b.get(run + "?data=shown").is(200).shows("secret of " + me.user.ID)
	for _, id := range []string{me.ids["automation"], me.ids["output"], me.ids["event"]} {
		if a := b.get(wf + "outputs/?q=" + id).is(http.StatusSeeOther); a.header.Get("Location") != run {
			t.Errorf("a search for %s leads to %q, want %s", id, a.header.Get("Location"), run)
		}
	}
	b.get(wf + "outputs/?q=" + platen.NewID(platen.PrefixOutput)).is(200).shows("nothing with this id")
	b.get(wf + "outputs/?q=invoice").is(200).shows("Nothing.")
	b.get(wf + "outputs/?q=out_short").is(200).shows("Paste a whole id")
	_, err = x.db.Pool().Exec(t.Context(), `UPDATE outputs SET state = 'FAILED', failure_code = 'drive_file_not_found', failure = 'It is gone.' WHERE id = $1`, me.ids["output"])
	x.must(t, err)
	b.get(run).is(200).shows("It is gone.", `href="/docs/errors#drive_file_not_found"`)
}

func TestPagesOfTheConsoleAreTheCallersAlone(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	victim := x.tenant(t, "Victims")
	stranger := x.tenant(t, "Strangers")
	b := x.console(t).signIn(stranger.token)
	before := x.whole(t, victim)
	for path, method := range pagesOf(victim.ids) {
		a := b.open(method, path, nil).is(http.StatusNotFound)
		x.showsNothing(t, a, call{method, path}, victim)
	}
	for mixed, ids := range mixtures(stranger.ids, victim.ids, "{workflow}{automation}{document}{event}") {
		for name, own := range stranger.ids {
			if ids[name] == "" {
				ids[name] = own
			}
		}
		for path, method := range pagesOf(ids) {
			if mixed != "workflow" && strings.Contains(path, victim.ids[mixed]) {
				x.showsNothing(t, b.open(method, path, nil).is(http.StatusNotFound), call{method, path}, victim)
			}
		}
	}
	for _, path := range []string{"/", "/console/workflows/", "/console/workflows/" + stranger.ids["workflow"] + "/outputs/?q=" + victim.ids["output"]} {
		x.showsNothing(t, b.get(path).is(200).lacks(victim.ids["workflow"]), call{"GET", path}, victim)
	}
	if after := x.whole(t, victim); after != before {
		t.Error("the victim's workflow was changed")
	}
	for path, method := range pagesOf(map[string]string{"workflow": "wkf_1", "automation": "aut_1", "document": "d", "event": "e"}) {
		b.open(method, path, nil).is(http.StatusNotFound)
	}
}

func TestButtonsOfTheConsoleDoWhatTheAPIDoes(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	run := "/console/workflows/" + me.ids["workflow"] + "/runs/" + me.ids["automation"] + "/"
	b.open("POST", run+"retry", nil).is(http.StatusBadRequest).shows("This was not done", "FAILED")
	if a := b.open("POST", run+"cancel", nil).is(http.StatusSeeOther); a.header.Get("Location") != run {
		t.Errorf("cancel leads to %q, want the run", a.header.Get("Location"))
	}
	b.get(run).is(200).shows("Somebody asked to cancel it")
	b.open("POST", run+"events/"+me.ids["event"]+"/redeliver", nil).is(http.StatusSeeOther)
	if got := x.as(t, me.token, "GET", "/v0/workflows/"+me.ids["workflow"]+"/events/"+me.ids["event"]+"/", "").is(200).object()["state"]; got != "PENDING" {
		t.Errorf("the event is %v, want PENDING", got)
	}
	b.open("POST", "/console/workflows/"+me.ids["workflow"]+"/test", nil).is(200).shows("The receiver did not take the test event: <bdi>the receiver refuses connections</bdi>.")
	b.open("POST", run+"restore", nil).is(http.StatusNotFound)
	if a := b.get(run + "cancel").is(http.StatusSeeOther); a.header.Get("Location") != run {
		t.Errorf("the address of a button leads to %q, want the run", a.header.Get("Location"))
	}
}

func TestAFormOfAnotherSiteChangesNothing(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	for path, method := range pagesOf(me.ids) {
		if method != "POST" {
			continue
		}
		for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.test"}} {
			b.open("POST", path, nil, header...).is(http.StatusForbidden).shows("This came from another page")
		}
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {me.token}}, "Sec-Fetch-Site", "cross-site").is(http.StatusForbidden)
	a := x.as(t, me.token, "GET", "/v0/workflows/"+me.ids["workflow"]+"/automations/"+me.ids["automation"]+"/", "").is(200).object()
	if a["cancelRequestedAt"] != nil {
		t.Error("the automation was cancelled")
	}
}

func TestASessionEndsWithItsToken(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	now := time.Now()
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return now } }).signIn(me.token)
	b.get("/").is(200)
	for name, c := range b.cookies {
		if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || !strings.HasPrefix(name, "__Host-") || strings.Contains(c.Value, me.token) {
			t.Errorf("the cookie is %+v", c)
		}
	}
	kept := map[string]*http.Cookie{}
	for name, c := range b.cookies {
		kept[name] = c
	}
	_, err := x.db.Pool().Exec(t.Context(), `UPDATE tokens SET revoked_at = now() WHERE user_id = $1`, me.user.ID)
	x.must(t, err)
	run := "/console/workflows/" + me.ids["workflow"] + "/runs/" + me.ids["automation"] + "/"
	a := b.get(run).is(http.StatusSeeOther)
	if want := "/console/sign-in?next=" + url.QueryEscape(run); a.header.Get("Location") != want || len(b.cookies) != 0 {
		t.Errorf("leads to %q with %v, want %s without a cookie", a.header.Get("Location"), b.cookies, want)
	}
	_, err = x.db.Pool().Exec(t.Context(), `UPDATE tokens SET revoked_at = NULL WHERE user_id = $1`, me.user.ID)
	x.must(t, err)
	b.cookies = kept
	b.get(run).is(200)
	now = now.Add(console.SessionTime)
	b.get(run).is(http.StatusSeeOther)
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t)
	b.get("/").is(http.StatusSeeOther)
	b.get("/console/sign-in?next=/console/workflows/").is(200).shows(`value="/console/workflows/"`)
	for _, wrong := range []string{"", "plt_1", nobodys, strings.Repeat("x", 600)} {
		b.open("POST", "/console/sign-in", url.Values{"token": {wrong}}).is(http.StatusForbidden).shows(`role="alert"`)
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {strings.Repeat("x", 10_000)}}).is(http.StatusBadRequest)
	for next, want := range map[string]string{"/console/workflows/": "/console/workflows/", "//evil.test": "/", "https://evil.test": "/", "/console/..//evil.test": "/", `/console/\evil.test`: "/"} {
		a := b.open("POST", "/console/sign-in", url.Values{"token": {" " + adaToken + "\n"}, "next": {next}}).is(http.StatusSeeOther)
		if got := a.header.Get("Location"); got != want {
			t.Errorf("next %q leads to %q, want %q", next, got, want)
		}
	}
	b.get("/").is(200).shows("Ada")
	b.open("POST", "/console/sign-out", nil).is(http.StatusSeeOther)
	b.get("/").is(http.StatusSeeOther)
	b.cookies["__Host-platen_session"] = &http.Cookie{Name: "__Host-platen_session", Value: "bm90IHNlYWxlZA"}
	b.get("/").is(http.StatusSeeOther)
}

func TestATokenThatOnlyReadsSeesNoButtons(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := strings.Replace(x.withRun(t, platen.AutomationFailed), "/v0", "/console", 1) + "/"
	outputs := x.store.runs.automations[0].Outputs
	outputs[0].ID, outputs[1].ID = "out_0000000000000001", "out_0000000000000002"
	x.store.runs.events[0].OutputID, x.store.runs.events[0].AutomationID = outputs[0].ID, autID
	b := x.console(t).signIn(adaToken)
	run := wf + "runs/" + autID + "/"
	b.get(run).is(200).shows("Retry", "Redeliver", "The drive is full.", "oops", "the receiver answered 500", "City")
	x.scoped(t, "read")
	b.get(run).is(200).shows("may only read", "The drive is full.").lacks("Retry", "Redeliver", "Cancel")
	b.get(wf).is(200).lacks("Send a test event")
	for _, path := range []string{run + "retry", run + "cancel", run + "events/" + evtID + "/redeliver", wf + "test"} {
		b.open("POST", path, nil).is(http.StatusForbidden).shows("The access token does not let you do this", "lacks the scope write")
	}
	x.scoped(t, "read,workflow:"+strings.Trim(strings.TrimPrefix(wf, "/console/workflows/"), "/"))
	if a := b.get("/").is(http.StatusSeeOther); a.header.Get("Location") != "/console/workflows/" {
		t.Errorf("the first page leads to %q", a.header.Get("Location"))
	}
	b.get("/console/workflows/").is(200).shows(wf)
	b.get(run).is(200)
}

func TestNamesFromOutsideAreText(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	const hostile = `<script>alert(1)</script>"'>&{{.}}` + "\u202egpj.exe"
	x.newWorkflow(t, `{"name":"<script>alert(1)</script>\"'>&{{.}}\u202egpj.exe","document":{"fileId":"docs-file"},"source":{"sourceFields":["<img src=x onerror=alert(1)>","A'; rm -rf /; '","A.B","A"]},"outgoingWebhook":{"webhookUrl":"https://example.com/?a=<b>"}}`)
	var wf *platen.Workflow
	for _, w := range x.store.workflows {
		wf = w
	}
	if wf.Name != hostile {
		t.Fatalf("the name is %q", wf.Name)
	}
	b := x.console(t).signIn(adaToken)
	at0 := "/console/workflows/" + wf.ID + "/"
	b.get(at0).is(200).shows(`rm -rf /; &#39;\&#39;&#39;`) // in the command that sends an event
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	x.store.runs.automations = []platen.Automation{{ID: autID, WorkflowID: wf.ID, State: platen.AutomationFailed, Attempt: 1, AcceptedAt: at, FailureCode: "c", Failure: hostile,
		Outputs: []platen.Output{{ID: "out_0000000000000001", AutomationID: autID, State: platen.OutputDone, CreatedAt: at, UpdatedAt: at,
			PDF: &platen.File{ID: "f", Name: strings.Repeat("a", 10_000) + hostile, URL: "javascript:alert(1)", MIMEType: platen.MIMEPDF}}}}}
	for _, path := range []string{"/", "/console/workflows/", at0, at0 + "runs/", at0 + "outputs/", at0 + "runs/" + autID + "/", at0 + "runs/" + autID + "/?data=shown", at0 + "outputs/?q=" + url.QueryEscape(hostile)} {
		a := b.get(path).is(200).shows("&lt;script&gt;").lacks("<script>alert", "<img src=x", `href="javascript:`)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(a.body, "<style") || strings.Count(a.body, "<script") != strings.Count(a.body, `<script src="/console/assets/`) {
			t.Errorf("%s: policy %q, or a script or style in the page", path, policy)
		}
	}
}

func TestALivePageIsToldOfChanges(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t, func(o *console.SiteOptions) { o.Poll, o.StreamsEach = time.Millisecond, 1 }).signIn(me.token)
	server := httptest.NewServer(b.site)
	defer server.Close()
	listen := func(of string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/console/live?of="+url.QueryEscape(of), nil)
		x.must(t, err)
		for _, c := range b.cookies {
			r.AddCookie(c)
		}
		response, err := http.DefaultClient.Do(r)
		x.must(t, err)
		return response
	}
	response := listen("run:" + me.ids["workflow"] + "/" + me.ids["automation"])
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); response.StatusCode != 200 || got != "text/event-stream" {
		t.Fatalf("got %d %s", response.StatusCode, got)
	}
	second := listen("all:")
	second.Body.Close()
	if second.StatusCode != http.StatusNoContent {
		t.Errorf("a stream beyond the bound: got %d, want 204", second.StatusCode)
	}
	read := make([]byte, 4096)
	if _, err := response.Body.Read(read); err != nil { // the first lines
		t.Fatal(err)
	}
	x.as(t, me.token, "POST", "/v0/workflows/"+me.ids["workflow"]+"/automations/"+me.ids["automation"]+"/cancel/", "").is(202)
	for {
		n, err := response.Body.Read(read)
		if err != nil {
			t.Fatalf("the stream ended without a change: %v", err)
		}
		if strings.Contains(string(read[:n]), "event: change") {
			return
		}
	}
}

// A change between the load of a page and its stream is sent as soon as the stream
// opens.
func TestAChangeBeforeItsStreamReachesAPage(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t, func(o *console.SiteOptions) { o.Poll = time.Hour }).signIn(me.token)
	page := b.get("/console/workflows/" + me.ids["workflow"] + "/runs/" + me.ids["automation"] + "/").is(200)
	address := regexp.MustCompile(`data-live="([^"]*)"`).FindStringSubmatch(page.body)
	if address == nil {
		t.Fatal("the page watches nothing")
	}
	x.as(t, me.token, "POST", "/v0/workflows/"+me.ids["workflow"]+"/automations/"+me.ids["automation"]+"/cancel/", "").is(202)
	server := httptest.NewServer(b.site)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+html.UnescapeString(address[1]), nil)
	x.must(t, err)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	response, err := http.DefaultClient.Do(r)
	x.must(t, err)
	defer response.Body.Close()
	read := make([]byte, 4096)
	if n, err := response.Body.Read(read); err != nil || !strings.Contains(string(read[:n]), "event: change") {
		t.Errorf("got %q, %v; want to be told of the change", read[:n], err)
	}
}

// A page without a stream asks now and then, and nothing is held for it meanwhile.
func TestAPageWithoutAStreamLooksForChanges(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me, other := x.tenant(t, "Mine"), x.tenant(t, "Others")
	b := x.console(t, func(o *console.SiteOptions) { o.Streams = -1 }).signIn(me.token)
	run := func(of map[string]string) string {
		return "/console/live?of=" + url.QueryEscape("run:"+of["workflow"]+"/"+of["automation"])
	}
	b.get(run(me.ids)).is(http.StatusNoContent)
	before := b.get(run(me.ids) + "&look=1").is(200)
	if again := b.get(run(me.ids) + "&look=1").is(200); len(before.body) != 64 || again.body != before.body {
		t.Errorf("nothing has changed: got %q, then %q", before.body, again.body)
	}
	x.as(t, me.token, "POST", "/v0/workflows/"+me.ids["workflow"]+"/automations/"+me.ids["automation"]+"/cancel/", "").is(202)
	if after := b.get(run(me.ids) + "&look=1").is(200); after.body == before.body {
		t.Errorf("the run was cancelled: got %q still", after.body)
	}
	b.get(run(other.ids) + "&look=1").is(403)
	b.get("/console/live?of=run:nothing&look=1").is(404)
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
	x.store.runs.endpoint = platen.EndpointState{Failures: 1}
	b := x.console(t).signIn(adaToken)
	b.whole(wf).shows(`Owner <bdi>Ada</bdi>`, "The last attempt failed").lacks("The last 1 attempts", ">of <bdi>")
	b.get(wf+"runs/").is(200).shows(">running</a>", ">waiting for its turn</a>")
	odd := regexp.MustCompile(`(?:>|[^0-9.,:])1 (?:events|runs|times|fields|findings|attempts|workers|outputs|wait|receivers|are)\b|\b0 (?:run|event|attempt)\b`)
	for _, page := range []string{"/", wf, wf + "runs/", wf + "outputs/", wf + "events/", wf + "runs/" + autID + "/", "/console/workflows/"} {
		if found := odd.FindString(b.get(page).is(200).body); found != "" {
			t.Errorf("%s says %q", page, found)
		}
	}
}
