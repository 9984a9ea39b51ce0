package einvoice

import (
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// A binder carries an invoice from a tree of elements or to it: the same description of a
// syntax reads and writes. When it writes, elements stand in the order in which they are
// named, and those without content are left out.
type binder struct {
	writing  bool
	at       *element
	place    string // of the element in words, as in "line 2"; empty for the whole invoice
	currency string // of amounts in UBL, which name it each time
	extended bool   // the profile EXTENDED of Factur-X, in CII
	found    *[]Finding
}

// look finds the element of a path, in writing adds it. It is nil when there is none.
func (b *binder) look(path string) *element {
	e := b.at
	for name := range strings.SplitSeq(path, "/") {
		if b.writing {
			e = e.last(name)
		} else if e = e.child(name); e == nil {
			return nil
		}
	}
	return e
}

// last is the last child, or a new one when that has another name.
func (e *element) last(name string) *element {
	if n := len(e.children); n > 0 && e.children[n-1].name == name {
		return e.children[n-1]
	}
	return e.add(name)
}

func (e *element) add(name string) *element {
	c := &element{name: name}
	e.children = append(e.children, c)
	return c
}

// prose carries a text with its spaces and lines, text one without those around it.
func (b *binder) prose(path string, v *string) {
	if b.writing {
		if *v != "" {
			b.look(path).text = *v
		}
	} else if e := b.look(path); e != nil && strings.TrimSpace(e.text) != "" {
		*v = e.text
	}
}

func (b *binder) text(path string, v *string) {
	b.prose(path, v)
	if !b.writing {
		*v = strings.TrimSpace(*v)
	}
}

// attr carries an attribute of the element of a path, which must be there in writing.
func (b *binder) attr(path, name string, v *string) {
	if b.writing {
		if *v != "" {
			e := b.look(path)
			e.attrs = append(e.attrs, attr{name, *v})
		}
	} else if e := b.look(path); e != nil {
		*v = strings.TrimSpace(e.attr(name))
	}
}

// constant writes a text that never changes, and reads nothing.
func (b *binder) constant(path, text string) {
	if b.writing {
		b.look(path).text = text
	}
}

// maxDigits bounds a number, so that reckoning with it stays cheap.
const maxDigits = 40

// isNumber is the lexical form of xs:decimal.
var isNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)

// ParseNumber reads a decimal as XML writes it: digits, a point, no exponent.
func ParseNumber(text string) (Number, bool) {
	if len(text) > maxDigits || !isNumber.MatchString(text) {
		return Number{}, false
	}
	n, err := decimal.NewFromString(strings.TrimSuffix(text, "."))
	return Number{Decimal: n, Valid: err == nil}, err == nil
}

// FormatNumber writes a number with the digits behind the point that it has.
func FormatNumber(n Number) string {
	if !n.Valid {
		return ""
	}
	return n.Decimal.StringFixed(max(0, -n.Decimal.Exponent()))
}

// number carries a decimal of a business term.
func (b *binder) number(path, term string, v *Number) {
	if b.writing {
		if v.Valid {
			b.look(path).text = FormatNumber(*v)
		}
		return
	}
	var text string
	if b.text(path, &text); text == "" {
		return
	}
	n, ok := ParseNumber(text)
	if !ok {
		b.report(term, quote(text)+" is no number", "Write digits with a point, as in 1234.50.")
		return
	}
	*v = n
}

// amount carries a decimal that names its currency in UBL.
func (b *binder) amount(path, term string, v *Number) {
	b.number(path, term, v)
	if b.currency == "" {
		return
	}
	if b.writing {
		if v.Valid {
			e := b.look(path)
			e.attrs = append(e.attrs, attr{"currencyID", b.currency})
		}
		return
	}
	e := b.look(path)
	if e == nil {
		return
	}
	if named := strings.TrimSpace(e.attr("currencyID")); named != b.currency {
		b.report(term, "The amount is in "+quote(named)+", and the invoice in "+quote(b.currency),
			"Write every amount but the VAT total in accounting currency (BT-111) in the currency of the invoice (BT-5).")
	}
}

// dateCII is the format 102 of UNTDID 2379.
const dateCII = "20060102"

