package einvoice_test

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/platenhq/platen/internal/einvoice"
)

// A mistake is planted into an invoice that nothing is wrong with. plant reports false
// where it has no place.
type mistake struct {
	rule, term, what string
	only             func(kind) bool
	plant            func(*einvoice.Invoice) bool
}

// in plants a mistake into the sample of a kind; false where it has no place.
func (m mistake) in(k kind) (*einvoice.Invoice, bool) {
	inv := sample(k)
	if m.only != nil && !m.only(k) {
		return nil, false
	}
	if basic(k) && m.rule != noPlace { // with all that others have: BASIC has a part
		inv = whole(k)
		defer leaveOut(inv)
	}
	return inv, m.plant(inv)
}

// name is that of its file.
func (m mistake) name() string {
	return regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(m.rule+"-"+m.term+"-"+m.what, "-")
}

func xr(k kind) bool     { return strings.Contains(k.name, "XRECHNUNG") }
func peppol(k kind) bool { return strings.Contains(k.name, "PEPPOL") }
func cii(k kind) bool    { return k.syntax == einvoice.CII }
func ubl(k kind) bool    { return k.syntax == einvoice.UBL }
func basic(k kind) bool  { return k.specification == einvoice.SpecBasic }

func extended(k kind) bool    { return k.specification == einvoice.SpecExtended }
func notExtended(k kind) bool { return !extended(k) }

// notBasic is for mistakes in terms that BASIC has no place for.
func notBasic(k kind) bool { return !basic(k) }

// sample is an invoice that nothing is wrong with, and that has what its kind has a place for.
func sample(k kind) *einvoice.Invoice {
	inv := whole(k)
	if basic(k) {
		leaveOut(inv)
	}
	return inv
}

// whole is an invoice with everything that mistakes are planted into: two rates, a period,
// an allowance, a charge, a document, a delivery, a payee and a representative.
func whole(k kind) *einvoice.Invoice {
	m := maker{rand.New(rand.NewPCG(7, 7)), k}
	inv := &einvoice.Invoice{
		Syntax: k.syntax, Specification: k.specification, Process: einvoice.ProcessPeppol,
		Number: "R-1", IssueDate: "2026-11-29", TypeCode: "380", Currency: "EUR", BuyerReference: "04011000-12345-67",
		DueDate: "2026-12-29", PaymentTerms: "30 days net", Remittance: "R-1",
		Seller:         m.party("Seller", "DE", "DE123456789"),
		Buyer:          m.party("Buyer", "FR", "FR12345678901"),
		Payee:          &einvoice.Payee{Name: "Factoring AG"},
		Representative: &einvoice.Party{Name: "Fiscal", VATID: "DE987654321", Address: m.address("DE")},
		Delivery:       &einvoice.Delivery{Date: "2026-11-20", Address: m.address("FR"), ID: &einvoice.ID{Value: "1", Scheme: "0088"}},
		Period:         &einvoice.Period{Start: "2026-11-01", End: "2026-11-30"},
		Notes:          []einvoice.Note{{Subject: "AAI", Text: "Thank you."}},
		Preceding:      []einvoice.Reference{{Number: "R-0", Date: "2026-10-01"}},
		Object:         &einvoice.ID{Value: "Meter", Scheme: "AAB"},
		Payments:       []einvoice.Payment{{Code: "58", Account: &einvoice.Account{ID: iban}}},
		Documents: []einvoice.Document{
			{Reference: "A-1", File: &einvoice.File{Name: "a.csv", MimeType: "text/csv", Content: "YQ=="}},
			{Reference: "A-2", File: &einvoice.File{Name: "b.csv", MimeType: "text/csv", Content: "YQ=="}},
		},
		Allowances: []einvoice.Allowance{{Amount: num("5.00"), Base: num("50.00"), Percent: num("10"), Category: "S", Rate: num("19"), Reason: "Discount", ReasonCode: "95"}},
		Charges:    []einvoice.Allowance{{Amount: num("7.00"), Base: num("70.00"), Percent: num("10"), Category: "S", Rate: num("19"), Reason: "Freight", ReasonCode: "FC"}},
	}
	inv.Seller.IDs, inv.Seller.Contact = nil, &einvoice.Contact{Name: "Ada", Phone: "+49 30 123456", Email: "ada@example.com"}
	for i, rate := range []string{"19", "7"} {
		inv.Lines = append(inv.Lines, einvoice.Line{
			ID: []string{"1", "2"}[i], Name: "Item", Quantity: num("3"), Unit: "C62", Price: num("12.5000"), GrossPrice: num("13.0000"), Discount: num("0.5000"),
			BaseQuantity: num("1"), BaseUnit: "C62", Category: "S", Rate: num(rate),
			Period:       &einvoice.Period{Start: "2026-11-02", End: "2026-11-29"},
			StandardItem: &einvoice.ID{Value: "04012345678901", Scheme: "0160"},
			Classes:      []einvoice.Classification{{Code: "1", List: "STI"}},
			Origin:       "CN", Object: &einvoice.ID{Value: "Meter", Scheme: "AAB"},
			Attributes: []einvoice.Attribute{{Name: "Colour", Value: "Black"}},
			Allowances: []einvoice.Allowance{{Amount: num("1.00"), Base: num("10.00"), Percent: num("10"), Reason: "Discount", ReasonCode: "95"}},
			Charges:    []einvoice.Allowance{{Amount: num("2.00"), Base: num("20.00"), Percent: num("10"), Reason: "Packing", ReasonCode: "ABL"}},
		})
	}
	einvoice.Complete(inv)
	return inv
}

var none einvoice.Number

// without clears a text of the invoice.
func without(rule, term string, field func(*einvoice.Invoice) *string) mistake {
	return with(rule, term, "", field)
}

func with(rule, term, value string, field func(*einvoice.Invoice) *string) mistake {
	return mistake{rule: rule, term: term, what: value, plant: func(inv *einvoice.Invoice) bool { *field(inv) = value; return true }}
}

