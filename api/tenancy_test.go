package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// A tenant is a user with a token and a workflow that has one of everything.
type tenant struct {
	user  platen.User
	token string
	ids   map[string]string // by the name of the route's variable
}

type tenancy struct {
	*harness
	db *postgres.DB
}

func newTenancy(t *testing.T) *tenancy {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	pool := testkit.Database(t, "platen_api", postgres.Migrate)
	db := postgres.New(pool, box)
	x := newHarness(t, func(o *Options) {
		o.Stores = Stores{
			Tokens: db.Tokens, Workflows: db.Workflows, Documents: db.Documents, Orphans: db.OrphanedTemplates, Versions: db.TemplateVersions,
			Webhooks: db.Webhooks, Endpoints: db.Endpoints,
			Automations: db.Automations, Batches: db.Batches, Outputs: db.Outputs, Mails: db.Mails, Reviews: db.Reviews, Events: db.Events, Audit: db.Audit, Sources: db.Sources, Forms: db.Forms, Numbers: db.Numbers,
		}
		o.Ready, o.Answers, o.Now = db.Ready, db.Idempotency, nil
	})
	return &tenancy{x, db}
}

func (x *tenancy) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *tenancy) tenant(t *testing.T, team string) tenant {
	t.Helper()
	u := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "User of " + team, Email: strings.ToLower(platen.NewKey()) + "@example.org"}
	if team != "" {
		u.Team = &platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: team}
		x.must(t, operate.New(x.db).Users.CreateTeam(t.Context(), *u.Team))
	}
	x.must(t, operate.New(x.db).Users.CreateUser(t.Context(), u))
	_, token, err := operate.New(x.db).Tokens.CreateToken(t.Context(), u.ID, "test", time.Time{})
	x.must(t, err)
	me := tenant{user: u, token: token, ids: map[string]string{}}
	wf := x.as(t, token, "POST", "/v0/workflows/", `{"name":"Of `+team+`","document":{"fileId":"docs-file","numbers":["invoices"]},"outgoingWebhook":{"webhookUrl":"https://`+strings.ToLower(u.ID[4:])+`.example"}}`).is(201).object()
	me.ids["workflow"] = wf["id"].(string)
	me.ids["document"] = wf["documents"].([]any)[0].(map[string]any)["id"].(string)
	me.ids["version"] = x.as(t, token, "POST", "/v0/workflows/"+me.ids["workflow"]+"/documents/"+me.ids["document"]+"/versions/", `{"note":"secret of `+u.ID+`"}`).is(201).object()["id"].(string)
	me.ids["batch"] = x.as(t, token, "POST", "/v0/workflows/"+me.ids["workflow"]+"/batches/", `[{"Name":"secret of `+u.ID+`"}]`).is(201).object()["id"].(string)
	x.run(t, me, wf["source"].(map[string]any)["webhookUrl"].(string))
	return me
}

// run gives the tenant an automation with an output and an event.
func (x *tenancy) run(t *testing.T, me tenant, address string) {
	t.Helper()
	b := accept.NewBatcher(x.db, accept.BatcherOptions{})
	defer func() { x.must(t, b.Close(t.Context())) }()
	e := platen.SourceEvent{AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: address[strings.LastIndex(address, "/")+1:],
		Body: []byte(`{"Name":"secret of ` + me.user.ID + `"}`), ReceivedAt: time.Now()}
	x.must(t, b.Accept(t.Context(), e))
	plan, err := x.db.Plans.Plan(t.Context(), e.AutomationID)
	x.must(t, err)
	me.ids["automation"], me.ids["output"], me.ids["event"] = e.AutomationID, plan.Documents[0].OutputID, platen.NewID(platen.PrefixEvent)
	_, err = x.db.Pool().Exec(t.Context(), `
		INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, test, payload, state, created_at)
		VALUES ($1, $2, $3, $4, 1, 'DOCUMENTS_CREATED', false, '', 'FAILED', now())`,
		me.ids["event"], me.ids["workflow"], e.AutomationID, me.ids["output"])
	x.must(t, err)
}

// A call is a method of a route below /v0.
type call struct{ method, template string }

func (x *tenancy) everyRoute() (all []call) {
	for name := range x.needed() {
		method, pattern, _ := strings.Cut(name, " ")
		all = append(all, call{method, "/v0" + pattern + "/"})
		if method == http.MethodGet {
			all = append(all, call{http.MethodHead, "/v0" + pattern + "/"})
		}
	}
	return all
}

func (r call) path(t *testing.T, ids map[string]string) string {
	t.Helper()
	return variable.ReplaceAllStringFunc(r.template, func(v string) string {
		id := ids[variable.FindStringSubmatch(v)[1]]
		if id == "" {
			t.Fatalf("%s has a variable that this test has no id for: %s", r.template, v)
		}
		return id
	})
}

// body is one that the route would take from its owner.
func (r call) body() string {
	switch {
	case strings.Contains(r.template, "/outgoing-webhook") && (strings.HasSuffix(r.template, "s/") || strings.HasSuffix(r.template, "k/")):
		return `{"webhookUrl":"https://stolen.example"}`
	case strings.HasSuffix(r.template, "/source/verification/"):
		return `{"networks":["203.0.113.0/24"]}`
	case strings.HasSuffix(r.template, "{workflow}/"), strings.HasSuffix(r.template, "/copy/"):
		return `{"name":"Stolen"}`
	case strings.HasSuffix(r.template, "{document}/"):
		return `{"outputName":"Stolen"}`
	}
	return `{}`
}

