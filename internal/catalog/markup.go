package catalog

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Markup is the source of a page's template with its texts in the language. The source has
// them in English, as they stand between its elements and in attributes that are shown or
// read out. A text that the catalogue lacks stays.
//
// A text ends where an element of a block begins or ends, and where the template chooses.
// Elements within a sentence and values are places of the text: "Made of <a>{1}</a>." has
// one of each. Their attributes and actions stay as they are.
func (p Printer) Markup(source string) string {
	if p.English() {
		return source
	}
	return rewrite(source, func(english string) string {
		if text, ok := loaded()[p.index].texts[english]; ok {
			return text
		}
		return english
	})
}

// TextsOf are the texts of a template, as the catalogue has them.
func TextsOf(source string) (all []string) {
	rewrite(source, func(english string) string {
		all = append(all, english)
		return english
	})
	return all
}

// The kinds of pieces of a template.
const (
	words  = iota // text between elements
	value         // an action that writes something, or a choice without words of its own
	opened        // an element within a sentence begins
	closed        // and ends
	silent        // an action that writes nothing
	choice        // a choice with words of its own: parts has what stands in it
	other         // anything that ends a text
)

type piece struct {
	kind  int
	raw   string
	name  string // of an element, or of an action
	parts []part // of a choice
}

// A part of a choice is an action, such as {{else}}, and what stands behind it.
type part struct {
	action string
	pieces []piece
}

// within are the elements that stand inside sentences.
var within = map[string]bool{"a": true, "b": true, "bdi": true, "code": true, "em": true, "i": true, "kbd": true, "small": true, "span": true, "strong": true, "time": true, "sub": true, "sup": true, "abbr": true}

// spoken are the attributes with words.
var spoken = regexp.MustCompile(`\b(aria-label|placeholder|title|alt|data-empty)="`)

// rewrite replaces each text of a template.
func rewrite(source string, translate func(english string) string) string {
	r := rewriter{translate}
	pieces, _, _ := parse(split(source))
	return r.all(pieces)
}

type rewriter struct{ translate func(string) string }

// all rewrites what stands side by side.
func (r rewriter) all(pieces []piece) string {
	var out strings.Builder
	var sentence []piece
	flush := func() {
		out.WriteString(r.sentence(sentence))
		sentence = nil
	}
	for _, p := range pieces {
		switch p.kind {
		case choice:
			flush()
			for _, part := range p.parts {
				out.WriteString(part.action + r.all(part.pieces))
			}
		case silent:
			out.WriteString(p.raw) // it writes nothing, wherever it stands
		case other:
			flush()
			out.WriteString(r.attributes(p.raw))
		case opened:
			p.raw = r.attributes(p.raw)
			fallthrough
		default:
			sentence = append(sentence, p)
		}
	}
	flush()
	return out.String()
}

// attributes rewrites those of a tag that have words.
func (r rewriter) attributes(tag string) string {
	if !strings.HasPrefix(tag, "<") {
		return tag
	}
	var out strings.Builder
	for {
		at := spoken.FindStringIndex(tag)
		if at == nil {
			return out.String() + tag
		}
		length := 0
		for rest := tag[at[1]:]; rest[length] != '"'; {
			if strings.HasPrefix(rest[length:], "{{") {
				length += endOfAction(rest[length:])
			} else {
				length++
			}
		}
		out.WriteString(tag[:at[1]])
		pieces, _, _ := parse(split(tag[at[1] : at[1]+length]))
		out.WriteString(r.all(pieces))
		tag = tag[at[1]+length:]
	}
}

// sentence rewrites pieces between which nothing ends a text. An element whose other end is
// elsewhere ends one all the same.
func (r rewriter) sentence(pieces []piece) string {
	paired := make([]bool, len(pieces))
	var open []int
	for i, p := range pieces {
		switch {
		case p.kind == opened:
			open = append(open, i)
		case p.kind == closed && len(open) > 0 && pieces[open[len(open)-1]].name == p.name:
			paired[i], paired[open[len(open)-1]] = true, true
			open = open[:len(open)-1]
		}
	}
	var out strings.Builder
	begin := 0
	for i, p := range pieces {
		if (p.kind == opened || p.kind == closed) && !paired[i] {
			out.WriteString(r.text(pieces[begin:i]) + p.raw)
			begin = i + 1
		}
	}
	return out.String() + r.text(pieces[begin:])
}

