package billing_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
)

// extras are terms and groups that the profile EXTENDED of Factur-X alone has.
const extras = `"BT-X-2":"Invoice","BT-X-226":"Accounts Ltd","BT-X-239":"DE","BT-X-164":"Site","BT-X-162":"5790000436057","BT-X-162-1":"0088",
	"BG-X-42":{"BT-X-271":"Freight","BT-X-272":"{{Freight}}","BT-X-273":"S","BT-X-274":"19"},
	"BG-X-44":[{"BT-X-283":"14","BT-X-284":"DAY","BT-X-286":"2"},{"BT-X-283":"30","BT-X-284":"DAY","BT-X-286":"1"}],`

// lineExtras are those of lines.
const lineExtras = `"BT-X-8":"{{Status}}","BT-X-304":"{{Part of}}","BT-X-21":"PO-7","BT-X-50":"Yard","BT-X-63":"DE","BT-X-85":"2026-10-30","BT-X-92":"DN-1",
	"BT-147":"0.50","BT-X-36":"Rebate","BT-147-00":{"BT-147":"0.25","BT-X-36":"Bonus"},"BT-127":"First","BT-127-00":[{"BT-127":"Second"},{"BT-127":"Third","BT-X-10":"AAI"}],`

func extendedSetting(t *testing.T) platen.EInvoice {
	t.Helper()
	return mapped(t, platen.InvoiceCII, platen.InvoiceExtended, `"BT-10":`, extras+`"BT-10":`, `"BT-153":`, lineExtras+`"BT-153":`,
		`"BT-109": "{{Net}}",`, ``, `"BT-110": "{{VAT}}",`, ``, `"BT-112": "{{Total}}",`, ``, `"BT-115": "{{Due}}",`, ``)
}

func TestWhatExtendedHasBeyondEN16931IsFilledAndCounted(t *testing.T) {
	t.Parallel()
	event := changed(t, `"Total"`, `"Freight": "9.00", "Total"`)
	xml, found := billing.Make(extendedSetting(t), evaluator(t, event))
	inv, _, err := einvoice.Read(xml)
	if err != nil {
		t.Fatalf("got %+v", found)
	}
	if n := inv.Totals; einvoice.FormatNumber(n.Charges) != "9.00" || einvoice.FormatNumber(n.WithoutVAT) != "2697.00" || einvoice.FormatNumber(n.VAT) != "512.43" {
		t.Errorf("got charges of %v and %v with %v, want 9.00 more than the lines", n.Charges.Decimal, n.WithoutVAT.Decimal, n.VAT.Decimal)
	}
	l := inv.Lines[0]
	if inv.Title != "Invoice" || inv.Invoicee.Name != "Accounts Ltd" || inv.FinalDelivery.ID.Scheme != "0088" || len(inv.Discounts) != 2 || l.Delivery.Date != "2026-10-30" ||
		l.OrderNumber != "PO-7" || l.DeliveryNote != "DN-1" || l.Note != "First" || len(l.MoreNotes) != 2 || l.MoreNotes[1].Subject != "AAI" {
		t.Errorf("got %+v of %+v", l, inv)
	}
	if want := l.Price.Decimal.Add(l.Discount.Decimal).Add(l.MoreDiscounts[0].Amount.Decimal); !l.GrossPrice.Decimal.Equal(want) {
		t.Errorf("got a gross price of %s, want %s", l.GrossPrice.Decimal, want)
	}
	event = []byte(strings.Replace(string(event), `"Quantity":`, `"Status": "GROUP", "Quantity":`, 1))
	refused(t, "a group that is not the sum of its lines", extendedSetting(t), event, "einvoice.map.BG-25", "lines that are part of it have")
}

func TestTermsThatAProfileHasNoPlaceForAreRefusedWhereTheyStand(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		profile        platen.InvoiceProfile
		terms          string
		pointer, words string
	}{
		"a term of EXTENDED":          {platen.InvoiceEN16931, `{"BT-X-2":"Invoice"}`, "/BT-X-2", "(Document name) has no place in the profile EN16931: leave it out, or set einvoice.profile to EXTENDED"},
		"a group of EXTENDED":         {platen.InvoiceXRechnung, `{"BG-X-42":{"BT-X-272":"1"}}`, "/BG-X-42", "(Service charges) has no place in the profile XRECHNUNG"},
		"a line's term of EXTENDED":   {platen.InvoicePeppol, `{"BG-25":{"each":"Items","BT-X-8":"DETAIL"}}`, "/BG-25/BT-X-8", "PEPPOL"},
		"further notes":               {platen.InvoiceEN16931, `{"BG-25":{"each":"Items","BT-127-00":[{"BT-127":"a"}]}}`, "/BG-25/BT-127-00", "(Further line notes)"},
		"a description in BASIC":      {platen.InvoiceBasic, `{"BG-25":{"each":"Items","BT-154":"{{Text}}"}}`, "/BG-25/BT-154", "BASIC: leave it out, or set einvoice.profile to EN16931"},
		"a term of EXTENDED in BASIC": {platen.InvoiceBasic, `{"BT-X-202":"1"}`, "/BT-X-202", "set einvoice.profile to EXTENDED"},
	} {
		faults := billing.Check(c.profile, []byte(c.terms))
		if len(faults) != 1 || faults[0].Pointer != c.pointer || !strings.Contains(faults[0].Message, c.words) {
			t.Errorf("%s: got %+v, want %q at %s", what, faults, c.words, c.pointer)
		}
		if faults := billing.Check(platen.InvoiceExtended, []byte(c.terms)); len(faults) > 0 {
			t.Errorf("%s in EXTENDED: got %+v", what, faults)
		}
	}
	e := extendedSetting(t)
	e.Profile = platen.InvoiceEN16931
	if xml, found := billing.Make(e, evaluator(t, read(t, "invoice.json"))); xml != nil || len(found) != 1 || !found[0].OfMap || !strings.Contains(found[0].Told, "EXTENDED") {
		t.Errorf("a map of another profile: got %d bytes, %+v", len(xml), found)
	}
}
