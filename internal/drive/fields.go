package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

const (
	maxFields      = 8 << 10
	maxFieldsDepth = 30
)

// mask is a partial-response selection (the parameter fields): the names to be
// kept and what to keep below each. A nil mask, and one with "*", keeps all.
type mask map[string]mask

// parseFields reads the grammar of Google's partial responses, such as
// "kind,files(id,owners/me),nextPageToken". resource is an example of the
// answer's Go type: names that it does not have are a fault.
func parseFields(fields string, resource any) (mask, error) {
	if len(fields) > maxFields {
		return nil, invalidFields(fmt.Sprintf("at most %d bytes are taken", maxFields))
	}
	p := &fieldsParser{left: fields}
	m, err := p.list(reflect.TypeOf(resource), 0)
	if err != nil {
		return nil, err
	}
	if p.left != "" {
		return nil, invalidFields(p.left)
	}
	return m, nil
}

type fieldsParser struct{ left string }

func (p *fieldsParser) list(t reflect.Type, depth int) (mask, error) {
	if depth > maxFieldsDepth {
		return nil, invalidFields("too deeply nested")
	}
	m := mask{}
	for {
		if err := p.path(t, m, depth); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(p.left, ",") {
			return m, nil
		}
		p.left = p.left[1:]
	}
}

// path reads a/b/c(…) into m.
func (p *fieldsParser) path(t reflect.Type, m mask, depth int) error {
	p.left = strings.TrimLeft(p.left, " ")
	n := strings.IndexAny(p.left, ",/.()")
	if n < 0 {
		n = len(p.left)
	}
	name := strings.TrimRight(p.left[:n], " ")
	below, known := member(t, name)
	if !known {
		return invalidFields(name)
	}
	p.left = p.left[n:]
	var selected mask
	var err error
	switch {
	case strings.HasPrefix(p.left, "/"), strings.HasPrefix(p.left, "."):
		p.left = p.left[1:]
		if depth > maxFieldsDepth {
			return invalidFields("too deeply nested")
		}
		selected = mask{}
		err = p.path(below, selected, depth+1)
	case strings.HasPrefix(p.left, "("):
		p.left = p.left[1:]
		if selected, err = p.list(below, depth+1); err == nil && !strings.HasPrefix(p.left, ")") {
			err = invalidFields("a parenthesis is not closed")
		}
		p.left = strings.TrimLeft(strings.TrimPrefix(p.left, ")"), " ")
	}
	if err != nil {
		return err
	}
	m.add(name, selected)
	return nil
}

// add selects name, and below it what selected says, beside what was selected
// before.
func (m mask) add(name string, selected mask) {
	old, present := m[name]
	switch {
	case !present:
		m[name] = selected
	case old == nil || selected == nil:
		m[name] = nil
	default:
		for k, v := range selected {
			old.add(k, v)
		}
	}
}

// member finds the type of a field by its JSON name; "*" is every field.
func member(t reflect.Type, name string) (reflect.Type, bool) {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	switch {
	case name == "":
		return nil, false
	case t == nil || t.Kind() == reflect.Map:
		return nil, true
	case t.Kind() != reflect.Struct:
		return nil, false
	case name == "*":
		return nil, true
	}
	for i := range t.NumField() {
		tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if tag == name && tag != "-" {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

// apply returns v without what is not selected. v is made of maps, slices and
// scalars, as encoding/json decodes them.
func (m mask) apply(v any) any {
	if m == nil {
		return v
	}
	every, all := m["*"]
	if all && every == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, value := range v {
			if below, ok := m[name]; ok {
				kept[name] = below.apply(value)
			} else if all {
				kept[name] = every.apply(value)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, item := range v {
			kept[i] = m.apply(item)
		}
		return kept
	}
	return v
}

// plain turns a Go value into what encoding/json would decode from it.
func plain(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var result any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return result, d.Decode(&result)
}

func invalidFields(what string) *fault {
	return badRequest("invalidParameter", "Invalid field selection %s", what).at("parameter", "fields")
}
