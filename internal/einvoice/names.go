package einvoice

import "strings"

// profileNames are the specifications (BT-24) that people know by another name. The first
// that a specification contains names it.
var profileNames = []struct{ within, name string }{
	{"extension:xrechnung_3.0", "XRechnung 3.0 with its extension"}, {"xrechnung:cvd_", "XRechnung 3.0 for clean vehicles"},
	{"kosit:xrechnung_3.0", "XRechnung 3.0"}, {":xrechnung_", "XRechnung before 3.0"},
	{"urn:fdc:peppol.eu:2017:poacc:billing:3.0", "Peppol BIS Billing 3.0"},
	{"factur-x.eu:1p0:basicwl", "Factur-X BASIC WL"}, {"factur-x.eu:1p0:basic", "Factur-X BASIC"},
	{"factur-x.eu:1p0:extended", "Factur-X EXTENDED"}, {"factur-x.eu:1p0:minimum", "Factur-X MINIMUM"},
	{"zugferd.de:2p0:basicwl", "ZUGFeRD 2.0 BASIC WL"}, {"zugferd.de:2p0:basic", "ZUGFeRD 2.0 BASIC"},
	{"zugferd.de:2p0:extended", "ZUGFeRD 2.0 EXTENDED"}, {"zugferd.de:2p0:minimum", "ZUGFeRD 2.0 MINIMUM"},
}

// Profile is the name of the specification that the invoice follows (BT-24), or the
// specification itself.
func (inv *Invoice) Profile() string {
	if inv.Specification == SpecEN16931 {
		return "EN 16931"
	}
	for _, p := range profileNames {
		if strings.Contains(strings.ToLower(inv.Specification), p.within) {
			return p.name
		}
	}
	if inv.Specification == "" {
		return "no specification"
	}
	return inv.Specification
}

// TypeName is the name of the invoice's type (BT-3).
func (inv *Invoice) TypeName() string {
	switch inv.TypeCode {
	case "381":
		return "Credit note"
	case "384":
		return "Corrected invoice"
	case "326":
		return "Partial invoice"
	case "386":
		return "Prepayment invoice"
	case "389":
		return "Self-billed invoice"
	}
	if inv.IsCreditNote() {
		return "Credit note (type " + inv.TypeCode + ")"
	}
	if inv.TypeCode == "380" || inv.TypeCode == "" {
		return "Invoice"
	}
	return "Invoice (type " + inv.TypeCode + ")"
}
