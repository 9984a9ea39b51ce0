package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestListsCountWhatIsOddAboutRuns(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	x.store.Output(1).State, x.store.Output(1).Failure, x.store.Output(1).FailureCode = platen.OutputDone, "", ""
	b := x.console(t).signIn(memory.AdaToken)
	run := wf + "runs/" + memory.AutomationID + "/#documents"
	for _, page := range []string{"/", wf, wf + "runs/"} {
		b.get(page).is(200).shows(`href="` + run + `">2 fields empty, 1 finding</a>`)
	}
	b.get(wf+"outputs/").is(200).shows(`href="`+run+`">2 fields empty, 1 finding</a>`, `href="`+run+`">1 field empty</a>`)
	x.store.Output(0).Findings = []platen.Finding{{Code: platen.CodeNoField, Message: "None."}}
	b.get("/").is(200).shows(`>the event gave no field of the template</a>`)
	x.store.Output(0).Findings, x.store.Output(0).MissingFields, x.store.Output(1).MissingFields = nil, nil, nil
	for _, page := range []string{"/", wf, wf + "runs/", wf + "outputs/"} {
		b.get(page).is(200).lacks("#documents")
	}
}

func TestASearchThatFindsNothingSaysHowNamesBecomeTold(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	page := "/console" + strings.TrimPrefix(x.newWorkflow(t, `{"name":"Invoices","document":{}}`), "/v0") + "/"
	x.console(t).signIn(memory.AdaToken).get(page+"outputs/?q=Kiel").is(200).
		shows("Nothing.", "Name of each output", `href="`+page+`settings/#documents"`)
}

func TestOutputsAreShownBetweenTwoDays(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	_, err := x.Owner.Exec(t.Context(), `UPDATE outputs SET created_at = '2026-01-31T23:59:59Z' WHERE id = $1`, me.IDs["output"])
	x.Must(err)
	b, page, run := x.console(t).signIn(me.Token), "/console/workflows/"+me.IDs["workflow"]+"/outputs/", "/runs/"+me.IDs["automation"]+"/"
	for _, query := range []string{"", "?from=2026-01-31&to=2026-01-31", "?from=2026-01-31", "?to=2026-01-31"} {
		b.get(page + query).is(200).shows(run)
	}
	for _, query := range []string{"?from=2026-02-01", "?to=2026-01-30", "?from=2026-01-01&to=2026-01-30"} {
		b.get(page + query).is(200).shows("Nothing.").lacks(run)
	}
	b.get(page+"?from=2026-02-01&state=FAILED").is(200).shows(`value="2026-02-01"`, "?from=2026-02-01&amp;state=PENDING")
	b.get(page + "?from=yesterday").is(200).shows("A day is written like 2026-01-31.")
}

func TestRunsOutputsAndEventsAreShownByDay(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	for set, id := range map[string]string{`automations SET accepted_at`: me.IDs["automation"], `outputs SET created_at`: me.IDs["output"], `events SET created_at`: me.IDs["event"]} {
		_, err := x.Owner.Exec(t.Context(), `UPDATE `+set+` = '2026-01-31T23:59:59Z' WHERE id = $1`, id)
		x.Must(err)
	}
	now := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return now } }).signIn(me.Token)
	at, run := "/console/workflows/"+me.IDs["workflow"]+"/", "/runs/"+me.IDs["automation"]+"/"
	for _, list := range []string{"runs/", "outputs/", "events/"} {
		chips := b.get(at+list+"?state=").is(200).shows(run, `aria-current="true">Any day</a>`).body
		for text, c := range map[string]struct {
			query string
			has   bool
		}{
			"Today":     {"?from=2026-02-01&to=2026-02-01", false},
			"Yesterday": {"?from=2026-01-31&to=2026-01-31", true},
			"7 days":    {"?from=2026-01-26&to=2026-02-01", true},
			"30 days":   {"?from=2026-01-03&to=2026-02-01", true},
		} {
			if link := `href="` + at + list + strings.ReplaceAll(c.query, "&", "&amp;") + `">` + text + `</a>`; !strings.Contains(chips, link) {
				t.Errorf("%s: got no link %s", list, link)
			}
			// A page with an open form does not change by itself.
			day := b.get(at+list+c.query).is(200).shows(`aria-current="true">`+text+`</a>`, "<details>\n<summary>Choose days")
			if c.has {
				day.shows(run)
			} else {
				day.shows("Nothing.").lacks(run)
			}
		}
		b.get(at+list+"?from=2026-01-31&state=FAILED").is(200).shows(`value="2026-01-31"`, "<details open>\n<summary>Choose days", `<input type="hidden" name="state" value="FAILED">`, "?from=2026-02-01&amp;state=FAILED&amp;to=2026-02-01")
		b.get(at + list + "?to=2026-01-30").is(200).shows("Nothing.").lacks(run)
		b.get(at + list + "?to=tomorrow").is(200).shows("A day is written like 2026-01-31.")
	}
	b.get(at+"runs/?from=2026-01-31&test=true").is(200).shows("?from=2026-01-31&amp;state=COMPLETED&amp;test=true", "?from=2026-01-31&amp;mail=FAILED")
}

func TestOutputsAreFoundByTheirNameInTheConsole(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	_, err := x.Owner.Exec(t.Context(), `
		UPDATE outputs
		SET state = 'DONE', pdf = '{"name": "Invoice 17 <b>Kiel</b>.pdf", "id": "f", "url": "https://drive.test/f"}'
		WHERE id = $1`, me.IDs["output"])
	x.Must(err)
	b, page, run := x.console(t).signIn(me.Token), "/console/workflows/"+me.IDs["workflow"]+"/outputs/", "/runs/"+me.IDs["automation"]+"/"
	for _, query := range []string{"?q=Kiel", "?q=kiel+17&state=DONE", "?q=INVOICE+"} {
		b.get(page+query).is(200).shows(run, "Invoice 17 &lt;b&gt;Kiel&lt;/b&gt;.pdf").lacks("<b>Kiel")
	}
	for _, query := range []string{"?q=Hamburg", "?q=Kiel+18", "?q=Kiel&state=FAILED", "?q=Kiel&to=2020-01-01"} {
		b.get(page + query).is(200).shows("Nothing.").lacks(run)
	}
	b.get(page+"?q=Kiel&from=2020-01-01").is(200).shows(run, "?from=2020-01-01&amp;q=Kiel&amp;state=FAILED")
}
