package mailbody

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text is what a document says to those whose programs show no HTML.
func Text(document string) string {
	parsed, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return ""
	}
	var w textWriter
	w.children(find(parsed, atom.Body))
	return strings.TrimSpace(w.b.String()) + "\n"
}

// A textWriter writes lines. Space and line breaks are owed until the next word.
type textWriter struct {
	b     strings.Builder
	lines int // line breaks before the next word
	space bool
	pre   int // elements around in which white space counts
}

// breaks is how many line breaks are before and behind an element at least; others are a
// part of their line.
var breaks = map[atom.Atom]int{
	atom.P: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2, atom.Blockquote: 2, atom.Ul: 2, atom.Ol: 2, atom.Dl: 2, atom.Table: 2, atom.Pre: 2, atom.Hr: 2,
	atom.Div: 1, atom.Li: 1, atom.Tr: 1, atom.Dt: 1, atom.Dd: 1, atom.Caption: 1,
}

func (w *textWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

func (w *textWriter) node(n *html.Node) {
	if n.Type == html.TextNode {
		w.text(n.Data)
		return
	}
	w.lines = max(w.lines, breaks[n.DataAtom])
	switch n.DataAtom {
	case atom.Br:
		w.lines++
	case atom.Hr:
		w.word("----")
	case atom.Li:
		w.word("- ")
	case atom.Td, atom.Th:
		if n.PrevSibling != nil && w.lines == 0 {
			w.word("  ")
		}
	case atom.Pre:
		w.pre++
	}
	w.children(n)
	switch n.DataAtom {
	case atom.A:
		address, said := strings.TrimPrefix(attribute(n, "href"), "mailto:"), inside(n)
		if address != "" && address != said {
			w.word(" (" + address + ")")
		}
	case atom.Pre:
		w.pre--
	}
	w.lines = max(w.lines, breaks[n.DataAtom])
}

// text writes words with one space between them.
func (w *textWriter) text(text string) {
	if w.pre > 0 {
		w.word(text)
		return
	}
	const white = " \t\r\n\f"
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(white, r) }) {
		w.space = w.space || i > 0 || strings.ContainsRune(white, rune(text[0]))
		w.word(word)
	}
	w.space = w.space || text != "" && strings.ContainsRune(white, rune(text[len(text)-1]))
}

func (w *textWriter) word(text string) {
	switch {
	case w.b.Len() == 0:
	case w.lines > 0:
		w.b.WriteString(strings.Repeat("\n", w.lines))
	case w.space && !strings.HasSuffix(w.b.String(), " ") && !strings.HasPrefix(text, " "):
		w.b.WriteByte(' ')
	}
	w.b.WriteString(text)
	w.lines, w.space = 0, false
}

// inside is the text of an element.
func inside(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
