package einvoice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// A vatCategory says what the rules of one VAT category ask for. Its rules have the same
// numbers in each: 01 the breakdown, 02 to 04 who is identified, 05 to 07 the rate, 08 the
// taxable amount, 09 the tax, 10 the reason of exemption.
type vatCategory struct {
	code, prefix, name string
	rate               func(decimal.Decimal) bool // nil: no rate at all
	rateWords          string
	taxed              bool // breakdown by rate, with tax
	sellerTaxID        bool // the seller's tax registration (BT-32) is enough
	buyer              func(*Party) bool
	exempt             bool // a reason is asked for; elsewhere refused
}

var (
	isZero     = func(d decimal.Decimal) bool { return d.IsZero() }
	isPositive = decimal.Decimal.IsPositive
	notBelow   = func(d decimal.Decimal) bool { return !d.IsNegative() }

	hasVATID       = func(p *Party) bool { return p.VATID != "" }
	isIdentifiable = func(p *Party) bool {
		return p.VATID != "" || p.Registration != nil && p.Registration.Value != ""
	}
)

var vatCategories = []vatCategory{
	{code: "S", prefix: "BR-S", name: "standard rate", rate: isPositive, rateWords: "greater than 0", taxed: true, sellerTaxID: true},
	{code: "Z", prefix: "BR-Z", name: "zero rated", rate: isZero, rateWords: "0", sellerTaxID: true},
	{code: "E", prefix: "BR-E", name: "exempt", rate: isZero, rateWords: "0", sellerTaxID: true, exempt: true},
	{code: "AE", prefix: "BR-AE", name: "reverse charge", rate: isZero, rateWords: "0", sellerTaxID: true, buyer: isIdentifiable, exempt: true},
	{code: "K", prefix: "BR-IC", name: "intra-community supply", rate: isZero, rateWords: "0", buyer: hasVATID, exempt: true},
	{code: "G", prefix: "BR-G", name: "export outside the EU", rate: isZero, rateWords: "0", exempt: true},
	{code: "O", prefix: "BR-O", name: "not subject to VAT", exempt: true},
	{code: "L", prefix: "BR-AF", name: "IGIC of the Canary Islands", rate: notBelow, rateWords: "0 or more", taxed: true, sellerTaxID: true},
	{code: "M", prefix: "BR-AG", name: "IPSI of Ceuta and Melilla", rate: notBelow, rateWords: "0 or more", taxed: true, sellerTaxID: true},
}

// A taxedItem is a line, an allowance or a charge as VAT sees it.
type taxedItem struct {
	place            string
	amount           decimal.Decimal // negative for allowances
	category         string
	rate             Number
	number           int // of its rules: 0 line, 1 allowance, 2 charge, 3 service charge
	rateTerm, coTerm string
	reason           [2]string // why it is exempt, and the code of that, of lines of EXTENDED
}

func (c *check) items() []taxedItem {
	inv := c.inv
	var items []taxedItem
	for i, l := range inv.Lines {
		if l.counts() {
			items = append(items, taxedItem{where("", "line", i), l.Net.Decimal, l.Category, l.Rate, 0, "BT-152", "BT-151", reasonOf(l.Exemption, l.ExemptionCode)})
		}
	}
	for i, a := range inv.Allowances {
		items = append(items, taxedItem{where("", "allowance", i), a.Amount.Decimal.Neg(), a.Category, a.Rate, 1, "BT-96", "BT-95", [2]string{}})
	}
	for i, a := range inv.Charges {
		items = append(items, taxedItem{where("", "charge", i), a.Amount.Decimal, a.Category, a.Rate, 2, "BT-103", "BT-102", [2]string{}})
	}
	for i, s := range inv.ServiceCharges {
		items = append(items, taxedItem{where("", "service charge", i), s.Amount.Decimal, s.Category, s.Rate, 3, "BT-X-274", "BT-X-273", [2]string{}})
	}
	return items
}

// reasonOf is a reason of exemption, to be compared with another.
func reasonOf(text, code string) [2]string {
	return [2]string{strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(code), " ")}
}

func (c *check) vat() {
	inv := c.inv
	if len(inv.VAT) == 0 {
		c.given(false, "BR-CO-18", "BG-23")
	}
	for i, v := range inv.VAT {
		c.at("VAT breakdown", i, func() { c.breakdown(v) })
	}
	items := c.items()
	for _, category := range vatCategories {
		c.category(category, items)
	}
	c.splitPayment(items)
}

// breakdown has the rules of a row that do not depend on its category.
func (c *check) breakdown(v Breakdown) {
	c.given(v.Base.Valid, "BR-45", "BT-116")
	c.given(v.Tax.Valid, "BR-46", "BT-117")
	c.given(v.Category != "", "BR-47", "BT-118")
	c.given(v.Rate.Valid || v.Category == "O", "BR-48", "BT-119")
	c.digits(v.Base, "BR-DEC-19", "BT-116")
	c.digits(v.Tax, "BR-DEC-20", "BT-117")
	if v.Base.Valid && v.Tax.Valid && !c.extends && !c.taxFits(v) {
		want := round(v.Base.Decimal.Mul(v.Rate.Decimal).Shift(-2))
		c.fail("BR-CO-17", "BT-117", fmt.Sprintf("The tax is %s, and %s %% of %s is %s.", amount(v.Tax), amount(v.Rate), amount(v.Base), fixed(want)),
			"Write the taxable amount (BT-116) times the rate (BT-119), rounded to two digits.")
	}
}

