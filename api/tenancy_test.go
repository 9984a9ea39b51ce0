package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/testkit/memory"
)

type tenancy struct {
	*harness
	*storetest.Harness
}

func newTenancy(t *testing.T) *tenancy {
	t.Helper()
	x := &tenancy{Harness: storetest.New(t)}
	x.harness = newHarness(t, func(o *Options) { o.Stores, o.Ready, o.Answers, o.Now = x.stores(), x.Ready, x.Idempotency, nil })
	return x
}

func (x *tenancy) stores() Stores {
	db := x.DB.DB
	return Stores{
		Tokens: db.Tokens, Workflows: db.Workflows, Documents: db.Documents, Orphans: db.OrphanedTemplates, Versions: db.TemplateVersions,
		Webhooks: db.Webhooks, Endpoints: db.Endpoints, Automations: db.Automations, Batches: db.Batches, Outputs: db.Outputs, Mails: db.Mails,
		Reviews: db.Reviews, Events: db.Events, Audit: db.Audit, Sources: db.Sources, Forms: db.Forms, Receivers: db.Receivers, Targets: db.Targets, Senders: db.MailSenders, Schedules: db.Schedules, Numbers: db.Numbers, Usage: db.Usage,
	}
}

func (x *tenancy) tenant(team string) storetest.Tenant { return x.Tenant(x.handler, team) }

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

func (r call) variables() (names []string) {
	for _, match := range variable.FindAllStringSubmatch(r.template, -1) {
		names = append(names, match[1])
	}
	return names
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
	victim := x.tenant("Victims")
	before := x.whole(t, victim)
	for _, stranger := range []storetest.Tenant{x.tenant("Strangers"), x.tenant("")} {
		for _, r := range x.everyRoute() {
			if !strings.Contains(r.template, "{") || strings.Contains(r.template, "{series}") {
				continue // a list or a creation of the caller's own; names of series are nobody's
			}
			for mixed, ids := range stranger.Mixtures(victim, r.variables()...) {
				if mixed == "workflow" && !strings.Contains(r.template, "{workflow}") {
					continue
				}
				a := x.as(t, stranger.Token, r.method, r.path(t, ids), r.body())
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
		a := x.as(t, stranger.Token, "GET", "/v0/workflows/", "").is(200)
		x.showsNothing(t, a, call{"GET", "/v0/workflows/"}, victim)
		for _, list := range []string{"/v0/audit/", "/v0/automations/", "/v0/automations/?order=newest", "/v0/me/", "/v0/usage/", "/v0/schedules/", "/v0/series/", "/v0/series/invoices/numbers/"} {
			a := x.as(t, stranger.Token, "GET", list, "").is(200)
			x.showsNothing(t, a, call{"GET", list}, victim)
			if strings.HasPrefix(list, "/v0/series/") && strings.Contains(a.body, victim.IDs["automation"]) {
				t.Errorf("%s shows an automation of another team: %s", list, a.body)
			}
		}
		if got := ids(t, a); !slices.Equal(got, []string{stranger.IDs["workflow"]}) {
			t.Errorf("list of a stranger: got %v, want the own workflow alone", got)
		}
	}
	if after := x.whole(t, victim); after != before {
		t.Errorf("the victim's workflow was changed:\n%s\n%s", before, after)
	}
}

func (x *tenancy) whole(t *testing.T, of storetest.Tenant) string {
	t.Helper()
	wf := "/v0/workflows/" + of.IDs["workflow"]
	return x.as(t, of.Token, "GET", wf, "").is(200).body + x.as(t, of.Token, "GET", wf+"/outgoing-webhook/secret", "").is(200).body
}

func (x *tenancy) showsNothing(t *testing.T, a answer, r call, victim storetest.Tenant) {
	t.Helper()
	if private := victim.Shown(a.body); private != "" {
		t.Errorf("%s %s shows %q: %s", r.method, r.template, private, a.body)
	}
}

func TestADriveFileOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	x.others[me.User.ID] = &memory.Drive{Files: map[string]platen.File{}}
	for path, body := range map[string]string{
		"/v0/workflows/": `{"name":"A","document":{"fileId":"docs-file"}}`,
		"/v0/workflows/" + me.IDs["workflow"] + "/documents/": `{"file_id":"docs-file"}`,
	} {
		x.as(t, me.Token, "POST", path, body).problem(400, "drive_file_not_found")
	}
	if got := ids(t, x.as(t, me.Token, "GET", "/v0/workflows/", "")); len(got) != 1 {
		t.Errorf("workflows: got %d, want the first one alone", len(got))
	}
}

func TestKeysAndListsWorkOnTheRealStore(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	const body = `{"name":"B"}`
	send := func() answer {
		return x.do(t, "POST", "/v0/workflows/", body, "Authorization", me.Token, keyHeader, "k").is(201)
	}
	first, again := send(), send()
	if first.body != again.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("got %s, want %s", again.body, first.body)
	}
	wf := "/v0/workflows/" + first.object()["id"].(string)
	read := x.as(t, me.Token, "GET", wf, "").is(200)
	if read.body != first.body {
		t.Errorf("read %s, created %s", read.body, first.body)
	}
	patch := func(tag string) answer {
		return x.do(t, "PATCH", wf, `{"name":"C"}`, "Authorization", me.Token, "If-Match", tag)
	}
	changed := patch(read.header.Get("ETag")).is(200)
	patch(read.header.Get("ETag")).problem(412, "precondition_failed")
	if got := x.as(t, me.Token, "GET", wf, "").header.Get("ETag"); got != changed.header.Get("ETag") {
		t.Errorf("ETag: got %s after PATCH answered %s", got, changed.header.Get("ETag"))
	}
	page := x.as(t, me.Token, "GET", "/v0/workflows/?limit=1&status=COMPLETE&status=INCOMPLETE", "").is(200)
	next := nextLink.FindStringSubmatch(page.header.Get("Link"))
	if next == nil {
		t.Fatalf("Link: got %q", page.header.Get("Link"))
	}
	second := x.as(t, me.Token, "GET", next[1], "").is(200)
	if got := append(ids(t, page), ids(t, second)...); len(got) != 2 || got[0] == got[1] || second.header.Get("Link") != "" {
		t.Errorf("pages: got %v, then Link %q", got, second.header.Get("Link"))
	}
}
