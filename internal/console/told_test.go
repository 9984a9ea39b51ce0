package console

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

type openSealer struct{}

func (openSealer) Seal(plain, _ []byte) ([]byte, error)  { return plain, nil }
func (openSealer) Open(sealed, _ []byte) ([]byte, error) { return sealed, nil }

const (
	toldWorkflow = "wkf_00000000000001"
	toldRun      = "aut_00000000000001"
	toldEvent    = "evt_00000000000001"
	toldDocument = "doc_00000000000001"
	toldOutput   = "out_00000000000001"
	toldPath     = consolePath + "workflows/" + toldWorkflow + "/"
)

var toldNow = time.Date(2026, 1, 2, 13, 50, 0, 0, time.UTC)

// answers are those of an API, by method and path below the workflow, or by the whole path.
// One that begins with a number is a refusal with that status.
type answers map[string]string

func (a answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v0/workflows/"+toldWorkflow)
	for _, key := range []string{r.Method + " " + path + "?" + r.URL.RawQuery, r.Method + " " + path} {
		if body, ok := a[key]; ok {
			var status int
			if n, _ := fmt.Sscan(body, &status); n == 1 {
				w.WriteHeader(status)
				body = body[4:]
			}
			_, _ = w.Write([]byte(body))
			return
		}
	}
	if r.Method != http.MethodGet {
		_, _ = w.Write([]byte("{}"))
		return
	}
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`{"status":403,"code":"thing_not_found","detail":"not there: ` + path + `"}`))
}

// with is the same API with other answers.
func (a answers) with(other answers) answers {
	all := answers{}
	for _, some := range []answers{a, other} {
		for key, body := range some {
			all[key] = body
		}
	}
	return all
}

func workflowWith(status, sharing string) string {
	return `{"id":"` + toldWorkflow + `","name":"Letters","status":"` + status + `","owner":{"name":"Ada"},
		"source":{"webhookUrl":"https://hooks.test/key","testWebhookUrl":"https://hooks.test/key/test","sourceFields":["Name"]},
		"documents":[` + documentWith(sharing) + `],"outgoingWebhook":{"webhookUrl":"https://erp.test/"}}`
}

func documentWith(sharing string) string {
	return `{"id":"` + toldDocument + `","outputName":"Letter","previewUrl":"https://api.test/preview/` + toldDocument + `?sig=new","file":{"name":"Letter","url":"https://drive.test/f"},"createPdfCopy":true,"outputSharing":"` + sharing + `"}`
}

const pendingEvent = `"id":"` + toldEvent + `","type":"DOCUMENTS_CREATED","state":"PENDING","automationId":"` + toldRun + `","outputId":"` + toldOutput + `","createdAt":"2026-01-02T13:48:00Z"`

