package lang

import (
	"slices"
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
