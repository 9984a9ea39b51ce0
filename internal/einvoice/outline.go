package einvoice

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Form is how a term is written.
type Form string

const (
	Text   Form = "text"
	Amount Form = "number" // an amount, a quantity or a percentage
	Date   Form = "date"
)

// A Term is a business term as an Outline has it. A scheme of an identifier is a term of its
// own, such as BT-34-1.
type Term struct {
	Number string // BT-129
	Name   string // Invoiced quantity
	Form   Form
	path   []step
}

// A step leads from a struct to one of its fields, and through the pointer or the first item
// of the list that it is.
type step int

// An Outline is the model of EN 16931 for people who fill it: only the groups that may stand
// more than once are groups in it. The terms of any other group belong to what it is part of.
type Outline struct {
	Number string // BG-25; empty for the invoice
	Name   string
	Terms  map[string]Term
	Groups map[string]*Outline
	// single are the groups that stand once, with one of their terms.
	single map[string]string
	field  int // of the list, in the struct around it
}

// dates are the terms of the model that are texts in Go and dates in the standard.
var dates = []string{
	"BT-2", "BT-7", "BT-9", "BT-26", "BT-72", "BT-73", "BT-74", "BT-134", "BT-135",
	"BT-X-22", "BT-X-85", "BT-X-88", "BT-X-94", "BT-X-282",
}

// Outlined is the outline of an invoice. Extensions of XRechnung are no part of it.
var Outlined = sync.OnceValue(func() *Outline {
	return outline("", reflect.TypeFor[Invoice](), 0)
})

func outline(number string, of reflect.Type, role int) *Outline {
	o := &Outline{Number: number, Name: termNames[number], Terms: map[string]Term{}, Groups: map[string]*Outline{}, single: map[string]string{}}
	o.add(of, role, nil)
	return o
}

// add takes in the fields of a struct, by the rules by which MarshalJSON names them.
func (o *Outline) add(of reflect.Type, role int, path []step) {
	for i := range of.NumField() {
		field := of.Field(i)
		numbers := strings.Fields(field.Tag.Get("bt"))
		if len(numbers) == 0 || len(numbers) > 1 && role >= len(numbers) { // a line's allowances have no VAT
			continue
		}
		number := numbers[min(role, len(numbers)-1)]
		if strings.Contains(number, "DEX") {
			continue
		}
		inner, kind := roleWithin(field, role), field.Type
		at := append(slices.Clone(path), step(i))
		if kind.Kind() == reflect.Slice && (strings.HasPrefix(number, "BG-") || strings.HasSuffix(number, "-00")) {
			group := outline(number, kind.Elem(), inner)
			group.field = i
			o.Groups[number] = group
			continue
		}
		if kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		switch kind {
		case reflect.TypeFor[string]():
			o.put(number, Text, at)
		case reflect.TypeFor[Number]():
			o.put(number, Amount, at)
		case reflect.TypeFor[ID]():
			o.put(number, Text, append(slices.Clone(at), 0))
			o.put(number+"-1", Text, append(slices.Clone(at), 1))
		default:
			before := len(o.Terms)
			o.add(kind, inner, at)
			if strings.HasPrefix(number, "BG-") && len(o.Terms) > before {
				o.single[number] = o.firstBelow(at)
			}
		}
	}
}

// roleWithin is the role of what is in a field: which of the numbers of its terms are meant.
func roleWithin(field reflect.StructField, role int) int {
	text := field.Tag.Get("role")
	n, _ := strconv.Atoi(text)
	switch {
	case strings.HasPrefix(text, "+"):
		return role + n
	case text != "":
		return n
	case len(strings.Fields(field.Tag.Get("bt"))) == 1 && field.Type.Kind() != reflect.Pointer:
		return 0
	}
	return role
}

