package lang

import (
	"slices"
	"strings"
)

// missing collects the names that tags named and the data does not have.
type missing struct {
	names []string
	// within is, of each name, the path of the list whose items alone were asked
	// for it; else empty.
	within map[string]string
}

// Missing names what the tags named and the data did not have, each once, in
// the order in which it was needed. What a row calls Items.Price and a block
// over the items Price is one field.
func (m *missing) Missing() []string {
	return slices.DeleteFunc(slices.Clone(m.names), func(name string) bool {
		list := m.within[name]
		_, inFull := m.within[list+"."+name]
		return list != "" && inFull
	})
}

// FoundNothing tells whether the tags named fields and the data had none of them.
func (e *Evaluator) FoundNothing() bool { return len(e.names) > 0 && !e.data.used }

func (m *missing) noteMissing(name string, scope *Scope) {
	for scope != nil && !scope.relative {
		scope = scope.parent
	}
	list := ""
	if scope != nil {
		list = scope.List()
	}
	before, known := m.within[name]
	if !known {
		m.names = append(m.names, name)
	}
	if !known || before != "" {
		m.within[name] = list
	}
}

// Absent are the outermost parts of the data that missing names lead to and that are not
// there: of line_items.price and line_items.qty in data without a list, line_items.
func (e *Evaluator) Absent() []string {
	var all []string
	for _, name := range e.Missing() {
		if list := e.within[name]; list != "" {
			continue // its list is there, and an item of it lacks the name
		}
		steps := strings.Split(name, ".")
		for n := 1; n <= len(steps); n++ {
			part := strings.Join(steps[:n], ".")
			if _, there := e.data.seek(part, nil); !there {
				name = part
				break
			}
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
