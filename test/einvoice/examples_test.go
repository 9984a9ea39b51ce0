package einvoice_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
	"github.com/platenhq/platen/internal/template/lang"
)

// What a workflow makes of the examples is accepted by the published rules, too.
func TestInvoicesOfTheExampleEventsAreAcceptedByThePublishedRules(t *testing.T) {
	t.Parallel()
	o := newOfficial(t)
	const folder = "../../examples/e-invoices/"
	var sent struct{ Map json.RawMessage }
	setting, err := os.ReadFile(folder + "einvoice.json")
	if err == nil {
		err = json.Unmarshal(setting, &sent)
	}
	if err != nil {
		t.Fatal(err)
	}
	events, err := filepath.Glob(folder + "*.json")
	if err != nil {
		t.Fatal(err)
	}
	documents, sheets := map[string][]byte{}, map[string][]string{}
	for _, at := range events {
		event, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(at), ".json")
		if name == "einvoice" {
			continue
		}
		data, err := lang.ParseData(event)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []platen.EInvoice{
			{Syntax: platen.InvoiceCII, Profile: platen.InvoiceEN16931}, {Syntax: platen.InvoiceCII, Profile: platen.InvoiceXRechnung}, {Syntax: platen.InvoiceCII, Profile: platen.InvoiceExtended},
			{Syntax: platen.InvoiceUBL, Profile: platen.InvoiceEN16931}, {Syntax: platen.InvoiceUBL, Profile: platen.InvoiceXRechnung}, {Syntax: platen.InvoiceUBL, Profile: platen.InvoicePeppol},
		} {
			kind.Map = string(sent.Map)
			if kind.Profile == platen.InvoicePeppol {
				kind.Map = strings.ReplaceAll(kind.Map, `"EM"`, `"9930"`)
			}
			what := name + "-" + string(kind.Syntax) + "-" + string(kind.Profile)
			xml, found := billing.Make(kind, lang.NewEvaluator(data, lang.Builtins{Number: lang.AnySeries}))
			if xml == nil {
				t.Fatalf("%s: %+v", what, found)
			}
			inv, _, err := einvoice.Read(xml)
			if err != nil {
				t.Fatal(err)
			}
			documents[what], sheets[what] = xml, sheetsOf(inv)
		}
	}
	for what, rules := range o.failed(t, documents, sheets) {
		t.Errorf("%s: the published rules refuse it: %q", what, rules)
	}
	t.Logf("%d invoices", len(documents))
}
