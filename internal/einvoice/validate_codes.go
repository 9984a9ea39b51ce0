package einvoice

import "strings"

// code fails when a term has a code that its list does not have. Nothing is no code.
func (c *check) code(list, code, rule, term string) {
	if code != "" && !isCode(list, code) {
		c.fail(rule, term, quote(code)+" is none of the codes of "+listNames[list]+".", "Write a code of this list.")
	}
}

// coded are the lists of terms that have the codes of one list in all profiles.
var coded = map[string]string{
	"BT-5": "currency", "BT-6": "currency", "BT-40": "country", "BT-55": "country", "BT-69": "country", "BT-80": "country", "BT-159": "country",
	"BT-81": "payment", "BT-95": "category", "BT-102": "category", "BT-118": "category", "BT-151": "category", "BT-130": "unit", "BT-150": "unit",
	"BT-X-63": "country", "BT-X-177": "country", "BT-X-239": "country", "BT-X-273": "category", "BT-X-284": "unit",
}

// Lacking names the list of codes that a term is filled from and that does not have a code;
// empty: it has it, or there is no such list.
func Lacking(term, code string) string {
	if list := coded[term]; list != "" && !isCode(list, code) {
		return listNames[list]
	}
	return ""
}

// listNames says where the codes of a list come from.
var listNames = map[string]string{
	"invoice": "UNTDID 1001, such as 380 for an invoice and 381 for a credit note", "currency": "ISO 4217, such as EUR",
	"country": "ISO 3166-1, such as DE", "object": "UNTDID 1153", "subject": "UNTDID 4451",
	"identifier": "ISO 6523, such as 0088 for a GLN", "endpoint": "the EAS list, such as EM for an email address",
	"peppol endpoint": "Peppol, such as 0088 for a GLN or 9930 for a German VAT identifier",
	"classification":  "UNTDID 7143", "payment": "UNTDID 4461, such as 58 for a SEPA credit transfer",
	"category": "UNTDID 5305: S, Z, E, AE, K, G, O, L, M or B", "allowance": "UNTDID 5189, such as 95 for a discount",
	"charge": "UNTDID 7161, such as FC for freight", "exemption": "the VATEX list, such as VATEX-EU-AE",
	"unit": "UN/ECE Recommendations 20 and 21, such as C62 for pieces and HUR for hours",
	"mime": "EN 16931: PDF, PNG, JPEG, CSV, XLSX or ODS",
}

// scheme is code for identifiers; the extension of XRechnung has rules and codes of its own.
func (c *check) scheme(list, scheme, rule, extension, term string) {
	if c.extended() {
		if rule = extension; scheme == "XR01" || scheme == "XR02" || scheme == "XR03" {
			return
		}
	}
	c.code(list, scheme, rule, term)
}

func schemeOf(id *ID) string {
	if id == nil {
		return ""
	}
	return id.Scheme
}

