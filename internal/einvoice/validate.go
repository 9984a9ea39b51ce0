package einvoice

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Validate holds an invoice to the rules of EN 16931-1 (release 1.3.16 of its validation
// artefacts) and, by its specification (BT-24), to those of XRechnung 3.0, of Peppol BIS
// Billing 3.0, and of the profiles BASIC and EXTENDED of Factur-X 1.09. It finds nothing wrong with an invoice that a receiver accepts.
func Validate(inv *Invoice) []Finding {
	c := &check{inv: inv, extends: inv.isExtended()}
	for _, profile := range []string{"urn:factur-x.eu:1p0:minimum", "urn:factur-x.eu:1p0:basicwl", "urn:zugferd.de:2p0:minimum", "urn:zugferd.de:2p0:basicwl"} {
		if strings.EqualFold(inv.Specification, profile) {
			c.fail("PROFILE", "BT-24", "The profile "+quote(profile)+" has no lines, so it is a note for accounting and no invoice of EN 16931.",
				"Ask for the profile BASIC or a larger one.")
			return c.found
		}
	}
	c.document()
	c.parties()
	c.payment()
	c.allowances()
	c.totals()
	c.lines()
	c.vat()
	c.codes()
	switch {
	case inv.Specification == SpecBasic:
		c.basic()
	case c.extends:
		c.extensions()
	case c.xrechnung():
		c.german()
		c.network()
	case strings.Contains(inv.Specification, "urn:fdc:peppol.eu:2017:poacc:billing:3.0"):
		c.network()
		c.peppol()
	}
	return c.found
}

// xrechnung reports whether the invoice says that it is an XRechnung, extended whether it
// has the extension, and vehicles whether it reports clean vehicles.
func (c *check) xrechnung() bool { return strings.Contains(c.inv.Specification, ":xrechnung_") }
func (c *check) extended() bool  { return c.inv.Specification == SpecXRechnungExt }
func (c *check) vehicles() bool  { return c.inv.Specification == SpecXRechnungCVD }

// A check goes through an invoice and gathers findings.
type check struct {
	inv     *Invoice
	extends bool // the invoice has the profile EXTENDED of Factur-X
	place   string
	found   []Finding
}

func (c *check) report(severity Severity, rule, term, message, cure string) {
	if c.extends {
		rule = cmp.Or(extendedRules[rule], rule)
	}
	c.found = append(c.found, newFinding(severity, rule, term, c.place, message, cure))
}

func (c *check) fail(rule, term, message, cure string) { c.report(Error, rule, term, message, cure) }
func (c *check) warn(rule, term, message, cure string) { c.report(Warning, rule, term, message, cure) }

// given fails when a term is missing.
func (c *check) given(present bool, rule, term string) {
	if !present {
		c.fail(rule, term, "It is missing.", "Give the "+inSentence(termNames[term])+".")
	}
}

// at runs a check of the item i of a list.
func (c *check) at(list string, i int, body func()) {
	outer := c.place
	c.place = where(outer, list, i)
	body()
	c.place = outer
}

// inSentence begins a name with a small letter unless it is an abbreviation.
func inSentence(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if second, _ := utf8.DecodeRuneInString(name[size:]); unicode.IsUpper(second) {
		return name
	}
	return string(unicode.ToLower(first)) + name[size:]
}

func (c *check) document() {
	inv := c.inv
	c.given(inv.Specification != "", "BR-01", "BT-24")
	c.given(inv.Number != "", "BR-02", "BT-1")
	c.given(inv.IssueDate != "", "BR-03", "BT-2")
	c.given(inv.TypeCode != "", "BR-04", "BT-3")
	c.given(inv.Currency != "", "BR-05", "BT-5")
	c.given(len(inv.Lines) > 0, "BR-16", "BG-25")
	if inv.TaxPointDate != "" && inv.TaxPointCode != "" {
		c.fail("BR-CO-03", "BT-8", "The invoice has a VAT point date (BT-7) and a code for it.", "Leave one of the two out.")
	}
	c.period(inv.Period, "BR-29", "BR-CO-19", "BT-73", "BT-74")
	for i, r := range inv.Preceding {
		c.at("preceding invoice", i, func() { c.given(r.Number != "", "BR-55", "BT-25") })
	}
	for i, d := range inv.Documents {
		c.at("document", i, func() { c.given(d.Reference != "", "BR-52", "BT-122") })
	}
}

func (c *check) period(p *Period, order, presence, start, end string) {
	switch {
	case p == nil:
	case p.Start == "" && p.End == "":
		c.given(false, presence, start)
	case p.Start != "" && p.End != "" && p.End < p.Start:
		c.fail(order, end, fmt.Sprintf("The period ends on %s, before it starts on %s.", marked(p.End), marked(p.Start)), "Give an end that is not before the start.")
	}
}

func (c *check) parties() {
	inv := c.inv
	seller, buyer := &inv.Seller, &inv.Buyer
	c.given(seller.Name != "", "BR-06", "BT-27")
	c.given(buyer.Name != "", "BR-07", "BT-44")
	if c.given(seller.Address != nil, "BR-08", "BG-5"); seller.Address != nil {
		c.given(seller.Address.Country != "", "BR-09", "BT-40")
	}
	if c.given(buyer.Address != nil, "BR-10", "BG-8"); buyer.Address != nil {
		c.given(buyer.Address.Country != "", "BR-11", "BT-55")
	}
	if len(seller.IDs) == 0 && (seller.Registration == nil || seller.Registration.Value == "") && seller.VATID == "" {
		c.fail("BR-CO-26", "BT-31", "Nothing identifies the seller.",
			"Give the seller's VAT identifier, its registration (BT-30) or an identifier (BT-29).")
	}
	for _, p := range []struct {
		party        *Party
		scheme, term string
	}{{seller, "BR-62", "BT-34"}, {buyer, "BR-63", "BT-49"}} {
		if e := p.party.Endpoint; e != nil && e.Scheme == "" {
			c.fail(p.scheme, p.term, "The electronic address has no scheme.", "Give the scheme of the address, such as EM for an email address or 0088 for a GLN.")
		}
	}
	if p := inv.Payee; p != nil {
		c.given(p.Name != "", "BR-17", "BT-59")
		if p.Name != "" && p.Name == seller.Name {
			c.fail("BR-17", "BT-59", "The payee is the seller.", "Leave the payee out when the seller itself is paid.")
		}
	}
	if r := inv.Representative; r != nil {
		c.given(r.Name != "", "BR-18", "BT-62")
		if c.given(r.Address != nil, "BR-19", "BG-12"); r.Address != nil {
			c.given(r.Address.Country != "", "BR-20", "BT-69")
		}
		c.given(r.VATID != "", "BR-56", "BT-63")
	}
	for _, id := range []struct{ value, term string }{
		{seller.VATID, "BT-31"}, {buyer.VATID, "BT-48"}, {representative(inv).VATID, "BT-63"},
	} {
		if id.value == "" {
			continue
		}
		if country := firstRunes(id.value, 2); country != "EL" && !isCode("country", country) {
			c.fail("BR-CO-09", id.term, quote(id.value)+" does not begin with a country.", "Begin the VAT identifier with the code of its country, as in DE123456789; Greece has EL.")
		}
	}
	if d := inv.Delivery; d != nil && d.Address != nil {
		c.given(d.Address.Country != "", "BR-57", "BT-80")
	}
}

// representative is the tax representative, an empty one without.
func representative(inv *Invoice) *Party {
	if inv.Representative == nil {
		return &Party{}
	}
	return inv.Representative
}

func firstRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}

