package console_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
)

func TestALivePageIsToldOfChanges(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t, func(o *console.SiteOptions) { o.Poll, o.StreamsEach = time.Millisecond, 1 }).signIn(me.Token)
	server := httptest.NewServer(b.site)
	defer server.Close()
	listen := func(of string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/console/live?of="+url.QueryEscape(of), nil)
		x.Must(err)
		for _, c := range b.cookies {
			r.AddCookie(c)
		}
		response, err := http.DefaultClient.Do(r)
		x.Must(err)
		return response
	}
	response := listen("run:" + me.IDs["workflow"] + "/" + me.IDs["automation"])
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
	x.as(t, me.Token, "POST", "/v0/workflows/"+me.IDs["workflow"]+"/automations/"+me.IDs["automation"]+"/cancel/", "").is(202)
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
	me := x.tenant("Mine")
	b := x.console(t, func(o *console.SiteOptions) { o.Poll = time.Hour }).signIn(me.Token)
	page := b.get("/console/workflows/" + me.IDs["workflow"] + "/runs/" + me.IDs["automation"] + "/").is(200)
	address := regexp.MustCompile(`data-live="([^"]*)"`).FindStringSubmatch(page.body)
	if address == nil {
		t.Fatal("the page watches nothing")
	}
	x.as(t, me.Token, "POST", "/v0/workflows/"+me.IDs["workflow"]+"/automations/"+me.IDs["automation"]+"/cancel/", "").is(202)
	server := httptest.NewServer(b.site)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+html.UnescapeString(address[1]), nil)
	x.Must(err)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	response, err := http.DefaultClient.Do(r)
	x.Must(err)
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
	me, other := x.tenant("Mine"), x.tenant("Others")
	b := x.console(t, func(o *console.SiteOptions) { o.Streams = -1 }).signIn(me.Token)
	run := func(of map[string]string) string {
		return "/console/live?of=" + url.QueryEscape("run:"+of["workflow"]+"/"+of["automation"])
	}
	b.get(run(me.IDs)).is(http.StatusNoContent)
	before := b.get(run(me.IDs) + "&look=1").is(200)
	if again := b.get(run(me.IDs) + "&look=1").is(200); len(before.body) != 64 || again.body != before.body {
		t.Errorf("nothing has changed: got %q, then %q", before.body, again.body)
	}
	x.as(t, me.Token, "POST", "/v0/workflows/"+me.IDs["workflow"]+"/automations/"+me.IDs["automation"]+"/cancel/", "").is(202)
	if after := b.get(run(me.IDs) + "&look=1").is(200); after.body == before.body {
		t.Errorf("the run was cancelled: got %q still", after.body)
	}
	b.get(run(other.IDs) + "&look=1").is(403)
	b.get("/console/live?of=run:nothing&look=1").is(404)
}
