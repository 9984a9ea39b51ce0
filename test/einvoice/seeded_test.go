package einvoice_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/einvoice"
)

// A kind is what an invoice is written as.
type kind struct {
	name          string
	syntax        einvoice.Syntax
	specification string
}

var kinds = []kind{
	{"CII EN16931", einvoice.CII, einvoice.SpecEN16931},
	{"CII BASIC", einvoice.CII, einvoice.SpecBasic},
	{"CII EXTENDED", einvoice.CII, einvoice.SpecExtended},
	{"CII XRECHNUNG", einvoice.CII, einvoice.SpecXRechnung},
	{"UBL EN16931", einvoice.UBL, einvoice.SpecEN16931},
	{"UBL XRECHNUNG", einvoice.UBL, einvoice.SpecXRechnung},
	{"UBL PEPPOL", einvoice.UBL, einvoice.SpecPeppol},
}

func num(text string) einvoice.Number {
	n, ok := einvoice.ParseNumber(text)
	if !ok {
		panic(text)
	}
	return n
}

func fraction(r *rand.Rand, most, digits int) einvoice.Number {
	return einvoice.Number{Decimal: decimal.New(r.Int64N(int64(most)), int32(-digits)), Valid: true}
}

// A maker makes invoices that nothing is wrong with, the same for a seed.
type maker struct {
	*rand.Rand
	kind
}

func (m maker) some() bool { return m.IntN(2) == 0 }

func (m maker) word() string {
	return []string{"Müller & Söhne GmbH", "Ærø Værft A/S", "Société <Générale>", "Žluťoučký kůň s.r.o.", "Acme \"Best\" Ltd", "山田商店", "O'Neill"}[m.IntN(7)]
}

func (m maker) address(country string) *einvoice.Address {
	a := &einvoice.Address{Line1: "Street 1", City: "Town", PostCode: "12345", Country: country}
	if m.some() {
		a.Line2, a.Line3, a.Subdivision = "2nd floor", "Door 3", "Region"
	}
	return a
}

func (m maker) party(name, country, vat string) einvoice.Party {
	p := einvoice.Party{
		Name: name, Address: m.address(country), VATID: vat,
		Endpoint:     &einvoice.ID{Value: vat, Scheme: map[string]string{"DE": "9930", "FR": "9957"}[country]},
		Registration: &einvoice.ID{Value: "HRB 4711", Scheme: ""},
		Contact:      &einvoice.Contact{Name: "Ada", Phone: "+49 30 123456", Email: "ada@example.com"},
	}
	if m.some() {
		p.TradingName = name + " Trading"
	}
	if m.some() {
		p.IDs = append(p.IDs, einvoice.ID{Value: "5790000436057", Scheme: "0088"})
	}
	return p
}

const iban = "DE79000000001234567890"

func (m maker) invoice() *einvoice.Invoice {
	inv := &einvoice.Invoice{
		Syntax: m.syntax, Specification: m.specification, Process: einvoice.ProcessPeppol,
		Number: fmt.Sprint("R-", m.IntN(1e6)), IssueDate: "2026-11-29", Currency: "EUR",
		TypeCode:       []string{"380", "380", "380", "381", "389"}[m.IntN(5)],
		BuyerReference: "04011000-12345-67", DueDate: "2026-12-29",
		Seller: m.party(m.word(), "DE", "DE123456789"),
		Buyer:  m.party("Buyer "+m.word(), "FR", "FR12345678901"),
	}
	if m.specification == einvoice.SpecPeppol && inv.TypeCode == "389" {
		inv.TypeCode = "380"
	}
	inv.Seller.TaxID = "201/123/40000"
	inv.Seller.Legal = "Managing director: Ada\nLondon"
	m.references(inv)
	m.payment(inv)
	m.taxed(inv)
	if m.specification == einvoice.SpecBasic {
		leaveOut(inv)
		einvoice.Complete(inv)
	}
	return inv
}

