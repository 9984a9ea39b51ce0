package form

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// Input is what somebody would type into a form to make an event, which is one JSON object.
// Names match in any case. fits is false when a list of the event has more than
// platen.MaxFormRows items.
func Input(f platen.Form, event []byte) (in platen.FormInput, fits bool) {
	w := writer{in: platen.FormInput{Texts: map[string]string{}, Rows: map[string][]int{}, Lists: Lists(event)}, point: f.Point, fits: true}
	w.object(f.Fields, "", members(decode(event)))
	return w.in, w.fits
}

// Lists says of each object of an event that it is no list, and of each list that it is
// one: for Of, where a template takes either.
func Lists(event []byte) map[string]bool {
	lists := map[string]bool{}
	var walk func(value any, at string)
	walk = func(value any, at string) {
		for name, member := range members(value) {
			path := platen.FormPath(at, name)
			all, list := member.([]any)
			if list || isObject(member) {
				lists[path] = list
			}
			walk(member, path)
			for _, item := range all {
				walk(item, path)
			}
		}
	}
	walk(decode(event), "")
	return lists
}

type writer struct {
	in    platen.FormInput
	point string
	fits  bool
}

func (w *writer) object(fields []platen.FormField, at string, data map[string]any) {
	for _, f := range fields {
		path, value := platen.FormPath(at, f.Name), data[nameIn(data, f.Name)]
		switch f.Kind {
		case platen.FormGroup:
			w.object(f.Fields, path, members(value))
		case platen.FormList:
			w.list(f, path, items(value))
		default:
			w.value(f.Kind, path, value)
		}
	}
}

func (w *writer) list(f platen.FormField, path string, data []any) {
	w.in.Rows[path] = []int{}
	if len(data) > platen.MaxFormRows {
		w.fits = false
		return
	}
	for n, item := range data {
		w.in.Rows[path] = append(w.in.Rows[path], platen.FirstItemRow+n)
		if row := platen.FormRow(path, platen.FirstItemRow+n); len(f.Fields) == 0 {
			w.value(f.Item, row, item)
		} else {
			w.object(f.Fields, row, members(item))
		}
	}
}

func (w *writer) value(kind platen.FormKind, path string, value any) {
	if text := shown(kind, value, w.point); text != "" {
		w.in.Texts[path] = text
	}
}

// ticked is the text of a box that is ticked.
const ticked = "yes"

// shown is what the field of a value shows; empty for what no field of its kind shows, such
// as an object. point is the decimal sign.
func shown(kind platen.FormKind, value any, point string) string {
	if kind == platen.FormTruth {
		if value == true || value != nil && value != false && value != "" && value != json.Number("0") {
			return ticked
		}
		return ""
	}
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		if kind == platen.FormNumber && point != "" {
			return strings.Replace(value.String(), ".", point, 1)
		}
		return value.String()
	case bool:
		if value {
			return "true"
		}
		return "false"
	}
	return ""
}

// nameIn is the name of a member as an object has it; as it is asked for where it has none.
func nameIn(object map[string]any, name string) string {
	if _, ok := object[name]; ok {
		return name
	}
	for other := range object {
		if strings.EqualFold(other, name) {
			return other
		}
	}
	return name
}

// decode is a value of JSON with its numbers as they are written; nil for none.
func decode(text []byte) (value any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

func members(value any) map[string]any {
	object, _ := value.(map[string]any)
	return object
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// items are those of a list; an object where a list is wanted is its one item.
func items(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	if isObject(value) {
		return []any{value}
	}
	return nil
}