// taxFits reports whether the tax of a row is its base times its rate, give or take less
// than one unit: the standard lets taxes be added up from lines.
func (c *check) taxFits(v Breakdown) bool {
	if !v.Rate.Valid || roundUnit(v.Rate.Decimal).IsZero() {
		return roundUnit(v.Tax.Decimal).IsZero()
	}
	want := round(v.Base.Decimal.Abs().Mul(v.Rate.Decimal).Shift(-2))
	off := v.Tax.Decimal.Abs().Sub(want).Abs().Cmp(decimal.NewFromInt(1))
	return off < 0 || off == 0 && c.inv.Syntax == CII
}

func (c *check) category(cat vatCategory, items []taxedItem) {
	inv := c.inv
	rows, used := 0, false
	for _, v := range inv.VAT {
		if v.Category == cat.code {
			rows++
		}
	}
	identified := [3]bool{}
	if c.extends { // the published rule counts lines that are no part of the totals, too
		used = slices.ContainsFunc(inv.Lines, func(l Line) bool { return l.Category == cat.code })
	}
	for _, item := range items {
		if item.category != cat.code {
			continue
		}
		used = true
		if item.number == 3 { // it has rules of its own
			continue
		}
		if !identified[item.number] {
			identified[item.number] = true
			c.identified(cat, fmt.Sprintf("%s-%02d", cat.prefix, 2+item.number))
		}
		c.rate(cat, item)
	}
	switch name := quote(cat.code) + " (" + cat.name + ")"; {
	case used && rows == 0:
		c.fail(cat.prefix+"-01", "BG-23", "It has no row for the VAT category "+name+", which the invoice uses.", "Add a row of this category.")
	case rows > 1 && !cat.taxed && !c.extends:
		c.fail(cat.prefix+"-01", "BG-23", "It has more than one row for the VAT category "+name+".", "Put them into one row.")
	case rows > 0 && !used && (c.extends || cat.taxed == (inv.Syntax == UBL)): // as the official rules have it; 08 refuses the rest
		c.fail(cat.prefix+"-01", "BG-23", "It has a row for the VAT category "+name+", which nothing of the invoice uses.", "Take the row away.")
	}
	for i, v := range inv.VAT {
		if v.Category == cat.code {
			c.at("VAT breakdown", i, func() { c.row(cat, v, items) })
		}
	}
}

// identified has the rules of who must be identified, or must not be.
func (c *check) identified(cat vatCategory, rule string) {
	inv := c.inv
	seller, buyer, tax := &inv.Seller, &inv.Buyer, representative(inv)
	if cat.rate == nil {
		if c.extends {
			return
		}
		for _, id := range []struct{ value, term string }{{seller.VATID, "BT-31"}, {tax.VATID, "BT-63"}, {buyer.VATID, "BT-48"}} {
			if id.value != "" {
				c.fail(rule, id.term, "An invoice that is not subject to VAT has no VAT identifiers.", "Leave the VAT identifier out, or use another VAT category, such as E.")
				return
			}
		}
		return
	}
	if seller.VATID == "" && tax.VATID == "" && (!cat.sellerTaxID || seller.TaxID == "") {
		cure := "Give the seller's VAT identifier, or that of its tax representative (BT-63)."
		if cat.sellerTaxID {
			cure = "Give the seller's VAT identifier, its tax registration (BT-32), or the VAT identifier of its tax representative (BT-63)."
		}
		c.fail(rule, "BT-31", "It is missing, and the VAT category "+quote(cat.code)+" asks for it.", cure)
	}
	if cat.buyer != nil && !cat.buyer(buyer) {
		c.fail(rule, "BT-48", "It is missing, and the VAT category "+quote(cat.code)+" asks for it.", "Give the VAT identifier of the buyer.")
	}
}

func (c *check) rate(cat vatCategory, item taxedItem) {
	rule := fmt.Sprintf("%s-%02d", cat.prefix, 5+item.number)
	place := c.place
	c.place = item.place
	switch {
	case cat.rate == nil && item.rate.Valid:
		c.fail(rule, item.rateTerm, "What is not subject to VAT has no rate, not even 0.", "Leave the rate out.")
	case cat.rate != nil && !item.rate.Valid:
		c.fail(rule, item.rateTerm, "It is missing.", fmt.Sprintf("Give the rate: %s in the VAT category %s.", cat.rateWords, quote(cat.code)))
	case cat.rate != nil && !cat.rate(item.rate.Decimal):
		c.fail(rule, item.rateTerm, fmt.Sprintf("It is %s, which the VAT category %s does not have.", amount(item.rate), quote(cat.code)),
			"Write a rate that is "+cat.rateWords+", or another VAT category ("+item.coTerm+").")
	}
	c.place = place
}

