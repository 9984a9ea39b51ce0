package api

import (
	"strings"
	"testing"
)

func TestAnswersCarryTheEntityTagOfWhatTheyShow(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	created := x.do(t, "POST", "/v0/workflows/", `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`).is(201)
	wf := "/v0/workflows/" + created.object()["id"].(string)
	read := x.do(t, "GET", wf, "").is(200)
	if got := created.header.Get("ETag"); got == "" || got != read.header.Get("ETag") || !strings.HasPrefix(got, `"`) {
		t.Errorf("ETag: got %q at creation and %q on reading, want one strong tag", got, read.header.Get("ETag"))
	}
	doc := x.newDocument(t, wf, "")
	if got := x.do(t, "GET", wf, "").header.Get("ETag"); got == read.header.Get("ETag") {
		t.Error("a document more, and the same ETag of its workflow")
	}
	for path, patch := range map[string]string{wf: `{"name":"B"}`, doc: `{"outputName":"B"}`, wf + "/outgoing-webhooks": `{"webhookUrl":"https://example.org"}`} {
		before := x.do(t, "GET", path, "").is(200).header.Get("ETag")
		patched := x.do(t, "PATCH", path, patch).is(200).header.Get("ETag")
		after := x.do(t, "HEAD", path, "").is(200).header.Get("ETag")
		if before == patched || patched != after || patched == "" {
			t.Errorf("%s: ETag before, after PATCH, read: got %s, %s, %s", path, before, patched, after)
		}
	}
}

func TestIfNoneMatchIs304WithoutABody(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	tag := x.do(t, "GET", wf, "").header.Get("ETag")
	for value, status := range map[string]int{
		tag: 304, "W/" + tag: 304, "*": 304, `"x", ` + tag: 304, `"a,b" ,W/"c",` + tag: 304,
		`"x"`: 200, "": 200, strings.Trim(tag, `"`): 200, tag + "x": 200, `"`: 200, `"x" ` + tag[1:]: 200,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := x.do(t, method, wf, "", "If-None-Match", value).is(status)
			if a.header.Get("ETag") != tag || status == 304 && a.body != "" {
				t.Errorf("%q: ETag %q, body %q", value, a.header.Get("ETag"), a.body)
			}
		}
	}
}

func TestIfMatchKeepsAChangeFromWhatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`)
	doc := x.newDocument(t, wf, "")
	for _, c := range []struct{ path, mine, theirs string }{
		{wf, `{"name":"B"}`, `{"name":"C"}`},
		{doc, `{"outputName":"B"}`, `{"outputName":"C"}`},
		{wf + "/outgoing-webhook", `{"webhookUrl":"https://a.example"}`, `{"webhookUrl":"https://b.example"}`},
	} {
		tag := x.do(t, "GET", c.path, "").header.Get("ETag")
		x.do(t, "PATCH", c.path, c.theirs).is(200)
		for _, stale := range []string{tag, "W/" + tag, `"x"`, "", "nonsense"} {
			x.do(t, "PATCH", c.path, c.mine, "If-Match", stale).problem(412, "precondition_failed")
		}
		now := x.do(t, "GET", c.path, "").header.Get("ETag")
		weak := x.do(t, "PATCH", c.path, c.mine, "If-Match", "W/"+now) // a strong comparison
		if weak.problem(412, "precondition_failed"); !strings.Contains(weak.body, "Accept-Encoding: identity") {
			t.Errorf("got %s, want the cure of a weak tag", weak.body)
		}
		x.do(t, "PATCH", c.path, c.mine, "If-Match", `"x",`+now).is(200)
		x.do(t, "PATCH", c.path, c.mine, "If-Match", "*").is(200)
		if c.path != wf+"/outgoing-webhook" {
			x.do(t, "PATCH", c.path, `{}`, "If-Match", tag).problem(412, "precondition_failed")
		}
	}
	tag := x.do(t, "GET", wf, "").header.Get("ETag")
	x.do(t, "DELETE", wf, "", "If-Match", `"x"`).problem(412, "precondition_failed")
	x.do(t, "DELETE", wf, "", "If-Match", tag).is(204)
}
