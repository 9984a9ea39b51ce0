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
	toldNow      = "2026-01-02T13:50:00Z"
)

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
		"GET /outgoing-webhooks/":                       `{}`,
		"GET /outgoing-webhooks/state/":                 `{"state":"RESTING","failures":5,"restsUntil":"2026-01-02T13:53:00Z","heldEvents":0}`,
		"GET /source/verification/":                     `{}`,
		"GET /automations/":                             `[` + run + `}]`,
		"GET /automations/" + toldRun + "/":             run + `,"sourceData":{"Name":"Ada"}}`,
		"GET /outputs/":                                 `[` + made + `]`,
		"GET /events/":                                  `[{` + pendingEvent + `}]`,
		"GET /events/?limit=1&state=PENDING&state=HELD": `[` + oldest + `}]`,
		"GET /events/evt_0000000000000a/":               oldest + `,"deliveries":[{"attempt":1,"failure":"the receiver refuses connections"}]}`,
		"GET /events/" + toldEvent + "/":                `{` + pendingEvent + `,"deliveries":[]}`,
		"GET /events/counts/":                           `{"pending":2}`,
	}
}

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
	o.Now = func() time.Time { return timeOf(toldNow) }
	in, err := json.Marshal(session{Token: "plt_x", Until: timeOf(toldNow).Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if form != nil {
		r = httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.AddCookie(&http.Cookie{Name: "__Host-platen_session", Value: base64.RawURLEncoding.EncodeToString(in)})
	w := httptest.NewRecorder()
	NewSite(o).ServeHTTP(w, r)
	body := w.Body.String()
	return shownPage{w.Code, w.Header().Get("Location"), body, html.UnescapeString(strings.Join(strings.Fields(tagOfPage.ReplaceAllString(body, "")), " "))}
}

func (p shownPage) has(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.text, text) && !strings.Contains(p.html, text) {
			t.Errorf("got %d without %q:\n%s", p.status, text, p.text)
		}
	}
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
		p.has(t, "Waits: the receiver refuses connections; next attempt after 2026-01-02 13:53:00 UTC, by itself.", `href="`+toldPath+`#receiver"`, "Send a test event")
		p.lacks(t, "Deliver now") // it would wait for the breaker, too
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
	p := visit(t, SiteOptions{API: closed}, toldPath, nil)
	p.has(t, "New events are sent to it as they come. 2 events still wait for their attempt.", `href="`+toldPath+`events/?state=PENDING"`)
	closed["GET /events/counts/"] = `{"pending":0}`
	visit(t, SiteOptions{API: closed}, toldPath, nil).has(t, "Events are sent to it as they come.")
	visit(t, SiteOptions{API: ofWorkflow()}, toldPath, nil).has(t, "breaker is open", "The last attempt: the receiver refuses connections.")
}
