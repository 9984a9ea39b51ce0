package billing

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// A Finding is what keeps an invoice from being made of an event, or what a receiver may ask
// about.
type Finding struct {
	Setting  string // where the term is filled: einvoice.map.BG-25.BT-129, or einvoice.map
	Template string // what fills it; empty where nothing does
	Term     string // BT-129; empty for what is no term, such as a list
	Place    string // of a group that is repeated: line 2
	Rule     string // of the standard, such as BR-CO-15; else a code of the language
	Message  string // what is wrong and the cure, with values of the event
	Told     string // the same without values, for what is stored or logged
	// OfMap says that no data would do: the map has a mistake.
	OfMap bool
	// Note says that a receiver does not refuse the invoice for it.
	Note bool
}

// Words are the finding in one line, with the values of the event or without.
func (f Finding) Words(values bool) string {
	message := f.Told
	if values {
		message = f.Message
	}
	about := f.Setting
	if f.Term != "" {
		about = f.Term + " (" + nameOf(f.Term) + ")"
	}
	if f.Place != "" {
		about += " of " + f.Place
	}
	if f.Template != "" {
		about += ", filled with " + f.Template
	}
	if strings.Contains(f.Rule, "-") { // of the standard
		message += " (" + f.Rule + ")"
	}
	return about + ": " + message
}

// specifications are the profiles in BT-24, and the processes in BT-23 where they ask for one.
var specifications = map[platen.InvoiceProfile]struct{ specification, process string }{
	platen.InvoiceEN16931:   {einvoice.SpecEN16931, ""},
	platen.InvoiceBasic:     {einvoice.SpecBasic, ""},
	platen.InvoiceExtended:  {einvoice.SpecExtended, ""},
	platen.InvoiceXRechnung: {einvoice.SpecXRechnung, einvoice.ProcessPeppol},
	platen.InvoicePeppol:    {einvoice.SpecPeppol, einvoice.ProcessPeppol},
}

// Make makes the invoice of an event. The XML is nil where a finding is no note: a receiver
// would refuse it, or it could not be worked out. The same event gives the same bytes.
func Make(setting platen.EInvoice, e *lang.Evaluator) ([]byte, []Finding) {
	reads := &reader{}
	m := reads.whole([]byte(setting.Map))        // filling it says what is wrong with its formulas
	if faults := reads.faults; len(faults) > 0 { // a map of another release
		return nil, []Finding{{Setting: Setting(faults[0].Pointer), Rule: platen.CodeInvoiceMap, Message: faults[0].Message, Told: faults[0].Message, OfMap: true}}
	}
	if setting.Profile != platen.InvoiceExtended { // in others its terms would be lost
		if faults := m.homeless(setting.Profile, einvoice.BeyondEN16931, ""); len(faults) > 0 {
			told := "It " + faults[0].Message + "."
			return nil, []Finding{{Setting: Setting(faults[0].Pointer), Rule: platen.CodeInvoiceMap, Message: told, Told: told, OfMap: true}}
		}
	}
	inv := &einvoice.Invoice{Syntax: einvoice.Syntax(setting.Syntax)}
	k := &maker{e: e}
	k.fill(einvoice.NewRecord(inv), m, nil, "", "")
	e.TooMuch()
	k.met("", "", "", "") // what shows at the end alone
	k.compare(m, inv)
	if len(k.found) > 0 {
		return nil, k.found
	}
	k.doubt(m, inv)
	is := specifications[setting.Profile]
	inv.Specification, inv.Process = is.specification, cmp.Or(inv.Process, is.process)
	einvoice.Complete(inv)
	xml, err := einvoice.Write(inv)
	if err != nil {
		return nil, []Finding{{Setting: "einvoice.syntax", Rule: platen.CodeInvoiceMap, Message: err.Error(), Told: err.Error(), OfMap: true}}
	}
	if len(xml) > platen.MaxEmbedded {
		return nil, []Finding{tooLarge("")}
	}
	// It is judged as a receiver reads it.
	read, judged, err := einvoice.Read(xml)
	if err != nil {
		return nil, []Finding{tooLarge("")}
	}
	for _, f := range append(judged, einvoice.Validate(read)...) {
		k.judge(m, f)
	}
	if t := read.Totals; read.IsCreditNote() && t.WithVAT.Decimal.IsNegative() {
		told := "The total of a credit note is negative, so that the buyer would owe it. Write its quantities and amounts without a sign, or BT-3 as 380."
		k.judge(m, einvoice.Finding{Term: "BT-112", Severity: einvoice.Warning, Message: told, Told: told})
	}
	for _, f := range k.found {
		if !f.Note {
			return nil, k.found
		}
	}
	return xml, k.found
}

// maxItems is how many items the groups of one invoice have together.
const maxItems = 10_000

