package einvoice_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
)

func TestASoundInvoiceHasNoFindings(t *testing.T) {
	t.Parallel()
	for _, syntax := range []einvoice.Syntax{einvoice.CII, einvoice.UBL} {
		if found := einvoice.Validate(invoice(syntax)); len(found) > 0 {
			t.Errorf("%s: %v", syntax, found)
		}
	}
}

func TestCompleteWorksOutWhatIsMissingAndNothingElse(t *testing.T) {
	t.Parallel()
	inv := invoice(einvoice.CII)
	for _, c := range []struct {
		name string
		got  einvoice.Number
		want string
	}{
		{"line 1", inv.Lines[0].Net, "200.00"}, {"lines", inv.Totals.Lines, "219.99"}, {"VAT of 19 %", inv.VAT[0].Tax, "38.00"},
		{"VAT of 7 %", inv.VAT[1].Tax, "1.40"}, {"VAT", inv.Totals.VAT, "39.40"}, {"due", inv.Totals.Due, "259.39"},
	} {
		if got := einvoice.FormatNumber(c.got); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	wrong, _ := einvoice.ParseNumber("1.00")
	inv.Totals.Due = wrong
	if einvoice.Complete(inv); !inv.Totals.Due.Decimal.Equal(wrong.Decimal) {
		t.Errorf("due: got %v, want what was there", inv.Totals.Due)
	}
	if found := einvoice.Validate(inv); len(found) != 1 || found[0].Rule != "BR-CO-16" || found[0].Term != "BT-115" || !strings.Contains(found[0].Cure, "259.39") {
		t.Errorf("got %v, want BR-CO-16 with the right sum", found)
	}
}

func TestRulesOfOneSyntaxOrNetworkAreHeld(t *testing.T) {
	t.Parallel()
	transfer := einvoice.Payment{Code: "30", Account: &einvoice.Account{ID: "DE79000000001234567890"}}
	card := einvoice.Payment{Code: "48", Text: "Card", Card: &einvoice.Card{Number: "1234"}}
	cash := einvoice.Payment{Code: "48", Text: "Another card"}
	peppol := func(code string) func(*einvoice.Invoice) {
		return func(i *einvoice.Invoice) {
			i.Specification, i.TypeCode = einvoice.SpecPeppol, code
			i.Seller.Endpoint.Scheme, i.Buyer.Endpoint.Scheme = "0088", "0088"
		}
	}
	for _, c := range []struct {
		rule, term string
		syntax     einvoice.Syntax
		change     func(*einvoice.Invoice)
	}{
		{"UBL-SR-47", "BT-81", einvoice.UBL, func(i *einvoice.Invoice) { i.Payments = append(i.Payments, transfer) }},
		{"CII-SR-467", "BT-81", einvoice.CII, func(i *einvoice.Invoice) { i.Payments = append(i.Payments, transfer) }},
		{"UBL-SR-46", "BT-82", einvoice.UBL, func(i *einvoice.Invoice) { i.Payments = []einvoice.Payment{card, cash} }},
		{"CII-SR-468", "BT-82", einvoice.CII, func(i *einvoice.Invoice) { i.Payments = []einvoice.Payment{card, cash} }},
		{"UBL-SR-54", "BG-18", einvoice.UBL, func(i *einvoice.Invoice) { i.Payments = []einvoice.Payment{card, card} }},
		{"PEPPOL-EN16931-P0100", "BT-3", einvoice.UBL, peppol("130")},
		{"PEPPOL-EN16931-P0101", "BT-3", einvoice.UBL, peppol("261")},
		{"PEPPOL-EN16931-P0100", "BT-3", einvoice.CII, peppol("261")},
		{"PEPPOL-EN16931-R004", "BT-24", einvoice.CII, func(i *einvoice.Invoice) {
			peppol("380")(i)
			i.Specification = strings.Replace(i.Specification, "#compliant#", "#conformant#", 1)
		}},
	} {
		inv := invoice(c.syntax)
		c.change(inv)
		if !breaks(einvoice.Validate(inv), c.rule, c.term) {
			t.Errorf("%s: got %v, want %s of %s", c.syntax, einvoice.Validate(inv), c.rule, c.term)
		}
	}
	for _, code := range []string{"380", "381"} {
		inv := invoice(einvoice.UBL)
		peppol(code)(inv)
		if found := einvoice.Validate(inv); len(found) > 0 {
			t.Errorf("Peppol, %s: got %v, want nothing", code, found)
		}
	}
}

func breaks(found []einvoice.Finding, rule, term string) bool {
	return slices.ContainsFunc(found, func(f einvoice.Finding) bool { return f.Rule == rule && f.Term == term && f.Severity == einvoice.Error })
}

func TestTheTypeIsOneOfItsRootElement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to string }{{"380", "381"}, {"381", "380"}} {
		inv := invoice(einvoice.UBL)
		inv.TypeCode = c.from
		document, err := einvoice.Write(inv)
		if err != nil {
			t.Fatal(err)
		}
		if _, found, err := einvoice.Read(document); err != nil || len(found) > 0 {
			t.Errorf("%s: got %v, %v, want nothing", c.from, found, err)
		}
		document = bytes.Replace(document, []byte("TypeCode>"+c.from), []byte("TypeCode>"+c.to), 1)
		if _, found, err := einvoice.Read(document); err != nil || !breaks(found, "BR-CL-01", "BT-3") {
			t.Errorf("%s as %s: got %v, %v, want BR-CL-01 of BT-3", c.from, c.to, found, err)
		}
	}
}

