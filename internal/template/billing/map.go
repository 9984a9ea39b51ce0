// Package billing makes the e-invoice of an event. It fills the business terms of EN 16931 by
// the map of a document, in the language of templates. Data and numbers are those that the
// pages show. It proposes such a map, too.
//
// What an invoice is, and which rules it keeps, is package einvoice's. How the XML gets into a
// PDF belongs to those who call.
package billing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// MaxItems is how many items of one group a map writes out.
const MaxItems = 20

// A Map says what the terms of an invoice, or of an item of a group, are filled with.
type Map struct {
	// Each is the list that a group is repeated for, as behind {{#each}}; empty: it stands
	// once. When is a condition of such an item. Both are formulas without braces.
	Each, When string
	Terms      map[string]string // templates by the numbers of terms, such as BT-1
	Groups     map[string][]Map  // by the numbers of groups that may stand more than once
}

// Members of a group beside its terms.
const (
	eachMember = "each"
	whenMember = "when"
)

// A Fault is what is wrong with a map, at its place.
type Fault struct {
	Pointer string // RFC 6901, from the map: /BG-25/BT-129
	Message string // what it is and the cure, as it goes on behind the place
}

// maxFaults bounds what is said of one map.
const maxFaults = 50

// Read reads a map from its JSON object, and says everything that is wrong with it. A tag that
// names no field is not wrong here: which fields there are, a check of the document knows.
func Read(object []byte) (Map, []Fault) {
	r := &reader{}
	m := r.whole(object)
	if len(r.faults) == 0 {
		r.inspect(m)
	}
	return m, r.faults[:min(len(r.faults), maxFaults)]
}

// Check says what is wrong with a map for a profile: with the map, or with terms that the profile
// has no place for.
func Check(profile platen.InvoiceProfile, object []byte) []Fault {
	m, faults := Read(object)
	if len(faults) > 0 {
		return faults
	}
	lacks := func(number string) bool {
		return einvoice.BeyondEN16931(number) && profile != platen.InvoiceExtended || profile == platen.InvoiceBasic && !einvoice.InBasic(number)
	}
	faults = m.homeless(profile, lacks, "")
	return faults[:min(len(faults), maxFaults)]
}

// homeless are terms and groups that a profile has no place for.
func (m Map) homeless(profile platen.InvoiceProfile, lacks func(number string) bool, pointer string) []Fault {
	var faults []Fault
	add := func(number, at string) bool {
		if !lacks(number) {
			return false
		}
		of := platen.InvoiceEN16931
		if einvoice.BeyondEN16931(number) {
			of = platen.InvoiceExtended
		}
		faults = append(faults, Fault{at, fmt.Sprintf("(%s) has no place in the profile %s: leave it out, or set einvoice.profile to %s", nameOf(number), profile, of)})
		return true
	}
	for _, number := range m.terms() {
		add(number, pointer+"/"+number)
	}
	for _, number := range m.groups() {
		for i, one := range m.Groups[number] {
			if at := m.at(pointer, number, i); !add(number, at) {
				faults = append(faults, one.homeless(profile, lacks, at)...)
			}
		}
	}
	return faults
}

// whole reads a map without looking into its formulas.
func (r *reader) whole(object []byte) Map {
	if len(object) > platen.MaxInvoiceMap {
		r.fault("", "has more than %d KiB: shorten it", platen.MaxInvoiceMap>>10)
		return Map{}
	}
	return r.group(object, einvoice.Outlined(), "")
}

// A reader reads a map and gathers faults.
type reader struct{ faults []Fault }

func (r *reader) fault(pointer, format string, args ...any) {
	r.faults = append(r.faults, Fault{pointer, fmt.Sprintf(format, args...)})
}

func (r *reader) group(object json.RawMessage, o *einvoice.Outline, pointer string) Map {
	m := Map{Terms: map[string]string{}, Groups: map[string][]Map{}}
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		r.fault(pointer, `must be an object of business terms, such as {"BT-1": "{{Invoice number}}"}`)
		return m
	}
	for _, name := range slices.SortedFunc(maps.Keys(members), einvoice.CompareTerms) {
		at, value := pointer+"/"+escapePointer(name), members[name]
		term, isTerm := o.Terms[name]
		switch {
		case o.Number != "" && name == eachMember:
			m.Each = r.formula(value, at, "Items")
		case o.Number != "" && name == whenMember:
			m.When = r.formula(value, at, "Discount > 0")
		case o.Number == "" && name == "BT-24":
			r.fault(at, "is the specification, which einvoice.profile chooses: leave it out")
		case isTerm:
			if text, ok := r.template(value, at, term); ok {
				m.Terms[name] = text
			}
		case o.Groups[name] != nil:
			m.Groups[name] = r.items(value, o.Groups[name], at)
		default:
			r.unknown(name, o, at)
		}
	}
	if m.Each != "" && m.When != "" {
		r.fault(pointer+"/"+whenMember, `cannot stand beside each: write the condition behind the list, as in "each": "Items where %s"`, m.When)
	}
	return m
}

