package lang

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const (
	// MaxExpanded is how many bytes Expand makes at most; what is longer is
	// cut. No name and no password comes near.
	MaxExpanded = 64 << 10
	// MaxNameLength is how many characters ExpandName makes at most.
	MaxNameLength = 200
	// Unnamed is the name of what would have none.
	Unnamed = "Untitled"
)

// Expand fills the tags of a one-line template with their values as they are.
// missing names the tags without data, each once, in order.
func Expand(template string, data *Data, builtins Builtins) (text string, missing []string) {
	text, missing, _ = expand(template, data, builtins, comesToNothing)
	return text, missing
}

// ExpandHTML is Expand for a template of HTML: values are text in it, and add no element.
// Their line breaks stay. whole is false where more than MaxExpanded bytes would come of it.
func ExpandHTML(template string, data *Data, builtins Builtins) (text string, whole bool) {
	e := NewEvaluator(data, builtins)
	l := e.ReadLine(template)
	var b strings.Builder
	whole = true
	e.expandParts(l.parts, l.Text, nil, func(text string, of *syntax.Statement) {
		if of != nil {
			text = strings.ReplaceAll(html.EscapeString(text), "\n", "<br>\n")
		}
		whole = whole && len(text) <= MaxExpanded-b.Len()
		writeBounded(&b, text)
	})
	return b.String(), whole && !e.TooMuch()
}

// ExpandPassword is Expand with a stricter idea of missing: a tag whose value
// is empty (null, "", an empty list) counts too, because a password that has
// lost a part of itself is one that others can guess. vanishes tells of a value whether
// nothing of it would be left in a password, such as one that no reader shows.
func ExpandPassword(template string, data *Data, builtins Builtins, vanishes func(text string) bool) (password string, missing []string) {
	password, missing, empty := expand(template, data, builtins, vanishes)
	if len(empty) > 0 {
		missing = empty
	}
	return password, missing
}

func comesToNothing(text string) bool { return text == "" }

// expand returns beside the text the tags without data, and those that came to
// nothing, with or without data.
func expand(template string, data *Data, builtins Builtins, vanishes func(text string) bool) (text string, missing, empty []string) {
	e := NewEvaluator(data, builtins)
	l := e.ReadLine(template)
	noted := map[string]bool{}
	var b strings.Builder
	e.expandParts(l.parts, l.Text, nil, func(text string, of *syntax.Statement) {
		writeBounded(&b, text)
		if of == nil || !vanishes(text) {
			return
		}
		name := of.Name
		if name == "" {
			name = strings.TrimSpace(strings.Trim(of.Tag, "{}"))
		}
		if !noted[name] {
			noted[name] = true
			empty = append(empty, name)
		}
	})
	for _, f := range e.Findings() {
		name := strings.TrimSpace(strings.Trim(f.Tag, "{}"))
		if _, known := e.within[name]; !known {
			e.noteMissing(name, nil)
		}
	}
	return b.String(), e.Missing(), empty
}

// expandParts writes the parts of a template of one line.
func (e *Evaluator) expandParts(parts []part, text string, scope *Scope, write func(string, *syntax.Statement)) {
	for _, p := range parts {
		switch {
		case e.TooMuch():
			return
		case p.branches != nil && p.statement.Kind == syntax.Each:
			for _, item := range e.Items(p.statement, scope) {
				e.expandParts(p.branches[0].parts, text, item, write)
			}
		case p.branches != nil:
			if i := slices.IndexFunc(p.branches, func(b branch) bool { return e.Holds(b.statement, scope) }); i >= 0 {
				e.expandParts(p.branches[i].parts, text, scope, write)
			}
		case p.statement == nil:
			write(text[p.start:p.end], nil)
		default:
			value := e.show(p.statement, scope)
			e.steps, e.written = e.steps+1, e.written+len(value)
			write(value, p.statement)
		}
	}
}

func writeBounded(b *strings.Builder, s string) {
	b.WriteString(cut(s, MaxExpanded-b.Len()))
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n, 0)], "")
}

// ExpandName is Expand for the name of a file: one line, at most MaxNameLength
// characters, without what any usual file system refuses, without characters
// that are not seen, and never empty.
func ExpandName(template string, data *Data, builtins Builtins) (name string, missing []string) {
	text, missing := Expand(template, data, builtins)
	return fileName(text), missing
}

// CheckName finds what is wrong with what ExpandName makes: tags that cannot be worked
// out, parts of blocks, and a name that comes out empty.
func CheckName(template string, data *Data, builtins Builtins) []Finding {
	e := NewEvaluator(data, builtins)
	l := e.ReadLine(template)
	var b strings.Builder
	e.expandParts(l.parts, l.Text, nil, func(text string, _ *syntax.Statement) { writeBounded(&b, text) })
	found := e.Findings()
	for _, c := range l.Loose {
		if c.Opens() {
			found = append(found, Finding{Code: "block_not_closed", Tag: c.Tag, Message: c.Tag + " is never closed: " + nameEnd(c.Statement) + " is missing."})
		} else {
			found = append(found, Finding{Code: "block_not_open", Tag: c.Tag, Message: c.Tag + " has no block that it belongs to."})
		}
	}
	if safeName(b.String()) == "" {
		found = append(found, Finding{Code: platen.CodeNameEmpty, Message: "Nothing is left of the output's name with this data: the file is called " + Unnamed + ".", Data: true})
	}
	return found
}

// ExpandFolder is ExpandName for a folder: a value never begins another folder, and
// missing tells of empty values, too, as with ExpandPassword. The name is empty where
// nothing is left of it.
func ExpandFolder(template string, data *Data, builtins Builtins) (name string, missing []string) {
	text, missing := ExpandPassword(template, data, builtins, comesToNothing)
	return safeName(text), missing
}

func fileName(text string) string {
	return cmp.Or(safeName(text), Unnamed)
}

// safeName is empty where nothing is left.
func safeName(text string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '/', r == '\\', r == ':', r == '|', r == '*', r == '?', r == '<', r == '>':
			return '-'
		case r == '"':
			return '\''
		case syntax.IsInvisible(r), r >= '\ue000' && r <= '\uf8ff', r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, text)
	name := strings.Trim(strings.Join(strings.Fields(safe), " "), " .")
	if runes := []rune(name); len(runes) > MaxNameLength {
		name = strings.TrimRight(string(runes[:MaxNameLength]), " .")
	}
	return name
}