// ofWorkflow is an API with one workflow, a run of it, an output and its event, which waits.
func ofWorkflow() answers {
	oldest := `{"id":"evt_0000000000000a","state":"PENDING"`
	made := `{"id":"` + toldOutput + `","automationId":"` + toldRun + `","documentId":"` + toldDocument + `","state":"DONE","files":[{"name":"Letter.pdf","url":"https://drive.test/o","kind":"pdf"}]}`
	run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"RUNNING","acceptedAt":"2026-01-02T13:48:00Z","outputs":[` + made + `]`
	return answers{
		"GET /v0/me/":                          `{"user":{"id":"usr_00000000000001","name":"Ada"},"token":{"write":true}}`,
		"GET /":                                workflowWith("COMPLETE", ""),
		"GET /documents/" + toldDocument + "/": documentWith(""),
		"GET /documents/" + toldDocument + "/versions/": `[]`,
		"GET /targets/":                     `[]`,
		"GET /receivers/":                   `[]`,
		"GET /schedules/":                   `[]`,
		"GET /outgoing-webhooks/":           `{}`,
		"GET /outgoing-webhooks/state/":     `{"state":"RESTING","failures":5,"restsUntil":"2026-01-02T13:53:00Z","heldEvents":0}`,
		"GET /source/verification/":         `{}`,
		"GET /automations/":                 `[` + run + `}]`,
		"GET /automations/" + toldRun + "/": run + `,"sourceData":{"Name":"Ada"}}`,
		"GET /outputs/":                     `[` + made + `]`,
		"GET /events/":                      `[{` + pendingEvent + `}]`,
		toldWaiting:                         `[` + oldest + `,"lastFailure":"the receiver refuses connections"},{` + pendingEvent + `}]`,
		"GET /events/" + toldEvent + "/":    `{` + pendingEvent + `,"deliveries":[]}`,
		"GET /events/counts/":               `{"pending":2}`,
	}
}

// toldWaiting asks which events wait.
const toldWaiting = "GET /events/?limit=1000&state=PENDING&state=HELD"

// A page is what a browser got.
type shownPage struct {
	status   int
	location string
	html     string
	text     string // without tags, on one line
}

var tagOfPage = regexp.MustCompile(`<[^>]*>`)

// visit opens a page, or sends a form where there is one.
func visit(t *testing.T, o SiteOptions, path string, form url.Values) shownPage {
	t.Helper()
	o.Sealer, o.PublicURL = openSealer{}, "https://api.test"
	o.Now = toldClock
	r := toldRequest(t, http.MethodGet, path, nil)
	if form != nil {
		r = toldRequest(t, http.MethodPost, path, form)
	}
	w := httptest.NewRecorder()
	NewSite(o).ServeHTTP(w, r)
	body := w.Body.String()
	return shownPage{w.Code, w.Header().Get("Location"), body, html.UnescapeString(strings.Join(strings.Fields(tagOfPage.ReplaceAllString(body, "")), " "))}
}

func toldClock() time.Time { return toldNow }

// toldRequest is one of somebody who signed in.
func toldRequest(t *testing.T, method, path string, form url.Values) *http.Request {
	t.Helper()
	in, err := json.Marshal(session{Token: "plt_x", Until: toldNow.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.AddCookie(&http.Cookie{Name: "__Host-platen_session", Value: base64.RawURLEncoding.EncodeToString(in)})
	return r
}

func (p shownPage) has(t *testing.T, texts ...string) shownPage {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.text, text) && !strings.Contains(p.html, text) {
			t.Errorf("got %d without %q:\n%s", p.status, text, p.text)
		}
	}
	return p
}

func (p shownPage) lacks(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(p.text, text) || strings.Contains(p.html, text) {
			t.Errorf("got %q, want the page without it", text)
		}
	}
}

// An event that came while the breaker is open has no attempt that could say why.
func TestAnEventThatWaitsSaysWhatForAndUntilWhenAndLeadsToTheCure(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"runs/" + toldRun + "/", "events/", "outputs/"} {
		p := visit(t, SiteOptions{API: ofWorkflow()}, toldPath+page, nil)
		p.has(t, "Waits: the receiver refuses connections; next attempt after 2026-01-02 13:53:00 UTC, by itself.", `next attempt after <time data-at datetime="2026-01-02T13:53:00.000000&#43;00:00">`, `href="`+toldPath+`delivery/#receiver"`, "Send a test event")
		p.lacks(t, "Deliver now") // it would wait for the breaker, too
		read := ofWorkflow().with(answers{"GET /v0/me/": `{"user":{"id":"usr_00000000000001"},"token":{"write":false}}`})
		visit(t, SiteOptions{API: read}, toldPath+page, nil).has(t, "Waits: the receiver refuses connections").lacks(t, "Send a test event")
	}
}

func TestAnEventThatWaitsBehindAClosedBreakerIsDeliveredNow(t *testing.T) {
	t.Parallel()
	closed := ofWorkflow().with(answers{"GET /outgoing-webhooks/state/": `{"state":"READY","failures":0}`})
	for page, action := range map[string]string{"runs/" + toldRun + "/": "runs/" + toldRun + "/events/", "events/": "events/"} {
		visit(t, SiteOptions{API: closed}, toldPath+page, nil).has(t, "Waits for its turn", "Deliver now", `action="`+toldPath+action+toldEvent+`/redeliver"`)
	}
	visit(t, SiteOptions{API: closed}, toldPath+"outputs/", nil).has(t, "Waits for its turn", `href="`+toldPath+"runs/"+toldRun+"/#"+toldEvent+`"`)
	justNow := strings.Replace(pendingEvent, "13:48:00", "13:49:59", 1)
	closed["GET /events/"], closed["GET /events/"+toldEvent+"/"] = `[{`+justNow+`}]`, `{`+justNow+`}`
	visit(t, SiteOptions{API: closed}, toldPath+"events/", nil).lacks(t, "Waits", "Deliver now")
}

