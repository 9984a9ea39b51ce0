package einvoice

import (
	"fmt"

	"github.com/shopspring/decimal"
)

// Statuses of lines (BT-X-8). Lines without one are as those with DETAIL.
const (
	statusDetail      = "DETAIL"
	statusGroup       = "GROUP"
	statusInformation = "INFORMATION"
)

// extendedRules are the names of rules that EXTENDED has in place of those of EN 16931.
var extendedRules = map[string]string{
	"BR-22": "BR-FXEXT-BR-22", "BR-23": "BR-FXEXT-BR-23", "BR-24": "BR-FXEXT-BR-24", "BR-26": "BR-FXEXT-BR-26",
	"BR-38": "BR-FXEXT-BR-38", "BR-44": "BR-FXEXT-BR-44", "BR-CO-04": "BR-FXEXT-CO-04",
	"BR-CO-10": "BR-FXEXT-CO-10", "BR-CO-11": "BR-FXEXT-CO-11", "BR-CO-12": "BR-FXEXT-CO-12", "BR-CO-13": "BR-FXEXT-CO-13",
	"BR-CO-15": "BR-FXEXT-CO-15", "BR-CO-16": "BR-FXEXT-CO-16",
	"BR-S-01": "BR-FXEXT-S-01", "BR-Z-01": "BR-FXEXT-Z-01", "BR-E-01": "BR-FXEXT-E-01", "BR-AE-01": "BR-FXEXT-AE-01", "BR-IC-01": "BR-FXEXT-IC-01",
	"BR-G-01": "BR-FXEXT-G-01", "BR-O-01": "BR-FXEXT-O-01", "BR-AF-01": "BR-FXEXT-AF-01", "BR-AG-01": "BR-FXEXT-AG-01",
	"BR-S-08": "BR-FXEXT-S08b", "BR-Z-08": "BR-FXEXT-Z-08b", "BR-E-08": "BR-FXEXT-E-08b", "BR-AE-08": "BR-FXEXT-AE-08b", "BR-IC-08": "BR-FXEXT-IC-08b",
	"BR-G-08": "BR-FXEXT-G-08b", "BR-O-08": "BR-FXEXT-O-08b", "BR-AF-08": "BR-FXEXT-AF-08b", "BR-AG-08": "BR-FXEXT-AG-08b",
	"BR-S-09": "BR-FXEXT-S-09b",
}

// extensions has the rules of what EXTENDED adds. Some rules of its schema have numbers alone.
func (c *check) extensions() {
	inv := c.inv
	if t := inv.Totals; t != nil && t.Due.Decimal.IsPositive() && inv.DueDate == "" && inv.PaymentTerms == "" {
		c.fail("BR-CO-25", "BT-9", "It is missing, and something is due.", "Give the due date, or the payment terms (BT-20).")
	}
	for i, s := range inv.ServiceCharges {
		c.at("service charge", i, func() {
			c.given(s.Description != "", "FX-SCH-A-000963", "BT-X-271")
			c.given(s.Amount.Valid, "FX-SCH-A-000327", "BT-X-272")
			c.given(s.Category != "", "FX-SCH-A-000965", "BT-X-273")
			c.given(s.Rate.Valid, "FX-SCH-A-000329", "BT-X-274")
			c.code("category", s.Category, "FX-SCH-A-000966", "BT-X-273")
		})
	}
	if r := inv.FinalDelivery; r != nil {
		c.recipient(r, "FX-SCH-A-000841", "FX-SCH-A-000843", "BT-X-177")
	}
	if r := inv.Invoicee; r != nil {
		c.given(r.Name != "", "FX-SCH-A-000865", "BT-X-226")
		c.recipient(r, "FX-SCH-A-000874", "FX-SCH-A-000876", "BT-X-239")
	}
	for i, d := range inv.Discounts {
		c.at("payment discount", i, func() {
			if d.Period.Valid && d.Unit == "" {
				c.warn("PROFILE", "BT-X-284", "It is missing, and the period has a number alone.", "Give the unit, such as DAY.")
			}
		})
	}
	for i := range inv.Lines {
		c.at("line", i, func() { c.extendedLine(&inv.Lines[i]) })
	}
	c.hierarchy()
}

// recipient has the rules of the address that somebody may have.
func (c *check) recipient(r *Delivery, missing, unknown, country string) {
	if r.Address != nil {
		c.given(r.Address.Country != "", missing, country)
		c.code("country", r.Address.Country, unknown, country)
	}
}

