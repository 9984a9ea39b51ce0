package lang

import (
	"maps"
	"slices"
	"strings"
)

// A reader reads each tag once.
type reader struct {
	statements map[string]*Statement // by the tag's text
	functions  map[string]function   // by name; made when a formula needs them
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
	case !strings.Contains("=#/cdeilmq", first[:1]) || e.isField(text, false):
		return field
	case text[0] == '=':
		return e.readFormula(Formula, strings.TrimSpace(text[1:]))
	case text[0] == '#' || text[0] == '/':
		if e.isField(text, true) {
			return field
		}
		// A space behind the sign does no harm.
		if first == "#" || first == "/" {
			word, more, _ := strings.Cut(rest, " ")
			first, rest = first+strings.ToLower(word), strings.TrimSpace(more)
		}
		return e.readBlock(text, first, rest)
	case first == "else" && !e.isField(text, true):
		if rest == "" {
			return &Statement{Kind: Else}
		}
		const word = "if "
		if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
			return e.readFormula(ElseIf, strings.TrimSpace(rest[len(word):]))
		}
	case rest != "" && (first == "image" || first == "link" || first == "markdown" || IsSymbology(first)) && !e.isField(text, true):
		return e.readInsertion(first, rest)
	case rest != "" && first == ChartWord && !e.isField(text, true):
		return e.readChart(rest)
	}
	return field
}

func (e *Evaluator) readBlock(text, word, rest string) *Statement {
	switch word {
	case "#if":
		return e.readFormula(If, rest)
	case "#each":
		return e.readEach(rest)
	case "/if":
		return &Statement{Kind: EndIf}
	case "/each":
		return &Statement{Kind: EndEach}
	}
	p := findingf("unknown_block", "{{%.60s}} is no block of this language: there are {{#if …}}, {{else}}, {{/if}} and {{#each …}}, {{/each}}.", text)
	if p.Nearest = elseFor(word, rest); p.Nearest == nil {
		p.Nearest = findNearest(word, newCandidates(word[:1]+"if", word[:1]+"each"))
	}
	return &Statement{Kind: Faulty, finding: p}
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

func (e *Evaluator) readFormula(kind Kind, text string) *Statement {
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

func (r *reader) allFunctions() map[string]function {
	if r.functions == nil {
		r.functions = allFunctions()
	}
	return r.functions
}

func newCandidates(names ...string) []candidate {
	all := make([]candidate, len(names))
	for i, name := range names {
		all[i] = newCandidate(name)
	}
	return all
}

func suggestFunctions(name string, functions map[string]function) []string {
	return findNearest(name, newCandidates(slices.Sorted(maps.Keys(functions))...))
}
