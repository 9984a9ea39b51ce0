package api

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/platen"
)

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
	b := x.console(t).signIn(adaToken)
	run := path + "runs/" + autID + "/"
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
	for _, w := range x.store.workflows {
		w.Name, w.Source.Fields = fromOutside[:200], []string{fromOutside[:300], "A"}
		for i := range w.Documents {
			w.Documents[i].File.Name, w.Documents[i].OutputName = fromOutside, fromOutside[:1000]
		}
	}
	r := &x.store.runs
	a := &r.automations[0]
	a.AcceptedAt = time.Now().UTC()
	a.FailureCode, a.Failure = "c", fromOutside
	for i := range a.Outputs {
		o := &a.Outputs[i]
		o.ID, o.MissingFields = []string{"out_0000000000000001", "out_0000000000000002"}[i], []string{fromOutside[:300]}
		file := &platen.File{ID: "f", Name: fromOutside, URL: "javascript:alert(1)", MIMEType: platen.MIMEPDF}
		if o.PDF != nil {
			o.PDF = file
		}
		if o.Failure != "" {
			o.Failure = fromOutside
		}
		o.Findings = []platen.Finding{{Code: "c", Message: fromOutside}}
	}
	r.events[0].OutputID, r.events[0].AutomationID = a.Outputs[0].ID, autID
	for i := range r.deliveries[evtID] {
		r.deliveries[evtID][i].Failure, r.deliveries[evtID][i].Answer = fromOutside[:300], fromOutside
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