func (c *check) extendedLine(l *Line) {
	switch l.Status {
	case "", statusDetail, statusGroup, statusInformation:
	default:
		c.fail("FX-SCH-A-000335", "BT-X-8", quote(l.Status)+" is no status of a line.", "Write DETAIL, GROUP or INFORMATION.")
	}
	if l.Delivery != nil {
		c.recipient(l.Delivery, "FX-SCH-A-001098", "FX-SCH-A-001100", "BT-X-63")
	}
	for i, n := range l.MoreNotes {
		c.at("note", i, func() {
			if n.Subject != "" && n.Text == "" {
				c.given(false, "BR-FXEXT-02", "BT-127")
			}
			c.code("subject", n.Subject, "FX-SCH-A-001014", "BT-X-10")
		})
	}
	c.code("allowance", l.DiscountReasonCode, "FX-SCH-A-001033", "BT-X-313")
	if !l.Discount.Valid && (l.DiscountReason != "" || l.DiscountReasonCode != "" || l.DiscountBase.Valid || l.DiscountPercent.Valid) {
		c.given(false, "FX-SCH-A-000531", "BT-147")
	}
	for i, d := range l.MoreDiscounts {
		c.at("price discount", i, func() {
			c.given(d.Amount.Valid, "FX-SCH-A-000531", "BT-147")
			c.code("allowance", d.ReasonCode, "FX-SCH-A-001033", "BT-X-313")
		})
	}
}

// hierarchy has the rules of lines that are part of others.
func (c *check) hierarchy() {
	parts, known := map[string][]*Line{}, map[string]bool{}
	lines := c.inv.Lines
	for i := range lines {
		l := &lines[i]
		known[l.ID] = true
		if l.Parent != "" {
			parts[l.Parent] = append(parts[l.Parent], l)
		}
	}
	for i := range lines {
		c.at("line", i, func() { c.part(&lines[i], parts[lines[i].ID], known) })
	}
}

// part has the rules of one line with those that are part of it.
func (c *check) part(l *Line, parts []*Line, known map[string]bool) {
	if l.Parent != "" {
		if l.Status == "" {
			c.fail("BR-FXEXT-06", "BT-X-8", "It is missing, and the line is part of another.", "Write DETAIL, GROUP or INFORMATION.")
		}
		if !known[l.Parent] {
			c.fail("BR-FXEXT-11", "BT-X-304", "No line has the identifier "+quote(l.Parent)+".", "Write the identifier (BT-126) of another line.")
		}
	}
	if l.Status != statusGroup || !l.Net.Valid {
		return
	}
	of, isWhole := decimal.Zero, true
	for _, p := range parts {
		if p.Status != statusDetail && p.Status != statusGroup {
			continue
		}
		of = of.Add(p.Net.Decimal)
		if !p.Net.Valid {
			isWhole = false
			if p.Status == statusGroup {
				c.fail("BR-FXEXT-12", "BT-131", "A group in it has no net amount.", "Give the net amount of each group in it, or of none.")
			}
		}
	}
	if of = round(of); !isWhole || !l.Net.Decimal.Equal(of) {
		c.fail("BR-FXEXT-08", "BT-131", fmt.Sprintf("It is %s, and the lines that are part of it have %s.", amount(l.Net), fixed(of)), "Write the sum of its lines, or leave it out.")
	}
}

// chargeWords says what the sum of charges sums up.
func (c *check) chargeWords() string {
	if c.extends {
		return "the sum of the charges (BT-99) and service charges (BT-X-272)"
	}
	return "the sum of the charges (BT-99)"
}

// extendedRow has the rules of the amounts of a row. They may be off by 0.01 for each amount of
// its category and rate. Rows of one category may have several reasons of exemption: then the
// items count that have the same.
func (c *check) extendedRow(cat vatCategory, v Breakdown, items []taxedItem) {
	var all, alike decimal.Decimal
	var allItems, alikeItems int64
	for _, item := range items {
		if item.category != cat.code || cat.taxed && !item.rate.Decimal.Equal(v.Rate.Decimal) {
			continue
		}
		all, allItems = all.Add(item.amount), allItems+1
		if item.reason == reasonOf(v.Exemption, v.ExemptionCode) {
			alike, alikeItems = alike.Add(item.amount), alikeItems+1
		}
	}
	off := func(got, want decimal.Decimal, items int64) bool {
		return got.Sub(round(want)).Abs().GreaterThan(decimal.New(items, -maxFraction))
	}
	if off(v.Base.Decimal, all, allItems) && off(v.Base.Decimal, alike, alikeItems) {
		c.fail(cat.prefix+"-08", "BT-116", fmt.Sprintf("It is %s, and %s is %s.", amount(v.Base), baseWords, fixed(round(all))), "Write "+fixed(round(all))+", or correct what it sums up.")
	}
	if want := v.Base.Decimal.Mul(v.Rate.Decimal).Shift(-2); cat.code == "S" && v.Tax.Valid && off(v.Tax.Decimal, want, allItems) {
		c.fail("BR-S-09", "BT-117", fmt.Sprintf("The tax is %s, and %s %% of %s is %s.", amount(v.Tax), amount(v.Rate), amount(v.Base), fixed(round(want))), "Write the taxable amount times the rate, rounded to two digits.")
	}
}
