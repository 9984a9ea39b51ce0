package einvoice

import (
	"cmp"

	"github.com/shopspring/decimal"
)

// Complete works out what follows from the rest and is missing: the net amounts of lines,
// the VAT breakdown, and the totals. A row of the breakdown without a taxable amount only says
// why its category is exempt. It changes nothing that is there, so that Validate compares it.
// Amounts are rounded to two digits, a half away from zero.
func Complete(inv *Invoice) {
	for i := range inv.Lines {
		l := &inv.Lines[i]
		switch {
		case !l.Price.Valid && l.GrossPrice.Valid:
			l.Price = number(l.GrossPrice.Decimal.Sub(l.discounts()))
		case l.Price.Valid && l.Discount.Valid && !l.GrossPrice.Valid:
			l.GrossPrice = number(l.Price.Decimal.Add(l.discounts()))
		}
		percentages(l.Allowances)
		percentages(l.Charges)
		if !l.Net.Valid && l.Quantity.Valid && l.Price.Valid {
			l.Net = cents(l.net())
		}
	}
	percentages(inv.Allowances)
	percentages(inv.Charges)
	inv.VAT = explained(inv)
	for i := range inv.VAT {
		if v := &inv.VAT[i]; v.Base.Valid && !v.Tax.Valid {
			v.Tax = cents(v.Base.Decimal.Mul(v.Rate.Decimal).Shift(-2))
		}
	}
	if inv.Totals == nil {
		inv.Totals = &Totals{}
	}
	t := inv.Totals
	fill(&t.Lines, sum(counted(inv.Lines), func(l Line) Number { return l.Net }))
	if len(inv.Allowances) > 0 {
		fill(&t.Allowances, sum(inv.Allowances, allowanceAmount))
	}
	if len(inv.Charges)+len(inv.ServiceCharges) > 0 {
		fill(&t.Charges, inv.chargeSum())
	}
	fill(&t.WithoutVAT, t.Lines.Decimal.Sub(t.Allowances.Decimal).Add(t.Charges.Decimal))
	fill(&t.VAT, sum(inv.VAT, func(v Breakdown) Number { return v.Tax }))
	fill(&t.WithVAT, t.WithoutVAT.Decimal.Add(t.VAT.Decimal))
	fill(&t.Due, t.WithVAT.Decimal.Sub(t.Paid.Decimal).Add(t.Rounding.Decimal))
}

// chargeSum is the sum of all charges.
func (inv *Invoice) chargeSum() decimal.Decimal {
	return sum(inv.Charges, allowanceAmount).Add(sum(inv.ServiceCharges, func(s ServiceCharge) Number { return s.Amount }))
}

// discounts is what a price is less than the gross price.
func (l *Line) discounts() decimal.Decimal {
	return l.Discount.Decimal.Add(sum(l.MoreDiscounts, func(d ItemDiscount) Number { return d.Amount }))
}

// percentages works out the amounts that are percentages of something.
func percentages(list []Allowance) {
	for i := range list {
		if a := &list[i]; !a.Amount.Valid && a.Base.Valid && a.Percent.Valid {
			a.Amount = cents(a.Base.Decimal.Mul(a.Percent.Decimal).Shift(-2))
		}
	}
}

func number(d decimal.Decimal) Number { return Number{Decimal: d, Valid: true} }

func cents(d decimal.Decimal) Number {
	d = d.Round(maxFraction)
	if d.Exponent() > -maxFraction {
		d = d.Add(decimal.New(0, -maxFraction)) // 5 as 5.00
	}
	return number(d)
}

func fill(n *Number, d decimal.Decimal) {
	if !n.Valid {
		*n = cents(d)
	}
}

// explained is the breakdown that is there, or one that is worked out, with the reasons of rows
// that have no taxable amount.
func explained(inv *Invoice) []Breakdown {
	var rows, reasons []Breakdown
	for _, row := range inv.VAT {
		if row.Base.Valid {
			rows = append(rows, row)
		} else {
			reasons = append(reasons, row)
		}
	}
	if len(rows) == 0 {
		rows = breakdown(inv)
	}
	for _, reason := range reasons {
		for i := range rows {
			r := &rows[i]
			if r.Category == reason.Category && (!reason.Rate.Valid || r.Rate.Decimal.Equal(reason.Rate.Decimal)) {
				r.Exemption, r.ExemptionCode = cmp.Or(r.Exemption, reason.Exemption), cmp.Or(r.ExemptionCode, reason.ExemptionCode)
			}
		}
	}
	return rows
}

// breakdown is a row for each VAT category and rate, in the order of the lines.
func breakdown(inv *Invoice) []Breakdown {
	var rows []Breakdown
	add := func(category string, rate Number, amount decimal.Decimal) {
		for i := range rows {
			if r := &rows[i]; r.Category == category && r.Rate.Decimal.Equal(rate.Decimal) {
				r.Base.Decimal = r.Base.Decimal.Add(amount)
				return
			}
		}
		rows = append(rows, Breakdown{Category: category, Rate: rate, Base: number(amount)})
	}
	for _, l := range counted(inv.Lines) {
		add(l.Category, l.Rate, l.Net.Decimal)
	}
	for _, a := range inv.Charges {
		add(a.Category, a.Rate, a.Amount.Decimal)
	}
	for _, s := range inv.ServiceCharges {
		add(s.Category, s.Rate, s.Amount.Decimal)
	}
	for _, a := range inv.Allowances {
		add(a.Category, a.Rate, a.Amount.Decimal.Neg())
	}
	for i := range rows {
		rows[i].Base = cents(rows[i].Base.Decimal)
	}
	return rows
}