// items reads a group: an object, or a list of such for items that the map writes out.
func (r *reader) items(value json.RawMessage, o *einvoice.Outline, at string) []Map {
	if first := bytes.TrimSpace(value); len(first) == 0 || first[0] != '[' {
		return []Map{r.group(value, o, at)}
	}
	var list []json.RawMessage
	_ = json.Unmarshal(value, &list) // it is a list, for the whole was read
	if len(list) > MaxItems {
		r.fault(at, "has %d items: at most %d are allowed; a list of the event is named by each", len(list), MaxItems)
		return nil
	}
	var all []Map
	for i, one := range list {
		all = append(all, r.group(one, o, fmt.Sprintf("%s/%d", at, i)))
	}
	return all
}

func (r *reader) text(value json.RawMessage, at string) (string, bool) {
	var text string
	if json.Unmarshal(value, &text) != nil || bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
		r.fault(at, `must be a text, such as "{{Total}}" or "19"`)
		return "", false
	}
	if n := utf8.RuneCountInString(text); n > platen.MaxTextTemplate {
		r.fault(at, "has %d characters: at most %d are allowed", n, platen.MaxTextTemplate)
		return "", false
	}
	return text, true
}

func (r *reader) formula(value json.RawMessage, at, example string) string {
	text, ok := r.text(value, at)
	text = strings.TrimSpace(text)
	switch {
	case !ok:
		return ""
	case text == "":
		r.fault(at, "must not be empty: write a formula without braces, such as %s, or leave it out", example)
	case strings.Contains(text, "{{") || strings.Contains(text, "}}"):
		r.fault(at, "is a formula without braces, such as %s", example)
		return ""
	}
	return text
}

// template reads what a term is filled with. What can be no number or date is said here.
func (r *reader) template(value json.RawMessage, at string, term einvoice.Term) (string, bool) {
	text, ok := r.text(value, at)
	trimmed := strings.TrimSpace(text)
	if !ok {
		return "", false
	}
	if trimmed == "" {
		r.fault(at, "is empty: fill %s (%s), or leave it out", term.Number, term.Name)
		return "", false
	}
	if platen.UnclosedTag(text) {
		r.fault(at, "has a tag that is not closed: put }} behind the name")
		return "", false
	}
	some, alone := lang.Tags(text)
	field := "{{" + trimmed + "}}"
	switch {
	case !some && term.Form == einvoice.Text:
		if list := einvoice.Lacking(term.Number, trimmed); list != "" {
			r.fault(at, "fills %s (%s), and is none of the codes of %s: write one of these, or %s for a field", term.Number, term.Name, list, field)
			return "", false
		}
	case some && (alone || strings.Contains(text, "{{#if ")), term.Form == einvoice.Text:
	case some && term.Form == einvoice.Amount:
		r.fault(at, "fills %s (%s), a number, and has text around its tag: write one tag alone, such as {{Total}} or {{= ROUND(Price * Quantity, 2)}}", term.Number, term.Name)
		return "", false
	case some:
		r.fault(at, "fills %s (%s), a date, and has text around its tag: write one tag alone, such as {{Due date}}", term.Number, term.Name)
		return "", false
	case term.Form == einvoice.Amount:
		if _, ok := einvoice.ParseNumber(trimmed); !ok {
			r.fault(at, "fills %s (%s), and is no number: write %s for a field, or digits with a point, as in 19.5", term.Number, term.Name, field)
			return "", false
		}
	default:
		if _, err := time.Parse(time.DateOnly, trimmed); err != nil {
			r.fault(at, "fills %s (%s), and is no date: write %s for a field, or a date such as 2026-01-31", term.Number, term.Name, field)
			return "", false
		}
	}
	return text, true
}

// unknown says where a name belongs that is nothing here.
func (r *reader) unknown(name string, o *einvoice.Outline, at string) {
	whole := einvoice.Outlined()
	if term := o.Single(name); term != "" {
		r.fault(at, "is a group that stands once: write its terms, such as %s, without it", term)
		return
	}
	if home := whole.Find(name); home != nil {
		_, isGroup := home.Groups[name]
		switch {
		case home.Number == "":
			r.fault(at, "(%s) belongs to the whole invoice: write it outside of %s", nameOf(name), o.Number)
		case isGroup:
			r.fault(at, "(%s) is part of %s (%s): write it inside of that", nameOf(name), home.Number, home.Name)
		default:
			r.fault(at, `(%s) is part of %s (%s): write {"%s": {"each": "Items", "%s": "…"}}, with the list of the event`, nameOf(name), home.Number, home.Name, home.Number, name)
		}
		return
	}
	if number := written(name); number != name && whole.Find(number) != nil {
		r.fault(at, "is no business term: did you mean %s (%s)?", number, nameOf(number))
		return
	}
	if number := numberOf(name); number != "" {
		r.fault(at, "is no business term: did you mean %s (%s)?", number, nameOf(number))
		return
	}
	r.fault(at, "is no business term of EN 16931 that can be filled: write the number of one, such as BT-1 (Invoice number)")
}

