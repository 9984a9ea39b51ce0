package console_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// harness is the API on a store and a drive in memory, for the pages that ask it.
type harness struct {
	t     *testing.T
	api   http.Handler
	store *memory.Store
	drive *memory.Drive
}

func newHarness(t *testing.T, options ...func(*api.Options)) *harness {
	t.Helper()
	m := memory.New()
	x := &harness{t: t, store: m, drive: memory.NewDrive()}
	o := api.Options{
		Stores: api.Stores{
			Tokens: m, Workflows: m, Documents: m, Orphans: m, Versions: m, Webhooks: m, Endpoints: m,
			Automations: m, Outputs: m, Mails: m, Events: m, Audit: m, Sources: m, Forms: m, Receivers: m, Targets: m, Senders: m, Schedules: m, Numbers: m, Usage: m, Batches: m,
		},
		Ready:     m.Ready,
		Answers:   m,
		Sender:    &memory.Sender{},
		RunURL:    "https://temporal.test/namespaces/default/workflows/",
		Drives:    func(context.Context, string) (api.Drive, error) { return x.drive, nil },
		PublicURL: "https://api.test/v0",
		HooksURL:  "https://hooks.test",
		PreviewAddress: func(origin string, d platen.Document) string {
			return console.PreviewAddress(origin, []byte("preview-key"), d)
		},
		OrderKey: func(formula string) string {
			if strings.ContainsAny(formula, "{+") {
				return "It is no formula."
			}
			return ""
		},
		Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC) },
	}
	for _, change := range options {
		change(&o)
	}
	x.api = api.New(o)
	return x
}

// tenancy is the API on a database.
type tenancy struct {
	*harness
	*storetest.Harness
}

func newTenancy(t *testing.T) *tenancy {
	t.Helper()
	f := storetest.New(t)
	db := f.DB.DB
	return &tenancy{Harness: f, harness: newHarness(t, func(o *api.Options) {
		o.Stores = api.Stores{
			Tokens: db.Tokens, Workflows: db.Workflows, Documents: db.Documents, Orphans: db.OrphanedTemplates, Versions: db.TemplateVersions,
			Webhooks: db.Webhooks, Endpoints: db.Endpoints, Automations: db.Automations, Batches: db.Batches, Outputs: db.Outputs, Mails: db.Mails,
			Reviews: db.Reviews, Events: db.Events, Audit: db.Audit, Sources: db.Sources, Forms: db.Forms, Receivers: db.Receivers, Targets: db.Targets, Senders: db.MailSenders, Schedules: db.Schedules, Numbers: db.Numbers, Usage: db.Usage,
		}
		o.Ready, o.Answers, o.Now = db.Ready, db.Idempotency, nil
	})}
}

func (x *tenancy) tenant(team string) storetest.Tenant { return x.Tenant(x.api, team) }

// whole is what the API says of the tenant's workflow.
func (x *tenancy) whole(of storetest.Tenant) string {
	x.t.Helper()
	wf := "/v0/workflows/" + of.IDs["workflow"]
	return x.as(x.t, of.Token, "GET", wf, "").is(200).body + x.as(x.t, of.Token, "GET", wf+"/outgoing-webhook/secret", "").is(200).body
}

func showsNothing(a answer, victim storetest.Tenant) {
	a.t.Helper()
	if private := victim.Shown(a.body); private != "" {
		a.t.Errorf("the page shows %q:\n%s", private, a.body)
	}
}

// An answer is a response whose body was read.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func answered(t *testing.T, by http.Handler, r *http.Request) (answer, []*http.Cookie) {
	w := httptest.NewRecorder()
	by.ServeHTTP(w, r)
	return answer{t, w.Code, w.Header(), w.Body.String()}, w.Result().Cookies()
}

// ada is the user of memory.AdaToken.
func (x *harness) ada() platen.User { return x.store.Tokens[sha256.Sum256([]byte(memory.AdaToken))] }

// do asks the API as Ada.
func (x *harness) do(t *testing.T, method, path, body string) answer {
	t.Helper()
	return x.as(t, memory.AdaToken, method, path, body)
}

func (x *harness) as(t *testing.T, token, method, path, body string) answer {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", token)
	a, _ := answered(t, x.api, r)
	return a
}

// newWorkflow makes a workflow and returns its path without a slash at the end.
func (x *harness) newWorkflow(t *testing.T, body string) string {
	t.Helper()
	return "/v0/workflows/" + x.do(t, "POST", "/v0/workflows/", body).is(http.StatusCreated).object()["id"].(string)
}

