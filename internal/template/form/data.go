package form

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// Data makes an event of what was typed into a form. What was left empty is left out,
// and so is a row in which nothing was typed. The error, of KindInvalid, is for more
// than platen.MaxFormRows or platen.MaxFormCells.
func Data(f platen.Form, in platen.FormInput) ([]byte, error) {
	r := reader{in: in, room: platen.MaxFormCells}
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
	in   platen.FormInput
	room int // for values
	err  error
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
		if n, reading := lang.ReadNumber(trimmed); reading == lang.OneNumber {
			return json.Number(n)
		}
		return trimmed // filling says what is wrong with it, as of an event
	case platen.FormDate, platen.FormPicture:
		return trimmed
	}
	return strings.Trim(text, "\n")
}