// creditTransfer are the payment means that need an account.
func creditTransfer(code string) bool { return code == "30" || code == "58" }

func (c *check) payment() {
	for i, p := range c.inv.Payments {
		c.at("payment", i, func() {
			c.given(p.Code != "", "BR-49", "BT-81")
			if creditTransfer(p.Code) {
				switch {
				case p.Account == nil:
					c.given(false, "BR-61", "BT-84")
				case p.Account.ID == "":
					c.given(false, "BR-50", "BT-84")
				}
			}
			if p.Card != nil && utf8.RuneCountInString(p.Card.Number) > 10 {
				severity := Warning
				if c.extends {
					severity = Error
				}
				c.report(severity, "BR-51", "BT-87", "The card number has more than 10 digits.", "Give its last 4 to 6 digits alone.")
			}
		})
	}
	c.paymentsTogether()
}

// paymentsTogether has the rules of several ways to pay in one invoice. Each syntax has its own.
func (c *check) paymentsTogether() {
	const alike = "Write the same one in every payment, or make two invoices."
	given, cards := 0, 0
	codes, texts := map[string]bool{}, map[string]bool{}
	for _, p := range c.inv.Payments {
		if p.Code != "" {
			codes[p.Code] = true
		}
		if p.Text != "" {
			given++
			texts[strings.Join(strings.Fields(p.Text), " ")] = true
		}
		if p.Card != nil {
			cards++
		}
	}
	if c.inv.Syntax == CII {
		if len(codes) > 1 {
			c.fail("CII-SR-467", "BT-81", "The payments have different codes.", alike)
		}
		if len(texts) > 1 {
			c.fail("CII-SR-468", "BT-82", "The payments have different texts.", alike)
		}
		return
	}
	if len(codes) > 1 {
		c.fail("UBL-SR-47", "BT-81", "The payments have different codes.", alike)
	}
	if given > 1 {
		c.fail("UBL-SR-46", "BT-82", "More than one payment has a text.", "Give the text once.")
	}
	if cards > 1 {
		c.fail("UBL-SR-54", "BG-18", "More than one payment has a card.", "Give one card.")
	}
}

