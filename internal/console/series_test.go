package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestSeriesOfNumbersAreSeenAndSetInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	b.get("/console/workflows/").is(200).shows(`href="/console/series/"`)
	b.get("/console/series/").is(200).shows("No series has begun.")
	x.do(t, "PATCH", "/v0/series/invoices/", `{"next":1003}`).is(200)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	id := strings.TrimPrefix(wf, "/v0/workflows/")
	drawn := []platen.DrawnNumber{
		{Number: 1, UpTo: 1000, State: platen.NumberVoid, Code: platen.CodeNumberSkipped, VoidAt: &at},
		{Number: 1001, UpTo: 1001, State: platen.NumberUsed, AutomationID: memory.AutomationID, WorkflowID: id},
		{Number: 1002, UpTo: 1002, State: platen.NumberVoid, Code: "template_faulty", AutomationID: memory.AutomationID, WorkflowID: id, VoidAt: &at},
	}
	for _, n := range drawn {
		n.Series, n.DrawnAt = "invoices", at
		x.store.Given = append(x.store.Given, n)
	}
	b.get("/console/series/").is(200).shows(`href="/console/series/invoices/"`, "1003")
	page := "/console/series/invoices/"
	b.get(page).is(200).shows("1003", "1 to 1000", "left out", "1001", "used", "1002", "void", "template_faulty", "/console/workflows/"+id+"/runs/"+memory.AutomationID+"/", "2026-01-02 03:04:05 UTC")
	b.get(page + "?state=VOID").is(200).shows("template_faulty").lacks(">1001<")
	b.get(page + "?state=WRONG").is(http.StatusBadRequest)
	b.open("POST", page, url.Values{"next": {"2000"}}).is(http.StatusSeeOther)
	b.get(page).is(200).shows("2000")
	b.open("POST", page, url.Values{"next": {"5"}}).is(http.StatusBadRequest).shows(`role="alert"`, `value="5"`)
	b.open("POST", page, url.Values{"next": {"many"}}).is(http.StatusBadRequest).shows("Type in a whole number", `value="many"`)
	b.open("POST", page, url.Values{"next": {"0"}}).is(http.StatusBadRequest).shows(`aria-errormessage="fault-next"`)
	b.get("/console/series/invoices@2026/").is(200).shows("No number was taken")
	for _, name := range []string{"Invoices", "a-b", "%2e%2e", "a%2fb"} {
		b.get("/console/series/" + name + "/").is(http.StatusNotFound)
	}
	x.console(t).signIn(memory.BobToken).get("/console/series/").is(200).shows("No series has begun.").lacks("invoices")
	x.store.Scope(memory.AdaToken, "read")
	b.get(page).is(200).lacks("<form method=\"post\" action=\"" + page)
	b.open("POST", page, url.Values{"next": {"3000"}}).is(http.StatusForbidden)
}

var nextOfList = regexp.MustCompile(`<a rel="next" href="([^"]*)"`)

func TestNumbersOfASeriesHavePages(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := int64(1); n <= 120; n++ {
		x.store.Given = append(x.store.Given, platen.DrawnNumber{Series: "invoices", Number: n, UpTo: n, State: platen.NumberUsed, AutomationID: memory.AutomationID, WorkflowID: "wkf_0000000000000001", DrawnAt: at})
	}
	b := x.console(t).signIn(memory.AdaToken)
	found := nextOfList.FindStringSubmatch(b.get("/console/series/invoices/?state=USED").is(200).shows("<td>100</td>").lacks("<td>101</td>").body)
	if found == nil {
		t.Fatal("the page has no link to the next numbers")
	}
	b.get(html.UnescapeString(found[1])).is(200).shows("<td>101</td>", "<td>120</td>", `aria-current="true">used`).lacks("<td>100</td>")
}