func TestNoRouteShowsOrChangesWhatIsAnotherTeams(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	victim := x.tenant(t, "Victims")
	before := x.whole(t, victim)
	for _, stranger := range []tenant{x.tenant(t, "Strangers"), x.tenant(t, "")} {
		for _, r := range x.everyRoute() {
			if !strings.Contains(r.template, "{") || strings.Contains(r.template, "{series}") {
				continue // a list or a creation of the caller's own; names of series are nobody's
			}
			for mixed, ids := range mixtures(stranger.ids, victim.ids, r.template) {
				a := x.as(t, stranger.token, r.method, r.path(t, ids), r.body())
				want, code := 403, "workflow_not_found"
				if strings.HasSuffix(r.template, "{workflow}/") {
					want = 404
				}
				if mixed != "workflow" {
					code = mixed + "_not_found"
				}
				if a.status != want {
					t.Errorf("%s %s with another's %s: got %d, want %d: %s", r.method, r.template, mixed, a.status, want, a.body)
				} else if r.method != http.MethodHead && a.object()["code"] != code {
					t.Errorf("%s %s with another's %s: got %v, want %s", r.method, r.template, mixed, a.object()["code"], code)
				}
				x.showsNothing(t, a, r, victim)
			}
		}
		a := x.as(t, stranger.token, "GET", "/v0/workflows/", "").is(200)
		x.showsNothing(t, a, call{"GET", "/v0/workflows/"}, victim)
		for _, list := range []string{"/v0/audit/", "/v0/automations/", "/v0/automations/?order=newest", "/v0/me/", "/v0/series/", "/v0/series/invoices/numbers/"} {
			a := x.as(t, stranger.token, "GET", list, "").is(200)
			x.showsNothing(t, a, call{"GET", list}, victim)
			if strings.HasPrefix(list, "/v0/series/") && strings.Contains(a.body, victim.ids["automation"]) {
				t.Errorf("%s shows an automation of another team: %s", list, a.body)
			}
		}
		if got := ids(t, a); !slices.Equal(got, []string{stranger.ids["workflow"]}) {
			t.Errorf("list of a stranger: got %v, want the own workflow alone", got)
		}
	}
	if after := x.whole(t, victim); after != before {
		t.Errorf("the victim's workflow was changed:\n%s\n%s", before, after)
	}
}

// mixtures are the ids of requests that reach for another's things: through
// the other's workflow, and one by one through the caller's own.
func mixtures(own, theirs map[string]string, template string) map[string]map[string]string {
	out := map[string]map[string]string{"workflow": theirs}
	for _, match := range variable.FindAllStringSubmatch(template, -1) {
		if name := match[1]; name != "workflow" {
			mixed := maps.Clone(own)
			mixed[name] = theirs[name]
			out[name] = mixed
		}
	}
	return out
}

func (x *tenancy) whole(t *testing.T, of tenant) string {
	t.Helper()
	wf := "/v0/workflows/" + of.ids["workflow"]
	return x.as(t, of.token, "GET", wf, "").is(200).body + x.as(t, of.token, "GET", wf+"/outgoing-webhook/secret", "").is(200).body
}

func (x *tenancy) showsNothing(t *testing.T, a answer, r call, victim tenant) {
	t.Helper()
	for _, private := range []string{victim.user.ID, victim.user.Email, "Of Victims", "secret of"} {
		if strings.Contains(a.body, private) {
			t.Errorf("%s %s shows %q: %s", r.method, r.template, private, a.body)
		}
	}
}

func TestADriveFileOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	x.others[me.user.ID] = &cloud{files: map[string]platen.File{}}
	for path, body := range map[string]string{
		"/v0/workflows/": `{"name":"A","document":{"fileId":"docs-file"}}`,
		"/v0/workflows/" + me.ids["workflow"] + "/documents/": `{"file_id":"docs-file"}`,
	} {
		x.as(t, me.token, "POST", path, body).problem(400, "drive_file_not_found")
	}
	if got := ids(t, x.as(t, me.token, "GET", "/v0/workflows/", "")); len(got) != 1 {
		t.Errorf("workflows: got %d, want the first one alone", len(got))
	}
}

func TestKeysAndListsWorkOnTheRealStore(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	const body = `{"name":"B"}`
	send := func() answer {
		return x.do(t, "POST", "/v0/workflows/", body, "Authorization", me.token, keyHeader, "k").is(201)
	}
	first, again := send(), send()
	if first.body != again.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("got %s, want %s", again.body, first.body)
	}
	wf := "/v0/workflows/" + first.object()["id"].(string)
	read := x.as(t, me.token, "GET", wf, "").is(200)
	if read.body != first.body {
		t.Errorf("read %s, created %s", read.body, first.body)
	}
	patch := func(tag string) answer {
		return x.do(t, "PATCH", wf, `{"name":"C"}`, "Authorization", me.token, "If-Match", tag)
	}
	changed := patch(read.header.Get("ETag")).is(200)
	patch(read.header.Get("ETag")).problem(412, "precondition_failed")
	if got := x.as(t, me.token, "GET", wf, "").header.Get("ETag"); got != changed.header.Get("ETag") {
		t.Errorf("ETag: got %s after PATCH answered %s", got, changed.header.Get("ETag"))
	}
	page := x.as(t, me.token, "GET", "/v0/workflows/?limit=1&status=COMPLETE&status=INCOMPLETE", "").is(200)
	next := nextLink.FindStringSubmatch(page.header.Get("Link"))
	if next == nil {
		t.Fatalf("Link: got %q", page.header.Get("Link"))
	}
	second := x.as(t, me.token, "GET", next[1], "").is(200)
	if got := append(ids(t, page), ids(t, second)...); len(got) != 2 || got[0] == got[1] || second.header.Get("Link") != "" {
		t.Errorf("pages: got %v, then Link %q", got, second.header.Get("Link"))
	}
}