func TestAReceiverThatWorksAgainSaysHowManyEventsStillWait(t *testing.T) {
	t.Parallel()
	closed := ofWorkflow().with(answers{"GET /outgoing-webhooks/state/": `{"state":"READY","failures":0}`})
	p := visit(t, SiteOptions{API: closed}, toldPath+"delivery/", nil)
	p.has(t, "New events are sent to it as they come. 2 events still wait for their attempt.", `href="`+toldPath+`events/?state=PENDING"`)
	closed[toldWaiting] = `[]`
	visit(t, SiteOptions{API: closed}, toldPath+"delivery/", nil).has(t, "Events are sent to it as they come.")
	visit(t, SiteOptions{API: ofWorkflow()}, toldPath+"delivery/", nil).has(t, "breaker is open", "The last attempt: the receiver refuses connections.")
}

// A refusal stands far below the top of the page.
func TestAFormThatIsNotCarriedOutSaysSoAtTheTopAndShowsWhere(t *testing.T) {
	t.Parallel()
	const invalid = `400 {"status":400,"code":"invalid_body","detail":"name must not be empty","errors":[{"pointer":"/name","detail":"must not be empty"}]}`
	const trashed = `400 {"status":400,"code":"drive_file_trashed","detail":"The file is in the trash."}`
	for name, c := range map[string]struct {
		path, form string
		api        answers
		want       []string
	}{
		"a field": {"name", "name", answers{"PATCH /": invalid}, []string{"<title>Not saved: Letters", `<a href="#form-name">Not saved: The name must not be empty.</a>`, `aria-errormessage="fault-name" autofocus`}},
		"the whole": {"documents/" + toldDocument + "/settings", "settings-" + toldDocument, answers{"PATCH /documents/" + toldDocument + "/": trashed},
			[]string{`<a href="#form-settings-` + toldDocument + `">Not saved: The file is in the trash.</a>`, `role="alert" tabindex="-1" autofocus>The file is in the trash.`}},
		"a verb": {"archive", "archive", nil, []string{"<title>Not done: Letters", `<a href="#form-archive">Not done: Tick the box first`}},
	} {
		p := visit(t, SiteOptions{API: ofWorkflow().with(c.api)}, toldPath+c.path, url.Values{"outputName": {"x"}})
		if p.status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", name, p.status)
		}
		p.has(t, c.want...)
	}
	p := visit(t, SiteOptions{API: ofWorkflow().with(answers{"POST /outgoing-webhooks/test/": `{"delivered":true,"durationMs":3}`})}, toldPath+"test", url.Values{})
	p.has(t, `<p role="status" tabindex="-1" autofocus>The receiver took the test event`)
}

func TestAFormThatIsCarriedOutSaysSoWhereItStands(t *testing.T) {
	t.Parallel()
	of := "documents/" + toldDocument + "/"
	for path, want := range map[string]string{
		"name":                       "The name is saved.",
		"locale":                     "The locale is saved.",
		"order":                      "The order is saved. It counts for events that come from now on.",
		of + "settings":              "The settings are saved.",
		of + "mail":                  "The mail is saved.",
		of + "mail/remove":           "No mail is sent any more.",
		of + "preview-address":       "The new preview address is https://api.test/preview/" + toldDocument + "?sig=new. The one before leads nowhere.",
		of + "remove":                "The template is removed.",
		of + "versions/":             "The version is kept.",
		"archive":                    "The workflow is archived.",
		"receiver":                   "The receiver is saved.",
		"receiver/rotate":            "A new secret is made.",
		"test-receiver":              "The test receiver is saved.",
		"source/rotate":              "The new address is https://hooks.test/key.",
		"source/verification":        "What senders are asked for is saved.",
		"source/verification/remove": "Senders are asked for nothing any more.",
	} {
		api := ofWorkflow().with(answers{"PATCH /documents/" + toldDocument + "/": `{"findings":[]}`})
		form := url.Values{"certain": {"on"}, "name": {"N"}, "webhookUrl": {"https://erp.test/"}, "overlapHours": {"1"}, "since": {"2026-01-01"}, "scheme": {"STRIPE"}, "secrets": {"x"}}
		p := visit(t, SiteOptions{API: api}, toldPath+path, form)
		page, fragment, _ := strings.Cut(p.location, "#")
		if p.status != http.StatusSeeOther || fragment != "done" {
			t.Errorf("%s: got %d to %q, want 303 to the message", path, p.status, p.location)
			continue
		}
		if path == "archive" {
			api["GET /"] = workflowWith("ARCHIVED", "")
		}
		shown := visit(t, SiteOptions{API: api}, page, nil)
		shown.has(t, `<p role="status" id="done" tabindex="-1">`, want)
		if strings.Count(shown.html, `id="done"`) != 1 {
			t.Errorf("%s: got the message %d times, want once", path, strings.Count(shown.html, `id="done"`))
		}
	}
	// What the address says is a name of a message, and nothing else.
	visit(t, SiteOptions{API: ofWorkflow()}, toldPath+"settings/?done=other", nil).lacks(t, `id="done"`)
}