func (c *check) allowances() {
	for _, kind := range []struct {
		list                                []Allowance
		name                                string
		amount, category, reason, reasonToo string
		amountTerm, baseTerm                string
		categoryTerm, reasonTerm            string
		amountDigits, baseDigits            string
	}{
		{c.inv.Allowances, "allowance", "BR-31", "BR-32", "BR-33", "BR-CO-21", "BT-92", "BT-93", "BT-95", "BT-97", "BR-DEC-01", "BR-DEC-02"},
		{c.inv.Charges, "charge", "BR-36", "BR-37", "BR-38", "BR-CO-22", "BT-99", "BT-100", "BT-102", "BT-104", "BR-DEC-05", "BR-DEC-06"},
	} {
		for i, a := range kind.list {
			c.at(kind.name, i, func() {
				c.given(a.Amount.Valid, kind.amount, kind.amountTerm)
				c.given(a.Category != "", kind.category, kind.categoryTerm)
				c.given(a.Reason != "" || a.ReasonCode != "", kind.reason, kind.reasonTerm)
				c.twice(a, kind.reasonToo, kind.reasonTerm)
				c.digits(a.Amount, kind.amountDigits, kind.amountTerm)
				c.digits(a.Base, kind.baseDigits, kind.baseTerm)
			})
		}
	}
}

// twice has the rule by which EN 16931 asks for the reason a second time. Charges of EXTENDED
// are asked once.
func (c *check) twice(a Allowance, rule, term string) {
	if !c.extends || rule != "BR-CO-22" && rule != "BR-CO-24" {
		c.given(a.Reason != "" || a.ReasonCode != "", rule, term)
	}
}

// maxFraction is how many digits behind the point an amount has at most.
const maxFraction = 2

func (c *check) digits(n Number, rule, term string) {
	if n.Valid && -n.Decimal.Exponent() > maxFraction {
		c.fail(rule, term, quote(FormatNumber(n))+" has more than two digits behind the point.", "Round it to two digits.")
	}
}

// sum adds amounts up; those that are missing have findings of their own.
func sum[T any](list []T, amount func(T) Number) decimal.Decimal {
	total := decimal.Zero
	for _, item := range list {
		total = total.Add(amount(item).Decimal)
	}
	return total
}

func allowanceAmount(a Allowance) Number { return a.Amount }

// counted are the lines whose amounts are part of the totals.
func counted(lines []Line) []Line {
	counts := make([]Line, 0, len(lines))
	for _, l := range lines {
		if l.counts() {
			counts = append(counts, l)
		}
	}
	return counts
}

// counts reports whether a line is part of the totals.
func (l *Line) counts() bool { return l.Status == "" || l.Status == statusDetail }

// round rounds to two digits as XPath does: a half goes up.
func round(d decimal.Decimal) decimal.Decimal { return roundUnit(d.Shift(2)).Shift(-2) }

func roundUnit(d decimal.Decimal) decimal.Decimal {
	return d.Add(decimal.New(5, -1)).Floor()
}

// equals fails when a sum is not what it sums up. In EXTENDED it may be off by 0.01 for each
// of the amounts; some rules count none.
func (c *check) equals(got Number, want decimal.Decimal, rule, term, of string, amounts ...int) {
	off := decimal.Zero
	for _, n := range amounts {
		if c.extends {
			off = off.Add(decimal.New(int64(n), -maxFraction))
		}
	}
	if got.Valid && got.Decimal.Sub(want).Abs().GreaterThan(off) {
		c.fail(rule, term, fmt.Sprintf("It is %s, and %s is %s.", amount(got), of, fixed(want)),
			"Write "+fixed(want)+", or correct what it sums up.")
	}
}

