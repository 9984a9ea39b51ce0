package lang

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen"
)

// A Filling is what literal replacement can do for a template.
type Filling struct {
	// Replacements has one entry for each distinct tag text, in document order:
	// Find is the tag exactly as it stands there, Replace its value, with line
	// breaks as U+000B (a soft break in Docs and Slides, where a newline would
	// make a paragraph) and without the characters that a document cannot hold.
	// Tags without data are replaced by nothing.
	Replacements []platen.Replacement
	// Blocks says that there are tags that replacing can do nothing for: of
	// blocks, pictures and links.
	Blocks bool
	// Positional are the tags that mean something else in a row, a bullet or a
	// block than elsewhere; they are not among Replacements.
	Positional []*Statement
}

// Structured says that where a tag stands matters.
func (f Filling) Structured() bool { return f.Blocks || len(f.Positional) > 0 }

// Plan works out the tags of the passages that mean the same wherever they
// stand.
func (e *Evaluator) Plan(passages []string) Filling {
	var f Filling
	seen := map[string]bool{}
	for _, passage := range passages {
		for _, tag := range Parse(passage) {
			if seen[tag.Text] {
				continue
			}
			seen[tag.Text] = true
			s := e.Read(tag)
			switch {
			case s.IsControl() || s.Inserts():
				f.Blocks = true
			case e.goesThroughList(s):
				f.Positional = append(f.Positional, s)
			default:
				f.Replacements = append(f.Replacements, e.Replacement(s))
			}
		}
	}
	return f
}

// Replacement is what a tag comes to outside rows, bullets and blocks: the
// values of a list one after the other.
func (e *Evaluator) Replacement(s *Statement) platen.Replacement {
	return platen.Replacement{Find: s.Tag, Replace: e.Text(s, nil)}
}

// goesThroughList tells of a statement that stands for one item of a list when
// it stands in a row, or that means something only inside a block.
func (e *Evaluator) goesThroughList(s *Statement) bool {
	for _, name := range s.names() {
		if name == "this" || strings.HasPrefix(name, "@") || strings.HasPrefix(name, "this.") {
			return !e.isField(name, true)
		}
	}
	if !e.data.lists {
		return false
	}
	chain, _ := e.data.listsOf(s.names(), nil)
	return chain != nil
}

// Plan returns the replacements of a template as if it had no blocks and rows, and
// names the tags that the data has no value for, each once.
func Plan(passages []string, data *Data, builtins Builtins) (replacements []platen.Replacement, missing []string) {
	e := NewEvaluator(data, builtins)
	f := e.Plan(passages)
	for _, s := range f.Positional {
		f.Replacements = append(f.Replacements, e.Replacement(s))
	}
	return f.Replacements, e.Missing()
}

// documentText makes a value fit for a document: Docs strips control
// characters and the private use area, XML cannot hold U+FFFE and U+FFFF.
func documentText(value string) string {
	value = strings.ReplaceAll(value, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case isLineBreak(r):
			return '\v'
		case r == '\t':
			return r
		case unicode.IsControl(r), r >= '\ue000' && r <= '\uf8ff', r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, value)
}

func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
