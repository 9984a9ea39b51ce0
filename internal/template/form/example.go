package form

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"sync"

	"github.com/platenhq/platen/internal/platen"
)

// exampleRows is how many rows lists have in an example.
const exampleRows = 3

// Example fills what is empty in a form with values that fit its names and kinds: the same
// each time. Nothing of them is anybody's, and what was typed in stays.
func Example(f platen.Form, in platen.FormInput) platen.FormInput {
	e := exampler{in: in, out: platen.FormInput{Texts: map[string]string{}, Rows: map[string][]int{}, Lists: in.Lists}, point: f.Point}
	e.fields(f.Fields, "", place{})
	return e.out
}

type exampler struct {
	in    platen.FormInput
	out   platen.FormInput
	point string
}

// A place is where a value of an example stands.
type place struct {
	row  int
	list bool
	// of is the name of the object or list around it.
	of string
}

func (e exampler) fields(fields []platen.FormField, at string, p place) {
	for _, f := range fields {
		path := platen.FormPath(at, f.Name)
		switch f.Kind {
		case platen.FormGroup:
			e.fields(f.Fields, path, place{p.row, p.list, f.Name})
		case platen.FormList:
			e.out.Rows[path] = e.rows(path)
			for at, n := range e.out.Rows[path] {
				row, inside := platen.FormRow(path, n), place{at, true, f.Name}
				if len(f.Fields) == 0 {
					e.put(row, f, f.Item, inside)
				}
				e.fields(f.Fields, row, inside)
			}
		default:
			e.put(path, f, f.Kind, p)
		}
	}
}

// rows are those of a list in which something was typed in, else some new ones.
func (e exampler) rows(path string) []int {
	rows := e.in.Rows[path]
	for typed, text := range e.in.Texts {
		if strings.TrimSpace(text) != "" && slices.ContainsFunc(rows, func(n int) bool { return isBelow(typed, platen.FormRow(path, n)) }) {
			return rows
		}
	}
	rows = make([]int, exampleRows)
	for n := range rows {
		rows[n] = n
	}
	return rows
}

// isBelow tells whether a path is that of a row, or leads to something in it.
func isBelow(path, row string) bool {
	rest, ok := strings.CutPrefix(path, row)
	return ok && (rest == "" || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "["))
}

func (e exampler) put(path string, f platen.FormField, kind platen.FormKind, p place) {
	if e.out.Texts[path] = e.in.Texts[path]; strings.TrimSpace(e.out.Texts[path]) == "" {
		if kind == platen.FormText && f.Example != "" {
			e.out.Texts[path] = f.Example
		} else {
			e.out.Texts[path] = e.value(f.Name, kind, p)
		}
	}
}

func (e exampler) value(name string, kind platen.FormKind, p place) string {
	switch kind {
	case platen.FormNumber:
		return strings.Replace(number(name, p), ".", e.point, 1)
	case platen.FormDate:
		return date(name, p)
	case platen.FormTruth:
		return "yes"
	case platen.FormPicture:
		return picture()
	case platen.FormLong:
		return "Thank you for your order.\nWe are happy to answer your questions."
	}
	if value, ok := text(name, p); ok {
		return value
	}
	return label(name)
}

// pick is the value of a row.
func pick(p place, of ...string) string { return of[p.row%len(of)] }

func number(name string, p place) string {
	switch {
	case has(name, []string{"qty", "quantity", "pieces", "count", "menge", "anzahl", "stück", "number", "hours", "stunden"}):
		return pick(p, "3", "10", "1")
	case has(name, []string{"rate", "tax", "vat", "percent", "discount", "ust", "mwst", "rabatt"}):
		return pick(p, "20", "10", "20")
	case has(name, []string{"year", "jahr"}):
		return "2026"
	case has(name, []string{"total", "sum", "gross", "net", "summe", "betrag", "amount"}):
		return pick(p, "1249.50", "87.20", "12.00")
	}
	return pick(p, "12.50", "4.90", "129.00")
}

func date(name string, p place) string {
	if has(name, []string{"due", "until", "end", "to", "fällig", "bis", "valid"}) {
		return pick(p, "2026-04-13", "2026-04-20", "2026-04-27")
	}
	return pick(p, "2026-03-16", "2026-03-17", "2026-03-18")
}

