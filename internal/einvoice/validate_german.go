package einvoice

import (
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

// german has the rules of XRechnung 3.0: BR-DE, and BR-DEX of its extension.
func (c *check) german() {
	inv := c.inv
	c.given(len(inv.Payments) > 0, "BR-DE-1", "BG-16")
	if c.given(inv.Seller.Contact != nil, "BR-DE-2", "BG-6"); inv.Seller.Contact != nil {
		c.contact(inv.Seller.Contact)
	}
	deliverTo := (*Address)(nil)
	if inv.Delivery != nil {
		deliverTo = inv.Delivery.Address
	}
	for _, a := range []struct {
		address                      *Address
		city, post, cityIn, postCode string
	}{
		{inv.Seller.Address, "BR-DE-3", "BR-DE-4", "BT-37", "BT-38"},
		{inv.Buyer.Address, "BR-DE-8", "BR-DE-9", "BT-52", "BT-53"},
		{deliverTo, "BR-DE-10", "BR-DE-11", "BT-77", "BT-78"},
	} {
		if a.address != nil {
			c.given(a.address.City != "", a.city, a.cityIn)
			c.given(a.address.PostCode != "", a.post, a.postCode)
		}
	}
	for i, v := range inv.VAT {
		if !v.Rate.Valid {
			c.at("VAT breakdown", i, func() {
				c.fail("BR-DE-14", "BT-119", "It is missing.", "Give the rate, 0 where there is no VAT.")
			})
		}
	}
	if inv.BuyerReference == "" {
		c.fail("BR-DE-15", "BT-10", "It is missing.", "Give the buyer reference; for authorities it is the Leitweg-ID.")
	}
	c.sellerTaxed()
	switch inv.TypeCode {
	case "", "326", "380", "384", "389", "381", "875", "876", "877":
	default:
		c.warn("BR-DE-17", "BT-3", "XRechnung does not foresee the type "+quote(inv.TypeCode)+".", "Write 326, 380, 381, 384, 389, 875, 876 or 877.")
	}
	c.discount()
	if s := inv.Specification; s != SpecXRechnung && s != SpecXRechnungExt && s != SpecXRechnungCVD {
		c.warn("BR-DE-21", "BT-24", quote(s)+" is not XRechnung 3.0.", "Write "+SpecXRechnung+".")
	}
	names := map[string]bool{}
	for i, d := range inv.Documents {
		if d.File == nil {
			continue
		}
		if names[d.File.Name] {
			c.at("document", i, func() {
				c.fail("BR-DE-22", "BT-125", "Another attachment has the name "+quote(d.File.Name)+" as well.", "Give every attachment a name of its own.")
			})
		}
		names[d.File.Name] = true
	}
	for i, d := range inv.Documents {
		if d.URL != "" && !absoluteURL.MatchString(d.URL) {
			c.at("document", i, func() {
				c.warn("BR-TMP-2", "BT-124", quote(d.URL)+" is no address.", "Write it whole, as in https://example.com/delivery.pdf.")
			})
		}
	}
	if inv.TypeCode == "384" && len(inv.Preceding) == 0 {
		c.warn("BR-DE-26", "BG-3", "A corrected invoice (384) does not say what it corrects.", "Name the preceding invoice (BT-25).")
	}
	c.germanPayment()
	if c.extended() {
		c.extension()
	}
	if c.vehicles() {
		c.cleanVehicles()
	}
}

var (
	absoluteURL = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]+:`)
	email       = regexp.MustCompile(`^[^@\s]+@([^@.\s]+\.)+[^@.\s]+$`)
	threeDigits = regexp.MustCompile(`([0-9].*){3}`)
	discountRow = regexp.MustCompile(`^#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$`)
)

func (c *check) contact(contact *Contact) {
	c.given(contact.Name != "", "BR-DE-5", "BT-41")
	c.given(contact.Phone != "", "BR-DE-6", "BT-42")
	c.given(contact.Email != "", "BR-DE-7", "BT-43")
	if contact.Phone != "" && !threeDigits.MatchString(contact.Phone) {
		c.warn("BR-DE-27", "BT-42", quote(contact.Phone)+" has fewer than three digits.", "Write a telephone number.")
	}
	if contact.Email != "" && !email.MatchString(contact.Email) {
		c.warn("BR-DE-28", "BT-43", quote(contact.Email)+" is no email address.", "Write it as in office@example.com.")
	}
}