// row has the rules of a row of the VAT breakdown.
func (c *check) row(cat vatCategory, v Breakdown, items []taxedItem) {
	base := decimal.Zero
	for _, item := range items {
		if item.category == cat.code && (!cat.taxed || item.rate.Decimal.Equal(v.Rate.Decimal)) {
			base = base.Add(item.amount)
		}
	}
	base = round(base)
	switch {
	case !v.Base.Valid || !v.Rate.Valid && cat.taxed:
	case c.extends:
		c.extendedRow(cat, v, items)
	case !c.baseFits(cat, v.Base.Decimal, base):
		c.equals(v.Base, base, cat.prefix+"-08", "BT-116", baseWords)
	}
	if !v.Tax.Valid {
		return
	}
	switch {
	case !cat.taxed && !v.Tax.Decimal.IsZero():
		c.fail(cat.prefix+"-09", "BT-117", fmt.Sprintf("The tax is %s, and the VAT category %s has none.", amount(v.Tax), quote(cat.code)), "Write 0.00.")
	case cat.code == "S" && v.Base.Valid && !c.extends && !c.taxFits(v):
		c.fail("BR-S-09", "BT-117", "The tax is not the taxable amount (BT-116) times the rate (BT-119).", "Write the taxable amount times the rate, rounded to two digits.")
	}
	switch reason := v.Exemption != "" || v.ExemptionCode != ""; {
	case cat.exempt && !reason:
		c.fail(cat.prefix+"-10", "BT-120", "It is missing, and the VAT category "+quote(cat.code)+" asks for it.", "Say why there is no VAT, or give a code of VATEX (BT-121).")
	case !cat.exempt && reason && !c.extends:
		c.fail(cat.prefix+"-10", "BT-120", "The VAT category "+quote(cat.code)+" has no reason of exemption.", "Leave the reason and its code (BT-121) out.")
	}
	switch cat.code {
	case "K":
		c.delivered()
	case "O":
		if !c.extends {
			c.onlyOutside(items)
		}
	}
}

const baseWords = "the sum of lines and charges less allowances of this category and rate"

// baseFits allows one unit more or less where the official rules do: for rated categories
// in UBL, for the others in CII.
func (c *check) baseFits(cat vatCategory, got, want decimal.Decimal) bool {
	if cat.rate != nil && cat.taxed == (c.inv.Syntax == UBL) {
		return got.Sub(want).Abs().LessThan(decimal.NewFromInt(1))
	}
	return got.Equal(want)
}

// delivered has what a supply to another country of the EU must say.
func (c *check) delivered() {
	inv, outer := c.inv, c.place
	c.place = ""
	dated := inv.Delivery != nil && inv.Delivery.Date != "" || inv.Period != nil && (inv.Period.Start != "" || inv.Period.End != "")
	if !dated {
		c.fail("BR-IC-11", "BT-72", "It is missing, and an intra-community supply asks for it.", "Give the date of delivery or the invoicing period (BG-14).")
	}
	if inv.Delivery == nil || inv.Delivery.Address == nil || inv.Delivery.Address.Country == "" {
		c.fail("BR-IC-12", "BT-80", "It is missing, and an intra-community supply asks for it.", "Give the country that the goods went to.")
	}
	c.place = outer
}

// onlyOutside refuses other categories beside O.
func (c *check) onlyOutside(items []taxedItem) {
	outer := c.place
	const message, cure = "It is of another VAT category beside \"O\" (not subject to VAT).", "Make two invoices, or use one category."
	for i, v := range c.inv.VAT {
		if v.Category != "O" {
			c.place = where("", "VAT breakdown", i)
			c.fail("BR-O-11", "BT-118", message, cure)
		}
	}
	for _, item := range items {
		if item.category != "O" && item.category != "" {
			c.place = item.place
			c.fail(fmt.Sprintf("BR-O-%d", 12+item.number), item.coTerm, message, cure)
		}
	}
	c.place = outer
}

// splitPayment has the rules of category B, which Italy alone has.
func (c *check) splitPayment(items []taxedItem) {
	categories := map[string]bool{}
	for _, item := range items {
		categories[item.category] = true
	}
	for _, v := range c.inv.VAT {
		categories[v.Category] = true
	}
	if !categories["B"] {
		return
	}
	inv := c.inv
	addresses := []*Address{inv.Seller.Address, inv.Buyer.Address, representative(inv).Address}
	if inv.Delivery != nil {
		addresses = append(addresses, inv.Delivery.Address)
	}
	for _, a := range addresses {
		if a != nil && a.Country != "" && a.Country != "IT" {
			c.fail("BR-B-01", "BT-151", "The VAT category \"B\" (split payment) is for invoices within Italy.", "Use another VAT category.")
			break
		}
	}
	if categories["S"] {
		c.fail("BR-B-02", "BT-151", "The VAT category \"B\" (split payment) stands beside \"S\".", "Use one of the two.")
	}
}