// leaveOut takes away what the profile BASIC has no place for.
func leaveOut(inv *einvoice.Invoice) {
	inv.TaxPointDate, inv.Project, inv.SalesOrder, inv.ReceivingAdvice, inv.Tender, inv.Object, inv.Documents = "", "", "", "", "", nil, nil
	inv.Seller.Legal, inv.Seller.Contact, inv.Buyer.Contact, inv.Buyer.TradingName = "", nil, nil, ""
	if inv.Totals.Rounding.Valid {
		inv.Totals.Rounding, inv.Totals.Due = einvoice.Number{}, einvoice.Number{}
	}
	for i := range inv.Payments {
		p := &inv.Payments[i]
		p.Text, p.Card = "", nil
		if p.Account != nil {
			p.Account.Name, p.Account.Bank = "", ""
		}
	}
	for i := range inv.Lines {
		l := &inv.Lines[i]
		l.Object, l.OrderLine, l.BuyerAccounting, l.Description, l.SellerItem, l.BuyerItem = nil, "", "", "", "", ""
		l.Classes, l.Origin, l.Attributes = nil, "", nil
		for _, list := range [][]einvoice.Allowance{l.Allowances, l.Charges} {
			for j := range list {
				list[j].Base, list[j].Percent = einvoice.Number{}, einvoice.Number{}
			}
		}
	}
}

func (m maker) references(inv *einvoice.Invoice) {
	if m.some() {
		inv.Order, inv.SalesOrder, inv.Contract, inv.Project = "PO-1", "SO-1", "C-1", "P-1"
		inv.DespatchAdvice, inv.ReceivingAdvice, inv.Tender = "D-1", "RA-1", "T-1"
		inv.Object, inv.BuyerAccounting = &einvoice.ID{Value: "4711", Scheme: "AAB"}, "Cost centre 1"
	}
	if m.some() {
		inv.Notes = append(inv.Notes, einvoice.Note{Subject: "AAI", Text: "Thank you.\nSee you."})
	}
	if m.some() {
		inv.Preceding = append(inv.Preceding, einvoice.Reference{Number: "R-0", Date: "2026-10-01"})
	}
	if m.some() {
		inv.Period = &einvoice.Period{Start: "2026-11-01", End: "2026-11-30"}
		inv.TaxPointCode = []string{"", "3", "35", "432"}[m.IntN(4)]
	} else if m.some() {
		inv.TaxPointDate = "2026-11-28"
	}
	if m.some() {
		inv.Delivery = &einvoice.Delivery{Name: "Warehouse", Date: "2026-11-20", Address: m.address("FR"), ID: &einvoice.ID{Value: "5790000436057", Scheme: "0088"}}
	}
	if m.IntN(4) == 0 {
		inv.Payee = &einvoice.Payee{Name: "Factoring AG", ID: &einvoice.ID{Value: "F-1"}, Registration: &einvoice.ID{Value: "HRB 1"}}
	}
	if m.IntN(4) == 0 {
		inv.Representative = &einvoice.Party{Name: "Fiscal Ltd", VATID: "DE987654321", Address: m.address("DE")}
	}
	if m.some() {
		inv.Documents = append(inv.Documents,
			einvoice.Document{Reference: "A-1", Description: "Timesheet", File: &einvoice.File{Name: "times.csv", MimeType: "text/csv", Content: "YSxi"}},
			einvoice.Document{Reference: "A-2", URL: "https://example.com/a-2"})
	}
}

func (m maker) payment(inv *einvoice.Invoice) {
	switch m.IntN(4) {
	case 0:
		inv.Payments = []einvoice.Payment{{Code: "48", Text: "Card", Card: &einvoice.Card{Number: "1234", Holder: "Ada"}}}
	case 1:
		inv.Payments = []einvoice.Payment{{Code: "59"}}
		inv.Debit = &einvoice.Debit{Mandate: "M-1", Creditor: "DE98ZZZ09999999999", Account: iban}
	default:
		inv.Payments = []einvoice.Payment{{Code: "58", Account: &einvoice.Account{ID: iban, Name: "Seller", Bank: "COBADEFFXXX"}}}
		if m.some() {
			inv.Payments = append(inv.Payments, einvoice.Payment{Code: "58", Account: &einvoice.Account{ID: iban}})
		}
	}
	inv.Remittance = "R " + inv.Number
	inv.PaymentTerms = "30 days net"
	if m.some() {
		inv.PaymentTerms = "#SKONTO#TAGE=14#PROZENT=2.25#\n"
	}
}

