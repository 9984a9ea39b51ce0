package billing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
)

// mapped is the setting of the examples with changes of its map.
func mapped(t *testing.T, syntax platen.InvoiceSyntax, profile platen.InvoiceProfile, oldNew ...string) platen.EInvoice {
	t.Helper()
	e := setting(t, syntax, profile)
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(e.Map, oldNew[i]) {
			t.Fatalf("the map has no %s", oldNew[i])
		}
		e.Map = strings.Replace(e.Map, oldNew[i], oldNew[i+1], 1)
	}
	return e
}

// refused tells that an invoice is not made, for a finding at a setting.
func refused(t *testing.T, what string, e platen.EInvoice, event []byte, at, told string) {
	t.Helper()
	xml, found := billing.Make(e, evaluator(t, event))
	i := slices.IndexFunc(found, func(f billing.Finding) bool { return f.Setting == at && strings.Contains(f.Told, told) && !f.Note })
	if xml != nil || i < 0 {
		t.Errorf("%s: got %d bytes and %+v, want %q at %s", what, len(xml), found, told, at)
	}
}

// A group whose tags cannot be worked out is not one that the event lacks.
func TestAGroupThatCannotBeWorkedOutIsNotLeftOut(t *testing.T) {
	t.Parallel()
	discount := `"BG-27":{"BT-136":"{{= Price * Rebate}}"`
	e := mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, `"BG-27": {
        "BT-136": "{{Line discount}}"`, discount)
	event := changed(t, `"Price": "68.00"`, `"Price": "68.00", "Rebate": "a tenth"`)
	refused(t, "a discount of the last line", e, event, "einvoice.map.BG-25.BG-27.BT-136", "is not a number")
	e = mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, `{{Discount}}`, `{{= Discount / 0}}`)
	refused(t, "a discount of the invoice", e, changed(t, `"Total"`, `"Discount": 5, "Total"`), "einvoice.map.BG-20.BT-92", "")
}

// A scheme without its identifier would be an empty element, which receivers refuse.
func TestASchemeIsThereWithItsIdentifierAlone(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		e := mapped(t, kind.syntax, kind.profile, `"BT-50":`, `"BT-18":"{{Meter}}","BT-18-1":"AAA","BT-46":"{{Customer.GLN}}","BT-46-1":"0088","BT-50":`,
			`"BT-153":`, `"BT-128":"{{Meter}}","BT-128-1":"AAA","BT-157":"{{GTIN}}","BT-157-1":"0160","BT-158":"{{Class}}","BT-158-1":"STI","BT-153":`)
		xml, found := billing.Make(e, evaluator(t, read(t, "invoice.json")))
		if xml == nil {
			t.Errorf("%s %s: got %+v", kind.syntax, kind.profile, found)
		}
		for _, scheme := range []string{`"0088"`, `"AAA"`, ">AAA<", `"0160"`, `"STI"`, ">130<"} {
			if strings.Contains(string(xml), scheme) {
				t.Errorf("%s %s: got %s, want no %s", kind.syntax, kind.profile, xml, scheme)
			}
		}
	}
}

// Terms that a syntax writes beside a payment alone are not lost in silence.
func TestWhatTheSyntaxHasNoRoomForIsRefused(t *testing.T) {
	t.Parallel()
	invoice, credit := read(t, "invoice.json"), read(t, "credit-note.json")
	with := func(more string) []string {
		return []string{`"BT-10":`, more + `"BT-10":`, `"BG-16": {
      "BT-81": "58",`, `"BG-16": {"when":"1 = 2",
      "BT-81": "58",`}
	}
	refused(t, "the due date of a credit note", mapped(t, platen.InvoiceUBL, platen.InvoiceEN16931, with("")...), credit, "einvoice.map.BT-9", "beside a payment")
	refused(t, "a remittance", mapped(t, platen.InvoiceUBL, platen.InvoiceEN16931, with(`"BT-83":"RF18",`)...), invoice, "einvoice.map.BT-83", "beside a payment")
	refused(t, "a mandate", mapped(t, platen.InvoiceUBL, platen.InvoiceEN16931, with(`"BT-89":"M1",`)...), invoice, "einvoice.map.BT-89", "beside a payment")
	refused(t, "an account", mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, with(`"BT-91":"DE89370400440532013000",`)...), invoice, "einvoice.map.BT-91", "beside a payment")
	if xml, found := billing.Make(mapped(t, platen.InvoiceUBL, platen.InvoiceEN16931, with("")...), evaluator(t, invoice)); xml == nil {
		t.Errorf("an invoice without payments: got %+v", found)
	}
}