func (c *check) totals() {
	inv := c.inv
	t := inv.Totals
	if t == nil {
		t = &Totals{}
	}
	c.given(t.Lines.Valid, "BR-12", "BT-106")
	c.given(t.WithoutVAT.Valid, "BR-13", "BT-109")
	c.given(t.WithVAT.Valid, "BR-14", "BT-112")
	c.given(t.Due.Valid, "BR-15", "BT-115")
	if inv.TaxCurrency != "" && !t.VATForeign.Valid && (inv.TaxCurrency != inv.Currency || inv.Syntax == CII) {
		c.given(false, "BR-53", "BT-111")
	}
	if c.extends && inv.TaxCurrency != "" && inv.TaxCurrency == inv.Currency {
		c.fail("BR-53", "BT-6", "It is the currency of the invoice.", "Leave it out.")
	}
	lines, charges := counted(inv.Lines), inv.chargeSum()
	net := round(sum(lines, func(l Line) Number { return l.Net }))
	c.equals(t.Lines, net, "BR-CO-10", "BT-106", "the sum of the lines (BT-131)", len(inv.Lines))
	for _, kind := range []struct {
		sum              decimal.Decimal
		isAsked          bool
		amounts          int
		total            Number
		rule, term, what string
	}{
		{sum(inv.Allowances, allowanceAmount), len(inv.Allowances) > 0, len(inv.Allowances), t.Allowances, "BR-CO-11", "BT-107", "the sum of the allowances (BT-92)"},
		{charges, len(inv.Charges) > 0, len(inv.Charges) + len(inv.ServiceCharges), t.Charges, "BR-CO-12", "BT-108", c.chargeWords()},
	} {
		if !kind.total.Valid && kind.isAsked {
			c.given(false, kind.rule, kind.term)
		}
		c.equals(kind.total, round(kind.sum), kind.rule, kind.term, kind.what, kind.amounts)
	}
	amounts := len(lines) + len(inv.Allowances) + len(inv.Charges) + len(inv.ServiceCharges)
	switch {
	case c.extends:
		c.equals(t.WithoutVAT, net.Sub(round(sum(inv.Allowances, allowanceAmount))).Add(round(charges)), "BR-CO-13", "BT-109",
			"the sum of the lines (BT-131) less allowances (BT-92) plus charges (BT-99, BT-X-272)", amounts)
	case t.Lines.Valid:
		c.equals(t.WithoutVAT, round(t.Lines.Decimal.Sub(t.Allowances.Decimal).Add(t.Charges.Decimal)), "BR-CO-13", "BT-109",
			"the sum of the lines (BT-106) less allowances (BT-107) plus charges (BT-108)")
	}
	if t.VAT.Valid && len(inv.VAT) > 0 {
		c.equals(t.VAT, round(sum(inv.VAT, func(v Breakdown) Number { return v.Tax })), "BR-CO-14", "BT-110", "the sum of the VAT breakdown (BT-117)")
	}
	if t.vatRepeated || !t.VAT.Valid && (inv.Syntax == UBL || !t.WithVAT.Decimal.Equal(t.WithoutVAT.Decimal)) {
		c.fail("BR-CO-15", "BT-110", "The invoice has to have one VAT total in its currency.", "Give the total VAT once, 0.00 when there is none.")
	} else if t.WithoutVAT.Valid {
		c.equals(t.WithVAT, round(t.WithoutVAT.Decimal.Add(t.VAT.Decimal)), "BR-CO-15", "BT-112", "the total without VAT (BT-109) plus VAT (BT-110)", amounts)
	}
	if t.WithVAT.Valid {
		due := t.WithVAT.Decimal.Sub(t.Paid.Decimal).Add(t.Rounding.Decimal)
		rule, what := "BR-CO-16", "the total with VAT (BT-112) less what was paid (BT-113) plus rounding (BT-114)"
		if c.extended() {
			due = due.Add(sum(inv.ThirdPartyClaims, func(c Claim) Number { return c.Amount }))
			rule, what = "BR-DEX-09", what+" plus what third parties get (BT-DEX-002)"
		}
		c.equals(t.Due, round(due), rule, "BT-115", what)
	}
	for _, n := range []struct {
		amount     Number
		rule, term string
	}{
		{t.Lines, "BR-DEC-09", "BT-106"}, {t.Allowances, "BR-DEC-10", "BT-107"}, {t.Charges, "BR-DEC-11", "BT-108"},
		{t.WithoutVAT, "BR-DEC-12", "BT-109"}, {t.VAT, "BR-DEC-13", "BT-110"}, {t.WithVAT, "BR-DEC-14", "BT-112"},
		{t.VATForeign, "BR-DEC-15", "BT-111"}, {t.Paid, "BR-DEC-16", "BT-113"}, {t.Rounding, "BR-DEC-17", "BT-114"},
		{t.Due, "BR-DEC-18", "BT-115"},
	} {
		c.digits(n.amount, n.rule, n.term)
	}
}