func withNumber(rule, term string, value einvoice.Number, field func(*einvoice.Invoice) *einvoice.Number) mistake {
	return mistake{rule: rule, term: term, what: einvoice.FormatNumber(value), plant: func(inv *einvoice.Invoice) bool { *field(inv) = value; return true }}
}

func change(rule, term, what string, plant func(*einvoice.Invoice)) mistake {
	return mistake{rule: rule, term: term, what: what, plant: func(inv *einvoice.Invoice) bool { plant(inv); return true }}
}

func (m mistake) where(only func(kind) bool) mistake { m.only = only; return m }

// inCategory is the sample in one other VAT category.
func inCategory(code, rate string, inv *einvoice.Invoice) {
	r := none
	if rate != "" {
		r = num(rate)
	}
	for i := range inv.Lines {
		inv.Lines[i].Category, inv.Lines[i].Rate = code, r
	}
	inv.Allowances[0].Category, inv.Allowances[0].Rate = code, r
	inv.Charges[0].Category, inv.Charges[0].Rate = code, r
	inv.VAT, inv.Totals = nil, nil
	if code == "O" {
		inv.Seller.VATID, inv.Buyer.VATID, inv.Representative = "", "", nil
	}
	einvoice.Complete(inv)
	for i := range inv.VAT {
		if code != "Z" && code != "L" && code != "M" {
			inv.VAT[i].Exemption = "Exempt"
		}
		if code == "O" && strings.Contains(inv.Specification, "xrechnung") {
			inv.VAT[i].Rate = num("0")
		}
	}
}

func category(code, rate, rule, term, what string, plant func(*einvoice.Invoice)) mistake {
	return change(rule, term, code+" "+what, func(inv *einvoice.Invoice) { inCategory(code, rate, inv); plant(inv) })
}

type (
	inv = einvoice.Invoice
	no  = einvoice.Number
)

var mistakes = slicesOf(general, amounts, codeMistakes, vatMistakes(), germanMistakes, peppolMistakes, basicMistakes, extendedMistakes)

func slicesOf(all ...[]mistake) []mistake {
	var list []mistake
	for _, one := range all {
		list = append(list, one...)
	}
	return list
}

var general = []mistake{
	without("BR-02", "BT-1", func(i *inv) *string { return &i.Number }),
	without("BR-03", "BT-2", func(i *inv) *string { return &i.IssueDate }),
	without("BR-04", "BT-3", func(i *inv) *string { return &i.TypeCode }).where(cii),
	without("BR-05", "BT-5", func(i *inv) *string { return &i.Currency }).where(cii),
	without("BR-06", "BT-27", func(i *inv) *string { return &i.Seller.Name }),
	without("BR-07", "BT-44", func(i *inv) *string { return &i.Buyer.Name }),
	change("BR-08", "BG-5", "", func(i *inv) { i.Seller.Address = nil }),
	without("BR-09", "BT-40", func(i *inv) *string { return &i.Seller.Address.Country }),
	change("BR-10", "BG-8", "", func(i *inv) { i.Buyer.Address = nil }),
	without("BR-11", "BT-55", func(i *inv) *string { return &i.Buyer.Address.Country }),
	without("BR-17", "BT-59", func(i *inv) *string { i.Payee.ID = &einvoice.ID{Value: "1"}; return &i.Payee.Name }),
	without("BR-18", "BT-62", func(i *inv) *string { return &i.Representative.Name }),
	change("BR-19", "BG-12", "", func(i *inv) { i.Representative.Address = nil }),
	without("BR-20", "BT-69", func(i *inv) *string { return &i.Representative.Address.Country }),
	without("BR-21", "BT-126", func(i *inv) *string { return &i.Lines[1].ID }),
	without("BR-23", "BT-130", func(i *inv) *string { i.Lines[1].BaseUnit = ""; return &i.Lines[1].Unit }),
	without("BR-25", "BT-153", func(i *inv) *string { return &i.Lines[1].Name }),
	change("BR-29", "BT-74", "", func(i *inv) { i.Period.End = "2026-10-01"; i.Lines[0].Period, i.Lines[1].Period = nil, nil }),
	change("BR-30", "BT-135", "", func(i *inv) { i.Lines[1].Period.End = "2026-11-01" }),
	change("BR-33", "BT-97", "", func(i *inv) { i.Allowances[0].Reason, i.Allowances[0].ReasonCode = "", "" }),
	change("BR-CO-21", "BT-97", "", func(i *inv) { i.Allowances[0].Reason, i.Allowances[0].ReasonCode = "", "" }),
	change("BR-38", "BT-104", "", func(i *inv) { i.Charges[0].Reason, i.Charges[0].ReasonCode = "", "" }),
	change("BR-CO-22", "BT-104", "", func(i *inv) { i.Charges[0].Reason, i.Charges[0].ReasonCode = "", "" }),
	change("BR-42", "BT-139", "", func(i *inv) { i.Lines[0].Allowances[0].Reason, i.Lines[0].Allowances[0].ReasonCode = "", "" }),
	change("BR-44", "BT-144", "", func(i *inv) { i.Lines[0].Charges[0].Reason, i.Lines[0].Charges[0].ReasonCode = "", "" }),
	change("BR-CO-23", "BT-139", "", func(i *inv) { i.Lines[1].Allowances[0].Reason, i.Lines[1].Allowances[0].ReasonCode = "", "" }),
	change("BR-CO-24", "BT-144", "", func(i *inv) { i.Lines[1].Charges[0].Reason, i.Lines[1].Charges[0].ReasonCode = "", "" }),
	without("BR-49", "BT-81", func(i *inv) *string { return &i.Payments[0].Code }),
	change("BR-61", "BT-84", "", func(i *inv) { i.Payments[0].Account = nil }).where(ubl),
	without("BR-52", "BT-122", func(i *inv) *string { return &i.Documents[0].Reference }),
	without("BR-54", "BT-161", func(i *inv) *string { return &i.Lines[0].Attributes[0].Value }),
	without("BR-55", "BT-25", func(i *inv) *string { return &i.Preceding[0].Number }),
	without("BR-56", "BT-63", func(i *inv) *string { return &i.Representative.VATID }),
	without("BR-57", "BT-80", func(i *inv) *string { return &i.Delivery.Address.Country }),
	without("BR-62", "BT-34", func(i *inv) *string { return &i.Seller.Endpoint.Scheme }),
	without("BR-63", "BT-49", func(i *inv) *string { return &i.Buyer.Endpoint.Scheme }),
	without("BR-64", "BT-157", func(i *inv) *string { return &i.Lines[0].StandardItem.Scheme }).where(ubl),
	without("BR-65", "BT-158", func(i *inv) *string { return &i.Lines[0].Classes[0].List }),
	change("BR-CO-03", "BT-8", "", func(i *inv) { i.TaxPointDate, i.TaxPointCode = "2026-11-29", "3" }).where(notBasic),
	with("BR-CO-09", "BT-31", "123456789", func(i *inv) *string { return &i.Seller.VATID }),
	with("BR-CO-09", "BT-48", "XX123456789", func(i *inv) *string { return &i.Buyer.VATID }),
	with("BR-CO-09", "BT-63", "123", func(i *inv) *string { return &i.Representative.VATID }),
	change("BR-CO-26", "BT-31", "", func(i *inv) { i.Seller.VATID, i.Seller.Registration, i.Seller.TaxID = "", nil, "201/123" }),
	change("BR-16", "BG-25", "", func(i *inv) { i.Lines = nil }),
	change("BR-CO-18", "BG-23", "", func(i *inv) { i.VAT = nil }),
	change("UBL-SR-47", "BT-81", "", secondCode).where(ubl),
	change("CII-SR-467", "BT-81", "", secondCode).where(cii),
	change("UBL-SR-46", "BT-82", "", twoTexts).where(ubl),
	change("CII-SR-468", "BT-82", "", twoTexts).where(func(k kind) bool { return cii(k) && !basic(k) }),
	change("UBL-SR-54", "BG-18", "", func(i *inv) {
		card := einvoice.Payment{Code: "48", Card: &einvoice.Card{Number: "1234"}}
		i.Payments = []einvoice.Payment{card, card}
	}).where(ubl),
}

