package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// A page costs what it asks of /v0. Only the page of events asks more where it lists more:
// once for each event, for its attempts.
func TestPagesOfTheConsoleAskAsLittleOfALongListAsOfAShortOne(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationFailed)
	var asked []string
	b := x.console(t, func(o *console.SiteOptions) {
		o.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.RequestURI())
			x.api.ServeHTTP(w, r)
		})
	}).signIn(memory.AdaToken)
	pages := map[string]int{
		"/":                   17,
		"/console/find?q=A":   8,
		"/console/workflows/": 5,
		wf:                    9,
		wf + "runs/":          5,
		wf + "runs/?from=2026-01-02&to=2026-01-02": 5,
		wf + "runs/" + memory.AutomationID + "/":   9,
		wf + "outputs/":                            6,
		wf + "template/":                           7,
		wf + "data/":                               10,
		wf + "delivery/":                           9,
		wf + "settings/":                           4,
	}
	of := func(page string) []string {
		asked = nil
		b.get(page).is(200)
		return asked
	}
	short := map[string][]string{}
	for range 2 { // the first time, templates are checked
		for page := range pages {
			short[page] = of(page)
		}
	}
	for n := range 30 {
		a := x.store.Runs.Automations[0]
		a.ID, a.AcceptedAt = fmt.Sprintf("aut_00000000000001%02d", n), a.AcceptedAt.Add(time.Duration(n-30)*time.Second)
		a.Outputs = slices.Clone(a.Outputs)
		for i := range a.Outputs {
			a.Outputs[i].ID, a.Outputs[i].AutomationID = fmt.Sprintf("out_000000000000%02d%02d", n+10, i), a.ID
		}
		x.store.Runs.Automations = append(x.store.Runs.Automations, a)
	}
	for page, want := range pages {
		if long := of(page); len(long) != want || len(short[page]) != want {
			t.Errorf("%s asks %d times, and of a short list %d times; want %d: %q", page, len(long), len(short[page]), want, long)
		}
	}
}