func tooLarge(pointer string) Finding {
	told := fmt.Sprintf("The invoice has more than %d items, or more than %d MiB. Leave attachments out, or make two invoices.", maxItems, platen.MaxEmbedded>>20)
	return Finding{Setting: Setting(pointer), Rule: platen.CodeInvoiceRefused, Message: told, Told: told}
}

// A maker fills an invoice.
type maker struct {
	e      *lang.Evaluator
	found  []Finding
	seen   int // of the findings of e
	items  int // of all groups
	bytes  int // of all texts
	isFull bool
}

// take counts what the invoice takes. It refuses one that no PDF would hold, before it is made.
func (k *maker) take(pointer string, items, bytes int) bool {
	k.items, k.bytes = k.items+items, k.bytes+bytes
	if !k.isFull && (k.items > maxItems || k.bytes > platen.MaxEmbedded) {
		k.isFull = true
		k.add(tooLarge(pointer))
	}
	return !k.isFull
}

// maxFindings bounds what is said of one invoice.
const maxFindings = 50

func (k *maker) add(f Finding) {
	if len(k.found) < maxFindings {
		k.found = append(k.found, f)
	}
}

// met takes over what the language found since the last time.
func (k *maker) met(pointer, template, term, place string) (wrong bool) {
	all := k.e.Findings()
	for _, f := range all[k.seen:] {
		if f.Note {
			continue
		}
		wrong = true
		k.add(Finding{Setting: Setting(pointer), Template: template, Term: term, Place: place, Rule: f.Code, Message: f.WithValue(), Told: f.Message, OfMap: !f.Data})
	}
	k.seen = len(all)
	return wrong
}

// fill fills a record by a map for a scope.
func (k *maker) fill(r einvoice.Record, m Map, scope *lang.Scope, pointer, place string) {
	there := map[string]bool{}
	for _, number := range m.terms() {
		if of, isScheme := einvoice.SchemeOf(number); isScheme && !there[of] {
			continue // it says nothing by itself
		}
		there[number] = k.set(r, r.Terms[number], m.Terms[number], k.e.Exact(m.Terms[number], scope), pointer+"/"+number, place)
	}
	for _, number := range m.groups() {
		for i, one := range m.Groups[number] {
			if k.isFull {
				return
			}
			k.repeat(r, number, one, scope, m.at(pointer, number, i), place)
		}
	}
}

// repeat adds the items of a group: one for each of a list, or one by itself. That is left out
// where its condition does not hold, or where it has tags and none of them has a value.
func (k *maker) repeat(r einvoice.Record, group string, m Map, scope *lang.Scope, pointer, place string) {
	items := []*lang.Scope{scope}
	switch {
	case m.Each != "":
		items = k.e.ItemsOf(m.Each, scope)
		if k.met(pointer+"/"+eachMember, m.Each, group, place) {
			return
		}
	case m.When != "":
		holds := k.e.Meets(m.When, scope)
		if k.met(pointer+"/"+whenMember, m.When, group, place) || !holds {
			return
		}
	case k.isBlank(m, scope, pointer, place):
		return
	}
	if !k.take(pointer, len(items), 0) {
		return
	}
	for i, item := range items {
		if k.isFull {
			return
		}
		at := place
		if m.Each != "" {
			at = strings.TrimPrefix(fmt.Sprintf("%s, %s %d", place, itemNames[group], i+1), ", ")
		}
		k.fill(r.Add(group), m, item, pointer, at)
	}
}

// itemNames are what findings call the items of groups.
var itemNames = map[string]string{
	"BG-1": "note", "BG-3": "preceding invoice", "BG-16": "payment", "BG-20": "allowance", "BG-21": "charge", "BG-23": "VAT breakdown",
	"BG-24": "document", "BG-25": "line", "BG-27": "allowance", "BG-28": "charge", "BG-32": "attribute",
	"BG-X-42": "service charge", "BG-X-44": "payment discount", "BT-127-00": "note", "BT-147-00": "price discount",
}

// isBlank tells of tags that none has a value. One that cannot be worked out is no blank.
func (k *maker) isBlank(m Map, scope *lang.Scope, pointer, place string) bool {
	tagged := false
	for _, number := range m.terms() {
		template := m.Terms[number]
		if some, _ := lang.Tags(template); some {
			tagged = true
			x := k.e.Exact(template, scope)
			if k.met(pointer+"/"+number, template, number, place) || !x.IsEmpty() {
				return false
			}
		}
	}
	return tagged && len(m.Groups) == 0
}

// maxDigits is how many digits a number of an invoice has, as readers of XML count them.
const maxDigits = 40

