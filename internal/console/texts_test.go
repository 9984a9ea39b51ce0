package console_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
	"golang.org/x/net/html"
)

func TestNamesFromOutsideAreText(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	const hostile = `<script>alert(1)</script>"'>&{{.}}` + "\u202egpj.exe"
	x.newWorkflow(t, `{"name":"<script>alert(1)</script>\"'>&{{.}}\u202egpj.exe","document":{"fileId":"docs-file"},"source":{"sourceFields":["<img src=x onerror=alert(1)>","A'; rm -rf /; '","A.B","A"]},"outgoingWebhook":{"webhookUrl":"https://example.com/?a=<b>"}}`)
	var wf *platen.Workflow
	for _, w := range x.store.ByID {
		wf = w
	}
	if wf.Name != hostile {
		t.Fatalf("the name is %q", wf.Name)
	}
	b := x.console(t).signIn(memory.AdaToken)
	at0 := "/console/workflows/" + wf.ID + "/"
	b.get(at0).is(200).shows(`rm -rf /; &#39;\&#39;&#39;`) // in the command that sends an event
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	x.store.Runs.Automations = []platen.Automation{{ID: memory.AutomationID, WorkflowID: wf.ID, State: platen.AutomationFailed, Attempt: 1, AcceptedAt: at, FailureCode: "c", Failure: hostile,
		Outputs: []platen.Output{{ID: memory.DoneID, AutomationID: memory.AutomationID, State: platen.OutputDone, CreatedAt: at, UpdatedAt: at,
			PDF: &platen.File{ID: "f", Name: strings.Repeat("a", 10_000) + hostile, URL: "javascript:alert(1)", MIMEType: platen.MIMEPDF}}}}}
	for _, path := range []string{"/", "/console/workflows/", at0, at0 + "runs/", at0 + "outputs/", at0 + "runs/" + memory.AutomationID + "/", at0 + "runs/" + memory.AutomationID + "/?data=shown", at0 + "outputs/?q=" + url.QueryEscape(hostile)} {
		a := b.get(path).is(200).shows("&lt;script&gt;").lacks("<script>alert", "<img src=x", `href="javascript:`)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(a.body, "<style") || strings.Count(a.body, "<script") != strings.Count(a.body, `<script src="/console/assets/`) {
			t.Errorf("%s: policy %q, or a script or style in the page", path, policy)
		}
	}
}

// What somebody outside may have chosen: a script, a mark that turns the reading
// order of what follows, and more letters than a page is wide.
var fromOutside = `<script>alert(1)</script>"'>{{.}}` + "\u202egpj.exe" + strings.Repeat("W", 10_000)

// Every such text is shown as text, as long as it is at most where it can be scrolled
// or is cut off, and turns no reading order but its own.
func TestTextsFromOutsideStayInTheirPlaceOnEveryPage(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := strings.Replace(x.withRun(t, platen.AutomationFailed), "/v0", "/console", 1) + "/"
	fillFromOutside(x)
	b := x.console(t).signIn(memory.AdaToken)
	run := path + "runs/" + memory.AutomationID + "/"
	for _, page := range []string{"/", "/console/workflows/", "/console/new-workflow", path, path + "runs/", path + "outputs/", path + "outputs/?q=%3Cscript%3E%E2%80%AEW", run, run + "?data=shown"} {
		a := b.get(page).is(200)
		parsed, err := html.Parse(strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for n := range parsed.Descendants() {
			if n.Type == html.ElementNode && (n.Data == "script" && !hasAttribute(n, "src") || hasAttribute(n, "onerror")) {
				t.Errorf("%s: a text has become a script", page)
			}
			if n.Type != html.TextNode {
				continue
			}
			above := ancestors(n)
			if strings.Contains(n.Data, "\u202e") {
				seen++
				if !slices.ContainsFunc(above, isolates) {
					t.Errorf("%s: in %s a text turns what follows it: %.60q", page, above[0].Data, n.Data)
				}
			}
			if len(n.Data) > 2000 && !slices.ContainsFunc(above, bounds) {
				t.Errorf("%s: in %s a text of %d bytes is shown whole", page, above[0].Data, len(n.Data))
			}
		}
		if seen == 0 && page != "/console/new-workflow" {
			t.Errorf("%s: shows nothing from outside", page)
		}
	}
}

// fillFromOutside has every text of the harness's run chosen by somebody outside.
func fillFromOutside(x *harness) {
	for _, w := range x.store.ByID {
		w.Name, w.Source.Fields = fromOutside[:200], []string{fromOutside[:300], "A"}
		for i := range w.Documents {
			w.Documents[i].File.Name, w.Documents[i].OutputName = fromOutside, fromOutside[:1000]
		}
	}
	r := &x.store.Runs
	a := &r.Automations[0]
	a.AcceptedAt = time.Now().UTC()
	a.FailureCode, a.Failure = "c", fromOutside
	for i := range a.Outputs {
		o := &a.Outputs[i]
		o.ID, o.MissingFields = []string{memory.DoneID, memory.FailedID}[i], []string{fromOutside[:300]}
		file := &platen.File{ID: "f", Name: fromOutside, URL: "javascript:alert(1)", MIMEType: platen.MIMEPDF}
		if o.PDF != nil {
			o.PDF = file
		}
		if o.Failure != "" {
			o.Failure = fromOutside
		}
		o.Findings = []platen.Finding{{Code: "c", Message: fromOutside}}
	}
	r.Events[0].OutputID, r.Events[0].AutomationID = a.Outputs[0].ID, memory.AutomationID
	for i := range r.Deliveries[memory.EventID] {
		r.Deliveries[memory.EventID][i].Failure, r.Deliveries[memory.EventID][i].Answer = fromOutside[:300], fromOutside
	}
}

func ancestors(n *html.Node) (above []*html.Node) {
	for n = n.Parent; n != nil; n = n.Parent {
		above = append(above, n)
	}
	return above
}

// isolates tells whether an element has a reading order of its own, by what it is or by
// the style sheet.
func isolates(n *html.Node) bool {
	return slices.Contains([]string{"bdi", "code", "pre", "textarea", "title", "option"}, n.Data)
}

// bounds reports whether an element stays within a few lines with any content.
func bounds(n *html.Node) bool {
	if slices.Contains([]string{"pre", "textarea", "title"}, n.Data) {
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "class" && slices.ContainsFunc(strings.Fields(a.Val), func(c string) bool { return c == "name" || c == "why" || c == "long" }) {
			return true
		}
	}
	return false
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
