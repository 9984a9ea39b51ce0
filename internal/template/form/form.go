// Package form makes a form of what a template asks for, reads what somebody typed into
// it, and knows an example of it. It knows no pages and no drive: how a form looks is
// for the console, and what it fills for package fill.
package form

import (
	"slices"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// Of is the form for what a template requires. known are the fields of the source, which
// say what is of a list where the template leaves it open; in says which of what may be
// a list is one.
func Of(whole *lang.Requirement, known []string, in platen.FormInput) platen.Form {
	m := maker{in: in, known: known, room: platen.MaxFormFields}
	fields := m.fields(whole.Parts, "")
	point, _ := lang.NumberSigns(whole.Locale)
	return platen.Form{Fields: fields, Point: point, More: m.more}
}

// OfNames is the form for fields of a source, such as Customer.Name, where nothing is
// known of the template, and for all that was typed in.
func OfNames(names []string, in platen.FormInput) platen.Form {
	names = slices.Clone(names)
	var typed []string
	for path := range in.Texts {
		typed = append(typed, bare(path))
	}
	for path := range in.Rows {
		typed = append(typed, bare(path))
	}
	slices.Sort(typed) // of a map
	root := &lang.Requirement{}
	for _, name := range append(names, slices.Compact(typed)...) {
		at := root
		for step := range strings.SplitSeq(name, ".") {
			i := slices.IndexFunc(at.Parts, func(p *lang.Requirement) bool { return p.Name == step })
			if i < 0 {
				at.Parts, i = append(at.Parts, &lang.Requirement{Name: step, Shown: true}), len(at.Parts)
			}
			at = at.Parts[i]
		}
	}
	lists := map[string]bool{}
	for path := range in.Rows {
		lists[bare(path)] = true
	}
	for path, is := range in.Lists {
		lists[path] = is
	}
	in.Lists = lists
	return Of(root, nil, in)
}

// bare is a path without its rows.
func bare(path string) string {
	var b strings.Builder
	depth := 0
	for _, r := range path {
		switch {
		case r == '[':
			depth++
		case r == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Names are the paths of all values of a form, without rows: what a source that has
// them would have as its fields.
func Names(f platen.Form) []string {
	names := []string{}
	var walk func(fields []platen.FormField, at string)
	walk = func(fields []platen.FormField, at string) {
		for _, f := range fields {
			path := platen.FormPath(at, f.Name)
			if len(f.Fields) == 0 {
				names = append(names, path)
			}
			walk(f.Fields, path)
		}
	}
	walk(f.Fields, "")
	return names
}

type maker struct {
	in         platen.FormInput
	known      []string
	room, more int
}

func (m *maker) fields(parts []*lang.Requirement, at string) []platen.FormField {
	var fields []platen.FormField
	for _, p := range parts {
		if len(p.Parts) == 0 && m.room == 0 {
			m.more++
			continue
		}
		f := m.field(p, platen.FormPath(at, p.Name))
		if len(p.Parts) == 0 && len(f.Fields) == 0 {
			m.room--
		} else if len(f.Fields) == 0 {
			continue // its fields are among those that are left out
		}
		fields = append(fields, f)
	}
	return fields
}

func (m *maker) field(p *lang.Requirement, path string) platen.FormField {
	f := platen.FormField{Name: p.Name, Label: label(p.Name)}
	p = m.withItems(p, path)
	if len(p.Parts) > 0 {
		f.Kind, f.Either = platen.FormGroup, !p.List
		list, chosen := m.isList(path)
		if p.List || chosen && list || !chosen && mayBeList(p) {
			f.Kind = platen.FormList
		}
		f.Fields = m.fields(p.Parts, path)
		return f
	}
	f.Kind, f.Example = kindOf(p), p.Example
	if list, _ := m.isList(path); p.List || p.Items && IsPlural(p.Name) || list {
		f.Kind, f.Item = platen.FormList, f.Kind
		if f.Item == platen.FormTruth {
			f.Item = platen.FormText
		}
	}
	return f
}

// isList tells what is said of a path, whose names match in any case.
func (m *maker) isList(path string) (list, known bool) {
	if list, known = m.in.Lists[path]; known {
		return list, true
	}
	for other, list := range m.in.Lists {
		if strings.EqualFold(other, path) {
			return list, true
		}
	}
	return false, false
}

// withItems gives a list the parts that may be of the whole data or of its items: those
// that the source has, and all where the list would have none.
func (m *maker) withItems(p *lang.Requirement, path string) *lang.Requirement {
	if !p.List || len(p.Maybe) == 0 {
		return p
	}
	whole := *p
	for _, name := range p.Maybe {
		is := func(other string) bool { return strings.EqualFold(other, platen.FormPath(path, name)) }
		of := slices.ContainsFunc(m.known, is) || len(p.Parts) == 0 && !p.Shown
		has := slices.ContainsFunc(p.Parts, func(part *lang.Requirement) bool { return strings.EqualFold(part.Name, name) })
		if of && !has && !strings.Contains(name, ".") {
			whole.Parts = append(slices.Clone(whole.Parts), &lang.Requirement{Name: name, Shown: true})
		}
	}
	return &whole
}

// mayBeList tells of what may be an object and a list of such whether it is a list: a
// function takes its items, or its name is that of several.
func mayBeList(p *lang.Requirement) bool {
	return IsPlural(p.Name) || slices.ContainsFunc(p.Parts, func(part *lang.Requirement) bool { return part.Items })
}

func kindOf(p *lang.Requirement) platen.FormKind {
	switch {
	case p.Picture:
		return platen.FormPicture
	case p.Date:
		return platen.FormDate
	case p.Number:
		return platen.FormNumber
	case p.Truth && !p.Shown:
		return platen.FormTruth
	case p.Markdown, p.HTML, has(p.Name, longWords):
		return platen.FormLong
	}
	return platen.FormText
}

var (
	longWords = []string{"note", "notes", "text", "comment", "comments", "description", "message", "body", "remark", "remarks", "terms", "bemerkung", "anmerkung", "beschreibung", "hinweis", "nachricht"}
	// listWords are several of something without an s at their end.
	listWords = []string{"positionen", "artikel", "posten", "zeilen", "leistungen", "people", "children", "entries"}
)

// IsPlural guesses whether a name is that of several.
func IsPlural(name string) bool {
	words := words(name)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if slices.Contains(listWords, last) {
		return true
	}
	return len(last) > 3 && strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") && !strings.HasSuffix(last, "is")
}

// words are those of a name in lower case: of customerName and Customer_Name alike.
func words(name string) []string {
	return strings.Fields(strings.ToLower(label(name)))
}

// has tells whether one of the words is in a name.
func has(name string, any []string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(any, w) })
}

// label is a name as people write it: customerName and customer_name have two words.
func label(name string) string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		switch {
		case r == '_' || unicode.IsSpace(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	if text := strings.Join(strings.Fields(b.String()), " "); text != "" {
		return text
	}
	return name
}