// The page that shows their progress also shows their number, and says if it is 0.
func TestEventsThatAreRecoveredAreFollowedOnTheirPage(t *testing.T) {
	t.Parallel()
	api := ofWorkflow().with(answers{"POST /events/recover/": `{"recovered":0}`})
	p := visit(t, SiteOptions{API: api}, toldPath+"receiver/recover", url.Values{"since": {"2026-01-01"}})
	if want := toldPath + "events/?recovered=0&since=2026-01-01T00%3A00%3A00Z"; p.location != want {
		t.Fatalf("got %d to %q, want %q", p.status, p.location, want)
	}
	visit(t, SiteOptions{API: api}, p.location, nil).has(t, "No event failed or was held since then.")
}

// Beside Save, one click on the wrong button would replace the address.
func TestANewPreviewAddressIsNotBesideSave(t *testing.T) {
	t.Parallel()
	p := visit(t, SiteOptions{API: ofWorkflow()}, toldPath+"settings/", nil)
	_, settings, _ := strings.Cut(p.html, `<details id="form-settings-`+toldDocument+`"`)
	settings, _, _ = strings.Cut(settings, "</details>")
	if strings.Contains(settings, "preview-address") || !strings.Contains(settings, "/settings\"") {
		t.Errorf("got the form of the preview address among the settings:\n%s", settings)
	}
	visit(t, SiteOptions{API: ofWorkflow()}, toldPath+"template/", nil).has(t, `<details id="form-preview-`+toldDocument+`"`, "Make a new preview address")
}

// Who can open an output is one sentence, by the drive and the document's setting.
func TestWhoCanOpenAnOutputIsOneTrueSentence(t *testing.T) {
	t.Parallel()
	const (
		folder   = "Whoever can open their folder in the drive can open the outputs."
		domain   = "Everybody of the account's domain who has the link can open the outputs."
		anyone   = "Everybody who has the link can open the outputs."
		noDomain = "Everybody who has the link can open the outputs: Platen's own drive knows no domains."
	)
	for _, c := range []struct {
		own           bool
		sharing, want string
	}{
		{true, "", anyone}, {true, "folder", anyone}, {true, "anyone", anyone}, {true, "domain", noDomain},
		{false, "", folder}, {false, "folder", folder}, {false, "domain", domain}, {false, "anyone", anyone},
	} {
		api := ofWorkflow().with(answers{"GET /": workflowWith("COMPLETE", c.sharing), "GET /documents/" + toldDocument + "/": documentWith(c.sharing)})
		for _, page := range []string{"settings/", "runs/" + toldRun + "/"} {
			p := visit(t, SiteOptions{API: api, OwnDrive: c.own}, toldPath+page, nil)
			p.has(t, c.want)
			for _, other := range []string{folder, domain, anyone, noDomain} {
				if other != c.want {
					p.lacks(t, other)
				}
			}
		}
	}
	with := func(sharing string) answers {
		run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"COMPLETED","outputs":[{"id":"` + toldOutput + `","documentId":"` + toldDocument + `","state":"DONE","files":[{"name":"Letter.pdf","url":"https://drive.test/o","kind":"pdf"}],
			"findings":[{"code":"drive_sharing_refused","message":"The drive does not let this account share the output as outputSharing says (domain), so only people with access to its folder can open it."}]}]}`
		return ofWorkflow().with(answers{"GET /": workflowWith("COMPLETE", sharing), "GET /automations/" + toldRun + "/": run})
	}
	own := visit(t, SiteOptions{API: with("domain"), OwnDrive: true}, toldPath+"runs/"+toldRun+"/", nil)
	own.has(t, noDomain, "It was not shared with a domain")
	own.lacks(t, "Not shown in the PDF", "only people with access to its folder")
	google := visit(t, SiteOptions{API: with("domain")}, toldPath+"runs/"+toldRun+"/", nil)
	google.has(t, folder, "The drive does not let this account share the output")
	google.lacks(t, domain, "Not shown in the PDF")
}

// failedRun is a run that failed as its first output did.
func failedRun(codes ...string) answers {
	var outputs []string
	for i, code := range codes {
		outputs = append(outputs, fmt.Sprintf(`{"id":"out_0000000000000%d","documentId":"%s","state":"FAILED","error":{"code":"%s","message":"why"}}`, i, toldDocument, code))
	}
	run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"FAILED","finishedAt":"2026-01-02T13:48:00Z","sourceData":{"Name":"Ada"},"error":{"code":"` + codes[0] + `","message":"why"},"outputs":[` + strings.Join(outputs, ",") + `]}`
	return ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": run, "GET /events/": `[]`})
}

