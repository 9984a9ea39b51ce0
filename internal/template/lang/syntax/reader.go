package syntax

import (
	"strings"
)

// Fields are the names that a document has data for.
type Fields interface {
	// IsField tells whether the data or the built-ins have a value of just that name, or
	// of that name in any case.
	IsField(name string, anyCase bool) bool
	// IsList tells whether just that name leads to something in the data.
	IsList(name string) bool
}

// A Reader reads each tag once. It is not safe for concurrent use.
type Reader struct {
	fields     Fields
	functions  Functions
	statements map[string]*Statement // by the tag's text
}

// NewReader returns a reader of the tags of one document.
func NewReader(fields Fields, functions Functions) *Reader {
	return &Reader{fields: fields, functions: functions, statements: map[string]*Statement{}}
}

// Read says what a tag does. A source field or built-in of exactly its name
// wins over every keyword.
func (r *Reader) Read(tag Tag) *Statement {
	if s, ok := r.statements[tag.Text]; ok {
		return s
	}
	s := r.ReadText(tag.Name)
	s.Tag = tag.Text
	r.statements[tag.Text] = s
	return s
}

// ReadText is Read for what stands between the braces, in the form of Canonical.
func (r *Reader) ReadText(text string) *Statement {
	s := r.readText(text)
	if s.Kind == Field && r.fields.IsField(text, true) {
		return s
	}
	if m := r.misplacedAlt(s, text); m != nil {
		return &Statement{Kind: Faulty, Mistake: m}
	}
	return s
}

func (r *Reader) readText(text string) *Statement {
	field := &Statement{Kind: Field, Name: text}
	first, rest, _ := strings.Cut(text, " ")
	first, rest = strings.ToLower(first), strings.TrimSpace(rest)
	switch {
	case !strings.Contains("=#/cdehilmq", first[:1]) || r.fields.IsField(text, false):
		return field
	case text[0] == '=':
		return r.readFormula(Formula, strings.TrimSpace(text[1:]))
	case text[0] == '#' || text[0] == '/':
		if r.fields.IsField(text, true) {
			return field
		}
		// A space behind the sign does no harm.
		if first == "#" || first == "/" {
			word, more, _ := strings.Cut(rest, " ")
			first, rest = first+strings.ToLower(word), strings.TrimSpace(more)
		}
		return r.readBlock(text, first, rest)
	case first == "else" && !r.fields.IsField(text, true):
		if rest == "" {
			return &Statement{Kind: Else}
		}
		const word = "if "
		if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
			return r.readFormula(ElseIf, strings.TrimSpace(rest[len(word):]))
		}
	case rest != "" && (first == "image" || first == "link" || first == "markdown" || first == "html" || first == "include" || IsSymbology(first)) && !r.fields.IsField(text, true):
		return r.readInsertion(first, rest)
	case rest != "" && first == ChartWord && !r.fields.IsField(text, true):
		return r.readChart(rest)
	}
	return field
}

func (r *Reader) readBlock(text, word, rest string) *Statement {
	switch word {
	case "#if":
		return r.readFormula(If, rest)
	case "#each":
		return r.readEach(rest)
	case "/if":
		return &Statement{Kind: EndIf}
	case "/each":
		return &Statement{Kind: EndEach}
	}
	p := mistakef("unknown_block", "{{%.60s}} is no block of this language: there are {{#if …}}, {{else}}, {{/if}} and {{#each …}}, {{/each}}.", text)
	if p.Nearest = elseFor(word, rest); p.Nearest == nil {
		p.Nearest = Nearest(word, NewCandidates(word[:1]+"if", word[:1]+"each"))
	}
	return &Statement{Kind: Faulty, Mistake: p}
}

// elseFor is what an else is here that is written as a block of its own; nil for another
// word.
func elseFor(word, rest string) []string {
	condition, ok := strings.CutPrefix(rest, "if ")
	switch {
	case word == "#else" && rest == "":
		return []string{"{{else}}"}
	case word == "#else" && ok:
		return []string{"{{else if " + condition + "}}"}
	case rest != "" && (word == "#elseif" || word == "#elsif" || word == "#elif"):
		return []string{"{{else if " + rest + "}}"}
	case word == "/else":
		return []string{"{{/if}}"}
	}
	return nil
}

func (r *Reader) readFormula(kind Kind, text string) *Statement {
	formula, err := ParseFormula(text, r.functions)
	if err != nil {
		return &Statement{Kind: Faulty, Mistake: err}
	}
	return &Statement{Kind: kind, Formula: formula}
}
