// Package syntax reads the tags of templates: which texts of a template are tags
// (tag.go), what each does (reader.go, insertion.go, clause.go, chart.go), and the tree
// of its formula (lexer.go, formula.go). A call names its function; what functions are
// there, and which names have data, a Reader is told.
//
// It has no data and works nothing out: that is package lang's.
package syntax

import (
	"strings"
	"unicode/utf8"
)

// MaxTagLength is how many characters may stand between the braces. What is
// longer is text: somebody forgot to close a brace.
const MaxTagLength = 500

// A Tag is a place of a text that stands for a value, written {{Field Name}}.
type Tag struct {
	Text       string // as it stands in the document, braces and odd spaces included
	Name       string // what it names, in the form of Canonical
	Start, End int    // bytes of the text that it was found in
}

// Parse returns the tags of a text in reading order. A tag is two opening
// braces, 1 to MaxTagLength characters, two closing braces. Not a tag, and so
// left as text: braces that are not closed in the same paragraph, {{}} with
// nothing or only white space between, and anything with a brace inside (of
// "{{{A}}}" the inner "{{A}}" is the tag, of "{{A {{B}}" the second).
func Parse(text string) []Tag {
	var tags []Tag
	for at := 0; ; {
		end := strings.Index(text[at:], "}}")
		if end < 0 {
			return tags
		}
		end += at
		start := strings.LastIndex(text[at:end], "{{")
		if start >= 0 {
			if tag, ok := newTag(text, at+start, end+2); ok {
				tags = append(tags, tag)
			}
		}
		at = end + 2
	}
}

func newTag(text string, start, end int) (Tag, bool) {
	inner := text[start+2 : end-2]
	if strings.ContainsAny(inner, "{}\n\r") || utf8.RuneCountInString(inner) > MaxTagLength {
		return Tag{}, false
	}
	name := Canonical(inner)
	if name == "" {
		return Tag{}, false
	}
	return Tag{Text: text[start:end], Name: name, Start: start, End: end}, true
}
