package lang

import (
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// An UnusedField is a field of the data that a template does not ask for.
type UnusedField struct {
	Field   string
	Nearest []string // what the template asks for, no field fills, and may have been meant
}

// Unused are those of the source fields (leaf paths) that a template does not ask for. A name
// asks for a field by the rules that fill it.
func Unused(template *Requirement, fields []string) []UnusedField {
	names := template.paths("")
	tags := make([]string, len(names))
	for i, name := range names {
		tags[i] = "{{" + name + "}}"
	}
	filled := func(fields []string) map[string]bool {
		by := map[string]bool{}
		for _, m := range MatchNames(tags, fields) {
			by[m.Name] = m.Filled
		}
		return by
	}
	never, ever := filled(nil), filled(fields)
	candidates := syntax.NewCandidates(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return ever[name] })...)
	var all []UnusedField
	for _, field := range fields {
		isUsed := slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(syntax.Fold(field), syntax.Fold(name)+".") })
		for name, ok := range filled([]string{field}) {
			isUsed = isUsed || ok && !never[name]
		}
		if !isUsed {
			all = append(all, UnusedField{field, syntax.Nearest(field, candidates)})
		}
	}
	return all
}

// paths are the names of what is asked for, each once, as a tag outside of all blocks has
// them.
func (a *Requirement) paths(parent string) []string {
	var all []string
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	for _, part := range a.Parts {
		path := part.Name
		if parent != "" {
			path = parent + "." + part.Name
		}
		if len(part.Parts) == 0 || part.Shown {
			add(path)
		}
		for _, name := range part.Maybe {
			add(name, path+"."+name)
		}
		add(part.paths(path)...)
	}
	return all
}