// newDocument adds a document and returns its path.
func (x *harness) newDocument(t *testing.T, workflow, body string) string {
	t.Helper()
	return workflow + "/documents/" + x.do(t, "POST", workflow+"/documents/", body).is(http.StatusCreated).object()["id"].(string)
}

// withRun makes a workflow with the run of memory.AddRun.
func (x *harness) withRun(t *testing.T, state platen.AutomationState) string {
	t.Helper()
	wf := x.newWorkflow(t, `{"name":"W","document":{"fileId":"docs-file"},"outgoingWebhook":{"webhookUrl":"https://example.com/events"}}`)
	x.store.AddRun(strings.TrimPrefix(wf, "/v0/workflows/"), state)
	return wf
}

// withOutputs is withRun with the outputs of memory.AddOutputs.
func (x *harness) withOutputs(t *testing.T, names ...string) (wf string, ids []string) {
	t.Helper()
	wf = x.withRun(t, platen.AutomationCompleted)
	return wf, x.store.AddOutputs(x.drive, names...)
}

// withMail is withRun with a mail about the first output.
func (x *harness) withMail(t *testing.T, state platen.MailState) (wf, output string) {
	t.Helper()
	wf = x.withRun(t, platen.AutomationCompleted)
	x.store.AddMail(state)
	return wf, memory.DoneID
}

func mailing(o *api.Options) { o.Mails = true }

// withTemplates is a harness, a workflow whose source has the field Name, and a
// document of it.
func withTemplates(t *testing.T, looked *memory.Templates, options ...func(*api.Options)) (x *harness, wf, d string) {
	t.Helper()
	x = newHarness(t, append(options, func(o *api.Options) {
		o.Tags = func([]string, []string) []api.TagFinding { return nil }
		o.Templates = looked
	})...)
	wf = x.newWorkflow(t, `{"name":"W","source":{"sourceFields":["Name"]}}`)
	return x, wf, x.newDocument(t, wf, `{"file_id":"docs-file"}`)
}

func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status: got %d, want %d; body: %s", a.status, status, a.body)
	}
	return a
}

// problem is an answer of the API that is no page.
func (a answer) problem(status int, code string) answer {
	a.t.Helper()
	if got := a.is(status).header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Fatalf("Content-Type: got %q, want application/problem+json", got)
	}
	return a.shows(`"code":"` + code + `"`)
}

func (a answer) object() (v map[string]any) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("body is no JSON object: %v: %s", err, a.body)
	}
	return v
}

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
	o := console.SiteOptions{API: x.api, Sealer: box, PublicURL: "https://api.test", Done: t.Context().Done()}
	for _, change := range changes {
		change(&o)
	}
	site := console.NewSite(o)
	host := http.NewServeMux()
	host.Handle("/{$}", site)
	host.Handle("/console", site)
	host.Handle("/console/", site)
	host.HandleFunc("/favicon.ico", console.ServeIcon)
	host.Handle("/", site.ForBrowsers(x.api))
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
	path, _, _ = strings.Cut(path, "#") // which a browser keeps for itself
	r := httptest.NewRequest(method, path, body)
	r.Host = "api.test"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	a, cookies := answered(b.t, b.site, r)
	for _, c := range cookies {
		b.cookies[c.Name] = c
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return a
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

// list is the body, a JSON array.
func (a answer) list() (all []any) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.body), &all); err != nil {
		a.t.Fatalf("body is no JSON array: %v: %s", err, a.body)
	}
	return all
}

// drop sends a form with a file of this name, as a browser does that it was dropped in.
func (b *browser) drop(path string, typed url.Values, name, content string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field := range typed {
		if err := form.WriteField(field, typed.Get(field)); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("upload", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send("POST", path, &body, "Content-Type", form.FormDataContentType())
}

// withShownRun is withRun, and returns the path of the workflow's page.
func (x *harness) withShownRun(t *testing.T, state platen.AutomationState) string {
	t.Helper()
	return strings.Replace(x.withRun(t, state), "/v0", "/console", 1) + "/"
}

var onceField = regexp.MustCompile(`name="once" value="([^"]+)"`)

// attach sends a form with a file, as a browser does.
func (b *browser) attach(path, content string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("upload", "invoice.docx")
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send("POST", path, &body, "Content-Type", form.FormDataContentType())
}