// taxed adds what VAT is about: lines, allowances, charges, totals.
func (m maker) taxed(inv *einvoice.Invoice) {
	type rated struct{ category, rate string }
	scenario := []struct {
		rates             []rated
		exemption, reason string
	}{
		{rates: []rated{{"S", "19"}}},
		{rates: []rated{{"S", "19"}, {"S", "7"}, {"S", "5.5"}}},
		{rates: []rated{{"S", "19.0"}, {"Z", "0"}}},
		{rates: []rated{{"S", "19"}, {"E", "0"}}, exemption: "VATEX-EU-132", reason: "Exempt"},
		{rates: []rated{{"AE", "0"}}, exemption: "VATEX-EU-AE", reason: "Reverse charge"},
		{rates: []rated{{"K", "0"}}, exemption: "VATEX-EU-IC", reason: "Intra-community supply"},
		{rates: []rated{{"G", "0"}}, exemption: "VATEX-EU-G", reason: "Export outside the EU"},
		{rates: []rated{{"O", ""}}, exemption: "VATEX-EU-O", reason: "Not subject to VAT"},
		{rates: []rated{{"L", "7"}}},
		{rates: []rated{{"M", "4"}}},
	}[m.IntN(10)]
	pick := func() (string, einvoice.Number) {
		one := scenario.rates[m.IntN(len(scenario.rates))]
		if one.rate == "" {
			return one.category, einvoice.Number{}
		}
		return one.category, num(one.rate)
	}
	switch scenario.rates[0].category {
	case "K":
		inv.Delivery = &einvoice.Delivery{Date: "2026-11-20", Address: m.address("FR")}
	case "O":
		inv.Seller.VATID, inv.Buyer.VATID, inv.Representative = "", "", nil
	}
	for i := range 1 + m.IntN(12) {
		inv.Lines = append(inv.Lines, m.line(i, pick))
	}
	if m.some() {
		a := einvoice.Allowance{Reason: "Discount", ReasonCode: "95", Base: num("100.00"), Percent: num("2.5")}
		a.Category, a.Rate = inv.Lines[0].Category, inv.Lines[0].Rate
		inv.Allowances = append(inv.Allowances, a)
	}
	if m.some() {
		a := einvoice.Allowance{Reason: "Freight", ReasonCode: "FC", Amount: fraction(m.Rand, 100000, 2)}
		a.Category, a.Rate = inv.Lines[0].Category, inv.Lines[0].Rate
		inv.Charges = append(inv.Charges, a)
	}
	if m.specification == einvoice.SpecExtended {
		m.extend(inv)
	}
	inv.Totals = &einvoice.Totals{}
	if m.some() {
		inv.Totals.Paid = num("10.00")
	}
	if m.some() {
		inv.Totals.Rounding = num("-0.02")
	}
	einvoice.Complete(inv)
	groupNets(inv)
	for i := range inv.VAT {
		v := &inv.VAT[i]
		if v.Category == "O" && strings.Contains(inv.Specification, "xrechnung") {
			v.Rate = num("0")
		}
		if v.Category != "S" && v.Category != "Z" && v.Category != "L" && v.Category != "M" {
			v.Exemption, v.ExemptionCode = scenario.reason, scenario.exemption
		}
	}
	if m.IntN(4) == 0 {
		inv.TaxCurrency = "SEK"
		inv.Totals.VATForeign = einvoice.Number{Decimal: inv.Totals.VAT.Decimal.Mul(decimal.New(1123, -2)).Round(2), Valid: true}
	}
}

// extend adds what the profile EXTENDED has beyond EN 16931.
func (m maker) extend(inv *einvoice.Invoice) {
	if m.some() {
		inv.Title, inv.DeliveryNote = "Invoice", "DN-1"
		inv.Invoicee = m.recipient("Accounts Ltd")
		inv.FinalDelivery = m.recipient("Building site")
	}
	for range m.IntN(3) {
		inv.Discounts = append(inv.Discounts, einvoice.PaymentDiscount{From: "2026-11-29", Period: num("14"), Unit: "DAY", Base: num("100.00"), Percent: num("2.00"), Amount: num("2.00")})
	}
	for range m.IntN(3) {
		s := einvoice.ServiceCharge{Description: "Freight", Amount: fraction(m.Rand, 10000, 2), Category: inv.Lines[0].Category, Rate: inv.Lines[0].Rate}
		if s.Category == "O" {
			s.Rate = num("0")
		}
		inv.ServiceCharges = append(inv.ServiceCharges, s)
	}
	for i := range inv.Lines {
		m.extendLine(&inv.Lines[i])
	}
	if m.some() { // the first lines are parts of a group, and one has further information
		for i := range 1 + m.IntN(len(inv.Lines)) {
			inv.Lines[i].Status, inv.Lines[i].Parent = "DETAIL", "G"
		}
		group := einvoice.Line{ID: "G", Name: "Group", Status: "GROUP"}
		more := einvoice.Line{ID: "I", Name: "Made of wood", Status: "INFORMATION", Parent: inv.Lines[0].ID, Quantity: num("1"), Unit: "C62"}
		inv.Lines = append([]einvoice.Line{group, more}, inv.Lines...)
	}
}

