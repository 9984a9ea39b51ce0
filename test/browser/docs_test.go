package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/browser"
)

func TestTheDocsFitAndAreFoundBySearchInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	for screen, o := range looked(map[string]browser.Options{
		"light": {}, "dark": {Dark: true}, "telephone": {Width: 390}, "telephone-dark": {Width: 390, Dark: true},
	}) {
		o.Hosts = []string{i.host}
		p := browser.Open(t, o)
		for _, name := range []string{"", "start", "guides/send-an-event", "api", "errors", "settings", "nothing"} {
			p.Visit(i.origin + "/docs/" + name)
			if want := map[bool]int64{true: http.StatusNotFound, false: http.StatusOK}[name == "nothing"]; p.Status() != want {
				t.Errorf("%s, %s: got %d, want %d", name, screen, p.Status(), want)
			}
			p.WantFit()
			if wide := p.Evaluate(`String([...document.querySelectorAll("table")].filter(t => t.scrollWidth > t.clientWidth + 1).length)`); o.Width == 390 && wide != "0" {
				t.Errorf("%s, %s: %s tables are wider than the screen", name, screen, wide)
			}
			wantAccessible(t, p, "docs "+name+", "+screen)
			p.Shot("docs-" + strings.Trim(strings.ReplaceAll(strings.Trim(name, "/"), "/", "-")+"-"+screen, "-"))
		}
		p.Type("#q", "token_revoked")
		p.Press("header button")
		wantAccessible(t, p, "docs search, "+screen)
		p.Shot("docs-search-" + screen)
		p.Press(".found a")
		if got := p.Evaluate(`location.pathname + location.hash`); got != "/docs/errors#token_revoked" {
			t.Errorf("%s: the first that was found is %s, want the section of the error", screen, got)
		}
		if o.Width == 390 {
			p.Visit(i.origin + "/docs/errors")
			p.Evaluate(`document.querySelector("body > details.small summary").click(); ""`)
			wantAccessible(t, p, "docs contents, "+screen)
			p.WantFit()
			p.Shot("docs-contents-" + screen)
			p.Press(`details.small a[href$="guides/send-an-event"]`)
			if got := p.Evaluate(`location.pathname`); got != "/docs/guides/send-an-event" {
				t.Errorf("%s: the contents lead to %s, want the guide", screen, got)
			}
		}
	}
}

func TestTheContractFitsAndLeadsToItsRequestsInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	for screen, o := range looked(map[string]browser.Options{"dark": {Dark: true}, "telephone": {Width: 390}}) {
		o.Hosts = []string{i.host}
		p := browser.Open(t, o)
		p.Visit(i.origin + "/docs/contract")
		p.WantFit()
		contents := "nav.wide"
		if o.Width == 390 {
			contents = "details.small"
			p.Evaluate(`document.querySelector("details.small summary").click(); ""`)
			p.WantFit()
		}
		if got := p.Evaluate(`document.querySelector('` + contents + ` a[href="#createWorkflow"]').click(); location.hash`); got != "#createWorkflow" {
			t.Errorf("%s: the contents lead to %q, want the request", screen, got)
		}
		wantAccessible(t, p, "docs contract, "+screen)
	}
}