// basicMistakes are terms that BASIC has no place for.
var basicMistakes = func() []mistake {
	line := func(i *inv) *einvoice.Line { return &i.Lines[1] }
	list := []mistake{
		with(noPlace, "BT-7", "2026-11-29", func(i *inv) *string { return &i.TaxPointDate }),
		with(noPlace, "BT-11", "P-1", func(i *inv) *string { return &i.Project }),
		with(noPlace, "BT-14", "S-1", func(i *inv) *string { return &i.SalesOrder }),
		with(noPlace, "BT-15", "R-1", func(i *inv) *string { return &i.ReceivingAdvice }),
		with(noPlace, "BT-17", "T-1", func(i *inv) *string { return &i.Tender }),
		change(noPlace, "BT-18", "", func(i *inv) { i.Object = &einvoice.ID{Value: "1"} }),
		with(noPlace, "BT-33", "Director: Ada", func(i *inv) *string { return &i.Seller.Legal }),
		change(noPlace, "BT-43", "", func(i *inv) { i.Seller.Contact = &einvoice.Contact{Email: "ada@example.com"} }),
		with(noPlace, "BT-45", "Trading", func(i *inv) *string { return &i.Buyer.TradingName }),
		change(noPlace, "BT-57", "", func(i *inv) { i.Buyer.Contact = &einvoice.Contact{Phone: "+49 30 1"} }),
		with(noPlace, "BT-82", "Transfer", func(i *inv) *string { return &i.Payments[0].Text }),
		with(noPlace, "BT-85", "Seller", func(i *inv) *string { return &i.Payments[0].Account.Name }),
		with(noPlace, "BT-86", "COBADEFFXXX", func(i *inv) *string { return &i.Payments[0].Account.Bank }),
		change(noPlace, "BT-87", "", func(i *inv) { i.Payments[0] = einvoice.Payment{Code: "48", Card: &einvoice.Card{Number: "1234"}} }),
		withNumber(noPlace, "BT-114", num("0.00"), func(i *inv) *no { return &i.Totals.Rounding }),
		change(noPlace, "BG-24", "", func(i *inv) { i.Documents = []einvoice.Document{{Reference: "A-1"}} }),
		change(noPlace, "BT-128", "", func(i *inv) { line(i).Object = &einvoice.ID{Value: "1"} }),
		with(noPlace, "BT-132", "7", func(i *inv) *string { return &line(i).OrderLine }),
		with(noPlace, "BT-133", "Costs", func(i *inv) *string { return &line(i).BuyerAccounting }),
		withNumber(noPlace, "BT-137", num("10.00"), func(i *inv) *no { return &line(i).Allowances[0].Base }),
		withNumber(noPlace, "BT-138", num("10"), func(i *inv) *no { return &line(i).Allowances[0].Percent }),
		withNumber(noPlace, "BT-142", num("10.00"), func(i *inv) *no { return &line(i).Charges[0].Base }),
		withNumber(noPlace, "BT-143", num("10"), func(i *inv) *no { return &line(i).Charges[0].Percent }),
		with(noPlace, "BT-154", "Described", func(i *inv) *string { return &line(i).Description }),
		with(noPlace, "BT-155", "S-1", func(i *inv) *string { return &line(i).SellerItem }),
		with(noPlace, "BT-156", "B-1", func(i *inv) *string { return &line(i).BuyerItem }),
		change(noPlace, "BT-158", "", func(i *inv) { line(i).Classes = []einvoice.Classification{{Code: "1", List: "STI"}} }),
		with(noPlace, "BT-159", "CN", func(i *inv) *string { return &line(i).Origin }),
		change(noPlace, "BG-32", "", func(i *inv) { line(i).Attributes = []einvoice.Attribute{{Name: "a", Value: "b"}} }),
	}
	for i := range list {
		list[i].only = basic
	}
	return list
}()