func (m maker) recipient(name string) *einvoice.Delivery {
	d := &einvoice.Delivery{Name: name, Address: m.address("FR")}
	if m.some() {
		d.ID = &einvoice.ID{Value: "5790000436057", Scheme: "0088"}
	}
	return d
}

func (m maker) extendLine(l *einvoice.Line) {
	if m.some() {
		l.MoreNotes = []einvoice.LineNote{{Text: "Another note"}, {Text: "Regulated", Subject: "AAI"}}
		l.OrderNumber, l.OrderLine, l.OrderDate = "PO-2", "7", "2026-11-01"
		l.DespatchAdvice, l.DespatchAdviceLine, l.DespatchAdviceDate = "DA-1", "1", "2026-11-02"
		l.DeliveryNote, l.DeliveryNoteLine, l.DeliveryNoteDate = "DN-1", "2", "2026-11-03"
		l.Delivery = m.recipient("Warehouse")
		l.Delivery.Date = "2026-11-20"
	}
	if l.Discount.Valid && m.some() {
		l.DiscountReason, l.DiscountReasonCode, l.DiscountPercent, l.DiscountBase = "Rebate", "95", num("5.00"), num("10.0000")
		l.MoreDiscounts = []einvoice.ItemDiscount{{Amount: num("0.2500"), Reason: "Bonus"}}
		l.GrossPrice.Decimal = l.GrossPrice.Decimal.Add(decimal.New(25, -2))
	}
}

// groupNets gives each group the sum of its lines.
func groupNets(inv *einvoice.Invoice) {
	for i := range inv.Lines {
		group := &inv.Lines[i]
		if group.Status != "GROUP" {
			continue
		}
		group.Net = num("0.00")
		for _, l := range inv.Lines {
			if l.Parent == group.ID && l.Status == "DETAIL" {
				group.Net.Decimal = group.Net.Decimal.Add(l.Net.Decimal)
			}
		}
	}
}

func (m maker) line(i int, pick func() (string, einvoice.Number)) einvoice.Line {
	l := einvoice.Line{
		ID: fmt.Sprint(i + 1), Name: "Item " + m.word(), Unit: "C62",
		Quantity: fraction(m.Rand, 100000, 3), Price: fraction(m.Rand, 1000000, 4),
	}
	l.Category, l.Rate = pick()
	if m.some() {
		l.Note, l.Description = "A note", "A description\nof two lines"
		l.SellerItem, l.BuyerItem, l.StandardItem = "S-1", "B-1", &einvoice.ID{Value: "04012345678901", Scheme: "0160"}
		l.Classes = []einvoice.Classification{{Code: "12345678", List: "STI", Version: "1"}}
		l.Origin, l.OrderLine, l.BuyerAccounting = "CN", "1", "Cost centre 2"
		l.Object = &einvoice.ID{Value: "Meter 1", Scheme: "AAB"}
		l.Attributes = []einvoice.Attribute{{Name: "Colour", Value: "Black"}}
	}
	if m.some() {
		l.Period = &einvoice.Period{Start: "2026-11-02", End: "2026-11-29"}
	}
	switch m.IntN(3) {
	case 0:
		l.BaseQuantity, l.BaseUnit = num("100"), "C62"
	case 1:
		l.Discount, l.GrossPrice = num("0.5000"), einvoice.Number{Decimal: l.Price.Decimal.Add(decimal.New(5, -1)), Valid: true}
	}
	if m.some() {
		l.Allowances = []einvoice.Allowance{{Amount: num("0.50"), Base: num("5.00"), Percent: num("10"), Reason: "Discount", ReasonCode: "95"}}
	}
	if m.some() {
		l.Charges = []einvoice.Allowance{{Amount: num("1.25"), Reason: "Packing", ReasonCode: "ABL"}}
	}
	return l
}
