package billing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
	"github.com/platenhq/platen/internal/template/lang"
)

func TestAMapIsProposedByNamesInEnglishAndGerman(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct{ template, want string }{
		"English": {
			`{{Invoice number}} {{Invoice date}} {{Due date}} {{Customer.Name}} {{Customer.Address.City}} {{Customer.Country}} {{Customer VAT ID}} {{Seller.Name}} {{Subtotal}} {{VAT amount}} {{Total}} {{IBAN}} {{Order number}}
			{{#each Items}}{{Name}} {{Quantity}} {{Unit price}} {{VAT rate}} {{Net}}{{/each}}`,
			`{"BT-1":"{{Invoice number}}","BT-2":"{{Invoice date}}","BT-3":"380","BT-9":"{{Due date}}","BT-13":"{{Order number}}","BT-27":"{{Seller.Name}}","BT-44":"{{Customer.Name}}","BT-48":"{{Customer VAT ID}}","BT-52":"{{Customer.Address.City}}","BT-55":"{{Customer.Country}}","BT-109":"{{Subtotal}}","BT-110":"{{VAT amount}}","BT-112":"{{Total}}","BG-16":{"BT-81":"58","BT-84":"{{IBAN}}"},"BG-25":{"each":"Items","BT-126":"{{@index}}","BT-129":"{{Quantity}}","BT-130":"C62","BT-131":"{{Net}}","BT-146":"{{Unit price}}","BT-151":"S","BT-152":"{{VAT rate}}","BT-153":"{{Name}}"}}`,
		},
		"German": {
			`{{Rechnungsnummer}} {{Rechnungsdatum}} {{Fälligkeitsdatum}} {{Kunde.Name}} {{Kunde.Straße}} {{Kunde.PLZ}} {{Kunde.Ort}} {{Leitweg-ID}} {{Nettobetrag}} {{MwSt-Betrag}} {{Gesamtbetrag}} {{Bestellnummer}}
			{{#each Positionen}}{{Pos}} {{Bezeichnung}} {{Menge}} {{Einzelpreis}} {{Steuersatz}}{{/each}}`,
			`{"BT-1":"{{Rechnungsnummer}}","BT-2":"{{Rechnungsdatum}}","BT-3":"380","BT-9":"{{Fälligkeitsdatum}}","BT-10":"{{Leitweg-ID}}","BT-13":"{{Bestellnummer}}","BT-44":"{{Kunde.Name}}","BT-50":"{{Kunde.Straße}}","BT-52":"{{Kunde.Ort}}","BT-53":"{{Kunde.PLZ}}","BT-109":"{{Nettobetrag}}","BT-110":"{{MwSt-Betrag}}","BT-112":"{{Gesamtbetrag}}","BG-25":{"each":"Positionen","BT-126":"{{Pos}}","BT-129":"{{Menge}}","BT-130":"C62","BT-146":"{{Einzelpreis}}","BT-151":"S","BT-152":"{{Steuersatz}}","BT-153":"{{Bezeichnung}}"}}`,
		},
	} {
		fields := billing.FieldsOf(lang.ReadRequirements(strings.Split(c.template, "\n")))
		p := billing.Propose(platen.InvoiceXRechnung, fields, nil)
		if got := string(p.Map.JSON()); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", language, got, c.want)
		}
		if _, faults := billing.Read(p.Map.JSON()); len(faults) > 0 {
			t.Errorf("%s: the proposal is refused: %+v", language, faults)
		}
		var open []string
		for _, term := range p.Open {
			open = append(open, term.Number)
		}
		if !slices.Contains(open, "BT-31") || !slices.Contains(open, "BT-41") || slices.Contains(open, "BT-1") {
			t.Errorf("%s: got %q open", language, open)
		}
	}
}

// Fields of a source say nothing of lists but their names, and a series is a number.
func TestAProposalTakesFieldsOfTheSourceAndTheSeries(t *testing.T) {
	t.Parallel()
	p := billing.Propose(platen.InvoiceEN16931, billing.FieldsIn([]string{"Customer", "Items.Name", "Items.Qty", "Rabatt", "Rabatte.Betrag"}), []string{"invoices@year"})
	want := `{"BT-1":"{{Number invoices}}","BT-2":"{{Timestamp}}","BT-3":"380","BT-44":"{{Customer}}",`
	if got := string(p.Map.JSON()); !strings.HasPrefix(got, want) || !strings.Contains(got, `"BG-25":{"each":"Items","BT-126":"{{@index}}","BT-129":"{{Qty}}"`) {
		t.Errorf("got %s", got)
	}
}

func TestAProposalForBasicLeavesOutWhatThatHasNoPlaceFor(t *testing.T) {
	t.Parallel()
	fields := billing.FieldsIn([]string{"Invoice number", "Project", "IBAN", "BIC", "Items.Name", "Items.Description", "Items.Article number"})
	for profile, has := range map[platen.InvoiceProfile]bool{platen.InvoiceEN16931: true, platen.InvoiceBasic: false} {
		got := string(billing.Propose(profile, fields, nil).Map.JSON())
		for _, term := range []string{"BT-86", "BT-154", "BT-155"} {
			if strings.Contains(got, `"`+term+`"`) != has {
				t.Errorf("%s: got %s, want %s in it: %t", profile, got, term, has)
			}
		}
	}
}

// What fits the rules and is wrong is worse than what is open.
func TestAProposalLeavesOpenWhatNoNameSays(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		fields      []string
		has, hasNot string
	}{
		"the id of an event":        {[]string{"id", "Customer.Name"}, `"BT-44"`, `BT-46`},
		"a number that is short":    {[]string{"Nr", "Customer.Id"}, `"BT-1":"{{Nr}}"`, `"BT-46":"{{Nr}}"`},
		"an account of a customer":  {[]string{"Account", "Account number"}, `"BT-3"`, `BT-84`},
		"a currency that none says": {[]string{"Total"}, `"BT-112"`, `BT-5"`},
		"a credit note":             {[]string{"Credit note number"}, `"BT-3":"381"`, `380`},
		"hours":                     {[]string{"Items.Hours"}, `"BT-130":"HUR"`, `C62`},
		"units that people read":    {[]string{"Items.Quantity", "Items.Unit"}, `"BT-129"`, `BT-130`},
		"a list beside the lines":   {[]string{"Payments.Amount", "Items.Name", "Items.Qty"}, `"each":"Items"`, `{{Amount}}`},
	} {
		got := string(billing.Propose(platen.InvoiceEN16931, billing.FieldsIn(c.fields), nil).Map.JSON())
		if !strings.Contains(got, c.has) || strings.Contains(got, c.hasNot) {
			t.Errorf("%s: got %s, want %s and not %s", what, got, c.has, c.hasNot)
		}
	}
	fields := []billing.Field{{Path: "Payments.Amount", List: "Payments"}, {Path: "Goods.Name", List: "Goods"}, {Path: "Goods.Qty", List: "Goods"}}
	if got := string(billing.Propose(platen.InvoiceEN16931, fields, nil).Map.JSON()); !strings.Contains(got, `"each":"Goods"`) || strings.Contains(got, "Amount") {
		t.Errorf("two lists: got %s", got)
	}
}