// widened is the sample with what EXTENDED has beyond EN 16931.
func widened(i *inv) {
	lines := i.Lines
	for j := range lines {
		lines[j].Status, lines[j].Parent = "DETAIL", "G"
	}
	i.Lines = append([]einvoice.Line{{ID: "G", Name: "Group", Status: "GROUP"}, {ID: "I", Name: "Made of wood", Status: "INFORMATION", Parent: "1"}}, lines...)
	i.ServiceCharges = []einvoice.ServiceCharge{{Description: "Freight", Amount: num("9.00"), Category: "S", Rate: num("19")}}
	i.Discounts = []einvoice.PaymentDiscount{{Period: num("14"), Unit: "DAY", Percent: num("2.00")}}
	i.Invoicee = &einvoice.Delivery{Name: "Accounts", Address: &einvoice.Address{Country: "DE"}}
	i.FinalDelivery = &einvoice.Delivery{Name: "Site", Address: &einvoice.Address{Country: "DE"}}
	first := &i.Lines[2]
	first.Delivery = &einvoice.Delivery{Name: "Site", Address: &einvoice.Address{Country: "DE"}}
	first.MoreNotes = []einvoice.LineNote{{Text: "More", Subject: "AAI"}}
	first.DiscountReason, first.DiscountReasonCode = "Rebate", "95"
	i.VAT, i.Totals = nil, nil
	einvoice.Complete(i)
	groupNets(i)
}

// extendedMistakes are those that the profile EXTENDED alone can have, and those of sums, which it
// lets be off a little.
var extendedMistakes = func() []mistake {
	list := []mistake{
		withNumber("BR-CO-10", "BT-106", num("77.06"), func(i *inv) *no { return &totals(i).Lines }),
		withNumber("BR-CO-11", "BT-107", num("5.02"), func(i *inv) *no { return &totals(i).Allowances }),
		withNumber("BR-CO-12", "BT-108", num("16.03"), func(i *inv) *no { return &totals(i).Charges }),
		withNumber("BR-CO-13", "BT-109", num("88.06"), func(i *inv) *no { return &totals(i).WithoutVAT }),
		withNumber("BR-S-08", "BT-116", num("49.55"), func(i *inv) *no { return &i.VAT[0].Base }),
		withNumber("BR-S-09", "BT-117", num("9.46"), func(i *inv) *no { return &i.VAT[0].Tax }),
		without("FX-SCH-A-000963", "BT-X-271", func(i *inv) *string { return &i.ServiceCharges[0].Description }),
		withNumber("FX-SCH-A-000327", "BT-X-272", none, func(i *inv) *no { return &i.ServiceCharges[0].Amount }),
		without("FX-SCH-A-000965", "BT-X-273", func(i *inv) *string { return &i.ServiceCharges[0].Category }),
		withNumber("FX-SCH-A-000329", "BT-X-274", none, func(i *inv) *no { return &i.ServiceCharges[0].Rate }),
		with("FX-SCH-A-000966", "BT-X-273", "Q", func(i *inv) *string { return &i.ServiceCharges[0].Category }),
		without("FX-SCH-A-000865", "BT-X-226", func(i *inv) *string { return &i.Invoicee.Name }),
		with("FX-SCH-A-000876", "BT-X-239", "XX", func(i *inv) *string { return &i.Invoicee.Address.Country }),
		with("FX-SCH-A-000843", "BT-X-177", "XX", func(i *inv) *string { return &i.FinalDelivery.Address.Country }),
		with("FX-SCH-A-001100", "BT-X-63", "XX", func(i *inv) *string { return &i.Lines[2].Delivery.Address.Country }),
		change("FX-SCH-A-000841", "BT-X-177", "", func(i *inv) { i.FinalDelivery.Address = &einvoice.Address{City: "Kiel"} }),
		change("FX-SCH-A-000874", "BT-X-239", "", func(i *inv) { i.Invoicee.Address = &einvoice.Address{City: "Kiel"} }),
		change("FX-SCH-A-001098", "BT-X-63", "", func(i *inv) { i.Lines[2].Delivery.Address = &einvoice.Address{City: "Kiel"} }),
		with("FX-SCH-A-000335", "BT-X-8", "NOTE", func(i *inv) *string { return &i.Lines[1].Status }),
		with("FX-SCH-A-001014", "BT-X-10", "XYX", func(i *inv) *string { return &i.Lines[2].MoreNotes[0].Subject }),
		without("BR-FXEXT-02", "BT-127", func(i *inv) *string { return &i.Lines[2].MoreNotes[0].Text }),
		with("FX-SCH-A-001033", "BT-X-313", "FC", func(i *inv) *string { return &i.Lines[2].DiscountReasonCode }),
		withNumber("FX-SCH-A-000531", "BT-147", none, func(i *inv) *no { return &i.Lines[2].Discount }),
		without("BR-FXEXT-06", "BT-X-8", func(i *inv) *string { return &i.Lines[2].Status }),
		with("BR-FXEXT-11", "BT-X-304", "H", func(i *inv) *string { return &i.Lines[1].Parent }),
		withNumber("BR-FXEXT-08", "BT-131", num("78.00"), func(i *inv) *no { return &i.Lines[0].Net }),
		change("BR-FXEXT-12", "BT-131", "", func(i *inv) {
			i.Lines = append(i.Lines, einvoice.Line{ID: "H", Name: "Inner", Status: "GROUP", Parent: "G"})
		}),
		change("BR-CO-25", "BT-9", "", func(i *inv) { i.DueDate, i.PaymentTerms = "", "" }),
		with("BR-53", "BT-6", "EUR", func(i *inv) *string { return &i.TaxCurrency }),
		withNumber("BR-22", "BT-129", none, func(i *inv) *no { return &i.Lines[3].Quantity }),
		change("BR-51", "BT-87", "", func(i *inv) {
			i.Payments = []einvoice.Payment{{Code: "48", Card: &einvoice.Card{Number: "12345678901"}}}
		}),
	}
	for i := range list {
		plant := list[i].plant
		list[i].only = extended
		list[i].plant = func(inv *einvoice.Invoice) bool { widened(inv); return plant(inv) }
	}
	return list
}()