// sellerTaxed asks for a number of the seller at its tax office.
func (c *check) sellerTaxed() {
	inv := c.inv
	if inv.Seller.VATID != "" || inv.Seller.TaxID != "" || inv.Representative != nil {
		return
	}
	for _, item := range c.items() {
		if item.category != "" && item.category != "O" && item.category != "B" {
			c.fail("BR-DE-16", "BT-31", "It is missing.", "Give the seller's VAT identifier, its tax registration (BT-32) or its tax representative (BG-11).")
			return
		}
	}
}

// discount holds the lines of the payment terms that begin with # to the form that
// programs read discounts from.
func (c *check) discount() {
	terms := strings.ReplaceAll(c.inv.PaymentTerms, "\r\n", "\n")
	lines := strings.Split(terms, "\n")
	last := -1
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") {
			continue
		}
		if last = i; !discountRow.MatchString(line) {
			c.fail("BR-DE-18", "BT-20", quote(line)+" is no discount that programs can read.", "Write each one in a line, as in #SKONTO#TAGE=14#PROZENT=2.25#, with two digits behind the point.")
			return
		}
	}
	if last >= 0 && last == len(lines)-1 {
		c.fail("BR-DE-18", "BT-20", "A discount stands at the end without a line break behind it.", "End every discount with a line break.")
	}
}

func (c *check) germanPayment() {
	inv := c.inv
	debit := inv.Debit
	if debit != nil {
		if debit.Creditor == "" {
			c.fail("BR-DE-30", "BT-90", "It is missing.", "Give the creditor identifier that your bank assigned, with every direct debit.")
		}
		if debit.Account == "" {
			c.fail("BR-DE-31", "BT-91", "It is missing.", "Give the account that is debited, with every direct debit.")
		}
	}
	for i, p := range inv.Payments {
		c.at("payment", i, func() {
			switch p.Code {
			case "30", "58":
				c.given(p.Account != nil, "BR-DE-23-a", "BG-17")
				c.only(p.Card == nil && debit == nil, "BR-DE-23-b", "BG-17", "a card (BG-18) or a direct debit (BG-19)")
				if p.Code == "58" && p.Account != nil && !validIBAN(p.Account.ID) {
					c.warn("BR-DE-19", "BT-84", quote(p.Account.ID)+" is no IBAN.", "Correct the IBAN, or use the payment means 30 for an account without one.")
				}
			case "48", "54", "55":
				c.given(p.Card != nil, "BR-DE-24-a", "BG-18")
				c.only(p.Account == nil && debit == nil, "BR-DE-24-b", "BG-18", "a credit transfer (BG-17) or a direct debit (BG-19)")
			case "59":
				c.given(debit != nil, "BR-DE-25-a", "BG-19")
				c.only(p.Account == nil && p.Card == nil, "BR-DE-25-b", "BG-19", "a credit transfer (BG-17) or a card (BG-18)")
				if debit == nil || !validIBAN(debit.Account) {
					c.warn("BR-DE-20", "BT-91", "It is no IBAN.", "Give the IBAN of the account that is debited.")
				}
			}
		})
	}
}

func (c *check) only(ok bool, rule, term, others string) {
	if !ok {
		c.fail(rule, term, "The invoice has "+others+" beside it.", "Leave out what does not belong to this payment means (BT-81).")
	}
}