func TestARunSaysOnceWhyItAndItsOutputFailed(t *testing.T) {
	t.Parallel()
	const above = "Why it failed stands above."
	one := visit(t, SiteOptions{API: failedRun("fields_missing")}, toldPath+"runs/"+toldRun+"/", nil)
	one.has(t, above)
	if n := strings.Count(one.html, ">fields_missing<"); n != 1 {
		t.Errorf("it says %d times why it failed, want once", n)
	}
	both := visit(t, SiteOptions{API: failedRun("fields_missing", "drive_quota")}, toldPath+"runs/"+toldRun+"/", nil)
	both.has(t, above, ">fields_missing<", ">drive_quota<")
}

// A retry takes the same data, so it is not the cure of an error about them.
func TestARunThatFailedByItsDataIsSentAgainRatherThanRetried(t *testing.T) {
	t.Parallel()
	path, link := toldPath+"runs/"+toldRun+"/", `<a class="button quiet" href="`+toldPath+"runs/"+toldRun+`/?data=shown&amp;form=again#again">Send it again with other data</a>`
	hooks := http.NotFoundHandler()
	for _, code := range []string{"data_unusable", "fields_missing", "output_folder_empty", "pdf_password_field_missing", "code_unusable", "address_unusable", "picture_unusable"} {
		p := visit(t, SiteOptions{API: failedRun(code), Hooks: hooks}, path, nil)
		p.has(t, link, "Retry uses the same data and settings: it fails again unless the template or a picture has changed.", `<button class="quiet">Retry</button>`)
		if strings.Index(p.html, link) > strings.Index(p.html, ">Retry<") {
			t.Errorf("%s: got Retry first", code)
		}
	}
	for _, codes := range [][]string{{"drive_quota"}, {"data_unusable", "drive_quota"}} {
		p := visit(t, SiteOptions{API: failedRun(codes...), Hooks: hooks}, path, nil)
		p.has(t, `<button>Retry</button>`)
		p.lacks(t, link)
	}
	visit(t, SiteOptions{API: failedRun("data_unusable"), Hooks: hooks}, path+"?data=shown&form=again", nil).has(t, "<details open>\n<summary>Send it again with other data")
}

func TestAnArchivedWorkflowSaysThatItsAddressTakesNothing(t *testing.T) {
	t.Parallel()
	archived := ofWorkflow().with(answers{"GET /": workflowWith("ARCHIVED", "")})
	p := visit(t, SiteOptions{API: archived}, toldPath+"data/", nil)
	p.has(t, "The workflow is archived: its address takes no event any more, and answers 410.", "Only the operator can restore the workflow.")
	p.lacks(t, "curl -H", "starts a run", "Send an event by this line")
}

