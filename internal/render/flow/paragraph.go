package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
)

// paragraphBox is a paragraph made ready for a column of some width.
type paragraphBox struct {
	p                      *wml.Paragraph
	glyphs                 []glyph
	left, right, firstLine float64
	mark                   struct{ ascent, descent float64 }
	labelGlyphs            int
	defaultTab             float64
	keepsReturns           bool
	lines                  []*line
	width                  float64
	// extra is the room that proportional spacing opens below the last line.
	extra float64
	// isDecorated says that it has a background or borders.
	isDecorated bool
	// top and bottom are what borders need above the first and below the last line.
	top, bottom float64
	// joinsNext and joinsPrevious say that borders go on without an end.
	joinsNext, joinsPrevious bool
	// page is the page's number that the text shows, empty where it shows none.
	page string
	// opensWith is a page or column break that is the first thing in the text, TextItem for
	// none, and dropsBreak says that it is carried out.
	opensWith  wml.ItemKind
	dropsBreak bool
	// grid is the pitch that lines are rounded up to, 0 for none.
	grid float64
	// sendsTabsOn says that a tab whose stop lies beyond the margin stands in the next line.
	sendsTabsOn bool
	isInCell    bool
	// own is the part of the space above that is the paragraph's and not its
	// predecessor's; what is anchored in the paragraph counts from there.
	own float64
	// above is the room above the first line where it stands on its page.
	above float64
	// topY is where the paragraph begins on the layer that it is drawn on.
	topY float64
	on   *layer
}

// paragraph composes all lines of a paragraph for a column of that width.
func (c *composer) paragraph(p *wml.Paragraph, width float64, env environment) *paragraphBox {
	box := c.prepare(p, width, env)
	box.compose(0, nil, 0)
	return box
}

// prepare measures a paragraph's characters without breaking it into lines.
func (c *composer) prepare(p *wml.Paragraph, width float64, env environment) *paragraphBox {
	box := &paragraphBox{p: p, isDecorated: p.Shading != nil || hasBorders(&p.Borders), left: p.Left, right: p.Right, firstLine: p.FirstLine, width: width, isInCell: env.isInCell,
		defaultTab: c.doc.Settings.DefaultTab, keepsReturns: c.doc.Settings.KeepsReturnsUnexpanded, sendsTabsOn: c.doc.Settings.CompatMode >= 15}
	if !p.IsOffGrid {
		box.grid = env.grid
	}
	if p.RTL { // lines are set from their beginning and turned around then
		box.left, box.right = p.Right, p.Left
	}
	box.setGlyphs(c, env)
	if p.Label != nil {
		for box.labelGlyphs < len(box.glyphs) {
			box.labelGlyphs++
			if o := box.glyphs[box.labelGlyphs-1].object; o != nil && o.isLabelTab {
				break
			}
			if p.Label.Suffix != "tab" && box.labelGlyphs >= len([]rune(p.Label.Text)) {
				break
			}
		}
	}
	face := c.fonts.Face(p.Mark.Fonts.ASCII, p.Mark.Bold, p.Mark.Italic)
	box.mark.ascent, box.mark.descent = lineMetrics(face, math.Max(p.Mark.Size, 1))
	return box
}

// setGlyphs makes the glyphs of a paragraph that stands on the environment's page.
func (p *paragraphBox) setGlyphs(c *composer, env environment) {
	p.glyphs = c.glyphs(p.p, env)
	if p.page = ""; showsPage(p.p) {
		p.page = env.page
	}
	p.opensWith = wml.TextItem
	if i := p.breakAt(); i >= 0 {
		p.opensWith = p.glyphs[i].object.kind
	}
	if p.dropsBreak {
		p.dropBreak()
	}
}

func showsPage(p *wml.Paragraph) bool {
	return slices.ContainsFunc(p.Runs, func(r *wml.Run) bool {
		return slices.ContainsFunc(r.Items, func(item wml.Item) bool { return item.Kind == wml.PageFieldItem })
	})
}

// A stretch is a part of a line that text may stand in, from the column's left edge.
type stretch struct{ left, right float64 }

// room tells which stretches of the column at a height are free of objects that text
// runs around, and the skip down to them; there is at least one.
type room func(y, height float64) (skip float64, free []stretch)