var ibanForm = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$`)

// validIBAN holds an account number to ISO 13616: its form, and the check digits modulo 97.
func validIBAN(account string) bool {
	iban := strings.Join(strings.Fields(account), "")
	if !ibanForm.MatchString(iban) {
		return false
	}
	rest := 0
	for _, r := range strings.ToUpper(iban[4:] + iban[:4]) {
		if r >= 'A' {
			rest = rest*100 + int(r-'A') + 10
		} else {
			rest = rest*10 + int(r-'0')
		}
		rest %= 97
	}
	return rest == 1
}

// extension has the rules of the extension of XRechnung.
func (c *check) extension() {
	for i := range c.inv.Lines {
		c.at("line", i, func() { c.subLines(&c.inv.Lines[i]) })
	}
	for i, claim := range c.inv.ThirdPartyClaims {
		c.at("third party payment", i, func() {
			c.given(claim.Type != "", "BR-DEX-10", "BT-DEX-001")
			c.given(claim.Amount.Valid, "BR-DEX-11", "BT-DEX-002")
			c.given(claim.Text != "", "BR-DEX-12", "BT-DEX-003")
			c.digits(claim.Amount, "BR-DEX-13", "BT-DEX-002")
		})
	}
}

func (c *check) subLines(l *Line) {
	if len(l.Lines) == 0 {
		return
	}
	if total := sum(l.Lines, func(l Line) Number { return l.Net }); !l.Net.Decimal.Equal(total) {
		c.warn("BR-DEX-02", "BT-131", "It is "+amount(l.Net)+", and the sum of its lines is "+marked(total.String())+".", "Write the sum.")
	}
	for i := range l.Lines {
		c.at("line", i, func() {
			if l.Lines[i].Category == "" {
				c.given(false, "BR-DEX-03", "BT-151")
			}
			c.subLines(&l.Lines[i])
		})
	}
}

// What marks the clean vehicles that XRechnung CVD reports.
const (
	vehicleList      = "CVD"
	vehicleAttribute = "cva"
)

// cleanVehicles has the rules of XRechnung CVD, which reports vehicles by directive 2019/1161.
func (c *check) cleanVehicles() {
	inv := c.inv
	c.given(inv.Contract != "", "BR-DE-CVD-01", "BT-12")
	c.given(inv.Tender != "", "BR-DE-CVD-02", "BT-17")
	reported := false
	for i, l := range inv.Lines {
		c.at("line", i, func() {
			classes, attributes := 0, 0
			for _, class := range l.Classes {
				if class.List != vehicleList {
					continue
				}
				if classes++; !oneOf(class.Code, "M1", "M2", "M3", "N1", "N2", "N3") {
					c.fail("BR-DE-CVD-04", "BT-158", quote(class.Code)+" is no category of vehicles.", "Write M1, M2, M3, N1, N2 or N3.")
				}
			}
			for _, a := range l.Attributes {
				if a.Name != vehicleAttribute {
					continue
				}
				if attributes++; !oneOf(a.Value, "clean", "zero-emission", "other") {
					c.fail("BR-DE-CVD-05", "BT-161", quote(a.Value)+" is no kind of vehicle.", "Write clean, zero-emission or other.")
				}
			}
			reported = reported || classes > 0 && attributes > 0
			if classes > 0 && attributes != 1 {
				c.fail("BR-DE-CVD-06-a", "BT-160", "A vehicle needs the attribute cva once.", "Give it with clean, zero-emission or other.")
			}
			if attributes > 0 && classes != 1 {
				c.fail("BR-DE-CVD-06-b", "BT-158", "A vehicle needs one classification of the list CVD.", "Give its category.")
			}
		})
	}
	if !reported {
		c.fail("BR-DE-CVD-03", "BT-158", "No line reports a vehicle.", "Give one a classification of the list CVD and the attribute cva.")
	}
}

func oneOf(text string, all ...string) bool {
	for _, one := range all {
		if text == one {
			return true
		}
	}
	return false
}

// slack is what a line or a percentage may be off, from rounding.
var slack = decimal.New(2, -2)

// near fails when an amount is more than slack away from what it should be.
func (c *check) near(got Number, want decimal.Decimal, rule, term, of string) {
	if got.Valid && got.Decimal.Sub(want).Abs().GreaterThan(slack) {
		c.fail(rule, term, "It is "+amount(got)+", and "+of+" is "+fixed(round(want))+".", "Write "+fixed(round(want))+", or correct what it is made of.")
	}
}

// network has the rules of Peppol BIS Billing that XRechnung has taken over.
func (c *check) network() {
	inv := c.inv
	const rules = "PEPPOL-EN16931-"
	if inv.Process == "" {
		c.fail(rules+"R001", "BT-23", "It is missing.", "Write "+ProcessPeppol+".")
	}
	if inv.TaxCurrency != "" && inv.TaxCurrency == inv.Currency {
		c.fail(rules+"R005", "BT-6", "It is the currency of the invoice.", "Leave it out.")
	}
	c.given(inv.Buyer.Endpoint != nil, rules+"R010", "BT-49")
	c.given(inv.Seller.Endpoint != nil, rules+"R020", "BT-34")
	if t := inv.Totals; t != nil {
		c.given(t.VAT.Valid || inv.Syntax == UBL, rules+"R053", "BT-110")
		if t.VATForeign.Valid && inv.TaxCurrency == "" {
			c.fail(rules+"R054", "BT-6", "The invoice has VAT in an accounting currency that it does not name.", "Name the currency.")
		}
		if t.VATForeign.Valid && t.VAT.Decimal.Sign()*t.VATForeign.Decimal.Sign() < 0 {
			c.fail(rules+"R055", "BT-111", "It has another sign than the total VAT (BT-110).", "Write both with one sign.")
		}
	}
	for _, kind := range []struct {
		list                  []Allowance
		name                  string
		amount, base, percent string
	}{{inv.Allowances, "allowance", "BT-92", "BT-93", "BT-94"}, {inv.Charges, "charge", "BT-99", "BT-100", "BT-101"}} {
		for i, a := range kind.list {
			c.at(kind.name, i, func() { c.percentage(a, kind.amount, kind.base, kind.percent) })
		}
	}
	for i, p := range inv.Payments {
		if oneOf(p.Code, "49", "59") && (inv.Debit == nil || inv.Debit.Mandate == "") {
			c.at("payment", i, func() { c.given(false, rules+"R061", "BT-89") })
		}
	}
	for i := range inv.Lines {
		c.at("line", i, func() { c.networkLine(&inv.Lines[i]) })
	}
}

func (c *check) percentage(a Allowance, amount, base, percent string) {
	const rules = "PEPPOL-EN16931-"
	switch {
	case a.Percent.Valid && !a.Base.Valid:
		c.fail(rules+"R041", base, "It is missing beside a percentage.", "Give what the percentage is of.")
	case a.Base.Valid && !a.Percent.Valid:
		c.fail(rules+"R042", percent, "It is missing beside a base.", "Give the percentage, or leave the base out.")
	case a.Base.Valid:
		c.near(a.Amount, a.Base.Decimal.Mul(a.Percent.Decimal).Shift(-2), rules+"R040", amount, "base times percentage")
	}
}

func (c *check) networkLine(l *Line) {
	const rules = "PEPPOL-EN16931-"
	for i, a := range l.Allowances {
		c.at("allowance", i, func() { c.percentage(a, "BT-136", "BT-137", "BT-138") })
	}
	for i, a := range l.Charges {
		c.at("charge", i, func() { c.percentage(a, "BT-141", "BT-142", "BT-143") })
	}
	if l.GrossPrice.Valid && l.Price.Valid && !l.Price.Decimal.Equal(l.GrossPrice.Decimal.Sub(l.Discount.Decimal)) {
		c.fail(rules+"R046", "BT-146", "It is not the gross price (BT-148) less the discount (BT-147).", "Correct one of the three.")
	}
	if p := c.inv.Period; p != nil && l.Period != nil {
		if p.Start != "" && l.Period.Start != "" && l.Period.Start < p.Start {
			c.fail(rules+"R110", "BT-134", "The line starts before the invoicing period (BT-73).", "Let the invoicing period start with the first line.")
		}
		if p.End != "" && l.Period.End > p.End {
			c.fail(rules+"R111", "BT-135", "The line ends after the invoicing period (BT-74).", "Let the invoicing period end with the last line.")
		}
	}
	switch {
	case l.BaseQuantity.Valid && !l.BaseQuantity.Decimal.IsPositive():
		c.fail(rules+"R121", "BT-149", "It is not greater than 0.", "Write how many the price is for, or leave it out.")
	case l.Quantity.Valid:
		c.near(l.Net, l.net(), rules+"R120", "BT-131", "quantity times price, plus charges, less allowances")
	}
	if l.BaseUnit != "" && l.Unit != "" && l.BaseUnit != l.Unit {
		c.fail(rules+"R130", "BT-150", "It is "+quote(l.BaseUnit)+", and the quantity is in "+quote(l.Unit)+".", "Write both in one unit.")
	}
}

// net is what the quantity of a line costs, with its charges and allowances, not rounded.
func (l *Line) net() decimal.Decimal {
	cost := l.Quantity.Decimal.Mul(l.Price.Decimal)
	if l.BaseQuantity.Valid && !l.BaseQuantity.Decimal.IsZero() {
		cost = cost.Div(l.BaseQuantity.Decimal) // last, so that 3 at 10.00 for 3 are 10.00
	}
	return cost.Add(sum(l.Charges, allowanceAmount)).Sub(sum(l.Allowances, allowanceAmount))
}

// peppol has the rules of Peppol BIS Billing that XRechnung has not taken over.
func (c *check) peppol() {
	inv := c.inv
	const rules = "PEPPOL-EN16931-"
	if !strings.HasPrefix(inv.Specification, SpecPeppol) {
		c.fail(rules+"R004", "BT-24", quote(inv.Specification)+" is not the specification of Peppol BIS Billing.", "Write "+SpecPeppol+".")
	}
	c.peppolType()
	german := inv.Seller.Address != nil && inv.Seller.Address.Country == "DE" && inv.Buyer.Address != nil && inv.Buyer.Address.Country == "DE"
	if len(inv.Notes) > 1 && !german {
		c.fail(rules+"R002", "BT-22", "The invoice has more than one note.", "Put all text into one note.")
	}
	if inv.BuyerReference == "" && inv.Order == "" {
		c.fail(rules+"R003", "BT-10", "It is missing.", "Give the buyer reference or the purchase order (BT-13).")
	}
	if inv.Process != "" && !peppolProcess.MatchString(inv.Process) {
		c.fail(rules+"R007", "BT-23", quote(inv.Process)+" is no process of Peppol.", "Write "+ProcessPeppol+".")
	}
	if oneOf(inv.TypeCode, "326", "384") && !german {
		c.fail(rules+"P0112", "BT-3", "The type "+quote(inv.TypeCode)+" is for invoices within Germany.", "Write 380.")
	}
	c.code("peppol endpoint", schemeOf(inv.Seller.Endpoint), rules+"CL008", "BT-34")
	c.code("peppol endpoint", schemeOf(inv.Buyer.Endpoint), rules+"CL008", "BT-49")
	for i, v := range inv.VAT {
		if only, ok := exemptions[strings.ToUpper(v.ExemptionCode)]; ok && v.Category != only.category {
			c.at("VAT breakdown", i, func() {
				c.fail(rules+only.rule, "BT-121", "The reason "+quote(v.ExemptionCode)+" is of the VAT category "+quote(only.category)+".", "Correct the reason or the category (BT-118).")
			})
		}
	}
}

// peppolType holds the type to the shorter list of Peppol. In UBL invoices and credit notes have
// one each.
func (c *check) peppolType() {
	const rules = "PEPPOL-EN16931-"
	inv := c.inv
	isInvoice, isCredit := isCode("peppol invoice", inv.TypeCode), isCode("peppol credit note", inv.TypeCode)
	rule, ok := rules+"P0100", isInvoice
	switch {
	case inv.TypeCode == "" || inv.Process != ProcessPeppol:
		return
	case inv.Syntax == CII:
		ok = isInvoice || isCredit
	case inv.IsCreditNote():
		rule, ok = rules+"P0101", isCredit
	}
	if !ok {
		c.fail(rule, "BT-3", "Peppol does not foresee the type "+quote(inv.TypeCode)+".", "Write 380 for an invoice and 381 for a credit note.")
	}
}

var peppolProcess = regexp.MustCompile(`^urn:fdc:peppol\.eu:2017:poacc:billing:[0-9]{2}:1\.0$`)

// exemptions has the reasons of exemption that belong to one VAT category, and the rule
// that says so.
var exemptions = map[string]struct{ category, rule string }{
	"VATEX-EU-G": {"G", "P0104"}, "VATEX-EU-O": {"O", "P0105"}, "VATEX-EU-IC": {"K", "P0106"}, "VATEX-EU-AE": {"AE", "P0107"},
	"VATEX-EU-D": {"E", "P0108"}, "VATEX-EU-F": {"E", "P0109"}, "VATEX-EU-I": {"E", "P0110"}, "VATEX-EU-J": {"E", "P0111"},
}