// put adds a term. The first group that has a number keeps it.
func (o *Outline) put(number string, form Form, path []step) {
	if _, ok := o.Terms[number]; ok {
		return
	}
	if slices.Contains(dates, number) {
		form = Date
	}
	base, isScheme := SchemeOf(number)
	name := cmp.Or(termNames[number], termNames[base])
	if isScheme && termNames[number] == "" {
		name += " scheme"
	}
	o.Terms[number] = Term{Number: number, Name: name, Form: form, path: path}
}

// firstBelow is the first term, by number, below a path.
func (o *Outline) firstBelow(path []step) string {
	var below []string
	for number, t := range o.Terms {
		if len(t.path) > len(path) && slices.Equal(t.path[:len(path)], path) {
			below = append(below, number)
		}
	}
	slices.SortFunc(below, CompareTerms)
	return below[0]
}

// SchemeOf is the term that a scheme, or another attribute, belongs to: BT-34 of BT-34-1.
func SchemeOf(number string) (term string, isScheme bool) {
	i := strings.LastIndexByte(number, '-')
	first := len("BT-")
	if strings.HasPrefix(number, "BT-X-") {
		first = len("BT-X-")
	}
	return number[:max(i, 0)], i > first
}

// CompareTerms orders numbers of terms and groups as the standard does: BT-9 before BT-10,
// and terms before groups.
func CompareTerms(a, b string) int {
	if order := strings.Compare(b[:min(2, len(b))], a[:min(2, len(a))]); order != 0 {
		return order
	}
	x, y := strings.Split(a, "-"), strings.Split(b, "-")
	for i := 1; i < min(len(x), len(y)); i++ {
		m, notX := strconv.Atoi(x[i])
		n, notY := strconv.Atoi(y[i])
		if order := extension(notX) - extension(notY); order != 0 {
			return order
		}
		if m != n {
			return m - n
		}
	}
	return cmp.Or(len(x)-len(y), strings.Compare(a, b))
}

// extension orders numbers with an X behind those of the standard.
func extension(err error) int {
	if err != nil {
		return 1
	}
	return 0
}

// Single is a term of a group that stands once, empty for any other number.
func (o *Outline) Single(group string) string { return o.single[group] }

// Find says which group has a term or a group, below this one. It is nil when none has.
func (o *Outline) Find(number string) *Outline {
	_, isTerm := o.Terms[number]
	if isTerm || o.Groups[number] != nil || o.single[number] != "" {
		return o
	}
	for _, group := range o.Groups {
		if found := group.Find(number); found != nil {
			return found
		}
	}
	return nil
}

// A Record is an invoice, or an item of one of its groups, that is put together from terms.
type Record struct {
	*Outline
	value reflect.Value
}

// NewRecord begins to put an invoice together.
func NewRecord(inv *Invoice) Record {
	return Record{Outlined(), reflect.ValueOf(inv).Elem()}
}

// Add adds an item to a group. It is to be filled before the next is added.
func (r Record) Add(group string) Record {
	o := r.Groups[group]
	list := r.value.Field(o.field)
	list.Set(reflect.Append(list, reflect.Zero(list.Type().Elem())))
	return Record{o, list.Index(list.Len() - 1)}
}

// SetText sets a term of the form Text or Date. An empty text leaves it absent.
func (r Record) SetText(term Term, text string) {
	if text != "" {
		r.reach(term).SetString(text)
	}
}

// SetNumber sets a term of the form Amount.
func (r Record) SetNumber(term Term, n Number) { r.reach(term).Set(reflect.ValueOf(n)) }

// reach makes what lies on the way to a term.
func (r Record) reach(term Term) reflect.Value {
	at := r.value
	for _, s := range term.path {
		if at.Kind() == reflect.Pointer {
			if at.IsNil() {
				at.Set(reflect.New(at.Type().Elem()))
			}
			at = at.Elem()
		}
		if at.Kind() == reflect.Slice {
			if at.Len() == 0 {
				at.Set(reflect.Append(at, reflect.Zero(at.Type().Elem())))
			}
			at = at.Index(0)
		}
		at = at.Field(int(s))
	}
	return at
}
