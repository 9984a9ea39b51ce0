// Package markdown reads Markdown as a template shows it: paragraphs of styled text. It
// follows CommonMark, with strikethrough and tables of GitHub's.
//
// It says what a text means and nothing of how that looks: which styles it gets, and by
// which requests, is package fill's.
package markdown

import "strings"

const (
	// MaxSize is how many bytes a text may have.
	MaxSize = 128 << 10
	// MaxDepth is how deep lists and quotes may stand in one another.
	MaxDepth = 9
)

// A Document is a text that was read.
type Document []Paragraph

// A Paragraph is what stands between two line feeds.
type Paragraph struct {
	Heading int     // its level, from 1 to 6; 0: it is none
	Quote   int     // how many quotes it stands in
	Rule    bool    // a line across the page, without text
	Lists   []Level // the lists that it is an entry of, the outermost first; none: no entry
	Runs    []Run
}

// A Level is a list at one depth.
type Level struct {
	ID      int // tells lists apart
	Ordered bool
}

// A Run is text of one style. A \n in it breaks the line and no paragraph.
type Run struct {
	Text                       string
	Bold, Italic, Strike, Code bool
	Link                       string // the address that it leads to, as it was written; empty: none
}

// Text is the paragraph's text without its styles.
func (p Paragraph) Text() string {
	var b strings.Builder
	for _, r := range p.Runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// Text is the document's text without its styles, a line for each paragraph.
func (d Document) Text() string {
	lines := make([]string, len(d))
	for i, p := range d {
		lines[i] = p.Text()
	}
	return strings.Join(lines, "\n")
}

// Inline is the document as a part of a line: marks of text stay, and paragraphs are
// breaks of the line.
func (d Document) Inline() []Run {
	var all []Run
	for i, p := range d {
		if i > 0 {
			all = append(all, Run{Text: "\n"})
		}
		all = append(all, p.Runs...)
	}
	return all
}
