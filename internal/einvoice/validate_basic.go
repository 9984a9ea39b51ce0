package einvoice

import "slices"

// beyondBasic are the terms and groups of EN 16931 that the profile BASIC of Factur-X has no
// place for: the schema of BASIC 1.09 lacks their elements, or its rules mark them as not used.
var beyondBasic = []string{
	"BT-7", "BT-11", "BT-14", "BT-15", "BT-17", "BT-18", "BT-18-1", "BT-33", "BT-41", "BT-42", "BT-43", "BT-45", "BT-56", "BT-57", "BT-58",
	"BT-82", "BT-85", "BT-86", "BT-87", "BT-88", "BT-114", "BG-24", "BT-128", "BT-128-1", "BT-132", "BT-133",
	"BT-137", "BT-138", "BT-142", "BT-143", "BT-154", "BT-155", "BT-156", "BT-158", "BT-158-1", "BT-158-2", "BT-159", "BG-32",
}

// InBasic reports whether the profile BASIC has a place for a term or a group.
func InBasic(number string) bool { return !slices.Contains(beyondBasic, number) }

// basic refuses what the profile BASIC has no place for.
func (c *check) basic() {
	inv := c.inv
	c.lacks(inv.TaxPointDate != "", "BT-7")
	c.lacks(inv.Project != "", "BT-11")
	c.lacks(inv.SalesOrder != "", "BT-14")
	c.lacks(inv.ReceivingAdvice != "", "BT-15")
	c.lacks(inv.Tender != "", "BT-17")
	c.lacks(inv.Object != nil, "BT-18")
	c.lacks(inv.Seller.Legal != "", "BT-33")
	c.lacks(inv.Buyer.TradingName != "", "BT-45")
	for _, one := range []struct {
		contact            *Contact
		name, phone, email string
	}{{inv.Seller.Contact, "BT-41", "BT-42", "BT-43"}, {inv.Buyer.Contact, "BT-56", "BT-57", "BT-58"}} {
		if of := one.contact; of != nil {
			c.lacks(of.Name != "", one.name)
			c.lacks(of.Phone != "", one.phone)
			c.lacks(of.Email != "", one.email)
		}
	}
	c.lacks(inv.Totals != nil && inv.Totals.Rounding.Valid, "BT-114")
	c.lacks(len(inv.Documents) > 0, "BG-24")
	for i, p := range inv.Payments {
		c.at("payment", i, func() {
			c.lacks(p.Text != "", "BT-82")
			c.lacks(p.Account != nil && p.Account.Name != "", "BT-85")
			c.lacks(p.Account != nil && p.Account.Bank != "", "BT-86")
			c.lacks(p.Card != nil && p.Card.Number != "", "BT-87")
			c.lacks(p.Card != nil && p.Card.Holder != "", "BT-88")
		})
	}
	for i, l := range inv.Lines {
		c.at("line", i, func() {
			c.lacks(l.Object != nil, "BT-128")
			c.lacks(l.OrderLine != "", "BT-132")
			c.lacks(l.BuyerAccounting != "", "BT-133")
			c.lacks(l.Description != "", "BT-154")
			c.lacks(l.SellerItem != "", "BT-155")
			c.lacks(l.BuyerItem != "", "BT-156")
			c.lacks(len(l.Classes) > 0, "BT-158")
			c.lacks(l.Origin != "", "BT-159")
			c.lacks(len(l.Attributes) > 0, "BG-32")
			c.basicAllowances("allowance", l.Allowances, "BT-137", "BT-138")
			c.basicAllowances("charge", l.Charges, "BT-142", "BT-143")
		})
	}
}

// basicAllowances refuses what an allowance of a line is worked out of: BASIC has its amount alone.
func (c *check) basicAllowances(name string, list []Allowance, base, percent string) {
	for i, a := range list {
		c.at(name, i, func() {
			c.lacks(a.Base.Valid, base)
			c.lacks(a.Percent.Valid, percent)
		})
	}
}

// lacks fails when there is a term that the profile BASIC has no place for.
func (c *check) lacks(present bool, term string) {
	if present {
		c.fail("PROFILE", term, "The profile BASIC has no place for it.", "Leave it out, or write the profile EN16931.")
	}
}
