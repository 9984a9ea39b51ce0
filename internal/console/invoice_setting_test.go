package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAnEInvoiceIsProposedSetCorrectedAndTakenAwayInTheConsole(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`), Findings: []platen.TemplateFinding{
		{Where: "einvoice.map.BG-25.BT-129", Code: "unknown_field", Message: "The source has no field Qantity.", Nearest: []string{"Quantity"}},
	}}}
	wrong := false
	x := newHarness(t, func(o *api.Options) {
		o.Templates = looked
		o.Tags = func(_, _ []string) []api.TagFinding { return nil }
		o.InvoiceMap = func(platen.InvoiceProfile, []byte) []platen.Fault {
			if wrong {
				return []platen.Fault{{Pointer: "/BT-112", Message: "fills a number and is none: write {{Total}}"}, {Pointer: "/BG-99", Message: "is no business term"}}
			}
			return nil
		}
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"createPdfCopy":true}`)
	page := strings.Replace(d, "/v0/", "/console/", 1) + "/einvoice"
	b := x.console(t).signIn(memory.AdaToken)
	b.whole(strings.Replace(wf, "/v0/", "/console/", 1) + "/").shows(`href="` + page + `"`)
	b.get(page).is(200).shows("Propose", "BG-25/each", `<option lang="en" value="BT-129">Lines: Invoiced quantity</option>`).lacks("Make no e-invoices")
	b.get(page+"?propose=XRECHNUNG").is(200).shows("This is a proposal", `name="map/BT-1" value="{{Invoice number}}"`, "to be filled", `name="map/BT-27"`)
	form := url.Values{"syntax": {"CII"}, "profile": {"EN16931"}, "map/BT-1": {"{{Number invoices}}"}, "map/BT-9": {""}, "map/BG-20/0/BT-92": {"1"}, "map/BG-20/1/BT-92": {"2"},
		"term": {"BT-129", "BG-25/each", ""}, "text": {"{{Qantity}}", "Items", ""}}
	to := b.open("POST", page, form).is(http.StatusSeeOther).header.Get("Location")
	const want = `"einvoice":{"syntax":"CII","profile":"EN16931","map":{"BG-20":[{"BT-92":"1"},{"BT-92":"2"}],"BG-25":{"BT-129":"{{Qantity}}","each":"Items"},"BT-1":"{{Number invoices}}"}}`
	if got := x.do(t, "GET", d, "").is(200).body; !strings.Contains(got, want) {
		t.Fatalf("got %s, want %s", got, want)
	}
	b.get(to).is(200).shows("The e-invoice is saved", "Of the last events, 0 would", "The source has no field Qantity. Did you mean Quantity?", `id="map-BG-25-BT-129"`, "Document allowances 2", "Make no e-invoices")
	wrong = true
	form.Set("map/BT-112", "Total")
	b.open("POST", page, form).is(http.StatusBadRequest).shows("Nothing was saved", `value="Total"`, `id="fault-map-BT-112">BT-112 fills a number and is none: write {{Total}}.`, "BG-99 is no business term.")
	wrong = false
	b.open("POST", page, url.Values{"remove": {"1"}}).is(http.StatusSeeOther)
	if got := x.do(t, "GET", d, "").is(200).body; strings.Contains(got, "einvoice") {
		t.Errorf("got %s, want none", got)
	}
	x.do(t, "PATCH", d, `{"enablePdfPassword":true}`).is(200)
	b.open("POST", page, url.Values{"syntax": {"CII"}, "profile": {"EN16931"}, "map/BT-1": {"x"}}).is(http.StatusBadRequest).shows("cannot be encrypted", `value="x"`)
	x.store.Scope(memory.AdaToken, "read")
	b.get(page).is(200).lacks("<form method=\"post\" action=\"" + page)
}
