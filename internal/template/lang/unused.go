package lang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// An UnusedField is a field of the data that a template does not ask for.
type UnusedField struct {
	Field   string
	Nearest []string // what the template asks for, no field fills, and may have been meant
}

// Unused returns those of the source fields (leaf paths) that a template does not ask for. A
// name asks for a field by the rules that fill it. Of a template that asks for more than
// Requirement holds, nothing is known: the answer is empty.
func Unused(template *Requirement, fields []string) []UnusedField {
	names := template.paths("")
	if len(names) >= maxRequirements {
		return nil
	}
	used, unfilled := askedFor(names, fields)
	candidates := syntax.NewCandidates(unfilled...)
	var all []UnusedField
	for _, field := range fields {
		if isUsed(used, syntax.Fold(field)) {
			continue
		}
		unused := UnusedField{Field: field}
		if n := len(all); n < maxSuggested && n*len(unfilled) < maxComparisons {
			unused.Nearest = syntax.Nearest(field, candidates)
		}
		all = append(all, unused)
	}
	return all
}

// askedFor returns which fields names ask for, folded, the names themselves among them, and
// which names no field fills. The value of each field is its number: what a name resolves
// to says by which fields.
func askedFor(names, fields []string) (used map[string]bool, unfilled []string) {
	object := make(map[string]string, len(fields))
	for i, f := range fields {
		object[f] = strconv.Itoa(i)
	}
	e := NewEvaluator(dataOf(object), Builtins{Number: AnySeries})
	used = make(map[string]bool, len(names))
	for _, name := range names {
		used[syntax.Fold(name)] = true
		text, filled := e.resolve(name)
		if !filled {
			unfilled = append(unfilled, name)
			continue
		}
		for number := range strings.SplitSeq(text, ", ") {
			if i, err := strconv.Atoi(number); err == nil && 0 <= i && i < len(fields) {
				used[syntax.Fold(fields[i])] = true
			}
		}
	}
	return used, unfilled
}

// isUsed tells whether a field, or one that it is a part of, is asked for.
func isUsed(used map[string]bool, field string) bool {
	for ; !used[field]; field = field[:strings.LastIndexByte(field, '.')] {
		if !strings.Contains(field, ".") {
			return false
		}
	}
	return true
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
