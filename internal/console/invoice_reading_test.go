package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAnEInvoiceIsReadInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	const page = "/console/e-invoice"
	b.get(page).is(200).shows("Nothing of it is kept")
	b.drop(page, url.Values{}, "a.xml", "<a/>").is(http.StatusBadRequest).shows("The document is no e-invoice")
	b.drop(page, url.Values{}, "a.pdf", "%PDF-1.7 nothing").is(http.StatusBadRequest).shows("The PDF cannot be read")
	b.open("POST", page, url.Values{}).is(http.StatusBadRequest).shows("Choose a file first.")
	number := func(text string) einvoice.Number { n, _ := einvoice.ParseNumber(text); return n }
	inv := &einvoice.Invoice{
		Syntax: einvoice.CII, Specification: einvoice.SpecEN16931, Number: "RE-42", IssueDate: "2026-11-02", TypeCode: "380", Currency: "EUR", PaymentTerms: "now",
		Seller: einvoice.Party{Name: "Nordlicht Segel GmbH", VATID: "DE123456789", Address: &einvoice.Address{Country: "DE"}},
		Buyer:  einvoice.Party{Name: "Ada", Address: &einvoice.Address{Country: "DE"}},
		Lines:  []einvoice.Line{{ID: "1", Name: "Mainsail", Quantity: number("1"), Unit: "C62", Price: number("2688.00"), Category: "S", Rate: number("19")}},
	}
	einvoice.Complete(inv)
	invoice, err := einvoice.Write(inv)
	if err != nil {
		t.Fatal(err)
	}
	b.drop(page, url.Values{}, "a.xml", string(invoice)).is(200).shows("Invoice <bdi>RE-42</bdi>", "breaks no rule", "Nordlicht Segel GmbH", "3198.72 EUR", "Mainsail")
	inv.Specification, inv.VAT, inv.Totals = einvoice.SpecExtended, nil, nil
	inv.ServiceCharges = []einvoice.ServiceCharge{{Description: "Freight & packing", Amount: number("9.00"), Category: "S", Rate: number("19")}}
	einvoice.Complete(inv)
	extended, err := einvoice.Write(inv)
	if err != nil {
		t.Fatal(err)
	}
	b.drop(page, url.Values{}, "b.xml", string(extended)).is(200).shows("breaks no rule", "Factur-X EXTENDED", "Freight &amp; packing", "9.00")
	broken := strings.Replace(string(invoice), "<ram:GrandTotalAmount>3198.72", "<ram:GrandTotalAmount>3198.00", 1)
	b.drop(page, url.Values{}, "<b>.xml", broken).is(200).shows("A receiver would refuse this invoice", "BR-CO-15", "&lt;b&gt;.xml").lacks("<script>")
}