// compose breaks the glyphs from one on into lines. With a room, y is the place
// of the first line's top on the page.
func (p *paragraphBox) compose(from int, free room, y float64) {
	p.lines = nil // of another box, perhaps, from which this was made
	b := &lineBreaker{box: p, glyphs: p.glyphs, turns: p.turns()}
	whole := []stretch{{0, p.width}}
	for from < len(p.glyphs) || len(p.lines) == 0 {
		skip, stretches := 0.0, whole
		if free != nil {
			lead, height := p.roomFrom(from, len(p.lines) == 0)
			skip, stretches = free(y+lead, height)
		}
		n := len(p.lines)
		isFirst := n == 0
		if from == 0 && skip > 0 { // below an object LibreOffice leaves the room above the paragraph once more
			more := 0.0
			more, stretches = free(y+skip+p.above, p.heightFrom(0))
			skip, isFirst = skip+p.above+more, false
		}
		to := p.composeRow(b, from, stretches, isFirst)
		p.lines[n].skip = skip
		y += p.lines[n].height + skip
		if to <= from && to < len(p.glyphs) { // cannot be; never loop
			return
		}
		from = to
	}
	p.afterBreak(b)
	if p.extra = 0; p.p.LineRule == "auto" && p.p.Line > 1 {
		p.extra = twips(p.lines[len(p.lines)-1].textNatural * (p.p.Line - 1))
	}
}

// composeRow breaks the glyphs from one on into lines that stand side by side, one in
// each stretch that has room for a word, as high as the highest of them. It returns the
// glyph behind them.
func (p *paragraphBox) composeRow(b *lineBreaker, from int, stretches []stretch, isFirst bool) (to int) {
	if p.p.RTL {
		slices.Reverse(stretches)
	}
	start := len(p.lines)
	ascent, below := 0.0, 0.0
	for i, s := range stretches {
		b.isBeside = len(p.lines) > start
		ln := b.next(from, s.left, s.right)
		if b.isForced && (i+1 < len(stretches) || b.isBeside) {
			continue
		}
		p.space(ln, isFirst)
		p.lines = append(p.lines, ln)
		ascent, below = math.Max(ascent, ln.ascent), math.Max(below, ln.height-ln.ascent)
		if from = ln.to; from >= len(p.glyphs) || ln.breakKind != wml.TextItem {
			break
		}
	}
	b.isBeside = false
	for i, ln := range p.lines[start:] {
		if ln.ascent, ln.height = ascent, ascent+below; i > 0 {
			ln.skip = -ln.height
		}
	}
	return from
}

// roomFrom guesses the room that the line which begins at a glyph takes beside objects: how
// far below its top that begins, and its height. What proportional spacing opens stands above
// lines here; beside objects it counts as the room below the line, as in LibreOffice.
func (p *paragraphBox) roomFrom(from int, isFirst bool) (lead, height float64) {
	height = p.heightFrom(from)
	if p.p.LineRule != "auto" || p.p.Line <= 1 || p.grid > 0 {
		return 0, height
	}
	extra := twips(height * (p.p.Line - 1))
	if isFirst {
		return 0, height + extra
	}
	return extra, height + extra
}

// heightFrom guesses the height of the line that begins at a glyph.
func (p *paragraphBox) heightFrom(from int) float64 {
	for ; from < len(p.glyphs); from++ {
		if g := &p.glyphs[from]; g.object == nil || !g.object.takesNoRoom() {
			if g.object != nil && g.object.formula != nil {
				f := g.object.formula
				return math.Max(g.style.ascent, f.Ascent) + math.Max(g.style.descent, f.Descent)
			}
			return g.style.ascent + g.style.descent
		}
	}
	return p.mark.ascent + p.mark.descent
}

// afterBreak gives a line break at the paragraph's end the empty line behind it.
func (p *paragraphBox) afterBreak(b *lineBreaker) {
	last := p.lines[len(p.lines)-1]
	if last.breakKind != wml.BreakItem {
		return
	}
	ln := b.next(len(p.glyphs), 0, p.width)
	p.space(ln, false)
	p.lines = append(p.lines, ln)
}

// exactAscent is the part of a line above its baseline where its height is not
// that of its letters, as LibreOffice has it.
const exactAscent = 0.8

// space applies the paragraph's line spacing. isFirst is true for the first line
// of the paragraph on a page: proportional spacing opens no room above it.
func (p *paragraphBox) space(ln *line, isFirst bool) {
	ln.ascent, ln.height = ln.natural-ln.descent, ln.natural
	if p.grid > 0 {
		p.snap(ln, isFirst)
		return
	}
	switch spacing := p.p.Line; p.p.LineRule {
	case "exact":
		ln.height, ln.ascent = spacing, spacing*exactAscent
	case "atLeast":
		if spacing > ln.natural {
			ln.ascent += spacing - ln.natural
			ln.height = spacing
		}
	default:
		switch {
		case spacing < 1 && isFirst:
			ln.height = ln.natural * spacing
			ln.ascent = ln.height * exactAscent
		case spacing < 1:
			ln.ascent -= ln.natural * (1 - spacing)
			ln.height = ln.natural * spacing
		case spacing > 1 && !isFirst:
			extra := twips(ln.textNatural * (spacing - 1))
			ln.ascent += extra
			ln.height += extra
		}
	}
}

