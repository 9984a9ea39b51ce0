package api

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/peer"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// needed are the routes of /v0, as METHOD /path, with what each needs.
func (x *harness) needed() map[string]need {
	all := map[string]need{}
	(&server{Stores: storesIn(x.store)}).v0Routes(func(pattern string, routes ...route) {
		for _, one := range routes {
			all[one.method+" "+pattern] = one.need
		}
	})
	return all
}

func TestARouteThatChangesNeedsToWriteAndIsInTheAudit(t *testing.T) {
	t.Parallel()
	tries := []string{"POST /workflows/{workflow}/preview", "POST /workflows/{workflow}/documents/{document}/check", "POST /workflows/{workflow}/batches/check", "POST /workflows/{workflow}/receivers/check", "POST /workflows/{workflow}/documents/{document}/einvoice/propose"}
	for route, n := range newHarness(t).needed() {
		writes := !strings.HasPrefix(route, "GET ") && !slices.Contains(tries, route) || strings.HasSuffix(route, "/secret")
		if got := (n.scope == platen.ScopeWrite || n.scope == platen.ScopeApprove) && n.audited; got != writes {
			t.Errorf("%s: got %+v, want scope write and an entry in the audit: %v", route, n, writes)
		}
		if n.scope == "" && route != "GET /me" {
			t.Errorf("%s: every token may", route)
		}
	}
}

func TestATokenIsRefusedWhatItsScopesDoNotName(t *testing.T) {
	t.Parallel()
	const mine = "wkf_00000000000000Aa"
	for scopes, may := range map[string]func(n need, workflow bool) bool{
		"read":             func(n need, _ bool) bool { return n.scope == platen.ScopeRead },
		"write":            func(n need, _ bool) bool { return n.scope != platen.ScopeApprove },
		"approve":          func(n need, _ bool) bool { return n.scope != platen.ScopeWrite },
		"workflow:" + mine: func(n need, workflow bool) bool { return workflow && n.scope != platen.ScopeApprove },
		// of another workflow than the one that is asked for
		"workflow:wkf_00000000000000Bb": func(need, bool) bool { return false },
	} {
		x := newHarness(t)
		x.store.Scope(memory.AdaToken, scopes)
		for route, n := range x.needed() {
			method, path, _ := strings.Cut(route, " ")
			path = strings.NewReplacer("{workflow}", mine, "{document}", "doc_0000000000000001", "{automation}", "aut_0000000000000001", "{event}", "evt_0000000000000001", "{series}", "invoices", "{version}", "ver_0000000000000001").Replace(path)
			a := x.do(t, method, "/v0"+path+"/", "{}")
			refused := strings.Contains(a.body, `"code":"scope_missing"`)
			if want := n.scope != "" && !may(n, strings.Contains(path, mine) && !n.beyond); refused != want {
				t.Errorf("scopes %s, %s: refused %v, want %v: %d %s", scopes, route, refused, want, a.status, a.body)
			}
			if refused {
				a.problem(http.StatusForbidden, "scope_missing")
			}
		}
	}
}

func TestTheRefusalNamesTheScopeThatIsMissing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.store.Scope(memory.AdaToken, "read")
	if p := x.do(t, "POST", "/v0/workflows/", `{"name":"A"}`).problem(403, "scope_missing"); !strings.Contains(p.Detail, "lacks the scope write") {
		t.Errorf("got %q, want the missing scope", p.Detail)
	}
}

func TestAnswersSayWhenTheirTokenEndsSoon(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for expires, want := range map[time.Time]string{
		{}:                           "",
		now.Add(15 * 24 * time.Hour): "",
		now.Add(13 * 24 * time.Hour): "2026-01-15T03:04:05.000000+00:00",
	} {
		x.store.Expires = expires
		for _, path := range []string{"/v0/workflows/", "/v0/workflows/wkf_0000000000000001/"} {
			if got := x.do(t, "GET", path, "").header.Get(expiryHeader); got != want {
				t.Errorf("%s, token until %s: got %q, want %q", path, expires, got, want)
			}
		}
	}
}

