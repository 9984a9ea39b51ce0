package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/postgres/accept"
)

func TestARunIsSentAgainWithOtherData(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me, stranger := x.tenant("Mine"), x.tenant("Strangers")
	batcher := accept.NewBatcher(x.DB.DB, accept.BatcherOptions{})
	t.Cleanup(func() { x.Must(batcher.Close(context.WithoutCancel(t.Context()))) })
	source := hooks.New(hooks.Options{Acceptor: batcher, Keys: accept.NewSourceKeys(x.DB.DB)})
	site := func(o *console.SiteOptions) { o.Hooks = source }
	b := x.console(t, site).signIn(me.Token)
	runs := "/console/workflows/" + me.IDs["workflow"] + "/runs/"
	run := runs + me.IDs["automation"] + "/"
	b.get(run).is(200).shows("Show the source data, and send it again").lacks("secret of")
	b.get(run+"?data=shown").is(200).shows("Send it again with other data", "&#34;Name&#34;: &#34;secret of")
	count := func() int {
		return len(x.as(t, me.Token, "GET", "/v0/workflows/"+me.IDs["workflow"]+"/automations/", "").is(200).list())
	}
	b.open("POST", run+"again?data=shown", url.Values{"data": {"{Name}"}}).is(http.StatusBadRequest).shows("The data is not JSON at line 1, column 2", "{Name}</textarea>")
	x.console(t, site).signIn(stranger.Token).open("POST", run+"again", url.Values{"data": {`{"Name":"x"}`}}).is(http.StatusNotFound)
	if n := count(); n != 1 {
		t.Fatalf("the workflow has %d runs, want the first alone", n)
	}
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(b.get(run + "?data=shown").body)
	if once == nil {
		t.Fatal("the form does not tell one that was sent twice from two that are alike")
	}
	send := func(data string) answer {
		return b.open("POST", run+"again?data=shown", url.Values{"once": once[1:], "data": {data}}).is(http.StatusSeeOther)
	}
	send(`{"Name":"Before"}`)
	var led [2]string
	for i := range led { // a button that is pressed twice
		led[i] = send(`{"Name":"Another"}`).header.Get("Location")
	}
	newest := x.as(t, me.Token, "GET", "/v0/workflows/"+me.IDs["workflow"]+"/automations/?order=newest", "").is(200).list()
	if len(newest) != 3 {
		t.Fatalf("the workflow has %d runs, want three", len(newest))
	}
	id := newest[0].(map[string]any)["id"].(string)
	if want := runs + id + "/"; led[0] != want || led[1] != want {
		t.Errorf("leads to %q, want the run that was made, %s", led, want)
	}
	if got := x.as(t, me.Token, "GET", "/v0/workflows/"+me.IDs["workflow"]+"/automations/"+id+"/", "").is(200).body; !strings.Contains(got, `{"Name":"Another"}`) {
		t.Errorf("the new run is %s, want the other data", got)
	}
	broken := func(o *console.SiteOptions) {
		site(o)
		api := o.API
		o.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("order") == "newest" {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			api.ServeHTTP(w, r)
		})
	}
	again := x.console(t, broken).signIn(me.Token).open("POST", run+"again", url.Values{"data": {`{"Name":"Taken"}`}}).is(http.StatusSeeOther)
	if got := again.header.Get("Location"); got != runs || count() != 4 {
		t.Errorf("sent while runs cannot be listed: leads to %q with %d runs, want the list of runs, and 4", got, count())
	}
	x.as(t, me.Token, "POST", "/v0/workflows/"+me.IDs["workflow"]+"/source/verification/", `{"scheme":"GITHUB","secrets":["correct-horse"]}`).is(200)
	signed := x.console(t, func(o *console.SiteOptions) {
		o.Hooks = hooks.New(hooks.Options{Acceptor: batcher, Keys: accept.NewSourceKeys(x.DB.DB)}) // it remembers no source
	}).signIn(me.Token)
	signed.open("POST", run+"again?data=shown", url.Values{"data": {`{"Name":"Another"}`}}).is(http.StatusBadRequest).shows(`role="alert"`, "The source takes signed events only")
}