func secondCode(i *inv) {
	i.Payments = append(i.Payments, einvoice.Payment{Code: "30", Account: &einvoice.Account{ID: iban}})
}

func twoTexts(i *inv) {
	second := i.Payments[0]
	i.Payments[0].Text, second.Text = "Transfer", "Another transfer"
	i.Payments = append(i.Payments, second)
}

func totals(i *inv) *einvoice.Totals { return i.Totals }

var amounts = []mistake{
	withNumber("BR-12", "BT-106", none, func(i *inv) *no { return &totals(i).Lines }),
	withNumber("BR-13", "BT-109", none, func(i *inv) *no { return &totals(i).WithoutVAT }),
	withNumber("BR-14", "BT-112", none, func(i *inv) *no { return &totals(i).WithVAT }),
	withNumber("BR-15", "BT-115", none, func(i *inv) *no { return &totals(i).Due }),
	withNumber("BR-CO-10", "BT-106", num("77.01"), func(i *inv) *no { return &totals(i).Lines }).where(notExtended),
	withNumber("BR-CO-11", "BT-107", num("5.01"), func(i *inv) *no { return &totals(i).Allowances }).where(notExtended),
	withNumber("BR-CO-12", "BT-108", num("7.01"), func(i *inv) *no { return &totals(i).Charges }).where(notExtended),
	withNumber("BR-CO-13", "BT-109", num("79.01"), func(i *inv) *no { return &totals(i).WithoutVAT }).where(notExtended),
	withNumber("BR-CO-14", "BT-110", num("10.00"), func(i *inv) *no { return &totals(i).VAT }),
	withNumber("BR-CO-15", "BT-112", num("91.00"), func(i *inv) *no { return &totals(i).WithVAT }),
	withNumber("BR-CO-16", "BT-115", num("91.00"), func(i *inv) *no { return &totals(i).Due }),
	withNumber("BR-CO-17", "BT-117", num("17.00"), func(i *inv) *no { return &i.VAT[0].Tax }),
	withNumber("BR-22", "BT-129", none, func(i *inv) *no { return &i.Lines[0].Quantity }),
	withNumber("BR-24", "BT-131", none, func(i *inv) *no { return &i.Lines[0].Net }),
	withNumber("BR-26", "BT-146", none, func(i *inv) *no { return &i.Lines[0].Price }),
	withNumber("BR-27", "BT-146", num("-1"), func(i *inv) *no { return &i.Lines[0].Price }).where(notExtended),
	withNumber("BR-28", "BT-148", num("-1"), func(i *inv) *no { return &i.Lines[0].GrossPrice }).where(notExtended),
	withNumber("BR-31", "BT-92", none, func(i *inv) *no { return &i.Allowances[0].Amount }),
	withNumber("BR-36", "BT-99", none, func(i *inv) *no { return &i.Charges[0].Amount }),
	withNumber("BR-41", "BT-136", none, func(i *inv) *no { return &i.Lines[0].Allowances[0].Amount }),
	withNumber("BR-43", "BT-141", none, func(i *inv) *no { return &i.Lines[0].Charges[0].Amount }),
	withNumber("BR-45", "BT-116", none, func(i *inv) *no { return &i.VAT[0].Base }),
	withNumber("BR-46", "BT-117", none, func(i *inv) *no { return &i.VAT[0].Tax }),
	withNumber("BR-48", "BT-119", none, func(i *inv) *no { return &i.VAT[0].Rate }),
	withNumber("BR-DEC-01", "BT-92", num("5.001"), func(i *inv) *no { return &i.Allowances[0].Amount }),
	withNumber("BR-DEC-02", "BT-93", num("50.001"), func(i *inv) *no { return &i.Allowances[0].Base }),
	withNumber("BR-DEC-05", "BT-99", num("7.001"), func(i *inv) *no { return &i.Charges[0].Amount }),
	withNumber("BR-DEC-06", "BT-100", num("70.001"), func(i *inv) *no { return &i.Charges[0].Base }),
	withNumber("BR-DEC-09", "BT-106", num("77.001"), func(i *inv) *no { return &totals(i).Lines }),
	withNumber("BR-DEC-10", "BT-107", num("5.001"), func(i *inv) *no { return &totals(i).Allowances }),
	withNumber("BR-DEC-11", "BT-108", num("7.001"), func(i *inv) *no { return &totals(i).Charges }),
	withNumber("BR-DEC-12", "BT-109", num("79.001"), func(i *inv) *no { return &totals(i).WithoutVAT }),
	withNumber("BR-DEC-14", "BT-112", num("91.001"), func(i *inv) *no { return &totals(i).WithVAT }),
	withNumber("BR-DEC-16", "BT-113", num("0.001"), func(i *inv) *no { return &totals(i).Paid }),
	withNumber("BR-DEC-17", "BT-114", num("0.001"), func(i *inv) *no { return &totals(i).Rounding }).where(notBasic),
	withNumber("BR-DEC-18", "BT-115", num("91.001"), func(i *inv) *no { return &totals(i).Due }),
	withNumber("BR-DEC-19", "BT-116", num("40.501"), func(i *inv) *no { return &i.VAT[0].Base }),
	withNumber("BR-DEC-20", "BT-117", num("1.001"), func(i *inv) *no { return &i.VAT[0].Tax }),
	withNumber("BR-DEC-23", "BT-131", num("38.501"), func(i *inv) *no { return &i.Lines[0].Net }),
	withNumber("BR-DEC-24", "BT-136", num("1.001"), func(i *inv) *no { return &i.Lines[0].Allowances[0].Amount }),
	withNumber("BR-DEC-25", "BT-137", num("10.001"), func(i *inv) *no { return &i.Lines[0].Allowances[0].Base }),
	withNumber("BR-DEC-27", "BT-141", num("2.001"), func(i *inv) *no { return &i.Lines[0].Charges[0].Amount }),
	withNumber("BR-DEC-28", "BT-142", num("20.001"), func(i *inv) *no { return &i.Lines[0].Charges[0].Base }),
	change("BR-53", "BT-111", "", func(i *inv) { i.TaxCurrency = "SEK" }),
}