// An invoice that no PDF would hold is refused before it is made.
func TestAnInvoiceIsBounded(t *testing.T) {
	t.Parallel()
	item := `{"Name":"a","Quantity":1,"Unit code":"C62","Price":"1.00","VAT rate":19,"VAT category":"S"},`
	event := changed(t, `"Items": [`, `"Items": [`+strings.Repeat(item, 10_000))
	refused(t, "many lines", setting(t, platen.InvoiceCII, platen.InvoiceEN16931), event, "einvoice.map.BG-25", "10000 items")
	event = changed(t, `"Items": [`, `"Items": [`+strings.Repeat(item, 9_000))
	refused(t, "much XML", setting(t, platen.InvoiceCII, platen.InvoiceEN16931), event, "einvoice.map", "8 MiB")
	event = changed(t, `"Total"`, fmt.Sprintf(`"Text": %q, "Total"`, strings.Repeat("x", 1<<20)))
	e := mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, `"BT-153":`, `"BT-127":"{{Text}}","BT-154":"{{Text}}","BT-153":`)
	event = []byte(strings.Replace(string(event), `"Items": [`, `"Items": [`+strings.Repeat(item, 20), 1))
	refused(t, "long texts", e, event, "einvoice.map.BG-25.BT-154", "8 MiB")
}

func TestValuesThatFitTheRulesAndAreWrongAreRefused(t *testing.T) {
	t.Parallel()
	e := mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, `"BT-110": "{{VAT}}",`, ``, `"BT-112": "{{Total}}",`, ``, `"BT-115": "{{Due}}",`, ``)
	event := []byte(strings.ReplaceAll(string(read(t, "invoice.json")), `"VAT rate": 19`, `"VAT rate": 0.19`))
	refused(t, "a rate that is a share", e, event, "einvoice.map.BG-25.BT-152", "per cent")
	e = mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, `"BG-25":`, `"BG-24":{"BT-122":"a","BT-125":"{{File}}","BT-125-1":"application/pdf","BT-125-2":"a.pdf"},"BG-25":`)
	refused(t, "a file that is text", e, changed(t, `"Total"`, `"File": "see below!", "Total"`), "einvoice.map.BG-24.BT-125", "base64")
}

// Percentages of lines and prices for several are worked out, exactly.
func TestLinesAreWorkedOut(t *testing.T) {
	t.Parallel()
	e := mapped(t, platen.InvoiceCII, platen.InvoiceEN16931, `"BT-109": "{{Net}}",`, ``, `"BT-110": "{{VAT}}",`, ``, `"BT-112": "{{Total}}",`, ``, `"BT-115": "{{Due}}",`, ``,
		`"BT-136": "{{Line discount}}"`, `"BT-137":"100","BT-138":"{{Off}}"`, `"BT-153":`, `"BT-147":"0.50","BT-149":"3","BT-153":`)
	xml, found := billing.Make(e, evaluator(t, changed(t, `"Quantity": 1,`, `"Quantity": "0.015", "Off": 10,`)))
	inv, _, err := einvoice.Read(xml)
	if err != nil {
		t.Fatalf("got %v", found)
	}
	l := inv.Lines[0]
	if got := einvoice.FormatNumber(l.Net); len(l.Allowances) != 1 || einvoice.FormatNumber(l.Allowances[0].Amount) != "10.00" || got != "2.25" {
		t.Errorf("got %s with %+v", got, l.Allowances)
	}
	if got := einvoice.FormatNumber(l.GrossPrice); got != "2450.50" {
		t.Errorf("got a gross price of %s", got)
	}
}

// A credit note with signs gives money to the seller: rules allow it, and few mean it.
func TestASignOnACreditNoteIsNoted(t *testing.T) {
	t.Parallel()
	event := strings.NewReplacer(`"Quantity": 2`, `"Quantity": -2`, `"69.00"`, `"-69.00"`, `"13.11"`, `"-13.11"`, `"82.11"`, `"-82.11"`).Replace(string(read(t, "credit-note.json")))
	e := setting(t, platen.InvoiceUBL, platen.InvoiceEN16931)
	xml, found := billing.Make(e, evaluator(t, []byte(event)))
	if i := slices.IndexFunc(found, func(f billing.Finding) bool { return f.Note && f.Term == "BT-112" }); xml == nil || i < 0 {
		t.Errorf("got %+v, want a note", found)
	}
	if _, found := billing.Make(e, evaluator(t, read(t, "credit-note.json"))); len(found) > 0 {
		t.Errorf("without signs: got %+v", found)
	}
}