func TestEachChangeAndEachRefusedOneHasAnEntryInTheAudit(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Proxies = peer.Proxies{netip.MustParsePrefix("192.0.2.0/24")} })
	path := x.newWorkflow(t, `{"name":"Canary","outgoingWebhook":{"webhookUrl":"https://receiver.example"}}`)
	id := strings.TrimPrefix(path, "/v0/workflows/")
	x.do(t, "GET", path+"/", "").is(200)
	x.do(t, "PATCH", path+"/", `{"name":"Canary 2"}`, "X-Forwarded-For", "198.51.100.1, 203.0.113.7", "X-Request-Id", "trace-1").is(200)
	x.do(t, "PATCH", path+"/", `{"colour":"Canary"}`).is(400)
	x.do(t, "GET", path+"/outgoing-webhooks/secret/", "").is(200)
	x.do(t, "DELETE", "/v0/workflows/Canary/", "").is(404)
	x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, "Idempotency-Key", "1").is(201)
	x.do(t, "POST", "/v0/workflows/", `{"name":"B"}`, "Idempotency-Key", "1").is(201)
	x.store.Scope(memory.AdaToken, "read")
	x.do(t, "DELETE", path+"/", "").is(403)
	x.store.Scope(memory.AdaToken, "")
	var got []string
	for _, e := range x.store.Acts {
		if e.Actor.Kind != platen.ActorUser || e.Actor.ID != x.ada.ID || e.Actor.TokenID != "tok_of_"+x.ada.ID || e.OwnerID != x.ada.ID || !platen.IsID(platen.PrefixAudit, e.ID) {
			t.Errorf("got %+v, want Ada's", e)
		}
		got = append(got, strings.Join([]string{e.Action, e.WorkflowID, e.Outcome}, " | "))
	}
	want := []string{
		"POST /v0/workflows |  | done",
		"PATCH /v0/workflows/{workflow} | " + id + " | done",
		"PATCH /v0/workflows/{workflow} | " + id + " | invalid_body",
		"GET /v0/workflows/{workflow}/outgoing-webhooks/secret | " + id + " | done",
		"DELETE /v0/workflows/{workflow} |  | workflow_not_found",
		"POST /v0/workflows |  | done",
		"POST /v0/workflows |  | replayed",
		"DELETE /v0/workflows/{workflow} | " + id + " | scope_missing",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if e := x.store.Acts[1]; e.RequestID != "trace-1" || e.Actor.Address.String() != "203.0.113.7" {
		t.Errorf("got %+v, want the request id and the client's address", e)
	}

	list := x.do(t, "GET", "/v0/audit/?limit=2&workflow="+id, "").is(200)
	if strings.Contains(list.body, "Canary") || strings.Count(list.body, `"id":"aud_`) != 2 || !strings.Contains(list.body, `"address":"203.0.113.7"`) {
		t.Errorf("got %s, want two entries without names", list.body)
	}
	if link := list.header.Get("Link"); !strings.Contains(link, "workflow="+id) || !strings.Contains(link, "cursor=") {
		t.Errorf("Link: got %s, want the next page of the same workflow", link)
	}
	for _, query := range []string{"since=yesterday", "workflow=1", "user=wkf_0000000000000001"} {
		x.do(t, "GET", "/v0/audit/?"+query, "").problem(400, "invalid_parameter")
	}
}

func TestEveryTokenMayKnowItself(t *testing.T) {
	t.Parallel()
	const mine = "wkf_00000000000000Aa"
	for scopes, want := range map[string]string{
		"":                      `"token":{"id":"tok_of_usr_00000000000001","write":true,"personal":true,"workflowIds":null,`,
		"read":                  `"write":false,"personal":false,"workflowIds":null,`,
		"read,personal":         `"write":false,"personal":true,"workflowIds":null,`,
		"workflow:" + mine:      `"write":true,"personal":false,"workflowIds":["` + mine + `"],`,
		"read,workflow:" + mine: `"write":false,"personal":false,"workflowIds":["` + mine + `"],`,
	} {
		x := newHarness(t)
		if scopes != "" {
			x.store.Scope(memory.AdaToken, scopes)
		}
		if got := x.do(t, "GET", "/v0/me/", "").is(200).body; !strings.Contains(got, want) || !strings.Contains(got, `"email":"ada@example.com"`) {
			t.Errorf("%q: got %s, want %s", scopes, got, want)
		}
	}
}