var codeMistakes = []mistake{
	with("BR-CL-01", "BT-3", "999", func(i *inv) *string { return &i.TypeCode }),
	with("BR-CL-04", "BT-5", "EURO", func(i *inv) *string { return &i.Currency }),
	change("BR-CL-05", "BT-6", "", func(i *inv) { i.TaxCurrency, i.Totals.VATForeign = "KRONA", num("1.00") }),
	with("BR-CL-06", "BT-8", "99", func(i *inv) *string { return &i.TaxPointCode }),
	with("BR-CL-07", "BT-18", "X!", func(i *inv) *string { return &i.Object.Scheme }),
	with("BR-CL-07", "BT-128", "X!", func(i *inv) *string { return &i.Lines[0].Object.Scheme }).where(cii),
	with("BR-CL-08", "BT-21", "XYX", func(i *inv) *string { return &i.Notes[0].Subject }),
	change("BR-CL-10", "BT-46", "", func(i *inv) { i.Buyer.IDs = []einvoice.ID{{Value: "1", Scheme: "9999"}} }),
	with("BR-CL-11", "BT-30", "9999", func(i *inv) *string { return &i.Seller.Registration.Scheme }),
	with("BR-CL-13", "BT-158", "QQQ", func(i *inv) *string { return &i.Lines[0].Classes[0].List }),
	with("BR-CL-14", "BT-55", "XX", func(i *inv) *string { return &i.Buyer.Address.Country }),
	with("BR-CL-14", "BT-40", "Germany", func(i *inv) *string { return &i.Seller.Address.Country }),
	with("BR-CL-14", "BT-80", "de", func(i *inv) *string { return &i.Delivery.Address.Country }),
	with("BR-CL-15", "BT-159", "XX", func(i *inv) *string { return &i.Lines[0].Origin }),
	with("BR-CL-16", "BT-81", "SEPA", func(i *inv) *string { return &i.Payments[0].Code }),
	with("BR-CL-19", "BT-98", "FC", func(i *inv) *string { return &i.Allowances[0].ReasonCode }),
	with("BR-CL-20", "BT-105", "95", func(i *inv) *string { return &i.Charges[0].ReasonCode }),
	with("BR-CL-19", "BT-140", "1", func(i *inv) *string { return &i.Lines[0].Allowances[0].ReasonCode }),
	with("BR-CL-20", "BT-145", "1", func(i *inv) *string { return &i.Lines[0].Charges[0].ReasonCode }),
	with("BR-CL-21", "BT-157", "9999", func(i *inv) *string { return &i.Lines[0].StandardItem.Scheme }),
	with("BR-CL-23", "BT-130", "pieces", func(i *inv) *string { i.Lines[0].BaseUnit = ""; return &i.Lines[0].Unit }),
	with("BR-CL-24", "BT-125", "text/plain", func(i *inv) *string { return &i.Documents[0].File.MimeType }),
	with("BR-CL-25", "BT-34", "mail", func(i *inv) *string { return &i.Seller.Endpoint.Scheme }),
	with("BR-CL-26", "BT-71", "9999", func(i *inv) *string { return &i.Delivery.ID.Scheme }),
	category("E", "0", "BR-CL-22", "BT-121", "reason", func(i *inv) { i.VAT[0].ExemptionCode = "BECAUSE" }),
}

