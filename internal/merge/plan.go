package merge

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen"
)

// Plan returns one replacement for each distinct tag text of the passages, in
// document order. Find is the tag exactly as it stands there; Replace is its
// value, with line breaks as U+000B (a soft break in Docs and Slides, where a
// newline would make a paragraph) and without the characters that a document
// cannot hold. Tags without data are replaced by nothing; missing names them,
// each once.
func Plan(passages []string, data *Data, builtins Builtins) (replacements []platen.Replacement, missing []string) {
	r := newResolver(data, builtins)
	seen, noted := map[string]bool{}, map[string]bool{}
	for _, passage := range passages {
		for _, tag := range Parse(passage) {
			if seen[tag.Text] {
				continue
			}
			seen[tag.Text] = true
			value, ok := r.resolve(tag.Name)
			if !ok && !noted[tag.Name] {
				noted[tag.Name] = true
				missing = append(missing, tag.Name)
			}
			replacements = append(replacements, platen.Replacement{Find: tag.Text, Replace: documentText(value)})
		}
	}
	return replacements, missing
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