// text rewrites one text. White space and pictures around it are none of it, and elements
// side by side have a text each.
func (r rewriter) text(pieces []piece) string {
	isEdge := func(p piece) bool {
		return p.kind == words && strings.TrimSpace(p.raw) == "" || p.kind == value && (p.name == "template" || p.name == "icon" || p.name == "chip" || p.name == "t" || p.name == "")
	}
	begin, end := 0, len(pieces)
	for begin < end && isEdge(pieces[begin]) {
		begin++
	}
	for end > begin && isEdge(pieces[end-1]) {
		end--
	}
	before, after := rawOf(pieces[:begin]), rawOf(pieces[end:])
	if pieces = pieces[begin:end]; hasWords(pieces) {
		return before + r.words(pieces) + after
	}
	var out strings.Builder
	out.WriteString(before)
	depth, first := 0, 0
	for i, p := range pieces {
		switch {
		case p.kind == opened && depth == 0:
			out.WriteString(p.raw)
			depth, first = 1, i+1
		case p.kind == opened:
			depth++
		case p.kind == closed && depth == 1:
			out.WriteString(r.sentence(pieces[first:i]) + p.raw)
			depth = 0
		case p.kind == closed:
			depth--
		case depth == 0:
			out.WriteString(p.raw)
		}
	}
	return out.String() + after
}

// hasWords tells whether there are some outside elements.
func hasWords(pieces []piece) bool {
	depth := 0
	for _, p := range pieces {
		switch {
		case p.kind == opened:
			depth++
		case p.kind == closed:
			depth--
		case depth == 0 && p.kind == words && areWords(p.raw):
			return true
		}
	}
	return false
}

var entity = regexp.MustCompile(`&#?\w+;`)

func areWords(text string) bool {
	return strings.IndexFunc(entity.ReplaceAllString(text, ""), unicode.IsLetter) >= 0
}

// place is where something stands in a text of the catalogue.
var place = regexp.MustCompile(`\{\d+\}|</?[a-z]+\d*>`)

// words rewrites pieces that are one text, by the form that the catalogue has for it.
func (r rewriter) words(pieces []piece) string {
	var english strings.Builder
	var open []string
	values, seen, raws := 0, map[string]int{}, map[string]string{}
	for _, p := range pieces {
		switch p.kind {
		case words:
			english.WriteString(p.raw)
			continue
		case value:
			values++
			p.name = "{" + strconv.Itoa(values) + "}"
		case opened:
			if seen[p.name]++; seen[p.name] > 1 {
				p.name += strconv.Itoa(seen[p.name])
			}
			open = append(open, p.name)
			p.name = "<" + p.name + ">"
		case closed:
			p.name = "</" + open[len(open)-1] + ">"
			open = open[:len(open)-1]
		}
		english.WriteString(p.name)
		raws[p.name] = p.raw
	}
	whole := english.String()
	trimmed := strings.TrimSpace(whole)
	text := place.ReplaceAllStringFunc(r.translate(strings.Join(strings.Fields(trimmed), " ")), func(name string) string { return raws[name] })
	at := strings.Index(whole, trimmed)
	return whole[:at] + text + whole[at+len(trimmed):]
}

func rawOf(pieces []piece) string {
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(p.raw)
	}
	return out.String()
}

