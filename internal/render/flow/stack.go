package flow

import (
	"math"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

// composer turns paragraphs and tables into lines and rows of a given width. It
// does not change: what it comes across stands in its tally.
type composer struct {
	doc   *wml.Document
	fonts *pdf.FontSet
	tally *tally
	// notes are the numbers of footnotes that count on each page, nil while they are not known.
	notes map[string]string
}

// tally is what was found while a document was composed.
type tally struct {
	findings *render.Findings
	// usesPageCount says that the total number of pages was asked for.
	usesPageCount bool
	// linked holds the bookmarks that links lead to.
	linked map[string]bool
	// composed counts characters and paragraphs, as often as they were set.
	composed int
}

// maxComposed is some thousand full pages. A header that is a book would be set
// on each of them, and a note once for each reference to it.
const maxComposed = 5_000_000

// spend says whether there is still room for so much; without it, text is left out.
func (t *tally) spend(n int) bool {
	if t.composed += n; t.composed <= maxComposed {
		return true
	}
	t.findings.Add(render.FindingTruncated, "the document has more text than one PDF may hold, its headers and notes counted on each page")
	return false
}

// environment is what text depends on beside its own formatting.
type environment struct {
	page, pages, sectionPages string
	// section is the number of the section, 1 for the first.
	section string
	// number is that of the page, 0 where it is not known.
	number int
	// background is what the text stands on, nil for paper.
	background *dml.RGB
	// isInFlow is true for the body, where page breaks count.
	isInFlow bool
	// isFramed is true inside a frame (w:framePr).
	isFramed bool
	// isInCell is true inside a table.
	isInCell bool
	// isInBand is true in headers and footers, but for their text boxes.
	isInBand bool
	// grid is the line pitch of the section's document grid, 0 for none.
	grid float64
	// depth counts the cells, boxes and notes that the text stands in.
	depth int
}

// maxBoxDepth bounds boxes in boxes.
const maxBoxDepth = 24

// enter goes into a box, a cell or a note; false where that is too deep.
func (c *composer) enter(env *environment) bool {
	if env.depth >= maxBoxDepth {
		c.tally.findings.Add(render.FindingTruncated, "tables or text boxes are nested too deeply")
		return false
	}
	env.depth++
	return true
}

// item is what a page break cannot cut: a line or a table row.
type item struct {
	gap, height float64
	// above and below are the rooms that its paragraph has at the ends of pages in a cell.
	above, below float64
	// draw puts it on a page, its top at y; gap is the room that was left above it.
	draw func(dst *layer, x, y, gap float64)
	// notes are the footnotes that it refers to.
	notes []*object
	line  *line
	row   *rowBox
}

// stack is content of a fixed width one under the other: a cell's, a header's,
// a note's, a text box's.
type stack struct {
	items []item
	below float64 // room under the last item
	// exclusions are what text in a cell runs around.
	exclusions []exclusion
}

// shows reports whether there is anything to be seen in it.
func (s *stack) shows() bool {
	return slices.ContainsFunc(s.items, func(it item) bool { return it.row != nil || it.line != nil && it.line.visible > it.line.from })
}

func (s *stack) height() float64 {
	h := s.below
	for i := range s.items {
		h += s.items[i].gap + s.items[i].height
	}
	return h
}

// shown is the height without the room under the last line, which a text box does
// not need.
func (s *stack) shown() float64 { return s.height() - s.below }

// upTo is the stack without what begins below a height.
func (s *stack) upTo(height float64) *stack {
	from := 0.0
	for i := range s.items {
		if from += s.items[i].gap; from >= height {
			return &stack{items: s.items[:i]}
		}
		from += s.items[i].height
	}
	return s
}

func (s *stack) notes() []*object {
	var all []*object
	for i := range s.items {
		all = append(all, s.items[i].notes...)
	}
	return all
}

func (r *rowBox) notes() []*object {
	var all []*object
	for _, c := range r.cells {
		if c.content != nil {
			all = append(all, c.content.notes()...)
		}
	}
	return all
}

// notes lists the notes that a line refers to.
func (ln *line) notes() []*object {
	var out []*object
	for i := ln.from; i < ln.to; i++ {
		if o := ln.box.glyphs[i].object; o != nil && o.kind == wml.FootnoteItem {
			out = append(out, o)
		}
	}
	return out
}

func (s *stack) draw(dst *layer, x, y float64) {
	for i := range s.items {
		it := &s.items[i]
		y += it.gap
		it.draw(dst, x, y, it.gap)
		y += it.height
	}
}

// perParagraph is what a paragraph or a table takes beside its characters.
const perParagraph = 10

// stack composes children for a width.
func (c *composer) stack(children []child, width float64, env environment) *stack {
	s := &stack{}
	if !c.enter(&env) {
		return s
	}
	env.isInFlow = false
	space := spacer{addsUp: c.doc.Settings.SumsSpacing}
	for i := range children {
		at := &children[i]
		switch {
		case at.isEmpty:
		case at.table != nil:
			if c.tally.spend(perParagraph) {
				c.stackTable(s, at.table, width, env, &space)
			}
		case at.textFrame != nil && !env.isFramed && standsAside(at.textFrame[0].Frame) && !at.isLast:
			if c.tally.spend(perParagraph) {
				s.items = append(s.items, c.textFrame(at.textFrame, width, env))
			}
		default:
			for _, single := range at.paragraphs() {
				if c.tally.spend(perParagraph) {
					c.stackParagraph(s, &single, width, env, &space)
				}
			}
		}
	}
	s.below = space.below()
	if env.isInCell && len(s.items) > 0 { // as in HTML, automatic space does not part text from the edge of its cell
		if first := children[0].paragraph; first != nil && first.HasAutoBefore {
			s.items[0].gap = 0
		}
		if last := children[len(children)-1].paragraph; last != nil && last.HasAutoAfter {
			s.below = space.extra
		}
	}
	s.growAround()
	return s
}

// paragraphs are those of a frame one by one, or the paragraph.
func (c *child) paragraphs() []child {
	if c.paragraph != nil {
		return []child{*c}
	}
	single := make([]child, len(c.textFrame))
	for i, p := range c.textFrame {
		single[i] = child{paragraph: p, previous: c.previous, next: c.next, isSplit: true}
		if i > 0 {
			single[i].previous = c.textFrame[i-1]
		}
		if i+1 < len(c.textFrame) {
			single[i].next = c.textFrame[i+1]
		}
	}
	return single
}

// stackTable adds a table's rows to a stack.
func (c *composer) stackTable(s *stack, table *wml.Table, width float64, env environment, space *spacer) {
	t := c.table(table, width, env)
	for r, row := range t.rows {
		it := t.item(row)
		if r == 0 {
			it.gap = space.below()
		}
		s.items = append(s.items, it)
	}
	space.pass(nil, 0)
}

// stackParagraph adds a paragraph's lines to a stack.
func (c *composer) stackParagraph(s *stack, at *child, width float64, env environment, space *spacer) {
	box := c.paragraph(at.paragraph, width, env)
	if at.isFlat {
		it := box.item(0, box.lines[0])
		it.height = 0
		s.items = append(s.items, it)
		return
	}
	box.joinBorders(at.previous, at.next)
	gap := space.gap(at.paragraph)
	box.own = math.Max(gap-space.below(), 0)
	if env.isInCell {
		s.wrapAround(box, gap)
	}
	items := box.items(0, math.Inf(1))
	after, before := space.between(at.paragraph)
	items[0].above = before
	if n := len(s.items); n > 0 {
		s.items[n-1].below = after
	}
	items[0].gap += gap
	s.items = append(s.items, items...)
	space.pass(at.paragraph, box.extra)
}

// wrapAround keeps the room of the drawings that are anchored in a paragraph of a cell
// free, and composes the paragraph around those that stand in the cell.
func (s *stack) wrapAround(box *paragraphBox, gap float64) {
	top := s.height() + gap + box.top
	for _, ln := range box.lines {
		s.exclusions = append(s.exclusions, box.exclusions(ln, &geometry{}, 0, top-box.own, true)...)
	}
	if len(s.exclusions) > 0 {
		box.above = gap
		box.compose(0, besides(s.exclusions, columnArea{width: box.width}), top)
	}
}

// growAround makes a cell as high as the drawings in it that text runs around.
func (s *stack) growAround() {
	end := s.shown()
	for _, e := range s.exclusions {
		s.below = math.Max(s.below, e.bottom-end)
	}
}

// items turns lines into items, beginning at from: as many as fill a height, and
// a few lines beyond. A line that goes on with its paragraph has lost what its spacing
// opens above it.
func (p *paragraphBox) items(from int, height float64) []item {
	const beyond = 3
	var out []item
	for i, more := from, beyond; i < len(p.lines) && more > 0; i++ {
		ln := p.lines[i]
		if i == from && from > 0 {
			first := *ln
			p.space(&first, true)
			ln = &first
		}
		if height -= ln.height; height < 0 {
			more--
		}
		out = append(out, p.item(i, ln))
	}
	return out
}

// item makes the i-th line of a paragraph a part of a flow.
func (p *paragraphBox) item(i int, ln *line) item {
	isFirst, isLast := i == 0 && ln.from == 0, i == len(p.lines)-1
	it := item{height: ln.height + ln.skip, line: ln, notes: ln.notes()}
	top := 0.0
	if isFirst {
		top = p.top
		it.height += top
	}
	if isLast {
		it.height += p.bottom
	}
	height := it.height
	it.draw = func(dst *layer, x, y, gap float64) {
		if p.isDecorated {
			p.decorate(dst, x, y, height, gap, isFirst, isLast)
		}
		p.anchoredOf(ln, dst, x, y+top)
		ln.draw(dst, x, y+top+ln.skip)
		if isFirst {
			p.outline(dst, y)
		}
	}
	return it
}

// outline adds a heading to the bookmarks.
func (p *paragraphBox) outline(dst *layer, y float64) {
	if p.p.Outline < 0 || p.p.Outline > 5 {
		return
	}
	title := plainText(p.p)
	if title == "" {
		return
	}
	level := p.p.Outline
	dst.add(func(pt *painter) { pt.canvas.Outline(title, level, y) })
}

// decorate draws background and borders of the part of a paragraph that an item is.
func (p *paragraphBox) decorate(dst *layer, x, y, height, gap float64, isFirst, isLast bool) {
	b := &p.p.Borders
	left := x + p.left + min(p.firstLine, 0)
	right := x + p.width - p.right
	if p.p.RTL {
		left, right = x+p.right, x+p.width-p.left-min(p.firstLine, 0)
	}
	if b.Left.IsVisible() {
		left -= b.Left.Space + lineRoom(b.Left)/2
	}
	if b.Right.IsVisible() {
		right += b.Right.Space + lineRoom(b.Right)/2
	}
	from := y
	if isFirst && p.joinsPrevious {
		from -= gap
	}
	shading := p.p.Shading
	bottom := y + height
	hasTop := isFirst && !p.joinsPrevious
	dst.add(func(pt *painter) {
		if shading != nil {
			pt.canvas.FillRect(left, from, right-left, bottom-from, *shading)
		}
		pt.borderLine(left, from, left, bottom, b.Left)
		pt.borderLine(right, from, right, bottom, b.Right)
		if b.Top.IsVisible() && hasTop {
			at := from + lineRoom(b.Top)/2
			pt.borderLine(left, at, right, at, b.Top)
		}
		if b.Between.IsVisible() && isFirst && p.joinsPrevious {
			at := y + lineRoom(b.Between)/2
			pt.borderLine(left, at, right, at, b.Between)
		}
		if b.Bottom.IsVisible() && isLast && !p.joinsNext {
			at := bottom - lineRoom(b.Bottom)/2
			pt.borderLine(left, at, right, at, b.Bottom)
		}
	})
}

// spacer reckons the room between neighbouring paragraphs.
type spacer struct {
	previous *wml.Paragraph
	extra    float64
	addsUp   bool
	// given is the room below the last paragraph of the section above, where no previous
	// one is.
	given float64
}

// gap is the room above a paragraph that follows the previous one.
func (s *spacer) gap(p *wml.Paragraph) float64 {
	after, before := s.between(p)
	if s.addsUp {
		return before + after + s.extra
	}
	if s.previous == nil {
		return math.Max(before-s.given, 0) + s.extra
	}
	return math.Max(before, after) + s.extra
}

// between are the room that the previous paragraph has below it, and the one that this
// has above it, where they follow each other.
func (s *spacer) between(p *wml.Paragraph) (after, before float64) {
	before = p.Before
	if s.previous == nil {
		return 0, before
	}
	after = s.previous.After
	if p.ContextualSpacing && p.Style == s.previous.Style {
		before = 0
	}
	if s.previous.ContextualSpacing && p.Style == s.previous.Style {
		after = 0
	}
	if sameList(s.previous, p) { // as in HTML, items have no automatic space between them
		if p.HasAutoBefore {
			before = 0
		}
		if s.previous.HasAutoAfter {
			after = 0
		}
	}
	return after, before
}

func sameList(a, b *wml.Paragraph) bool {
	return a.Label != nil && b.Label != nil && a.Label.NumID == b.Label.NumID
}

// pass goes on behind a paragraph with room that its spacing opens below it, nil for what
// has none.
func (s *spacer) pass(p *wml.Paragraph, extra float64) { s.previous, s.extra = p, extra }

// below is the room under the last paragraph.
func (s *spacer) below() float64 {
	if s.previous == nil {
		return 0
	}
	return s.previous.After + s.extra
}

// plainText is the text of a paragraph for the outline.
func plainText(p *wml.Paragraph) string {
	text := strings.Join(strings.Fields(p.Text()), " ")
	if p.Label != nil && p.Label.Text != "" {
		text = p.Label.Text + " " + text
	}
	return text
}
