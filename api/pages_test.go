package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func zipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func ids(t testing.TB, a answer) []string {
	t.Helper()
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(a.is(200).body), &list); err != nil {
		t.Fatalf("no list: %v: %s", err, a.body)
	}
	var out []string
	for _, v := range list {
		out = append(out, v.ID)
	}
	return out
}

var nextLink = regexp.MustCompile(`^<https://api\.test(/v0/[^>]*)>; rel="next"$`)

// walk follows a list to its end.
func walk(t testing.TB, x *harness, path string, limit int) []string {
	t.Helper()
	var all []string
	for {
		a := x.do(t, "GET", path, "")
		page := ids(t, a)
		if len(page) > limit {
			t.Fatalf("%s: got %d entries, want %d at most", path, len(page), limit)
		}
		all = append(all, page...)
		link := a.header.Get("Link")
		if link == "" {
			return all
		}
		next := nextLink.FindStringSubmatch(link)
		if next == nil || len(page) != limit {
			t.Fatalf("%s: Link %q after %d entries", path, link, len(page))
		}
		path = next[1]
	}
}

func TestListsArePagedByLimitAndCursor(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	for range 6 {
		x.newWorkflow(t, `{"name":"A"}`)
		x.newDocument(t, wf, "")
	}
	for _, path := range []string{"/v0/workflows", wf + "/documents/"} {
		a := x.do(t, "GET", path, "")
		whole := ids(t, a)
		if a.header.Get("Link") != "" || len(whole) < 6 {
			t.Errorf("%s without limit: got %d and Link %q, want the whole list", path, len(whole), a.header.Get("Link"))
		}
		for _, limit := range []int{1, 2, 3, 6, 7, 8, 1000} {
			if got := walk(t, x, fmt.Sprintf("%s?limit=%d", path, limit), limit); !slices.Equal(got, whole) {
				t.Errorf("%s by %d: got %v, want %v", path, limit, got, whole)
			}
		}
	}
}

func TestAListOfWorkflowsIsFilteredByStatus(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	complete, archived := x.newWorkflow(t, `{"name":"A","document":{}}`), x.newWorkflow(t, `{"name":"A"}`)
	incomplete := []string{x.newWorkflow(t, `{"name":"A"}`), x.newWorkflow(t, `{"name":"A"}`), x.newWorkflow(t, `{"name":"A"}`)}
	x.do(t, "DELETE", archived, "").is(204)
	for query, want := range map[string][]string{
		"status=COMPLETE":                 {complete},
		"status=ARCHIVED":                 {archived},
		"status=INCOMPLETE":               incomplete,
		"status=INCOMPLETE&limit=2":       incomplete, // by following
		"status=ARCHIVED&status=COMPLETE": {complete, archived},
	} {
		limit := len(want)
		if strings.Contains(query, "limit=2") {
			limit = 2
		}
		got := walk(t, x, "/v0/workflows/?"+query, limit)
		for i := range got {
			got[i] = "/v0/workflows/" + got[i]
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
}

func TestBadParametersOfAListAre400(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	id := strings.TrimPrefix(wf, "/v0/workflows/")
	for query, says := range map[string]string{
		"limit=0":                      "from 1 to 1000",
		"limit=1001":                   "from 1 to 1000",
		"limit=ten":                    "from 1 to 1000",
		"limit=":                       "from 1 to 1000",
		"limit=1&limit=2":              "give it once",
		"cursor=":                      "not one that a list gave",
		"cursor=%21":                   "not one that a list gave",
		"cursor=" + id:                 "not one that a list gave",
		"cursor=MSAxIHdrZl8w":          "not one that a list gave",
		"limit=0&cursor=&status=weird": "limit must",
	} {
		for _, path := range []string{"/v0/workflows/", wf + "/documents/"} {
			p := x.do(t, "GET", path+"?"+query, "").problem(400, "invalid_parameter")
			if !strings.Contains(p.Detail, says) {
				t.Errorf("%s: got %q, want it to say %q", query, p.Detail, says)
			}
		}
	}
	for _, name := range []string{"", "%20", "%00", "%ff", strings.Repeat("a", 201), "a&name=b"} {
		x.do(t, "GET", wf+"/outputs/?name="+name, "").problem(400, "invalid_parameter")
	}
	p := x.do(t, "GET", "/v0/workflows/?status=complete", "").problem(400, "invalid_parameter")
	if !strings.Contains(p.Detail, "INCOMPLETE, COMPLETE, ARCHIVED") {
		t.Errorf("status: got %q, want the values that are allowed", p.Detail)
	}
}

// listsOf are the lists of the contract that have pages, with their parameters.
func listsOf(t *testing.T, x *harness) map[string][]string {
	t.Helper()
	type parameter struct {
		Ref      string `json:"$ref"`
		Name, In string
	}
	var contract struct {
		Paths map[string]struct {
			Get struct{ Parameters []parameter }
		}
		Components struct{ Parameters map[string]parameter }
	}
	if err := json.Unmarshal([]byte(x.do(t, "GET", "/openapi.json", "").is(200).body), &contract); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for at, item := range contract.Paths {
		var names []string
		for _, p := range item.Get.Parameters {
			if p.Ref != "" {
				p = contract.Components.Parameters[path.Base(p.Ref)]
			}
			if p.In == "query" {
				names = append(names, p.Name)
			}
		}
		if slices.Contains(names, "limit") {
			slices.Sort(names)
			all[at] = names
		}
	}
	return all
}

// A filter with a typing error would answer with everything, and look right.
func TestAListRefusesAParameterThatItDoesNotHaveAndNamesThoseItHas(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	document := x.newDocument(t, x.newWorkflow(t, `{"name":"A"}`), "")
	parts := strings.Split(document, "/")
	ids := strings.NewReplacer("{workflowId}", parts[3], "{documentId}", parts[5], "{seriesName}", "invoices", "{batchId}", "bat_0000000000000000", "{scheduleId}", "sch_0000000000000000")
	lists := listsOf(t, x)
	if len(lists) < 9 {
		t.Fatalf("found %d lists only", len(lists))
	}
	for path, want := range lists {
		p := x.do(t, "GET", "/v0"+ids.Replace(path)+"?stat=FAILED", "").problem(400, "invalid_parameter")
		said, _ := strings.CutPrefix(p.Detail, "There is no parameter stat here: this list takes ")
		got := strings.Split(strings.TrimSuffix(said, "."), ", ")
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s takes %q, and the contract has %q", path, got, want)
		}
	}
	p := x.do(t, "GET", "/v0/workflows/?Limit=1&limit=0&b=1&a=1", "").problem(400, "invalid_parameter")
	if want := "limit must be a whole number from 1 to 1000. There is no parameter Limit, a, b here"; !strings.Contains(p.Detail, want) {
		t.Errorf("got %q, want %q in it", p.Detail, want)
	}
	long := x.do(t, "GET", "/v0/workflows/?"+strings.Repeat("a", 4000)+"=1", "").problem(400, "invalid_parameter")
	if len(long.Detail) > 400 {
		t.Errorf("got a detail of %d bytes about a long name", len(long.Detail))
	}
}

// A changing request has no query parameters, so an unknown one (such as dryRun) is
// refused. A GET of one resource ignores them, because the interface gives it no 400.
func TestARequestThatChangesSomethingRefusesParameters(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	for _, c := range []struct{ method, path, body string }{
		{"DELETE", wf, ""}, {"PATCH", wf, `{"name":"B"}`}, {"POST", "/v0/workflows/", `{"name":"B"}`},
		{"POST", wf + "/source/rotate/", ""}, {"POST", wf + "/preview/", `{}`},
	} {
		p := x.do(t, c.method, c.path+"?dryRun=true", c.body).problem(400, "invalid_parameter")
		if want := "There is no parameter dryRun here: this request takes none."; p.Detail != want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.path, p.Detail, want)
		}
	}
	got := x.do(t, "GET", wf+"?dryRun=true", "").is(200).object()
	if got["status"] != "INCOMPLETE" || got["name"] != "A" {
		t.Errorf("got %v, want a workflow that is unchanged", got)
	}
}

func TestACursorIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := platen.Position{CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), ID: "wkf_0000000000000001"}
	got, ok := readCursor(cursor(want))
	if !ok || got != want {
		t.Errorf("got %v, %v; want %v", got, ok, want)
	}
	if text := cursor(want); url.QueryEscape(text) != text {
		t.Errorf("cursor %s needs escaping", text)
	}
}

func TestATokensRequestsAreLimitedAndEveryAnswerSaysHowFar(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.RateLimit = edge.Rate{PerSecond: 1, Burst: 2} })
	for i, want := range []string{"1", "0"} {
		a := x.do(t, "GET", []string{"/v0/workflows/", "/v0/nothing"}[i], "")
		if got := a.header.Get("RateLimit-Remaining"); got != want || a.header.Get("RateLimit-Limit") != "2" || a.header.Get("RateLimit-Reset") == "" {
			t.Errorf("%d: got %v, want %s of 2 remaining", i, a.header, want)
		}
	}
	a := x.do(t, "PUT", "/v0/workflows/", "{}")
	a.problem(429, "rate_limited")
	if got := a.header.Get("Retry-After"); got != "1" || a.header.Get("RateLimit-Remaining") != "0" {
		t.Errorf("headers: got %v", a.header)
	}
	x.do(t, "GET", "/v0/workflows/", "", "Authorization", memory.BobToken).is(200)
	x.do(t, "GET", "/v0/workflows/", "", "Authorization", memory.NobodyToken).problem(403, "token_unknown")
	x.do(t, "GET", "/healthz", "").is(200)
}

func TestTheWholeListIsReadInStepsAndHoldsEachOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, listStep - 1, listStep, listStep + 1, 2 * listStep} {
		x := newHarness(t)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		want := make([]string, n)
		for i := range want {
			want[i] = fmt.Sprintf("wkf_%016d", i)
			x.store.ByID[want[i]] = &platen.Workflow{ID: want[i], Owner: x.ada, Status: platen.StatusIncomplete, CreatedAt: at.Add(time.Duration(i/3) * time.Second)}
		}
		a := x.do(t, "GET", "/v0/workflows/?status=INCOMPLETE", "")
		if got := ids(t, a); !slices.Equal(got, want) {
			t.Errorf("%d workflows: got %d in the list", n, len(got))
		}
		if got := a.header.Get("Content-Length"); got != fmt.Sprint(len(a.body)) {
			t.Errorf("Content-Length: got %s, want %d", got, len(a.body))
		}
	}
}

func TestUnauthenticatedCallersAreToldToWaitAndGoodTokensAreNot(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Unauthenticated = edge.Rate{PerSecond: 1, Burst: 2} })
	for range 2 {
		x.as(t, memory.NobodyToken, "GET", "/v0/workflows/", "").problem(403, "token_unknown")
	}
	a := x.as(t, memory.NobodyToken, "GET", "/v0/workflows/", "")
	a.problem(429, "rate_limited")
	if a.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", a.header)
	}
	x.as(t, memory.AdaToken, "GET", "/v0/workflows/", "").is(200)
	r := httptest.NewRequest("GET", "/v0/workflows/", nil)
	r.Header.Set("Authorization", memory.NobodyToken)
	r.RemoteAddr = "[2001:db8::1]:1234"
	w := httptest.NewRecorder()
	if x.handler.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("another address: got %d, want 403", w.Code)
	}
}