// written is a number as the standard writes it: BT-112 for bt112, BT 112 and bt_112.
func written(name string) string {
	number := strings.NewReplacer(" ", "", "_", "-").Replace(strings.ToUpper(name))
	for _, kind := range []string{"BT", "BG"} {
		if rest, ok := strings.CutPrefix(number, kind); ok && rest != "" && rest[0] != '-' {
			return kind + "-" + rest
		}
	}
	return number
}

func nameOf(number string) string {
	if home := einvoice.Outlined().Find(number); home != nil {
		if term, ok := home.Terms[number]; ok {
			return term.Name
		}
	}
	return einvoice.TermName(number)
}

// numberOf is the term or group that has a name, in any case; empty for none.
func numberOf(name string) string {
	var found string
	walk(einvoice.Outlined(), func(o *einvoice.Outline) {
		for number, term := range o.Terms {
			if strings.EqualFold(term.Name, strings.TrimSpace(name)) {
				found = number
			}
		}
	})
	return found
}

func walk(o *einvoice.Outline, visit func(*einvoice.Outline)) {
	visit(o)
	for _, group := range o.Groups {
		walk(group, visit)
	}
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// inspect finds formulas and blocks that cannot be read.
func (r *reader) inspect(m Map) {
	passages := m.Passages()
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	for _, f := range lang.Inspect(texts, nil) {
		if f.Code == "unknown_field" || f.Note {
			continue
		}
		message := "cannot be read: " + f.Message
		if len(f.Nearest) > 0 {
			message += " Did you mean " + f.Nearest[0] + "?"
		}
		r.fault(passages[f.Place.Text].Pointer, "%s", message)
	}
}

// A Passage is a text of a map that has tags, at its place.
type Passage struct {
	Pointer string // from the map, as that of a Fault
	Text    string
}

// Passages are the texts of a map in the order of its terms, with a block around those of each
// group that is repeated or has a condition.
func (m Map) Passages() []Passage { return m.passages("") }

func (m Map) passages(pointer string) []Passage {
	var all []Passage
	switch {
	case m.Each != "":
		all = append(all, Passage{pointer + "/" + eachMember, "{{#each " + m.Each + "}}"})
	case m.When != "":
		all = append(all, Passage{pointer + "/" + whenMember, "{{#if " + m.When + "}}"})
	}
	for _, number := range m.terms() {
		all = append(all, Passage{pointer + "/" + number, m.Terms[number]})
	}
	for _, number := range m.groups() {
		for i, one := range m.Groups[number] {
			all = append(all, one.passages(m.at(pointer, number, i))...)
		}
	}
	switch {
	case m.Each != "":
		all = append(all, Passage{pointer + "/" + eachMember, "{{/each}}"})
	case m.When != "":
		all = append(all, Passage{pointer + "/" + whenMember, "{{/if}}"})
	}
	return all
}

func (m Map) terms() []string {
	return slices.SortedFunc(maps.Keys(m.Terms), einvoice.CompareTerms)
}

func (m Map) groups() []string {
	return slices.SortedFunc(maps.Keys(m.Groups), einvoice.CompareTerms)
}

// at is where an item of a group stands.
func (m Map) at(pointer, group string, i int) string {
	pointer += "/" + group
	if len(m.Groups[group]) > 1 {
		pointer = fmt.Sprintf("%s/%d", pointer, i)
	}
	return pointer
}

// Setting is a place of a map as findings name it: einvoice.map.BG-25.BT-129.
func Setting(pointer string) string {
	return "einvoice.map" + strings.ReplaceAll(pointer, "/", ".")
}

// JSON is the object that Read reads, its members in the order of the standard.
func (m Map) JSON() []byte {
	var b bytes.Buffer
	m.write(&b)
	return b.Bytes()
}

func (m Map) write(b *bytes.Buffer) {
	b.WriteByte('{')
	first := true
	member := func(name string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		writeText(b, name)
		b.WriteByte(':')
	}
	for name, text := range map[string]string{eachMember: m.Each, whenMember: m.When} { // one of them
		if text != "" {
			member(name)
			writeText(b, text)
		}
	}
	for _, number := range m.terms() {
		member(number)
		writeText(b, m.Terms[number])
	}
	for _, number := range m.groups() {
		member(number)
		items := m.Groups[number]
		if len(items) == 1 {
			items[0].write(b)
			continue
		}
		b.WriteByte('[')
		for i, one := range items {
			if i > 0 {
				b.WriteByte(',')
			}
			one.write(b)
		}
		b.WriteByte(']')
	}
	b.WriteByte('}')
}

func writeText(b *bytes.Buffer, text string) {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text always encodes
	b.Truncate(b.Len() - 1)  // the line's end
}