// texts are values by the words of a name; the first that fits counts.
var texts = []struct {
	words  []string
	values []string
}{
	{[]string{"email", "mail", "e-mail"}, []string{"ada@example.com", "grace@example.com", "alan@example.com"}},
	{[]string{"phone", "telephone", "tel", "telefon", "mobile", "fax"}, []string{"+43 316 555 0100"}},
	{[]string{"iban"}, []string{"AT61 1904 3002 3457 3201"}},
	{[]string{"bic", "swift"}, []string{"GIBAATWWXXX"}},
	{[]string{"url", "link", "website", "homepage", "web"}, []string{"https://example.com/orders/1042"}},
	{[]string{"currency", "währung"}, []string{"EUR"}},
	{[]string{"postcode", "zip", "plz", "postal"}, []string{"8010", "1010", "4020"}},
	{[]string{"street", "straße", "strasse", "address", "adresse"}, []string{"12 Garden Street", "3 Mill Lane", "40 Bridge Road"}},
	{[]string{"city", "town", "ort", "stadt", "place"}, []string{"Graz", "Vienna", "Linz"}},
	{[]string{"country", "land", "region", "state"}, []string{"Austria"}},
	{[]string{"company", "firm", "firma", "organisation", "organization", "supplier", "lieferant"}, []string{"Example Ltd", "Sample & Sons", "Model Inc."}},
	{[]string{"salutation", "anrede"}, []string{"Dear"}},
	{[]string{"subject", "betreff"}, []string{"Your order 1042"}},
	{[]string{"due", "until", "fällig"}, []string{"2026-04-13"}},
	{[]string{"date", "datum", "day", "birthday", "born"}, []string{"2026-03-16", "2026-03-17", "2026-03-18"}},
	{[]string{"time", "uhrzeit"}, []string{"10:30"}},
	{[]string{"qty", "quantity", "menge", "anzahl", "pieces"}, []string{"3", "10", "1"}},
	{[]string{"price", "preis", "cost", "amount", "betrag", "total", "sum", "summe", "net", "gross"}, []string{"12.50", "4.90", "129.00"}},
	{[]string{"vat", "tax", "rate", "percent", "discount"}, []string{"20", "10", "20"}},
	{[]string{"year", "jahr"}, []string{"2026"}},
	{[]string{"unit", "einheit"}, []string{"pcs", "m", "h"}},
	{[]string{"number", "no", "nr", "nummer", "id", "reference", "ref", "code", "order", "invoice"}, []string{"1042", "1043", "1044"}},
	{[]string{"first", "given", "vorname"}, []string{"Ada", "Grace", "Alan"}},
	{[]string{"last", "surname", "family", "nachname"}, []string{"Lovelace", "Hopper", "Turing"}},
	{[]string{"title", "titel"}, []string{"Spring offer"}},
}

var (
	people   = []string{"Ada Lovelace", "Grace Hopper", "Alan Turing"}
	products = []string{"Oak table", "Chair with armrests", "Lamp"}
)

// ExampleText is a value that fits the name of a field; false where the name says nothing.
// list is the name of the list around the field, empty without one.
func ExampleText(name, list string) (string, bool) {
	return named(name, place{list: list != "", of: list})
}

func text(name string, p place) (string, bool) {
	if value, ok := named(name, p); ok || !p.list {
		return value, ok
	}
	return fmt.Sprintf("%s %d", label(name), p.row+1), true
}

func named(name string, p place) (string, bool) {
	for _, fits := range []func(string, []string) bool{has, endsAs} {
		for _, t := range texts {
			if fits(name, t.words) {
				return pick(p, t.values...), true
			}
		}
	}
	person := has(p.of, []string{"customer", "customers", "person", "people", "contact", "contacts", "guest", "guests", "employee", "kunde", "kunden", "member", "members"})
	switch thing := has(name, []string{"name", "item", "product", "article", "artikel", "part", "bezeichnung", "what"}); {
	case thing && p.list && !person:
		return pick(p, products...), true
	case has(name, []string{"name", "customer", "person", "contact", "recipient", "signer", "author", "kunde", "by", "from"}):
		return pick(p, people...), true
	}
	return "", false
}

// endsAs tells whether the last word of a name is a compound of one of the words, such as
// Rechnungsnummer.
func endsAs(name string, any []string) bool {
	all := words(name)
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return slices.ContainsFunc(any, func(w string) bool {
		return len(w) >= len("datum") && len(last) > len(w)+1 && strings.HasSuffix(last, w)
	})
}

// picture is a drawing of our own, as a data URI.
var picture = sync.OnceValue(func() string {
	const width, height = 240, 120
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		color.RGBA{0xe8, 0xf0, 0xfa, 0xff}, color.RGBA{0x0b, 0x5c, 0xad, 0xff}, color.RGBA{0x7d, 0xb7, 0xf5, 0xff}, color.RGBA{0xf0, 0xc3, 0x6b, 0xff},
	})
	for y := range height {
		for x := range width {
			sun := (x-185)*(x-185)+(y-35)*(y-35) < 20*20
			switch {
			case y > height-(x/2) && y > 30+(x-120)/2 && x < 150 || y > 60+abs(x-90):
				img.SetColorIndex(x, y, 1)
			case y > 75+abs(x-170)/2:
				img.SetColorIndex(x, y, 2)
			case sun:
				img.SetColorIndex(x, y, 3)
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return ""
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
})

func abs(n int) int { return max(n, -n) }