// set sets a term, and tells whether it has a value.
func (k *maker) set(r einvoice.Record, term einvoice.Term, template string, x lang.Exact, pointer, place string) bool {
	if k.met(pointer, template, term.Number, place) || x.IsEmpty() || !k.take(pointer, 0, len(x.Text())) {
		return false
	}
	wrong := func(told, value string) bool {
		message := told
		if value != "" {
			message = `"` + shortened(value) + `": ` + told
		}
		k.add(Finding{Setting: Setting(pointer), Template: template, Term: term.Number, Place: place, Rule: "data_unusable", Message: message, Told: told})
		return false
	}
	switch term.Form {
	case einvoice.Amount:
		d, reading := x.Number()
		n := einvoice.Number{Decimal: d, Valid: true}
		switch {
		case reading == lang.TwoNumbers:
			return wrong("The value may be a number or a thousand times as much. Send a JSON number, or two digits behind the sign.", x.Text())
		case reading == lang.NoNumber:
			return wrong("The value is no number. Send one such as 14.00; a tag of the map must not format it.", x.Text())
		case len(einvoice.FormatNumber(n)) > maxDigits:
			return wrong("The number has more than 40 digits. Round it, as in {{= ROUND(Price, 4)}}.", "")
		case isRate(term.Number) && d.IsPositive() && d.LessThan(leastRate):
			return wrong("A rate is per cent, and no country has one of less than 0.5: write 19 and not 0.19, as in {{= Rate * 100}}.", x.Text())
		}
		r.SetNumber(term, n)
	case einvoice.Date:
		day, ok := x.Date()
		if !ok {
			return wrong("The value is no date. Send one such as 2026-01-31; a tag of the map must not format it.", x.Text())
		}
		r.SetText(term, day)
	default:
		text := plain(x.Text())
		if _, err := base64.StdEncoding.DecodeString(text); term.Number == "BT-125" && err != nil {
			return wrong("The value is no file. Send its bytes in base64.", "")
		}
		r.SetText(term, withDiscounts(term, text))
		return text != ""
	}
	return true
}

// leastRate is a rate of VAT that there is: of IPSI in Ceuta and Melilla.
var leastRate = decimal.New(5, -1)

// isRate tells of rates of VAT.
func isRate(number string) bool {
	return number == "BT-96" || number == "BT-103" || number == "BT-119" || number == "BT-152" || number == "BT-X-274"
}

// compare refuses what the syntax would lose: it has room for some terms beside a payment alone.
func (k *maker) compare(m Map, inv *einvoice.Invoice) {
	for _, number := range einvoice.Unwritten(inv) {
		pointer, template := m.find(number, "")
		told := fmt.Sprintf("%s writes it beside a payment, and the invoice has none. Fill BT-81 (Payment means code), such as 58, or leave the term out.", inv.Syntax)
		k.add(Finding{Setting: Setting(pointer), Template: template, Term: number, Rule: platen.CodeInvoiceRefused, Message: told, Told: told})
	}
}

// withDiscounts ends payment terms that programs read discounts from as XRechnung wants it:
// each in a line, with its end (BR-DE-18).
func withDiscounts(term einvoice.Term, text string) string {
	if last := text[strings.LastIndex(text, "\n")+1:]; term.Number == "BT-20" && strings.HasPrefix(last, "#") {
		return text + "\n"
	}
	return text
}

// maxShown is how many characters of a value are quoted.
const maxShown = 40

func shortened(value string) string {
	runes := []rune(plain(value))
	if len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return string(runes)
}

// plain is a text without white space around it and without characters that XML has no room
// for. Lines end with a line feed.
func plain(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n").Replace(text)
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF) {
			return -1
		}
		return r
	}, text))
}

// judge takes a rule over that the invoice breaks.
func (k *maker) judge(m Map, f einvoice.Finding) {
	pointer, template := m.find(f.Term, "")
	k.add(Finding{
		Setting: Setting(pointer), Template: template, Term: f.Term, Place: f.Place, Rule: f.Rule,
		Message: strings.TrimSpace(f.Message + " " + f.Cure), Told: strings.TrimSpace(f.Told + " " + f.ToldCure), Note: f.Severity != einvoice.Error,
	})
}

// find is where a map fills a term, or the group that has it; the map itself where nothing does.
func (m Map) find(number, pointer string) (at, template string) {
	if text, ok := m.Terms[number]; ok {
		return pointer + "/" + number, text
	}
	if items := m.Groups[number]; len(items) > 0 {
		return m.at(pointer, number, 0), ""
	}
	for _, group := range m.groups() {
		for i, one := range m.Groups[group] {
			if at, template = one.find(number, m.at(pointer, group, i)); at != m.at(pointer, group, i) {
				return at, template
			}
		}
	}
	if home := einvoice.Outlined().Find(number); home != nil && pointer == "" && len(m.Groups[home.Number]) > 0 {
		return m.at("", home.Number, 0), ""
	}
	return pointer, ""
}
