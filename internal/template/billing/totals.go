package billing

import "github.com/platenhq/platen/internal/einvoice"

// compared are the totals that a page shows. Filled, they are compared with those that are
// worked out; blank, nothing is.
var compared = []struct {
	number string
	of     func(*einvoice.Totals) einvoice.Number
}{
	{"BT-109", func(t *einvoice.Totals) einvoice.Number { return t.WithoutVAT }},
	{"BT-112", func(t *einvoice.Totals) einvoice.Number { return t.WithVAT }},
	{"BT-115", func(t *einvoice.Totals) einvoice.Number { return t.Due }},
}

// doubt notes totals whose field has no value. The invoice is sound, and may say another amount
// than the page.
func (k *maker) doubt(m Map, inv *einvoice.Invoice) {
	t := inv.Totals
	if t == nil {
		t = &einvoice.Totals{}
	}
	for _, total := range compared {
		template, filled := m.Terms[total.number]
		if !filled || total.of(t).Valid {
			continue
		}
		told := "The event has no value for it. It is worked out of the lines, and was compared with nothing. Send the field, and see that the page shows the same amount."
		k.add(Finding{Setting: Setting("/" + total.number), Template: template, Term: total.number, Rule: "field_missing", Message: told, Told: told, Note: true})
	}
}

// Uncompared notes totals that a map fills with nothing, so that nothing tells when a page shows
// other amounts than the invoice has.
func (m Map) Uncompared() []Finding {
	var found []Finding
	note := func(number, told string) {
		told += " It is worked out of the lines, and compared with nothing. Fill it with the field that the page shows: then an invoice with another amount is refused."
		found = append(found, Finding{Setting: Setting(""), Term: number, Message: told, Told: told, Note: true})
	}
	if m.Terms["BT-112"] == "" {
		note("BT-112", "The map does not fill it.")
	}
	if m.Terms["BT-115"] == "" && (m.Terms["BT-113"] != "" || m.Terms["BT-114"] != "") {
		note("BT-115", "The map fills what was paid or rounded before, and not what is due.")
	}
	return found
}
