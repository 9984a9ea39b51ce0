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
	for screen, o := range map[string]browser.Options{
		"light": {}, "dark": {Dark: true}, "telephone": {Width: 390}, "telephone-dark": {Width: 390, Dark: true},
	} {
		o.Hosts = []string{i.host}
		p := browser.Open(t, o)
		for _, name := range []string{"", "start", "api", "errors", "settings", "decisions/", "nothing"} {
			p.Visit(i.origin + "/docs/" + name)
			if want := map[bool]int64{true: http.StatusNotFound, false: http.StatusOK}[name == "nothing"]; p.Status() != want {
				t.Errorf("%s, %s: got %d, want %d", name, screen, p.Status(), want)
			}
			p.WantFit()
			if wide := p.Evaluate(`String([...document.querySelectorAll("table")].filter(t => t.scrollWidth > t.clientWidth + 1).length)`); o.Width == 390 && wide != "0" {
				t.Errorf("%s, %s: %s tables are wider than the screen", name, screen, wide)
			}
			wantAccessible(t, p, "docs "+name+", "+screen)
			p.Shot("docs-" + strings.Trim(strings.Trim(name, "/")+"-"+screen, "-"))
		}
		p.Type("#q", "token_revoked")
		p.Press("header button")
		wantAccessible(t, p, "docs search, "+screen)
		p.Shot("docs-search-" + screen)
		p.Press(".found a")
		if got := p.Evaluate(`location.pathname + location.hash`); got != "/docs/errors#token_revoked" {
			t.Errorf("%s: the first that was found is %s, want the section of the error", screen, got)
		}
		p.Visit(i.origin + "/docs/contract")
		p.WantFit()
		wantAccessible(t, p, "docs contract, "+screen)
	}
}