func (c *check) lines() {
	for i := range c.inv.Lines {
		c.at("line", i, func() { c.line(&c.inv.Lines[i]) })
	}
}

func (c *check) line(l *Line) {
	c.given(l.ID != "", "BR-21", "BT-126")
	c.given(l.Name != "", "BR-25", "BT-153")
	if !c.extends || l.counts() {
		c.given(l.Quantity.Valid, "BR-22", "BT-129")
		c.given(l.Unit != "", "BR-23", "BT-130")
		c.given(l.Net.Valid, "BR-24", "BT-131")
		c.given(l.Price.Valid, "BR-26", "BT-146")
		c.given(l.Category != "", "BR-CO-04", "BT-151")
	}
	if !c.extends {
		c.prices(l)
	}
	c.digits(l.Net, "BR-DEC-23", "BT-131")
	c.period(l.Period, "BR-30", "BR-CO-20", "BT-134", "BT-135")
	c.lineAllowances(l)
	for i, a := range l.Attributes {
		c.at("attribute", i, func() {
			name, value := "BR-54", "BR-54"
			if c.extends {
				name, value = "BR-FXEXT-BR-54-1", "BR-FXEXT-BR-54-2"
			}
			c.given(a.Name != "", name, "BT-160")
			c.given(a.Value != "", value, "BT-161")
		})
	}
	if l.StandardItem != nil && l.StandardItem.Scheme == "" {
		c.fail("BR-64", "BT-157", "The identifier has no scheme.", "Give its scheme, such as 0160 for a GTIN.")
	}
	for i, class := range l.Classes {
		if class.List == "" {
			c.at("classification", i, func() {
				c.fail("BR-65", "BT-158", "The code has no list.", "Give the list of the code, such as STI or ZZZ.")
			})
		}
	}
}

// prices has the rules of prices, which EXTENDED lets be negative.
func (c *check) prices(l *Line) {
	if l.Price.Valid && l.Price.Decimal.IsNegative() {
		c.fail("BR-27", "BT-146", "The price is negative.", "Write the price without a sign, and the quantity (BT-129) with one.")
	}
	if l.GrossPrice.Valid && l.GrossPrice.Decimal.IsNegative() {
		c.fail("BR-28", "BT-148", "The gross price is negative.", "Write the price without a sign, and the quantity (BT-129) with one.")
	}
}

func (c *check) lineAllowances(l *Line) {
	for _, kind := range []struct {
		list                   []Allowance
		name                   string
		amount, reason, too    string
		amountTerm, reasonTerm string
		baseTerm               string
		amountDigits, digits   string
	}{
		{l.Allowances, "allowance", "BR-41", "BR-42", "BR-CO-23", "BT-136", "BT-139", "BT-137", "BR-DEC-24", "BR-DEC-25"},
		{l.Charges, "charge", "BR-43", "BR-44", "BR-CO-24", "BT-141", "BT-144", "BT-142", "BR-DEC-27", "BR-DEC-28"},
	} {
		for i, a := range kind.list {
			c.at(kind.name, i, func() {
				c.given(a.Amount.Valid, kind.amount, kind.amountTerm)
				c.given(a.Reason != "" || a.ReasonCode != "", kind.reason, kind.reasonTerm)
				c.twice(a, kind.too, kind.reasonTerm)
				c.digits(a.Amount, kind.amountDigits, kind.amountTerm)
				c.digits(a.Base, kind.digits, kind.baseTerm)
			})
		}
	}
}
