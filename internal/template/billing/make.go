package billing

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

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
	inv := &einvoice.Invoice{Syntax: einvoice.Syntax(setting.Syntax)}
	k := &maker{e: e}
	k.fill(einvoice.NewRecord(inv), m, nil, "", "")
	if len(k.found) > 0 {
		return nil, k.found
	}
	is := specifications[setting.Profile]
	inv.Specification, inv.Process = is.specification, cmp.Or(inv.Process, is.process)
	einvoice.Complete(inv)
	xml, err := einvoice.Write(inv)
	if err != nil {
		return nil, []Finding{{Setting: "einvoice.syntax", Rule: platen.CodeInvoiceMap, Message: err.Error(), Told: err.Error(), OfMap: true}}
	}
	// It is judged as a receiver reads it.
	read, judged, err := einvoice.Read(xml)
	if err != nil {
		told := "The invoice is larger than a receiver reads. Leave attachments out, or make two invoices."
		return nil, []Finding{{Setting: "einvoice.map", Rule: platen.CodeInvoiceRefused, Message: told, Told: told}}
	}
	for _, f := range append(judged, einvoice.Validate(read)...) {
		k.judge(m, f)
	}
	for _, f := range k.found {
		if !f.Note {
			return nil, k.found
		}
	}
	return xml, k.found
}

// A maker fills an invoice.
type maker struct {
	e     *lang.Evaluator
	found []Finding
	seen  int // of the findings of e
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
	for _, number := range m.terms() {
		k.set(r, r.Terms[number], m.Terms[number], k.e.Exact(m.Terms[number], scope), pointer+"/"+number, place)
	}
	for _, number := range m.groups() {
		for i, one := range m.Groups[number] {
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
	case k.isBlank(m, scope):
		return
	}
	for i, item := range items {
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
}

func (k *maker) isBlank(m Map, scope *lang.Scope) bool {
	tagged := false
	for _, number := range m.terms() {
		if some, _ := lang.Tags(m.Terms[number]); some {
			if tagged = true; !k.e.Exact(m.Terms[number], scope).IsEmpty() {
				return false
			}
		}
	}
	return tagged && len(m.Groups) == 0
}

// maxDigits is how many digits a number of an invoice has, as readers of XML count them.
const maxDigits = 40

func (k *maker) set(r einvoice.Record, term einvoice.Term, template string, x lang.Exact, pointer, place string) {
	if k.met(pointer, template, term.Number, place) || x.IsEmpty() {
		return
	}
	wrong := func(told, value string) {
		message := told
		if value != "" {
			message = `"` + shortened(value) + `": ` + told
		}
		k.add(Finding{Setting: Setting(pointer), Template: template, Term: term.Number, Place: place, Rule: "data_unusable", Message: message, Told: told})
	}
	switch term.Form {
	case einvoice.Amount:
		d, reading := x.Number()
		n := einvoice.Number{Decimal: d, Valid: true}
		switch {
		case reading == lang.TwoNumbers:
			wrong("The value may be a number or a thousand times as much. Send a JSON number, or two digits behind the sign.", x.Text())
		case reading == lang.NoNumber:
			wrong("The value is no number. Send one such as 14.00; a tag of the map must not format it.", x.Text())
		case len(einvoice.FormatNumber(n)) > maxDigits:
			wrong("The number has more than 40 digits. Round it, as in {{= ROUND(Price, 4)}}.", "")
		default:
			r.SetNumber(term, n)
		}
	case einvoice.Date:
		day, ok := x.Date()
		if !ok {
			wrong("The value is no date. Send one such as 2026-01-31; a tag of the map must not format it.", x.Text())
			return
		}
		r.SetText(term, day)
	default:
		r.SetText(term, withDiscounts(term, plain(x.Text())))
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
		Message: f.Message + " " + f.Cure, Told: f.Told + " " + f.ToldCure, Note: f.Severity != einvoice.Error,
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