// parse orders tokens by the choices that they stand in. It ends behind the tokens, or at
// an action that ends a choice or goes on with one, which it returns with what is behind.
func parse(tokens []piece) (pieces []piece, end piece, rest []piece) {
	for len(tokens) > 0 {
		t := tokens[0]
		tokens = tokens[1:]
		switch t.name {
		case "{{end", "{{else":
			return pieces, t, tokens
		case "{{if", "{{with", "{{range", "{{define", "{{block":
			whole := piece{kind: choice}
			for end = t; end.name == t.name || end.name == "{{else"; {
				action := end.raw
				var inner []piece
				inner, end, tokens = parse(tokens)
				whole.parts = append(whole.parts, part{action, inner})
				whole.raw += action + rawOf(inner)
			}
			whole.parts = append(whole.parts, part{action: end.raw})
			whole.raw += end.raw
			if t.name != "{{define" && t.name != "{{block" && !speaks(whole) {
				whole = piece{kind: value, raw: whole.raw}
			}
			pieces = append(pieces, whole)
		default:
			pieces = append(pieces, t)
		}
	}
	return pieces, piece{}, nil
}

// speaks tells whether a choice has words of its own, or what ends a text.
func speaks(p piece) bool {
	for _, part := range p.parts {
		for _, inner := range part.pieces {
			if inner.kind == other || inner.kind == choice && speaks(inner) || inner.kind == words && areWords(inner.raw) {
				return true
			}
		}
	}
	return false
}

var tagName = regexp.MustCompile(`^</?([a-zA-Z0-9]+)`)

// split reads the tokens of a template. What stands in pictures, scripts and styles is one
// token with its tags.
func split(source string) (tokens []piece) {
	for source != "" {
		switch at := strings.IndexAny(source, "{<"); {
		case at < 0:
			return append(tokens, piece{kind: words, raw: source})
		case at > 0:
			tokens = append(tokens, piece{kind: words, raw: source[:at]})
			source = source[at:]
		case strings.HasPrefix(source, "{{"):
			n := endOfAction(source)
			tokens = append(tokens, actionOf(source[:n]))
			source = source[n:]
		case source[0] == '<':
			n := endOfTag(source)
			t := piece{kind: other, raw: source[:n]}
			name := ""
			if found := tagName.FindStringSubmatch(t.raw); found != nil {
				name = found[1]
			}
			switch {
			case name == "svg" || name == "script" || name == "style":
				if end := strings.Index(source, "</"+name+">"); end > 0 {
					n = end + len(name) + 3
				}
				t.raw = source[:n]
			case within[name]:
				t.name, t.kind = name, opened
				if t.raw[1] == '/' {
					t.kind = closed
				}
			}
			tokens = append(tokens, t)
			source = source[n:]
		default: // a brace alone
			tokens = append(tokens, piece{kind: words, raw: source[:1]})
			source = source[1:]
		}
	}
	return tokens
}

var assignment = regexp.MustCompile(`^\$\w*\s*:?=`)

// actionOf is the token of an action. Those of choices are known by their names.
func actionOf(raw string) piece {
	inner := strings.TrimSpace(strings.Trim(strings.TrimSuffix(strings.TrimPrefix(raw, "{{"), "}}"), "-"))
	name, _, _ := strings.Cut(inner, " ")
	switch {
	case strings.HasPrefix(inner, "/*"), assignment.MatchString(inner), name == "break", name == "continue":
		return piece{kind: silent, raw: raw}
	case name == "if", name == "with", name == "range", name == "define", name == "block", name == "else", name == "end":
		return piece{kind: silent, raw: raw, name: "{{" + name}
	}
	if name == "" {
		name = inner
	}
	return piece{kind: value, raw: raw, name: name}
}

// endOfAction is where an action at the beginning of a text ends.
func endOfAction(text string) int {
	for i := 2; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			i += max(strings.Index(text[i:], "*/"), 0) + 1
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case text[i] == '`':
			i += 1 + max(strings.IndexByte(text[i+1:], '`'), 0)
		case strings.HasPrefix(text[i:], "}}"):
			return i + 2
		}
	}
	return len(text)
}

// endOfTag is where a tag at the beginning of a text ends.
func endOfTag(text string) int {
	quoted := false
	for i := 1; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "{{"):
			i += endOfAction(text[i:]) - 1
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '>' && !quoted:
			return i + 1
		}
	}
	return len(text)
}
