package hypertext

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/template/rich"
)

// A reader collects the paragraphs of HTML.
type reader struct {
	pictures []string // data URIs
	left     []string
	cells    int
	isWide   bool // a table has more than maxColumns
	lists    int

	made    rich.Document
	open    *rich.Paragraph // that is being written; nil: none
	tail    strings.Builder // what its last run has beside its text: adding to that would copy it each time
	space   *rich.Run       // the style of a space that is owed until the next word; nil: none
	newPage bool            // the next paragraph begins one
	word    stack           // of lists that are paragraphs
}

// A place is what stands around a node.
type place struct {
	run         rich.Run // without a text
	heading     int
	quote       int
	align       rich.Alignment
	indent      float64
	rightToLeft bool
	pre         bool
	lists       []rich.Level
	entry       *entry
	isInCell    bool
	share       float64 // of the width that a picture takes, as its figure says
}

// An entry of a list is one paragraph: another one between entries would end the list, and
// its numbers would begin again.
type entry struct {
	mark    string
	isBegun bool
}

// removeHidden takes out of an element what nobody would see, entries of lists and rows of
// tables included.
func (r *reader) removeHidden(parent *html.Node) {
	for n := parent.FirstChild; n != nil; {
		next := n.NextSibling
		switch {
		case n.Type != html.ElementNode:
		case isHidden(n):
			if strings.TrimSpace(strings.ReplaceAll(inside(n), "\u00a0", " ")) != "" {
				r.leave("hidden text")
			}
			parent.RemoveChild(n)
		default:
			r.removeHidden(n)
		}
		n = next
	}
}

func isHidden(n *html.Node) bool {
	if hasAttribute(n, "hidden") {
		return true
	}
	css := declarations(n)
	return css["display"] == "none" || css["mso-hide"] == "all" || css["visibility"] == "hidden"
}

func (r *reader) nodes(parent *html.Node, at place) {
	for n := parent.FirstChild; n != nil; n = n.NextSibling {
		r.node(n, at)
	}
}

func (r *reader) node(n *html.Node, at place) {
	if n.Type == html.TextNode {
		r.text(n.Data, at)
		return
	}
	if n.Type != html.ElementNode {
		return
	}
	css := declarations(n)
	if css["mso-list"] == "ignore" { // the sign of an entry
		return
	}
	at.styleRun(n, css)
	if slices.Contains(inlines, n.Data) {
		r.inline(n, css, at)
		return
	}
	r.block(n, css, at)
}

func (r *reader) inline(n *html.Node, css map[string]string, at place) {
	switch n.Data {
	case "br":
		r.lineBreak(css, at)
		return
	case "img":
		r.image(n, css, at)
		return
	case "input":
		return
	case "q":
		r.write("“", at)
		r.nodes(n, at)
		r.write("”", at)
		return
	case "a":
		address := strings.TrimSpace(attribute(n, "href"))
		if hasPrefix(address, "www.") {
			address = "https://" + address
		}
		switch {
		case Leads(address):
			at.run.Link = address
		case address != "" && address[0] != '#':
			r.leave("a link" + schemeOf(address))
		}
	}
	r.nodes(n, at)
}

// schemeOf says in a message where an address leads, and quotes no more of it.
func schemeOf(address string) string {
	scheme, _, ok := strings.Cut(address, ":")
	if !ok || !isWord(scheme) {
		return " without a whole address"
	}
	return " to " + scheme + ":"
}

// isWord tells of what a message may quote.
func isWord(text string) bool {
	return len(text) <= 24 && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz-") == ""
}

// lineBreak breaks a line, or begins a page.
func (r *reader) lineBreak(css map[string]string, at place) {
	if breaksPage(css, "before") && !at.isInCell {
		r.end()
		r.newPage = true
		return
	}
	r.write("\n", at)
	r.space = nil
}

func breaksPage(css map[string]string, side string) bool {
	return css["page-break-"+side] == "always" || css["break-"+side] == "page"
}

func (r *reader) block(n *html.Node, css map[string]string, at place) {
	r.end()
	if breaksPage(css, "before") && !at.isInCell {
		r.newPage = true
	}
	at.shape(n, css)
	if n.Data != "p" || css["mso-list"] == "" {
		r.word = stack{}
	}
	switch n.Data {
	case "hr":
		r.made = append(r.made, rich.Paragraph{Rule: true, Quote: at.quote, NewPage: r.newPage})
		r.newPage = false
	case "table":
		r.table(n, css, at)
	case "ul", "ol", "menu", "dir":
		r.list(n, at)
	case "li": // without a list
		r.entry(n, at, []rich.Level{r.newLevel(rich.Level{})}, &entry{})
	case "p":
		r.paragraph(n, css, at)
	default:
		r.nodes(n, at)
	}
	r.end()
	if breaksPage(css, "after") && !at.isInCell {
		r.newPage = true
	}
}

// paragraph reads a p. An empty one is an empty line to those who write in editors.
func (r *reader) paragraph(n *html.Node, css map[string]string, at place) {
	if list := css["mso-list"]; list != "" && list != "none" && at.entry == nil {
		r.wordEntry(n, list, at)
		return
	}
	before := len(r.made)
	r.nodes(n, at)
	if r.open == nil && len(r.made) == before && at.entry == nil {
		r.begin(at)
	}
}