func (c *check) codes() {
	inv := c.inv
	if inv.TypeCode != "" && !inv.IsCreditNote() {
		c.code("invoice", inv.TypeCode, "BR-CL-01", "BT-3")
	}
	c.code("currency", inv.Currency, "BR-CL-04", "BT-5")
	c.code("currency", inv.TaxCurrency, "BR-CL-05", "BT-6")
	if code := inv.TaxPointCode; code != "" && code != "3" && code != "35" && code != "432" {
		c.fail("BR-CL-06", "BT-8", quote(code)+" is no code of a VAT point.", "Write 3 (issue), 35 (delivery) or 432 (payment).")
	}
	c.code("object", schemeOf(inv.Object), "BR-CL-07", "BT-18")
	for i, n := range inv.Notes {
		c.at("note", i, func() { c.code("subject", n.Subject, "BR-CL-08", "BT-21") })
	}
	for _, p := range []struct {
		party                             *Party
		id, registration, endpoint, place string
	}{{&inv.Seller, "BT-29", "BT-30", "BT-34", "BT-40"}, {&inv.Buyer, "BT-46", "BT-47", "BT-49", "BT-55"}} {
		for _, id := range p.party.IDs {
			c.scheme("identifier", id.Scheme, "BR-CL-10", "BR-DEX-04", p.id)
		}
		c.scheme("identifier", schemeOf(p.party.Registration), "BR-CL-11", "BR-DEX-05", p.registration)
		c.scheme("endpoint", schemeOf(p.party.Endpoint), "BR-CL-25", "BR-DEX-07", p.endpoint)
		c.country(p.party.Address, p.place)
	}
	if p := inv.Payee; p != nil {
		c.scheme("identifier", schemeOf(p.ID), "BR-CL-10", "BR-DEX-04", "BT-60")
		c.scheme("identifier", schemeOf(p.Registration), "BR-CL-11", "BR-DEX-05", "BT-61")
	}
	c.country(representative(inv).Address, "BT-69")
	if d := inv.Delivery; d != nil {
		c.scheme("identifier", schemeOf(d.ID), "BR-CL-26", "BR-DEX-08", "BT-71")
		c.country(d.Address, "BT-80")
	}
	for i, p := range inv.Payments {
		c.at("payment", i, func() { c.code("payment", p.Code, "BR-CL-16", "BT-81") })
	}
	for i, a := range inv.Allowances {
		c.at("allowance", i, func() {
			c.code("category", a.Category, "BR-CL-17", "BT-95")
			c.code("allowance", a.ReasonCode, "BR-CL-19", "BT-98")
		})
	}
	for i, a := range inv.Charges {
		c.at("charge", i, func() {
			c.code("category", a.Category, "BR-CL-17", "BT-102")
			c.code("charge", a.ReasonCode, "BR-CL-20", "BT-105")
		})
	}
	rule := "BR-CL-17"
	if inv.Syntax == CII {
		rule = "BR-CL-18"
	}
	for i, v := range inv.VAT {
		c.at("VAT breakdown", i, func() {
			c.code("category", v.Category, rule, "BT-118")
			c.code("exemption", strings.ToUpper(v.ExemptionCode), "BR-CL-22", "BT-121")
		})
	}
	for i, d := range inv.Documents {
		if d.File != nil {
			c.at("document", i, func() { c.mime(d.File.MimeType) })
		}
	}
	for i := range inv.Lines {
		c.at("line", i, func() { c.lineCodes(&inv.Lines[i]) })
	}
}

func (c *check) mime(kind string) {
	rule := "BR-CL-24"
	if c.extended() {
		if rule = "BR-DEX-01"; kind == "application/xml" {
			return
		}
	}
	if kind == "" {
		c.fail(rule, "BT-125", "The attachment has no MIME type.", "Give it, such as application/pdf.")
	}
	c.code("mime", kind, rule, "BT-125")
}

func (c *check) country(a *Address, term string) {
	if a != nil {
		c.code("country", a.Country, "BR-CL-14", term)
	}
}

func (c *check) lineCodes(l *Line) {
	c.code("object", schemeOf(l.Object), "BR-CL-07", "BT-128")
	c.code("unit", l.Unit, "BR-CL-23", "BT-130")
	c.code("unit", l.BaseUnit, "BR-CL-23", "BT-150")
	c.code("category", l.Category, "BR-CL-18", "BT-151")
	c.scheme("identifier", schemeOf(l.StandardItem), "BR-CL-21", "BR-DEX-06", "BT-157")
	c.code("country", l.Origin, "BR-CL-15", "BT-159")
	for i, class := range l.Classes {
		if !c.vehicles() || class.List != vehicleList {
			c.at("classification", i, func() { c.code("classification", class.List, "BR-CL-13", "BT-158") })
		}
	}
	for i, a := range l.Allowances {
		c.at("allowance", i, func() { c.code("allowance", a.ReasonCode, "BR-CL-19", "BT-140") })
	}
	for i, a := range l.Charges {
		c.at("charge", i, func() { c.code("charge", a.ReasonCode, "BR-CL-20", "BT-145") })
	}
}