func TestFindingsNameRuleTermPlaceAndCure(t *testing.T) {
	t.Parallel()
	inv := invoice(einvoice.UBL)
	inv.Lines[1].Unit = "piece"
	found := einvoice.Validate(inv)
	if len(found) != 1 {
		t.Fatalf("got %v, want one finding", found)
	}
	want := `BR-CL-23: Unit of quantity (BT-130) of line 2: "piece" is none of the codes of UN/ECE Recommendations 20 and 21, such as C62 for pieces and HUR for hours. Write a code of this list.`
	if got := found[0].String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEveryTermOfTheModelHasAName(t *testing.T) {
	t.Parallel()
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || of.PkgPath() == "github.com/shopspring/decimal" {
			return
		}
		for i := range of.NumField() {
			for _, term := range strings.Fields(of.Field(i).Tag.Get("bt")) {
				if strings.HasPrefix(term, "BT-") && strings.Count(term, "-") == 1 && einvoice.TermName(term) == "" {
					t.Errorf("%s.%s: %s has no name", of.Name(), of.Field(i).Name, term)
				}
			}
			if of.Field(i).Type != reflect.TypeFor[[]einvoice.Line]() || of.Name() != "Line" {
				visit(of.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[einvoice.Invoice]())
}

func TestTheJSONHasTermsByTheirNumbers(t *testing.T) {
	t.Parallel()
	inv := invoice(einvoice.UBL)
	inv.Buyer.IDs = []einvoice.ID{{Value: "1", Scheme: "0088"}}
	inv.Lines[0].Classes = []einvoice.Classification{{Code: "7", List: "STI"}}
	encoded, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatalf("%v\n%s", err, encoded)
	}
	for path, want := range map[string]any{
		"BT-1": "R-1", "BG-4.BT-27": "Seller GmbH", "BG-7.BT-44": "Buyer AG", "BG-7.BG-8.BT-55": "DE", "BG-4.BT-34-1": "EM",
		"BG-7.BT-46.0.BT-46-1": "0088", "BG-25.0.BT-129": 2.5, "BG-25.0.BT-158.0.BT-158-1": "STI", "BG-22.BT-115": 259.39, "BG-23.1.BT-119": 7.0,
	} {
		at := any(got)
		for _, step := range strings.Split(path, ".") {
			if list, ok := at.([]any); ok {
				at = list[int(step[0]-'0')]
			} else {
				at = at.(map[string]any)[step]
			}
		}
		if at != want {
			t.Errorf("%s: got %v, want %v", path, at, want)
		}
	}
	if !strings.Contains(string(encoded), `"BT-146":80.00`) {
		t.Errorf("the price lost its digits: %s", encoded)
	}
}

func BenchmarkInvoice(b *testing.B) {
	for _, syntax := range []einvoice.Syntax{einvoice.CII, einvoice.UBL} {
		b.Run(string(syntax), func(b *testing.B) {
			for b.Loop() {
				inv := invoice(syntax)
				if found := einvoice.Validate(inv); len(found) > 0 {
					b.Fatal(found)
				}
				if _, err := einvoice.Write(inv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BASIC is a part of EN 16931: terms that its schema lacks are refused where they stand, and no others.
func TestBasicRefusesTheTermsThatItHasNoPlaceFor(t *testing.T) {
	t.Parallel()
	o := einvoice.Outlined()
	for group, within := range map[string]*einvoice.Outline{"": o, "BG-16": o.Groups["BG-16"], "BG-24": o.Groups["BG-24"], "BG-25": o.Groups["BG-25"],
		"BG-27": o.Groups["BG-25"].Groups["BG-27"], "BG-28": o.Groups["BG-25"].Groups["BG-28"], "BG-32": o.Groups["BG-25"].Groups["BG-32"]} {
		for number, term := range within.Terms {
			inv := invoice(einvoice.CII)
			inv.Specification, inv.Seller.Contact, inv.Buyer.Contact = einvoice.SpecBasic, nil, nil
			if found := refusedBy("PROFILE", inv); len(found) > 0 {
				t.Fatalf("an invoice of BASIC: got %v", found)
			}
			at := einvoice.NewRecord(inv)
			switch group {
			case "":
			case "BG-27", "BG-28", "BG-32":
				at = at.Add("BG-25").Add(group)
			default:
				at = at.Add(group)
			}
			if term.Form == einvoice.Amount {
				at.SetNumber(term, einvoice.Number{Valid: true})
			} else {
				at.SetText(term, "x")
			}
			found := refusedBy("PROFILE", inv)
			if allowed := einvoice.InBasic(number) && einvoice.InBasic(group); allowed != (len(found) == 0) {
				t.Errorf("%s of %q: got %v, and it is in BASIC: %t", number, group, found, allowed)
			}
			for _, f := range found {
				if einvoice.InBasic(f.Term) || !strings.Contains(f.Cure, "EN16931") {
					t.Errorf("%s: got %+v, want the term and the cure", number, f)
				}
			}
		}
	}
}

func refusedBy(rule string, inv *einvoice.Invoice) []einvoice.Finding {
	return slices.DeleteFunc(einvoice.Validate(inv), func(f einvoice.Finding) bool { return f.Rule != rule })
}