// begin has a paragraph open.
func (r *reader) begin(at place) {
	if r.open != nil {
		return
	}
	r.space = nil
	last := len(r.made) - 1
	if at.entry != nil && at.entry.isBegun && last >= 0 && len(r.made[last].Lists) > 0 {
		p := r.made[last]
		r.made, r.open = r.made[:last], &p
		if len(p.Runs) > 0 {
			r.open.Runs = append(r.open.Runs, rich.Run{Text: "\n"})
		}
		return
	}
	p := rich.Paragraph{Quote: at.quote, Align: at.align, Indent: at.indent, RightToLeft: at.rightToLeft, NewPage: r.newPage}
	r.newPage = false
	switch {
	case at.entry == nil:
		p.Heading = at.heading
	case at.entry.isBegun: // behind a table
		p.Indent += listIndent * float64(len(at.lists))
	default:
		at.entry.isBegun = true
		p.Lists, p.Mark, p.Quote, p.Indent = at.lists, at.entry.mark, 0, 0
	}
	r.open = &p
}

// listIndent is how many points a list stands in.
const listIndent = 36

// end closes the paragraph that is open. A break at its end shows nothing.
func (r *reader) end() {
	r.space = nil
	if r.open == nil {
		return
	}
	r.settle()
	p := r.open
	r.open = nil
	if last := len(p.Runs) - 1; last >= 0 && p.Runs[last].Picture == nil {
		if p.Runs[last].Text = strings.TrimSuffix(p.Runs[last].Text, "\n"); p.Runs[last].Text == "" {
			p.Runs = p.Runs[:last]
		}
	}
	isBlank := func(run rich.Run) bool {
		return run.Picture == nil && strings.Trim(run.Text, "\u00a0 ") == ""
	}
	if !slices.ContainsFunc(p.Runs, func(run rich.Run) bool { return !isBlank(run) }) {
		p.Runs = nil
	}
	r.made = append(r.made, *p)
}

// settle gives the last run all of its text.
func (r *reader) settle() {
	if r.tail.Len() == 0 {
		return
	}
	r.open.Runs[len(r.open.Runs)-1].Text += r.tail.String()
	r.tail.Reset()
}

const white = " \t\r\n\f"

// text writes words with one space between them.
func (r *reader) text(text string, at place) {
	if at.pre {
		r.write(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(text), at)
		return
	}
	if text == "" {
		return
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(white, c) })
	if strings.ContainsRune(white, rune(text[0])) {
		r.owe(at)
	}
	r.write(strings.Join(words, " "), at)
	if strings.ContainsRune(white, rune(text[len(text)-1])) {
		r.owe(at)
	}
}

// owe owes a space. Of several the first shows.
func (r *reader) owe(at place) {
	if r.space == nil {
		r.space = &at.run
	}
}

// write writes text of a style, behind the space that is owed.
func (r *reader) write(text string, at place) {
	if text == "" {
		return
	}
	owed := r.space
	r.begin(at)
	r.space = nil
	if owed != nil && text != "\n" && !r.isAtStart() {
		space := at
		space.run = *owed
		r.write(" ", space)
	}
	if at.heading > 0 && at.entry != nil {
		at.run.Bold = true
	}
	if n := len(r.open.Runs); n > 0 {
		last := r.open.Runs[n-1]
		if last.Text = ""; last == at.run {
			r.tail.WriteString(text)
			return
		}
	}
	r.settle()
	run := at.run
	run.Text = text
	r.open.Runs = append(r.open.Runs, run)
}

// isAtStart tells whether a line begins here.
func (r *reader) isAtStart() bool {
	if text := r.tail.String(); text != "" {
		return strings.HasSuffix(text, "\n")
	}
	n := len(r.open.Runs)
	return n == 0 || r.open.Runs[n-1].Picture == nil && strings.HasSuffix(r.open.Runs[n-1].Text, "\n")
}

// image puts a picture into the line.
func (r *reader) image(n *html.Node, css map[string]string, at place) {
	source := strings.TrimSpace(attribute(n, "src"))
	if number, ok := strings.CutPrefix(source, "data:"); ok {
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(r.pictures) {
			return
		}
		source = r.pictures[i]
	} else if !hasPrefix(source, "https://") && !hasPrefix(source, "http://") {
		r.leave("a picture without a public address")
		return
	}
	p := &rich.Picture{Source: source, Alt: attribute(n, "alt"), Share: at.share}
	for _, side := range []struct {
		name string
		to   *float64
	}{{"width", &p.Width}, {"height", &p.Height}} {
		l, ok := readLength(css[side.name], 0)
		if !ok {
			l, ok = readLength(attribute(n, side.name), pointsPerPixel)
		}
		switch {
		case !ok || l.points < 0 || l.points > 10_000:
		case l.share > 0 && side.name == "width":
			p.Share = min(l.share, 1)
		default:
			*side.to = l.points
		}
	}
	const dot = 2 * pointsPerPixel
	if p.Width > 0 && p.Width <= dot && p.Height > 0 && p.Height <= dot {
		r.leave("a picture of one pixel")
		return
	}
	r.begin(at)
	if owed := r.space; owed != nil && !r.isAtStart() {
		space := at
		space.run = *owed
		r.space = nil
		r.write(" ", space)
	}
	r.space = nil
	r.settle()
	r.open.Runs = append(r.open.Runs, rich.Run{Picture: p, Link: at.run.Link})
}

// inside is the text of an element.
func inside(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
