package form

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/platenhq/platen"
)

// Data makes an event of what was typed into a form. What was left empty is left out,
// and so is a row in which nothing was typed. The error, of KindInvalid, is for more
// than platen.MaxFormRows or platen.MaxFormCells.
func Data(f platen.Form, in platen.FormInput) ([]byte, error) {
	r := reader{in: in, point: f.Point, room: platen.MaxFormCells}
	data, _ := r.object(f.Fields, "")
	if r.err != nil {
		return nil, r.err
	}
	out, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("write the data that was typed in: %w", err)
	}
	return out, nil
}

type reader struct {
	in    platen.FormInput
	point string
	room  int // for values
	err   error
}

// object reads fields below a path, and tells whether anything was typed into them: a
// box that is not ticked is false, and nothing that was typed.
func (r *reader) object(fields []platen.FormField, at string) (out map[string]any, typed bool) {
	out = map[string]any{}
	for _, f := range fields {
		path := platen.FormPath(at, f.Name)
		switch f.Kind {
		case platen.FormGroup:
			if value, some := r.object(f.Fields, path); len(value) > 0 {
				out[f.Name], typed = value, typed || some
			}
		case platen.FormList:
			items := r.list(f, path)
			out[f.Name], typed = items, typed || len(items) > 0
		default:
			if value := r.value(f.Kind, path); value != nil {
				out[f.Name], typed = value, typed || value != false
			}
		}
	}
	return out, typed
}

func (r *reader) list(f platen.FormField, path string) []any {
	items := []any{}
	rows := r.in.Rows[path]
	if len(rows) > platen.MaxFormRows {
		r.refuse("A list takes at most %d rows here. Take some away.", platen.MaxFormRows)
		return items
	}
	for _, n := range rows {
		row := platen.FormRow(path, n)
		if len(f.Fields) == 0 {
			if value := r.value(f.Item, row); value != nil {
				items = append(items, value)
			}
		} else if value, typed := r.object(f.Fields, row); typed {
			items = append(items, value)
		}
	}
	return items
}

func (r *reader) refuse(format string, args ...any) {
	if r.err == nil {
		r.err = platen.Errorf(platen.KindInvalid, "form_too_large", format, args...)
	}
}

// value reads one value; nil: nothing was typed.
func (r *reader) value(kind platen.FormKind, path string) any {
	if r.room--; r.room < 0 {
		r.refuse("A form takes at most %d values. Take some rows away.", platen.MaxFormCells)
		return nil
	}
	text := strings.ReplaceAll(r.in.Texts[path], "\r\n", "\n")
	if kind == platen.FormTruth {
		return text != ""
	}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil
	}
	switch kind {
	case platen.FormNumber:
		if n, ok := Number(trimmed, r.point); ok {
			return n
		}
		return trimmed // filling says what is wrong with it
	case platen.FormDate, platen.FormPicture:
		return trimmed
	}
	return strings.Trim(text, "\n")
}

// maxDigits is how long a number may be.
const maxDigits = 100

// Number reads a number as people write it, where point is the decimal sign. 1.234,5 and
// 1,234.5 say by themselves which sign is which. Of one sign alone, point is the decimal
// sign, and the other one, too, unless three digits stand behind it: 1.50 is one and a
// half everywhere, and where point is a comma 1.234 is a thousand and more.
func Number(text, point string) (n json.Number, ok bool) {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == '\'' || r == '’':
			return -1
		case r == '−':
			return '-'
		}
		return r
	}, text)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign = "-"
	}
	text = strings.TrimLeft(text, "+-")
	if text == "" || len(text) > maxDigits || strings.Trim(text, "0123456789.,") != "" {
		return "", false
	}
	decimal := strings.LastIndexAny(text, ".,")
	if decimal >= 0 && isGrouping(text, decimal, point) {
		decimal = -1
	}
	whole, fraction := text, ""
	if decimal >= 0 {
		whole, fraction = text[:decimal], text[decimal+1:]
	}
	if whole, ok = ungroup(whole); !ok || whole+fraction == "" {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return json.Number(sign + whole + fraction), true
}

// isGrouping tells whether the last sign of a number parts thousands.
func isGrouping(text string, last int, point string) bool {
	sign := text[last : last+1]
	switch {
	case strings.Count(text, sign) > 1:
		return true
	case strings.ContainsAny(text[:last], ".,"), sign == point:
		return false // the sign before it parts the thousands
	}
	return len(text)-last == 4 && last > 0 && text[0] != '0'
}

// ungroup takes the signs between thousands away; all have three digits between them.
func ungroup(whole string) (string, bool) {
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	signs := strings.Count(whole, ".") + strings.Count(whole, ",")
	if signs == 0 {
		return whole, true
	}
	if len(groups) != signs+1 || strings.Contains(whole, ".") && strings.Contains(whole, ",") {
		return "", false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}