// date carries a date: in CII in an element with a format, in UBL as it is in the model.
func (b *binder) date(path, term, layout string, v *string) {
	if b.writing {
		if *v == "" {
			return
		}
		if day, err := time.Parse(time.DateOnly, *v); err == nil && layout == dateCII {
			e := b.look(path)
			e.text, e.attrs = day.Format(layout), append(e.attrs, attr{"format", "102"})
		} else {
			b.look(path).text = *v
		}
		return
	}
	var text string
	if b.text(path, &text); text == "" {
		return
	}
	day, err := time.Parse(layout, strings.TrimSuffix(text, "Z"))
	if err != nil {
		b.report(term, quote(text)+" is no date", "Write the date as "+map[string]string{dateCII: "YYYYMMDD", time.DateOnly: "YYYY-MM-DD"}[layout]+".")
		return
	}
	*v = day.Format(time.DateOnly)
}

// in carries what is in an element. An element that stays empty is not written, but those
// that the schema asks for.
func (b *binder) in(path string, body func(*binder)) {
	e := b.look(path)
	if e == nil {
		return
	}
	inner := *b
	inner.at = e
	body(&inner)
	if b.writing {
		b.at.prune(strings.Split(path, "/"))
	}
}

// required writes an element that the schema asks for also without content.
func (b *binder) required(name string, body func(*binder)) {
	if !b.writing {
		b.in(name, body)
		return
	}
	inner := *b
	inner.at = b.at.add(name)
	body(&inner)
}

// prune takes away the last elements of a path that are empty.
func (e *element) prune(path []string) {
	if len(path) == 0 || len(e.children) == 0 {
		return
	}
	last := e.children[len(e.children)-1]
	if last.name != path[0] {
		return
	}
	last.prune(path[1:])
	if last.empty() {
		e.children = e.children[:len(e.children)-1]
	}
}

// identifier carries an identifier with its scheme.
func (b *binder) identifier(path string, v **ID) {
	if b.writing {
		if *v != nil && (*v).Value != "" {
			b.text(path, &(*v).Value)
			b.attr(path, "schemeID", &(*v).Scheme)
		}
		return
	}
	var id ID
	b.text(path, &id.Value)
	b.attr(path, "schemeID", &id.Scheme)
	if id.Value != "" {
		*v = &id
	}
}

// group carries a group that may be absent. It is there when the element is.
func group[T any](b *binder, path string, v **T, body func(*binder, *T)) {
	if b.writing {
		if *v != nil {
			b.in(path, func(b *binder) { body(b, *v) })
		}
		return
	}
	if b.look(path) == nil {
		return
	}
	if *v == nil {
		*v = new(T)
	}
	b.in(path, func(b *binder) { body(b, *v) })
}

// each carries a list: every child of a name that keep accepts, nil for all.
func each[T any](b *binder, name, place string, list *[]T, keep func(*element) bool, body func(*binder, *T)) {
	inner := *b
	if b.writing {
		for i := range *list {
			inner.at = b.at.add(name)
			body(&inner, &(*list)[i])
			if inner.at.empty() {
				b.at.children = b.at.children[:len(b.at.children)-1]
			}
		}
		return
	}
	for _, c := range b.at.children {
		if c.name != name || keep != nil && !keep(c) {
			continue
		}
		inner.at, inner.place = c, where(b.place, place, len(*list))
		var v T
		body(&inner, &v)
		*list = append(*list, v)
	}
}

// typed is for the first element of a name whose type says what it is about. It is nil in
// writing, and without such an element.
func (b *binder) typed(name, typePath, code string) *binder {
	if b.writing {
		return nil
	}
	for _, c := range b.at.children {
		if c.name == name && c.find(typePath) == code {
			inner := *b
			inner.at = c
			return &inner
		}
	}
	return nil
}

// isTrue reads xs:boolean.
func isTrue(text string) bool { return text == "true" || text == "1" }

// find is the text of the element of a path, for deciding what an element is about.
func (e *element) find(path string) string {
	for name := range strings.SplitSeq(path, "/") {
		if e = e.child(name); e == nil {
			return ""
		}
	}
	return strings.TrimSpace(e.text)
}

func (b *binder) report(term, message, cure string) {
	*b.found = append(*b.found, newFinding(Error, "SYNTAX", term, b.place, message+".", cure))
}
