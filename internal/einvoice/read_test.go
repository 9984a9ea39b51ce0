package einvoice_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
)

const ublHead = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">`

func TestWhatNoInvoiceNeedsIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, document, want string }{
		{"nothing", "", "no element"},
		{"no XML", "invoice 1", "no element"},
		{"another document", "<html/>", "no e-invoice"},
		{"UBL of another namespace", "<Invoice/>", "no e-invoice"},
		{"ZUGFeRD 1", `<CrossIndustryDocument xmlns="urn:ferd:CrossIndustryDocument:invoice:1p0"/>`, "ZUGFeRD 2"},
		{"not closed", ublHead, "well-formed"},
		{"a document type", `<!DOCTYPE Invoice [<!ENTITY x "y">]>` + ublHead + `<b:ID>&x;</b:ID></Invoice>`, "document type"},
		{"an entity", ublHead + `<b:ID>&x;</b:ID></Invoice>`, "well-formed"},
		{"depth", ublHead + strings.Repeat("<a:Party>", 100) + strings.Repeat("</a:Party>", 100) + "</Invoice>", "more than 64"},
		{"depth of an extension", ublHead + strings.Repeat("<x>", 100) + strings.Repeat("</x>", 100) + "</Invoice>", "more than 64"},
		{"elements", ublHead + strings.Repeat("<b:Note/>", 500_001) + "</Invoice>", "more than 500000"},
		{"elements of an extension", ublHead + "<x>" + strings.Repeat("<x/>", 500_001) + "</x></Invoice>", "more than 500000"},
		{"two invoices", ublHead + "</Invoice>" + ublHead + "</Invoice>", "more than one element"},
		{"size", ublHead + strings.Repeat(" ", einvoice.MaxBytes) + "</Invoice>", "larger than 64 MB"},
	} {
		if _, _, err := einvoice.Read([]byte(c.document)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestPrefixesEncodingsAndExtensionsOfOthersAreRead(t *testing.T) {
	t.Parallel()
	body := ublHead + "<x:UBLExtensions xmlns:x=\"urn:x\"><b:ID>extension</b:ID></x:UBLExtensions><b:ID> R-1\n</b:ID><b:Note>Stra\u00dfe</b:Note></Invoice>"
	for name, document := range map[string][]byte{
		"UTF-8":            []byte(body),
		"UTF-8 with mark":  []byte("\ufeff" + `<?xml version="1.0" encoding="UTF-8"?>` + body),
		"ISO-8859-1":       []byte(`<?xml version="1.0" encoding="ISO-8859-1"?>` + strings.ReplaceAll(body, "\u00df", "\xdf")),
		"comments in text": bytes.ReplaceAll([]byte(body), []byte("R-1"), []byte("R<!-- x -->-<?x?>1")),
	} {
		inv, found, err := einvoice.Read(document)
		if err != nil || len(found) > 0 || inv.Number != "R-1" || len(inv.Notes) != 1 || inv.Notes[0].Text != "Stra\u00dfe" {
			t.Errorf("%s: got %+v, %v, %v", name, inv, found, err)
		}
	}
}

func TestWhatCannotBeReadIsAFindingWithItsTermAndPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, term, place string }{
		{"<b:IssueDate>29.11.2026</b:IssueDate>", "BT-2", ""},
		{"<b:IssueDate>2026-02-30</b:IssueDate>", "BT-2", ""},
		{"<b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode><a:InvoiceLine/><a:InvoiceLine><b:LineExtensionAmount currencyID='EUR'>1,50</b:LineExtensionAmount></a:InvoiceLine>", "BT-131", "line 2"},
		{"<b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode><a:InvoiceLine><b:LineExtensionAmount currencyID='USD'>1</b:LineExtensionAmount></a:InvoiceLine>", "BT-131", "line 1"},
		{"<a:InvoiceLine><b:InvoicedQuantity>1e400000000</b:InvoicedQuantity></a:InvoiceLine>", "BT-129", "line 1"},
		{"<a:InvoiceLine><b:InvoicedQuantity>" + strings.Repeat("9", 1000) + "</b:InvoicedQuantity></a:InvoiceLine>", "BT-129", "line 1"},
	} {
		_, found, err := einvoice.Read([]byte(ublHead + c.body + "</Invoice>"))
		if err != nil || len(found) != 1 || found[0].Term != c.term || found[0].Place != c.place || found[0].Cure == "" {
			t.Errorf("%s: got %v, %v; want one finding of %s at %q", c.body, found, err, c.term, c.place)
		}
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1": "1", "1.50": "1.50", "-0.00": "0.00", "+7.": "7", ".5": "0.5", "100": "100", "12345678901234567890.12": "12345678901234567890.12",
	} {
		n, ok := einvoice.ParseNumber(text)
		if got := einvoice.FormatNumber(n); !ok || got != want {
			t.Errorf("%s: got %q, %v; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1e3", "1,5", "NaN", "Inf", "0x1", "1 000", "--1", "."} {
		if n, ok := einvoice.ParseNumber(text); ok {
			t.Errorf("%s: got %v, want no number", text, n)
		}
	}
}

// FuzzRead holds the reader to what any document must not do: a panic, or an invoice that
// does not come back as it was written.
func FuzzRead(f *testing.F) {
	for _, inv := range []*einvoice.Invoice{invoice(einvoice.CII), invoice(einvoice.UBL)} {
		document, err := einvoice.Write(inv)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		inv, _, err := einvoice.Read(document)
		if err != nil {
			return
		}
		einvoice.Validate(inv)
		first, err := einvoice.Write(inv)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := einvoice.Read(first)
		if err != nil {
			t.Fatalf("read what was written: %v\n%s", err, first)
		}
		second, err := einvoice.Write(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("written twice: %v\n%s\n%s", err, first, second)
		}
	})
}

// invoice is a small one that nothing is wrong with.
func invoice(syntax einvoice.Syntax) *einvoice.Invoice {
	number := func(text string) einvoice.Number {
		n, ok := einvoice.ParseNumber(text)
		if !ok {
			panic(fmt.Sprint(text, " is no number"))
		}
		return n
	}
	address := func() *einvoice.Address {
		return &einvoice.Address{Line1: "Street 1", City: "Berlin", PostCode: "10115", Country: "DE"}
	}
	inv := &einvoice.Invoice{
		Syntax: syntax, Specification: einvoice.SpecXRechnung, Process: einvoice.ProcessPeppol,
		Number: "R-1", IssueDate: "2026-11-29", TypeCode: "380", Currency: "EUR", BuyerReference: "04011000-12345-67", DueDate: "2026-12-29",
		Seller: einvoice.Party{
			Name: "Seller GmbH", VATID: "DE123456789", Address: address(), Endpoint: &einvoice.ID{Value: "s@example.com", Scheme: "EM"},
			Contact: &einvoice.Contact{Name: "Ada", Phone: "+49 30 123456", Email: "ada@example.com"},
		},
		Buyer:    einvoice.Party{Name: "Buyer AG", Address: address(), Endpoint: &einvoice.ID{Value: "b@example.com", Scheme: "EM"}},
		Payments: []einvoice.Payment{{Code: "58", Account: &einvoice.Account{ID: "DE79000000001234567890"}}},
		Lines: []einvoice.Line{
			{ID: "1", Name: "Work", Quantity: number("2.5"), Unit: "HUR", Price: number("80.00"), Category: "S", Rate: number("19")},
			{ID: "2", Name: "Book", Quantity: number("1"), Unit: "C62", Price: number("19.99"), Category: "S", Rate: number("7")},
		},
	}
	einvoice.Complete(inv)
	return inv
}