// snap puts a line on the document grid, in the middle of as many rows as it needs.
// LibreOffice does so with lines of an exact or least height, too.
func (p *paragraphBox) snap(ln *line, isFirst bool) {
	rows := math.Max(math.Ceil((ln.natural-gridTolerance)/p.grid), 1)
	height := rows * p.grid
	ln.ascent += (height - ln.natural) / 2
	if p.p.LineRule == "auto" && p.p.Line > 1 && !isFirst {
		extra := height * (p.p.Line - 1)
		ln.ascent += extra
		height += extra
	}
	ln.height = height
}

func hasBorders(b *wml.ParagraphBorders) bool {
	return b.Top.IsVisible() || b.Bottom.IsVisible() || b.Left.IsVisible() || b.Right.IsVisible()
}

// joins says whether two paragraphs share one frame of borders or one
// background (ECMA-376 part 1, 17.3.1.24).
func joins(a, b *wml.Paragraph) bool {
	if a == nil || b == nil {
		return false
	}
	if !hasBorders(&a.Borders) && a.Shading == nil {
		return false
	}
	return sameBorder(a.Borders.Top, b.Borders.Top) && sameBorder(a.Borders.Bottom, b.Borders.Bottom) && sameBorder(a.Borders.Left, b.Borders.Left) &&
		sameBorder(a.Borders.Right, b.Borders.Right) && sameColor(a.Shading, b.Shading) && frameLeft(a) == frameLeft(b) && a.Right == b.Right
}

func sameBorder(a, b *wml.Border) bool {
	if !a.IsVisible() || !b.IsVisible() {
		return a.IsVisible() == b.IsVisible()
	}
	return a == b || a.Style == b.Style && a.Width == b.Width && a.Space == b.Space && sameColor(a.Color, b.Color)
}

// frameLeft is where borders and background of a paragraph begin: a first line that
// hangs out is inside them.
func frameLeft(p *wml.Paragraph) float64 { return p.Left + min(p.FirstLine, 0) }

func sameColor(a, b *dml.RGB) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// joinBorders sets what borders need around the text, knowing the neighbours.
func (p *paragraphBox) joinBorders(previous, next *wml.Paragraph) {
	p.top, p.bottom = 0, 0
	p.joinsPrevious, p.joinsNext = joins(previous, p.p), joins(p.p, next)
	if b := p.p.Borders.Top; b.IsVisible() && !p.joinsPrevious {
		p.top = lineRoom(b) + b.Space
	}
	if b := p.p.Borders.Between; b.IsVisible() && p.joinsPrevious {
		p.top = lineRoom(b) + b.Space
	}
	if b := p.p.Borders.Bottom; b.IsVisible() && !p.joinsNext {
		p.bottom = lineRoom(b) + b.Space
	}
}

// least is the height of the lines that may not be parted from a heading above.
func (p *paragraphBox) least() float64 {
	n := 1
	if p.p.WidowControl {
		n = 2
		if len(p.lines) == 3 {
			n = 3
		}
	}
	if p.p.KeepLines {
		n = len(p.lines)
	}
	h := p.top
	for i := 0; i < n && i < len(p.lines); i++ {
		h += p.lines[i].height
	}
	return h
}

// withoutBreak is the paragraph without the break that its text begins with.
func (p *paragraphBox) withoutBreak() *paragraphBox {
	rest := *p
	rest.dropsBreak = true
	rest.dropBreak()
	rest.compose(0, nil, 0)
	return &rest
}

func (p *paragraphBox) dropBreak() {
	if i := p.breakAt(); i >= 0 {
		p.glyphs, p.opensWith = append(p.glyphs[:i:i], p.glyphs[i+1:]...), wml.TextItem
	}
}

// breakAt is the glyph of a page or column break that is the first thing in the
// text, -1 where there is none.
func (p *paragraphBox) breakAt() int {
	for i := range p.glyphs {
		o := p.glyphs[i].object
		if o != nil && o.takesNoRoom() {
			continue
		}
		if o != nil && (o.kind == wml.PageBreakItem || o.kind == wml.ColumnBreakItem) && i+1 < len(p.glyphs) {
			return i
		}
		break
	}
	return -1
}

// turns says whether text of the paragraph runs from right to left.
func (p *paragraphBox) turns() bool {
	return p.p.RTL || slices.ContainsFunc(p.glyphs, func(g glyph) bool { return g.level > 0 })
}
