package lang

import (
	"maps"
	"slices"
	"strings"
)

// Kind says what a tag does.
type Kind int

// The kinds of tags. Of Field and Formula the value takes the tag's place, of
// Image and QR a picture, of Link a text with an address; the others begin,
// divide and end blocks, and leave nothing themselves.
const (
	Field Kind = iota
	Formula
	Image
	QR
	Link
	If
	ElseIf
	Else
	EndIf
	Each
	EndEach
	Faulty // not understood: filling reports it, and its value is empty
)

// A Statement is a tag that has been read.
type Statement struct {
	Kind    Kind
	Tag     string // as it stands in the document
	name    string // of Field and Each
	formula expr   // of Formula, If and ElseIf; the source of Image, QR and Link
	shown   expr   // the text of a Link; nil for its address
	finding *Finding
	// width and height are the box of an Image or QR, in points; 0: not said.
	width, height float64
}

// Inserts tells of a tag whose place something else than text takes.
func (s *Statement) Inserts() bool { return s.Kind == Image || s.Kind == QR || s.Kind == Link }

// Opens tells whether a block begins here.
func (s *Statement) Opens() bool { return s.Kind == If || s.Kind == Each }

// Closes tells whether s ends or divides a block that open began.
func (s *Statement) Closes(open *Statement) bool {
	if open.Kind == If {
		return s.Kind == ElseIf || s.Kind == Else || s.Kind == EndIf
	}
	return open.Kind == Each && s.Kind == EndEach
}

// Ends tells whether a block is over behind s.
func (s *Statement) Ends() bool { return s.Kind == EndIf || s.Kind == EndEach }

// IsControl tells of a tag that shapes the document instead of showing a value.
func (s *Statement) IsControl() bool { return s.Kind >= If && s.Kind <= EndEach }

// names are what the statement needs, without what functions over whole lists
// take.
func (s *Statement) names() []string {
	if s.formula != nil {
		return namesIn(s.shown, false, namesIn(s.formula, false, nil))
	}
	if s.Kind == Field || s.Kind == Each {
		return []string{s.name}
	}
	return nil
}

// Read says what a tag does. A source field or built-in of exactly its name
// wins over every keyword.
func (e *Evaluator) Read(tag Tag) *Statement {
	if s, ok := e.statements[tag.Text]; ok {
		return s
	}
	s := e.read(tag.Name)
	s.Tag = tag.Text
	e.statements[tag.Text] = s
	return s
}

func (e *Evaluator) read(text string) *Statement {
	field := &Statement{Kind: Field, name: text}
	first, rest, _ := strings.Cut(text, " ")
	first, rest = strings.ToLower(first), strings.TrimSpace(rest)
	switch {
	case !strings.Contains("=#/eilq", first[:1]) || e.isField(text, false):
		return field
	case text[0] == '=':
		return e.withFormula(Formula, strings.TrimSpace(text[1:]))
	case text[0] == '#' || text[0] == '/':
		if e.isField(text, true) {
			return field
		}
		// A space behind the sign does no harm.
		if first == "#" || first == "/" {
			word, more, _ := strings.Cut(rest, " ")
			first, rest = first+strings.ToLower(word), strings.TrimSpace(more)
		}
		return e.block(text, first, rest)
	case first == "else" && !e.isField(text, true):
		if rest == "" {
			return &Statement{Kind: Else}
		}
		const word = "if "
		if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
			return e.withFormula(ElseIf, strings.TrimSpace(rest[len(word):]))
		}
	case rest != "" && (first == "image" || first == "qr" || first == "link") && !e.isField(text, true):
		return e.insertion(first, rest)
	}
	return field
}

func (e *Evaluator) block(text, word, rest string) *Statement {
	switch word {
	case "#if":
		return e.withFormula(If, rest)
	case "#each":
		name := strings.TrimSuffix(strings.TrimPrefix(rest, "["), "]")
		if name == "" {
			return &Statement{Kind: Faulty, finding: findingf("each_without_list", "{{#each}} names the list to go through: {{#each Items}}.")}
		}
		return &Statement{Kind: Each, name: name}
	case "/if":
		return &Statement{Kind: EndIf}
	case "/each":
		return &Statement{Kind: EndEach}
	}
	p := findingf("unknown_block", "{{%.60s}} is no block of this language: there are {{#if …}}, {{else}}, {{/if}} and {{#each …}}, {{/each}}.", text)
	p.Nearest = nearest(word, candidates(word[:1]+"if", word[:1]+"each"))
	return &Statement{Kind: Faulty, finding: p}
}

func (e *Evaluator) withFormula(kind Kind, text string) *Statement {
	formula, err := parseFormula(text, e.allFunctions())
	if err != nil {
		return &Statement{Kind: Faulty, finding: err}
	}
	return &Statement{Kind: kind, formula: formula}
}

func (e *Evaluator) isField(name string, anyCase bool) bool {
	if _, ok := e.data.lookup(name, anyCase); ok {
		return true
	}
	_, ok := e.builtins.get(name, anyCase)
	return ok
}

func candidates(names ...string) []candidate {
	all := make([]candidate, len(names))
	for i, name := range names {
		all[i] = newCandidate(name)
	}
	return all
}

func nearestOf(name string, functions map[string]function) []string {
	return nearest(name, candidates(slices.Sorted(maps.Keys(functions))...))
}
