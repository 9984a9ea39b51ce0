package console

import (
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// maxLines is how high a field of the form grows.
const maxLines = 8

// What a form looks like: values under headings, and lists as tables.
type (
	// A formRow is one heading with its values, or a list.
	formRow struct {
		Path, Heading string
		Either        bool
		Values        []formValue
		List          *formList
	}
	formValue struct {
		Path, Label string
		Kind        platen.FormKind
		Text        string
		Lines       int
		// Wrong is why the value was not taken, in the element with the id At.
		Wrong, At string
		// Where is what stands before the label for those who do not see the table.
		Where string
	}
	formList struct {
		Path, Label string
		Either      bool
		Columns     []string
		Wrong, At   string
		Rows        []listRow
		// New is the row that the script copies; the number of the row is Token, and its place
		// is the same in braces.
		New   *listRow
		Token string
	}
	listRow struct {
		List, Path, Number, Place string
		Values                    []formValue
		Lists                     []formList
	}
)

// Span is how many columns the table of the row has.
func (r listRow) Span() int { return len(r.Values) + 1 }

// formRows puts what was typed in into a form.
func formRows(f platen.Form, in askedForm) []formRow {
	rows, _ := layForm(f, in)
	return rows
}

// A untakenValue is a value that was not taken.
type untakenValue struct{ Path, Label, Where, At, Why string }

// layForm is formRows, and what of it is wrong, in their order.
func layForm(f platen.Form, in askedForm) ([]formRow, []untakenValue) {
	l := layout{in: in.FormInput, wrong: in.wrong}
	l.section(f.Fields, "", "", false)
	return l.rows, l.found
}

type layout struct {
	in    platen.FormInput
	wrong map[string]string
	rows  []formRow
	found []untakenValue
}

// section is the values of an object, and below it the objects and lists in it.
func (l *layout) section(fields []platen.FormField, path, heading string, either bool) {
	row := formRow{Path: path, Heading: heading, Either: either}
	for _, f := range fields {
		if f.Kind != platen.FormGroup && f.Kind != platen.FormList {
			row.Values = append(row.Values, l.value(f, platen.FormPath(path, f.Name), f.Label, ""))
		}
	}
	if len(row.Values) > 0 || either {
		l.rows = append(l.rows, row)
	}
	for _, f := range fields {
		below := platen.FormPath(path, f.Name)
		switch f.Kind {
		case platen.FormGroup:
			l.section(f.Fields, below, under(heading, f.Label), f.Either)
		case platen.FormList:
			list := l.list(f, below, under(heading, f.Label), 1)
			l.rows = append(l.rows, formRow{List: &list})
		}
	}
}

func under(heading, label string) string {
	if heading == "" {
		return label
	}
	return heading + " › " + label
}

func (l *layout) value(f platen.FormField, path, label, where string) formValue {
	text, kind := l.in.Texts[path], f.Kind
	if _, err := time.Parse(time.DateOnly, text); kind == platen.FormDate && text != "" && err != nil {
		kind = platen.FormText // a browser would empty its field for dates
	}
	v := formValue{Path: path, Label: label, Kind: kind, Text: text, Lines: min(1+strings.Count(text, "\n"), maxLines), Where: where, Wrong: l.wrong[path]}
	if v.Wrong != "" {
		v.At = l.note(untakenValue{Path: path, Label: label, Where: where, Why: v.Wrong})
	}
	return v
}

// note keeps a value that was not taken, and returns the id of the element that says why.
func (l *layout) note(w untakenValue) string {
	w.At = "wrong-" + strconv.Itoa(len(l.found)+1)
	l.found = append(l.found, w)
	return w.At
}

// list is the table of a list; depth is how many lists it is in, itself included.
func (l *layout) list(f platen.FormField, path, label string, depth int) formList {
	out := formList{Path: path, Label: label, Either: f.Either, Token: "[+" + strconv.Itoa(depth) + "]", Wrong: l.wrong[path]}
	if out.Wrong != "" {
		out.At = l.note(untakenValue{Path: path, Label: label, Why: out.Wrong})
	}
	rows, known := l.in.Rows[path]
	if !known {
		rows = []int{0}
	}
	for place, n := range rows[:min(len(rows), platen.MaxFormRows)] {
		out.Rows = append(out.Rows, l.row(f, platen.FormRow(path, n), strconv.Itoa(n), strconv.Itoa(place+1), depth))
	}
	// What is typed into the new row is nothing yet.
	empty := layout{in: noInput()}
	bare := strings.Trim(out.Token, "[]")
	fresh := empty.row(f, path+out.Token, bare, "{"+bare+"}", depth)
	out.New = &fresh
	for _, v := range fresh.Values {
		out.Columns = append(out.Columns, v.Label)
	}
	return out
}

func (l *layout) row(f platen.FormField, path, number, place string, depth int) listRow {
	row := listRow{List: path[:strings.LastIndexByte(path, '[')], Path: path, Number: number, Place: place}
	if len(f.Fields) == 0 {
		single := platen.FormField{Name: f.Name, Label: f.Label, Kind: f.Item}
		row.Values = append(row.Values, l.value(single, path, f.Label, place))
		return row
	}
	var walk func(fields []platen.FormField, at, heading string)
	walk = func(fields []platen.FormField, at, heading string) {
		for _, f := range fields {
			below, label := platen.FormPath(at, f.Name), under(heading, f.Label)
			switch f.Kind {
			case platen.FormGroup:
				walk(f.Fields, below, label)
			case platen.FormList:
				row.Lists = append(row.Lists, l.list(f, below, label, depth+1))
			default:
				row.Values = append(row.Values, l.value(f, below, label, place))
			}
		}
	}
	walk(f.Fields, path, "")
	return row
}

// studioWords are what the templates of the studio call.
var studioWords = template.FuncMap{
	"isPicture": isPicture,
	// Safe: isPicture holds, and nothing but base64 stands behind the type.
	"pictureURL":   func(value string) template.URL { return template.URL(value) },
	"maxText":      func() int { return maxText },
	"maxPicture":   func() int { return platen.MaxFormPicture },
	"maxForm":      func() int { return maxForm },
	"maxRows":      func() int { return platen.MaxFormRows },
	"firstItemRow": func() int { return platen.FirstItemRow },
}