func vatMistakes() []mistake {
	list := []mistake{
		change("BR-S-01", "BG-23", "", func(i *inv) {
			i.VAT = []einvoice.Breakdown{{Category: "Z", Rate: num("0"), Base: i.Totals.WithoutVAT, Tax: num("0.00")}}
		}).where(ubl),
		change("BR-S-02", "BT-31", "", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		change("BR-S-03", "BT-31", "", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		change("BR-S-04", "BT-31", "", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		withNumber("BR-S-05", "BT-152", num("0"), func(i *inv) *no { return &i.Lines[0].Rate }),
		withNumber("BR-S-06", "BT-96", num("0"), func(i *inv) *no { return &i.Allowances[0].Rate }),
		withNumber("BR-S-07", "BT-103", num("0"), func(i *inv) *no { return &i.Charges[0].Rate }),
		withNumber("BR-S-08", "BT-116", num("42.50"), func(i *inv) *no { return &i.VAT[0].Base }),
		withNumber("BR-S-09", "BT-117", num("17.00"), func(i *inv) *no { return &i.VAT[0].Tax }),
		change("BR-S-10", "BT-120", "", func(i *inv) { i.VAT[0].Exemption = "Because" }).where(notExtended),
		category("O", "", "BR-O-02", "BT-31", "seller", func(i *inv) { i.Seller.VATID = "DE123456789" }).where(notExtended),
		category("O", "", "BR-O-02", "BT-48", "buyer", func(i *inv) { i.Buyer.VATID = "FR12345678901" }).where(notExtended),
		category("O", "", "BR-O-03", "BT-31", "allowance", func(i *inv) { i.Seller.VATID = "DE123456789" }).where(notExtended),
		category("O", "", "BR-O-04", "BT-31", "charge", func(i *inv) { i.Seller.VATID = "DE123456789" }).where(notExtended),
		category("O", "", "BR-O-05", "BT-152", "rate", func(i *inv) { i.Lines[0].Rate = num("0") }),
		category("O", "", "BR-O-06", "BT-96", "rate", func(i *inv) { i.Allowances[0].Rate = num("0") }),
		category("O", "", "BR-O-07", "BT-103", "rate", func(i *inv) { i.Charges[0].Rate = num("0") }),
		category("O", "", "BR-O-10", "BT-120", "reason", func(i *inv) { i.VAT[0].Exemption = "" }),
		category("O", "", "BR-O-12", "BT-151", "beside", func(i *inv) { i.Lines[0].Category = "Z"; i.Lines[0].Rate = num("0") }).where(notExtended),
		category("K", "0", "BR-IC-02", "BT-48", "buyer", func(i *inv) { i.Buyer.VATID = "" }),
		category("K", "0", "BR-IC-02", "BT-31", "seller", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		category("K", "0", "BR-IC-11", "BT-72", "date", func(i *inv) { i.Delivery.Date, i.Period = "", nil }),
		category("K", "0", "BR-IC-12", "BT-80", "country", func(i *inv) { i.Delivery.Address = nil }),
		category("AE", "0", "BR-AE-02", "BT-48", "buyer", func(i *inv) { i.Buyer.VATID, i.Buyer.Registration = "", nil }),
		category("AE", "0", "BR-AE-02", "BT-31", "seller", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		category("G", "0", "BR-G-02", "BT-31", "seller", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		category("B", "22", "BR-B-01", "BT-151", "abroad", func(i *inv) {}),
	}
	for _, c := range []struct{ code, prefix string }{{"Z", "BR-Z"}, {"E", "BR-E"}, {"AE", "BR-AE"}, {"K", "BR-IC"}, {"G", "BR-G"}} {
		list = append(list,
			category(c.code, "0", c.prefix+"-01", "BG-23", "row", func(i *inv) { i.VAT = append(i.VAT, i.VAT[0]) }).where(notExtended),
			category(c.code, "0", c.prefix+"-05", "BT-152", "rate", func(i *inv) { i.Lines[0].Rate = num("5") }),
			category(c.code, "0", c.prefix+"-06", "BT-96", "rate", func(i *inv) { i.Allowances[0].Rate = num("5") }),
			category(c.code, "0", c.prefix+"-07", "BT-103", "rate", func(i *inv) { i.Charges[0].Rate = num("5") }),
			category(c.code, "0", c.prefix+"-08", "BT-116", "base", func(i *inv) { i.VAT[0].Base = num("1.00") }),
			category(c.code, "0", c.prefix+"-09", "BT-117", "tax", func(i *inv) { i.VAT[0].Tax = num("1.00") }),
			category(c.code, "0", c.prefix+"-10", "BT-120", "reason", func(i *inv) {
				if i.VAT[0].Exemption == "" {
					i.VAT[0].Exemption = "Because"
				} else {
					i.VAT[0].Exemption = ""
				}
			}).where(func(k kind) bool { return c.code != "Z" || !extended(k) }))
	}
	return list
}

var germanMistakes = func() []mistake {
	list := []mistake{
		change("BR-DE-1", "BG-16", "", func(i *inv) { i.Payments = nil }),
		change("BR-DE-2", "BG-6", "", func(i *inv) { i.Seller.Contact = nil }),
		without("BR-DE-3", "BT-37", func(i *inv) *string { return &i.Seller.Address.City }),
		without("BR-DE-4", "BT-38", func(i *inv) *string { return &i.Seller.Address.PostCode }),
		without("BR-DE-5", "BT-41", func(i *inv) *string { return &i.Seller.Contact.Name }),
		without("BR-DE-6", "BT-42", func(i *inv) *string { return &i.Seller.Contact.Phone }),
		without("BR-DE-7", "BT-43", func(i *inv) *string { return &i.Seller.Contact.Email }),
		without("BR-DE-8", "BT-52", func(i *inv) *string { return &i.Buyer.Address.City }),
		without("BR-DE-9", "BT-53", func(i *inv) *string { return &i.Buyer.Address.PostCode }),
		without("BR-DE-10", "BT-77", func(i *inv) *string { return &i.Delivery.Address.City }),
		without("BR-DE-11", "BT-78", func(i *inv) *string { return &i.Delivery.Address.PostCode }),
		category("O", "", "BR-DE-14", "BT-119", "rate", func(i *inv) { i.VAT[0].Rate = none }),
		without("BR-DE-15", "BT-10", func(i *inv) *string { return &i.BuyerReference }),
		change("BR-DE-16", "BT-31", "", func(i *inv) { i.Seller.VATID, i.Representative = "", nil }),
		with("BR-DE-18", "BT-20", "#SKONTO#TAGE=14#PROZENT=2#\n", func(i *inv) *string { return &i.PaymentTerms }),
		with("BR-DE-18", "BT-20", "#SKONTO#TAGE=14#PROZENT=2.00#", func(i *inv) *string { return &i.PaymentTerms }),
		change("BR-DE-22", "BT-125", "", func(i *inv) { i.Documents[1].File.Name = "a.csv" }),
		change("BR-DE-23-a", "BG-17", "", func(i *inv) { i.Payments[0].Account = nil }),
		change("BR-DE-23-b", "BG-17", "", func(i *inv) { i.Payments[0].Card = &einvoice.Card{Number: "1234"} }),
		change("BR-DE-24-a", "BG-18", "", func(i *inv) { i.Payments[0] = einvoice.Payment{Code: "48"} }),
		change("BR-DE-24-b", "BG-18", "", func(i *inv) { i.Payments[0].Code, i.Payments[0].Card = "48", &einvoice.Card{Number: "1234"} }),
		change("BR-DE-25-a", "BG-19", "", func(i *inv) { i.Payments[0] = einvoice.Payment{Code: "59"} }),
		change("BR-DE-25-b", "BG-19", "", func(i *inv) {
			i.Payments[0].Code, i.Debit = "59", &einvoice.Debit{Mandate: "M", Creditor: "C", Account: iban}
		}),
		change("BR-DE-30", "BT-90", "", func(i *inv) {
			i.Payments[0], i.Debit = einvoice.Payment{Code: "59"}, &einvoice.Debit{Mandate: "M", Account: iban}
		}),
		change("BR-DE-31", "BT-91", "", func(i *inv) {
			i.Payments[0], i.Debit = einvoice.Payment{Code: "59"}, &einvoice.Debit{Mandate: "M", Creditor: "C"}
		}),
	}
	for i := range list {
		list[i].only = xr
	}
	return list
}()

var peppolMistakes = func() []mistake {
	const rules = "PEPPOL-EN16931-"
	list := []mistake{
		without(rules+"R001", "BT-23", func(i *inv) *string { return &i.Process }),
		change(rules+"R002", "BT-22", "", func(i *inv) { i.Notes = append(i.Notes, einvoice.Note{Text: "More"}) }),
		without(rules+"R003", "BT-10", func(i *inv) *string { i.SalesOrder = ""; return &i.BuyerReference }),
		change(rules+"R005", "BT-6", "", func(i *inv) { i.TaxCurrency, i.Totals.VATForeign = "EUR", i.Totals.VAT }),
		with(rules+"R007", "BT-23", "urn:mine", func(i *inv) *string { return &i.Process }),
		change(rules+"R010", "BT-49", "", func(i *inv) { i.Buyer.Endpoint = nil }),
		change(rules+"R020", "BT-34", "", func(i *inv) { i.Seller.Endpoint = nil }),
		withNumber(rules+"R040", "BT-92", num("5.03"), func(i *inv) *no { return &i.Allowances[0].Amount }),
		withNumber(rules+"R041", "BT-93", none, func(i *inv) *no { return &i.Allowances[0].Base }),
		withNumber(rules+"R042", "BT-94", none, func(i *inv) *no { return &i.Allowances[0].Percent }),
		withNumber(rules+"R042", "BT-143", none, func(i *inv) *no { return &i.Lines[0].Charges[0].Percent }),
		withNumber(rules+"R046", "BT-146", num("12.4"), func(i *inv) *no { return &i.Lines[0].Price }),
		change(rules+"R055", "BT-111", "", func(i *inv) { i.TaxCurrency, i.Totals.VATForeign = "SEK", num("-1.00") }),
		change(rules+"R061", "BT-89", "", func(i *inv) { i.Payments[0], i.Debit = einvoice.Payment{Code: "59"}, &einvoice.Debit{Creditor: "C"} }),
		change(rules+"R110", "BT-134", "", func(i *inv) { i.Lines[0].Period.Start = "2026-10-02" }),
		change(rules+"R111", "BT-135", "", func(i *inv) { i.Lines[0].Period.End = "2026-12-02" }),
		withNumber(rules+"R120", "BT-131", num("38.53"), func(i *inv) *no { return &i.Lines[0].Net }),
		withNumber(rules+"R121", "BT-149", num("0"), func(i *inv) *no { return &i.Lines[0].BaseQuantity }),
		with(rules+"R130", "BT-150", "HUR", func(i *inv) *string { return &i.Lines[0].BaseUnit }),
		with(rules+"CL008", "BT-34", "EM", func(i *inv) *string { return &i.Seller.Endpoint.Scheme }),
		with(rules+"P0100", "BT-3", "130", func(i *inv) *string { return &i.TypeCode }),
		with(rules+"P0101", "BT-3", "261", func(i *inv) *string { return &i.TypeCode }).where(func(k kind) bool { return peppol(k) && ubl(k) }),
		with(rules+"P0112", "BT-3", "384", func(i *inv) *string { return &i.TypeCode }),
		category("E", "0", rules+"P0107", "BT-121", "reason", func(i *inv) { i.VAT[0].ExemptionCode = "VATEX-EU-AE" }),
	}
	for i := range list {
		if list[i].only == nil {
			list[i].only = peppol
		}
	}
	return list
}()

// extendedRules are the rules of EN 16931 that the profile EXTENDED of Factur-X has others for.
var extendedRules = map[string]string{
	"BR-38": "BR-FXEXT-BR-38", "BR-CO-22": "BR-FXEXT-BR-38", "BR-44": "BR-FXEXT-BR-44", "BR-CO-24": "BR-FXEXT-BR-44",
	"BR-22": "BR-FXEXT-BR-22", "BR-23": "BR-FXEXT-BR-23", "BR-24": "BR-FXEXT-BR-24", "BR-26": "BR-FXEXT-BR-26", "BR-54": "BR-FXEXT-BR-54-2",
	"BR-CO-04": "BR-FXEXT-CO-04", "BR-CO-10": "BR-FXEXT-CO-10", "BR-CO-11": "BR-FXEXT-CO-11", "BR-CO-12": "BR-FXEXT-CO-12",
	"BR-CO-13": "BR-FXEXT-CO-13", "BR-CO-15": "BR-FXEXT-CO-15", "BR-CO-16": "BR-FXEXT-CO-16", "BR-CO-17": "BR-FXEXT-S-09b",
	"BR-S-08": "BR-FXEXT-S08b", "BR-S-09": "BR-FXEXT-S-09b", "BR-Z-08": "BR-FXEXT-Z-08b", "BR-E-08": "BR-FXEXT-E-08b",
	"BR-AE-08": "BR-FXEXT-AE-08b", "BR-IC-08": "BR-FXEXT-IC-08b", "BR-G-08": "BR-FXEXT-G-08b",
}