func TestARunSaysWhatItsSenderCallsIt(t *testing.T) {
	t.Parallel()
	run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"COMPLETED","reference":"Order <7>","outputs":[]}`
	api := ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": run, "GET /automations/": "[" + run + "]"})
	for _, page := range []string{"runs/" + toldRun + "/", "runs/"} {
		visit(t, SiteOptions{API: api}, toldPath+page, nil).has(t, "Order <7>", ">Order &lt;7&gt;</bdi>")
	}
}

func TestARunThatWaitsSaysUntilWhen(t *testing.T) {
	t.Parallel()
	waiting := func(until string) answers {
		run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"RUNNING","acceptedAt":"2026-01-02T13:48:00Z","outputs":[],"waitingFor":[{"code":"address_unavailable","message":"An address of the data answered 500.","step":"FillTags","since":"2026-01-02T13:48:01Z","tries":3,"until":` + until + `}]}`
		return ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": run, "GET /automations/": "[" + run + "]", "GET /events/": `[]`})
	}
	for until, c := range map[string]struct{ run, list string }{
		`"2026-01-02T14:48:01Z"`: {"Tried 3 times. It goes on by itself. If it fails alike until 2026-01-02 14:48:01 UTC, it is given up.", `Waits since <time data-at datetime="2026-01-02T13:48:01.000000&#43;00:00">2026-01-02 13:48:01 UTC</time>, until <time data-at datetime="2026-01-02T14:48:01.000000&#43;00:00">2026-01-02 14:48:01 UTC</time> at most: An address of the data answered 500.`},
		`null`:                   {"Tried 3 times. It goes on by itself.An address", "Waits since 2026-01-02 13:48:01 UTC: An address"},
	} {
		visit(t, SiteOptions{API: waiting(until)}, toldPath+"runs/"+toldRun+"/", nil).has(t, c.run)
		visit(t, SiteOptions{API: waiting(until)}, toldPath+"runs/", nil).has(t, c.list)
	}
}

func TestARunLeadsToTheOneOfItsKeyBeforeIt(t *testing.T) {
	t.Parallel()
	run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"ACCEPTED","acceptedAt":"2026-01-02T13:48:00Z","outputs":[],"waitingFor":[{"code":"automation_before","message":"It waits.","step":"start","automationId":"aut_00000000000002","since":"2026-01-02T13:48:01Z","tries":0,"until":null}]}`
	api := ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": run, "GET /events/": `[]`})
	visit(t, SiteOptions{API: api}, toldPath+"runs/"+toldRun+"/", nil).has(t, `href="`+toldPath+`runs/aut_00000000000002/">the run of the same key before it</a>`)
}

func TestTimesAreFoundInSentences(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 13, 53, 0, 0, time.UTC)
	for sentence, want := range map[saying][]sentencePart{
		"":                                  nil,
		"Made at once.":                     {{Text: "Made at once."}},
		"2026-01-02 13:53:00 UTC":           {{}, {at, "2026-01-02 13:53:00 UTC"}},
		"After 2026-01-02 13:53:00 UTC, so": {{Text: "After "}, {at, "2026-01-02 13:53:00 UTC"}, {Text: ", so"}},
		"2026-99-02 13:53:00 UTC <b>":       {{}, {Text: "2026-99-02 13:53:00 UTC"}, {Text: " <b>"}},
	} {
		if got := partsOf(sentence); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", sentence, got, want)
		}
	}
}

// A retry of it would be refused.
func TestARunWhoseRowWasCorrectedLeadsToTheOneInItsPlaceAndOffersNoRetry(t *testing.T) {
	t.Parallel()
	const next = "aut_000000000000next"
	failed := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"FAILED","acceptedAt":"2026-01-02T13:48:00Z","finishedAt":"2026-01-02T13:48:01Z",
		"error":{"code":"data_unusable","message":"Preis is not a number."},"outputs":[]`
	for name, c := range map[string]struct{ replaced, want, lacks string }{
		"replaced": {`,"replacedBy":"` + next + `"`, "/runs/" + next + "/", "/retry"},
		"failed":   {"", "/retry", "took its place"},
	} {
		api := ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": failed + c.replaced + `,"sourceData":{}}`})
		page := visit(t, SiteOptions{API: api}, toldPath+"runs/"+toldRun+"/", nil)
		if page.status != http.StatusOK || !strings.Contains(page.html, c.want) || strings.Contains(page.html, c.lacks) {
			t.Errorf("%s: got %d, want %q and not %q: %s", name, page.status, c.want, c.lacks, page.text)
		}
	}
}

