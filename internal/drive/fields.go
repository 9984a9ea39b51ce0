package drive

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/platenhq/platen/internal/drive/fault"
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
	field, known := membersOf(t)[name]
	return field.Type, known
}

// knownMembers has the members of Google's types, by type.
var knownMembers sync.Map

// membersOf are a struct's fields by their JSON names.
func membersOf(t reflect.Type) map[string]reflect.StructField {
	if known, ok := knownMembers.Load(t); ok {
		return known.(map[string]reflect.StructField)
	}
	members := map[string]reflect.StructField{}
	for i := range t.NumField() {
		field := t.Field(i)
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag != "" && tag != "-" {
			members[tag] = field
		}
	}
	knownMembers.Store(t, members)
	return members
}

// apply returns only the selected fields of v. v is made of maps, slices and
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
			if below, ok := m.below(name); ok {
				kept[name] = below.apply(value)
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

// prune is apply for one of Google's Go types: it copies the selected fields
// and never encodes the others.
func (m mask) prune(v reflect.Value) reflect.Value {
	every, all := m["*"]
	if m == nil || all && every == nil {
		return v
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		kept := reflect.New(v.Type().Elem())
		kept.Elem().Set(m.prune(v.Elem()))
		return kept
	case reflect.Slice:
		kept := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			kept.Index(i).Set(m.prune(v.Index(i)))
		}
		return kept
	case reflect.Map:
		kept := reflect.MakeMap(v.Type())
		for _, name := range v.MapKeys() {
			if below, ok := m.below(name.String()); ok {
				kept.SetMapIndex(name, below.prune(v.MapIndex(name)))
			}
		}
		return kept
	case reflect.Struct:
		return m.prunedStruct(v)
	}
	return v
}

func (m mask) prunedStruct(v reflect.Value) reflect.Value {
	kept := reflect.New(v.Type()).Elem()
	members := membersOf(v.Type())
	names := maps.Keys(m)
	if _, all := m["*"]; all {
		names = maps.Keys(members)
	}
	var forced []string
	for name := range names {
		field, ok := members[name]
		if !ok {
			continue
		}
		if at := v.FieldByIndex(field.Index); !at.IsZero() {
			below, _ := m.below(name)
			kept.FieldByIndex(field.Index).Set(below.prune(at))
		}
		forced = append(forced, field.Name)
	}
	// Google's types name here what is sent although it is zero.
	if names, ok := v.FieldByName("ForceSendFields").Interface().([]string); ok && len(names) > 0 {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(forced, name) })
		kept.FieldByName("ForceSendFields").Set(reflect.ValueOf(names))
	}
	return kept
}

// below is the selection under a name, and whether the name is selected.
func (m mask) below(name string) (mask, bool) {
	if below, ok := m[name]; ok {
		return below, true
	}
	every, all := m["*"]
	return every, all
}

func invalidFields(what string) *fault.Error {
	return fault.BadRequest("invalidParameter", "Invalid field selection %s", what).At("parameter", "fields")
}
