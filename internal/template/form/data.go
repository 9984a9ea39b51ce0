package form

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// Data makes an event of what was typed into a form. What was left empty is left out, and
// so is a row in which nothing was typed.
//
// of is the event that Input filled the form with, nil without one: what nobody changed stays
// as it was there, also what the form has no field for. The error, of KindInvalid, is for more
// than platen.MaxFormRows or platen.MaxFormCells.
func Data(f platen.Form, in platen.FormInput, of []byte) ([]byte, error) {
	r := reader{in: in, over: len(of) > 0, point: f.Point, room: platen.MaxFormCells}
	data, _ := r.object(f.Fields, "", members(decode(of)))
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
	over  bool // over an event that the form was filled with
	point string
	room  int // for values
	err   error
}

// object reads fields below a path over what was there, and tells whether anything was
// typed into them: a box that is not ticked is false, and nothing that was typed.
func (r *reader) object(fields []platen.FormField, at string, was map[string]any) (out map[string]any, typed bool) {
	out = map[string]any{}
	maps.Copy(out, was)
	for _, f := range fields {
		path, name := platen.FormPath(at, f.Name), nameIn(was, f.Name)
		old := was[name]
		switch f.Kind {
		case platen.FormGroup:
			value, some := r.object(f.Fields, path, members(old))
			if isObject(old) || len(value) > 0 && (some || old == nil) {
				out[name], typed = value, typed || some
			}
		case platen.FormList:
			items := r.list(f, path, items(old))
			switch {
			case isObject(old) && len(items) == 1:
				out[name], typed = items[0], true
			case len(items) > 0 || old != nil || !r.over:
				out[name], typed = items, typed || len(items) > 0
			}
		default:
			value, some := r.change(f.Kind, path, old)
			typed = typed || some
			if value != nil {
				out[name] = value
			} else if old != nil {
				delete(out, name)
			}
		}
	}
	return out, typed
}

func (r *reader) list(f platen.FormField, path string, was []any) []any {
	items := []any{}
	rows := r.in.Rows[path]
	if len(rows) > platen.MaxFormRows {
		r.refuse("A list takes at most %d rows here. Take some away.", platen.MaxFormRows)
		return items
	}
	for _, n := range rows {
		row, of := platen.FormRow(path, n), n-platen.FirstItemRow
		had := of >= 0 && of < len(was)
		var value, old any
		if had {
			old = was[of]
		}
		if len(f.Fields) == 0 {
			value, _ = r.change(f.Item, row, old)
			had = had && old == nil // one that was emptied goes
		} else if made, typed := r.object(f.Fields, row, members(old)); typed || isObject(old) {
			value = made
		} else {
			value = old
		}
		if value != nil || had {
			items = append(items, value)
		}
	}
	return items
}

// change reads one value over the one that was there; nil: there is none. A value whose
// field was not sent, or shows what it showed before, stays as it is.
func (r *reader) change(kind platen.FormKind, path string, old any) (value any, typed bool) {
	value = r.value(kind, path)
	text, sent := r.in.Texts[path]
	before := shown(kind, old, r.point)
	same := !sent || lines(text) == lines(before)
	if kind == platen.FormTruth { // a browser sends no box that is not ticked
		same = (text == "") == (before == "")
	}
	if r.over && same {
		value = old
	}
	return value, value != nil && value != false
}

// lines is a text as browsers leave it: with line feeds, and none at its ends.
func lines(text string) string {
	return strings.Trim(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
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
	text := lines(r.in.Texts[path])
	if kind == platen.FormTruth {
		return text != ""
	}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil
	}
	switch kind {
	case platen.FormNumber:
		if n, reading := lang.ReadNumber(trimmed); reading == lang.OneNumber {
			return json.Number(n)
		}
		return trimmed // filling says what is wrong with it, as of an event
	case platen.FormDate, platen.FormPicture:
		return trimmed
	}
	return text
}
