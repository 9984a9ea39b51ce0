package hypertext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// How many elements may be open, and how many of these may be formatting.
const (
	maxOpen       = 64
	maxFormatting = 8
)

var (
	// formatting are the elements that a parser opens again in each block until they are
	// closed (HTML, section 13.2.4.3), and makes as many of as there are blocks.
	formatting = []string{"a", "b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"}
	// rawText are the elements whose content is no HTML, and nothing that anybody reads.
	rawText = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "xmp"}
	void    = []string{"br", "col", "hr", "img", "input"}
	// cells have content that ends nothing outside of them.
	cells      = []string{"table", "caption", "td", "th"}
	tableParts = []string{"table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"}
	// table bounds what a part of a table ends.
	table = []string{"table"}
)

// Nest is HTML in which each element is closed inside of the one around it, so that a
// parser makes of it what stands there, and few elements more. Elements that are not known
// are left out, as are those that are too deep; their text stays. Those of the frame, such
// as html and body, stay as they are written.
func Nest(source string, isKnown func(name string) bool, frame ...string) string {
	n := nesting{isKnown: isKnown, frame: frame}
	z := html.NewTokenizer(strings.NewReader(source))
	for isRaw := false; ; {
		kind := z.Next()
		tag := string(z.Raw())
		name := ""
		switch kind {
		case html.ErrorToken: // the end
			n.closeFrom(0)
			return n.b.String()
		case html.TextToken:
			if !isRaw { // escaped, for a tag that was left out may have stood in it
				n.b.WriteString(html.EscapeString(string(z.Text())))
			}
		case html.DoctypeToken:
			n.b.WriteString(tag)
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			of, _ := z.TagName()
			name = string(of)
			n.tag(name, tag, kind == html.EndTagToken)
		}
		isRaw = kind != html.EndTagToken && slices.Contains(rawText, name)
	}
}

// A nesting is HTML as it grows.
type nesting struct {
	isKnown func(name string) bool
	frame   []string

	b    strings.Builder
	open []string // the outermost first
}

func (n *nesting) tag(name, tag string, isEnd bool) {
	switch {
	case slices.Contains(n.frame, name):
		n.b.WriteString(tag)
	case !n.isKnown(name):
	case isEnd && name == "br": // which parsers take for a break
		n.b.WriteString("<br>")
	case isEnd:
		n.end(name)
	default:
		ends, within := endedBy(name)
		n.closeOutermost(ends, within)
		if slices.Contains(void, name) {
			n.b.WriteString(tag)
		} else if n.hasRoom(name) {
			n.open = append(n.open, name)
			n.b.WriteString(tag)
		}
	}
}

func (n *nesting) hasRoom(name string) bool {
	if !slices.Contains(formatting, name) {
		return len(n.open) < maxOpen
	}
	open := 0
	for _, o := range n.open {
		if slices.Contains(formatting, o) {
			open++
		}
	}
	return len(n.open) < maxOpen && open < maxFormatting
}

// end closes the innermost element of a name, and what is open in it. An end in a cell is of
// nothing outside, unless it is that of a part of the table.
func (n *nesting) end(name string) {
	within := cells
	if slices.Contains(tableParts, name) {
		within = table
	}
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.open[i] == name {
			n.closeFrom(i)
			return
		}
		if slices.Contains(within, n.open[i]) {
			return
		}
	}
}

// closeOutermost closes the outermost of some elements that is within the innermost of others.
func (n *nesting) closeOutermost(ends, within []string) {
	from := len(n.open)
	for i := len(n.open) - 1; i >= 0 && !slices.Contains(within, n.open[i]); i-- {
		if slices.Contains(ends, n.open[i]) {
			from = i
		}
	}
	n.closeFrom(from)
}

func (n *nesting) closeFrom(at int) {
	for i := len(n.open) - 1; i >= at; i-- {
		n.b.WriteString("</" + n.open[i] + ">")
	}
	n.open = n.open[:at]
}

// endedBy says which open elements the beginning of another one ends, within which ones
// (HTML, section 13.1.2.4).
func endedBy(name string) (ends, within []string) {
	switch name {
	case "td", "th":
		return []string{"caption", "td", "th"}, table
	case "tr":
		return []string{"caption", "colgroup", "tr", "td", "th"}, table
	case "caption", "colgroup", "thead", "tbody", "tfoot":
		return []string{"caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"}, table
	case "li":
		return []string{"li", "p"}, append([]string{"ul", "ol", "menu", "dir"}, cells...)
	case "dt", "dd":
		return []string{"dt", "dd", "p"}, append([]string{"dl"}, cells...)
	case "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "fieldset", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
		"header", "hgroup", "hr", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "ul":
		return []string{"p"}, cells
	}
	return nil, nil
}