// An address that was refused stands at the top, with its cure.
func TestARunSaysAtItsTopThatNobodyGotItsMail(t *testing.T) {
	t.Parallel()
	mail := `{"number":1,"state":"FAILED","recipients":1,"attempts":1,"error":{"code":"email_address_refused","message":"The mail server refused an address that the mail goes to (550 5.1.1). Nobody got it."}`
	run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"COMPLETED","finishedAt":"2026-01-02T13:48:00Z","outputs":[{"id":"` + toldOutput + `","documentId":"` + toldDocument + `","name":"Bill 7","state":"DONE","files":[{"name":"Bill 7.pdf","url":"https://drive.test/o","kind":"pdf","protection":"password"}],"mail":` + mail + `}}]}`
	api := ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": run, "GET /automations/": "[" + run + "]", "GET /events/": `[]`,
		"GET /outputs/" + toldOutput + "/mail/": `[` + mail + `,"addresses":[{"address":"gone@example.com","state":"REFUSED","status":"550 5.1.1"},{"address":"ada@example.com","state":"ACCEPTED"}]}]`})
	p := visit(t, SiteOptions{API: api, Mails: true}, toldPath+"runs/"+toldRun+"/", nil)
	top, _, _ := strings.Cut(p.html, `id="timeline"`)
	for _, want := range []string{`<span class="state bad">mail did not go out</span></div>`, `<section class="note failed"`, "1 mail did not go out", "gone@example.com", "550 5.1.1", `href="#to-` + toldOutput + `">Send it to another address</a>`} {
		if !strings.Contains(top, want) {
			t.Errorf("the top of the run lacks %q:\n%s", want, top)
		}
	}
	if strings.Contains(top, "ada@example.com") || strings.Contains(top, ">completed<") {
		t.Errorf("got who has the mail, or a good state, at the top:\n%s", top)
	}
	visit(t, SiteOptions{API: api, Mails: true}, toldPath+"runs/", nil).has(t, `<span class="state bad">mail did not go out</span>`)
	visit(t, SiteOptions{API: api, Mails: true}, toldPath, nil).has(t, `<a class="locked" href="/console/workflows/`+toldWorkflow+`/outputs/`+toldOutput+`/pdf">`, "Has a password")
}

func TestADocumentThatWaitsForApprovalIsFoundAndSoIsAMailThatNobodyGot(t *testing.T) {
	t.Parallel()
	output := func(id, name, state, mail string) string {
		return `{"id":"` + id + `","workflowId":"` + toldWorkflow + `","automationId":"` + toldRun + `","documentId":"` + toldDocument + `","name":"` + name + `","state":"` + state + `","createdAt":"2026-01-02T13:48:00Z","mail":` + mail + `}`
	}
	const failed = `{"number":1,"state":"FAILED","error":{"code":"email_address_refused","message":"The mail server refused the mail (550). Nobody got it."}}`
	api := ofWorkflow().with(answers{
		"GET /v0/workflows/": "[" + workflowWith("COMPLETE", "") + "]", "GET /v0/automations/": "[]", "GET /v0/outputs/": "[" + output(toldOutput, "Bill Kiel 17", "DONE", failed) + "]",
		"GET /v0/outputs/?limit=50&order=newest&state=REVIEW": "[" + output("out_0000000000000007", "Bill Kiel 18", "REVIEW", "null") + "," + output("out_0000000000000008", "Bill Kielce 19", "REVIEW", "null") + "]",
	})
	p := visit(t, SiteOptions{API: api}, "/console/find?q=kiel", nil)
	p.has(t, "Bill Kiel 17", "mail did not go out", "The mail server refused the mail (550).", "Bill Kiel 18", "waiting for approval", `<time data-at datetime="2026-01-02T13:48:00`, `href="/console/find?from=`, "Yesterday", "7 days")
	p.lacks(t, "Kielce")
}
