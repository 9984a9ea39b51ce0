package flow

import (
	"math"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/linebreak"
)

// line is one line of a paragraph. x counts from the column's left edge.
type line struct {
	box      *paragraphBox
	from, to int // glyphs, trailing spaces included
	visible  int // end of the glyphs without trailing spaces
	xs       []float64
	start    float64 // where the text may begin
	end      float64 // where what is seen ends
	limit    float64 // where the room for text ends
	// ascent is the distance of the baseline from the line's top, with all
	// that line spacing adds; height is the whole line.
	ascent, height float64
	descent        float64
	natural        float64 // height without line spacing
	textNatural    float64 // the same, of characters only
	hasObject      bool
	breakKind      wml.ItemKind // BreakItem, PageBreakItem, ColumnBreakItem; TextItem for none
	leaders        []tabLeader
	showsHyphen    bool // ends in a soft hyphen that is shown
	isLast         bool
	isNarrowed     bool // composed beside an object
	// visual has the glyphs in front of visible from left to right; nil is their own order.
	visual []int
	skip   float64 // room above the line that wrapped objects take
}

// lineBreaker composes one line after the other.
type lineBreaker struct {
	box     *paragraphBox
	glyphs  []glyph
	from    int
	xs      []float64
	x       float64
	limit   float64
	tab     pendingTab
	leaders []tabLeader
	lastTab int     // index behind the last tab, where justified text begins
	tabEnd  float64 // where the last tab ends
	// isForced says that the line ends within a word, isBeside that it stands right of
	// another of its paragraph, hangs that its last sign stands behind its end.
	isForced, isBeside, hangs bool
	// turns is true for paragraphs with text from right to left.
	turns bool
}

// next composes the line that begins at glyph from, between left and right of
// the column.
func (b *lineBreaker) next(from int, left, right float64) *line {
	p := b.box
	indent := p.left
	if from == 0 {
		indent += p.firstLine
	}
	if b.isBeside {
		indent = 0
	}
	b.xs = make([]float64, 0, min(len(b.glyphs)-from, 160))
	b.from, b.x, b.isForced, b.hangs = from, left+indent, false, false
	b.limit = math.Min(right, p.width-p.right)
	b.leaders, b.tab, b.lastTab = nil, pendingTab{}, from
	ln := &line{box: p, from: from, start: b.x}
	if b.limit-b.x < minLine {
		b.limit = b.x + minLine
	}
	b.alignLabel(from)
	b.alignNumber(from, left)
	to, kind := b.fill(from, left)
	ln.to, ln.breakKind = to, kind
	ln.isLast = to >= len(b.glyphs)
	ln.visible = to
	for ln.visible > from && hangsOver(&b.glyphs[ln.visible-1]) {
		ln.visible--
	}
	b.closeTab(to)
	ln.xs, ln.leaders, ln.limit = b.xs, b.leaders, b.limit
	ln.end = b.endOf(ln)
	if to > from && b.glyphs[to-1].r == '\u00AD' && !ln.isLast {
		ln.showsHyphen = true
	}
	b.align(ln, b.limit)
	b.measure(ln)
	if b.turns {
		b.turn(ln, left, right)
	}
	return ln
}

// fill places glyphs until the line is full and returns where the next begins.
func (b *lineBreaker) fill(from int, left float64) (to int, kind wml.ItemKind) {
	lastBreak := -1
	for i := from; i < len(b.glyphs); i++ {
		g := &b.glyphs[i]
		if o := g.object; o != nil {
			switch o.kind {
			case wml.BreakItem, wml.PageBreakItem, wml.ColumnBreakItem:
				b.xs = append(b.xs, b.x)
				return i + 1, o.kind
			case wml.TabItem, wml.PositionTabItem:
				if !b.placeTab(i, left, i > from) {
					return i, wml.TextItem
				}
				lastBreak = i + 1
				continue
			}
		}
		b.xs = append(b.xs, b.x)
		end := b.advance(i, g.width)
		if end > b.limit+lineTolerance && !hangsOver(g) && i > from {
			if b.mayHang(i) {
				b.hangs = true
				return i + 1, wml.TextItem
			}
			if lastBreak > from {
				b.xs = b.xs[:lastBreak-from]
				return lastBreak, wml.TextItem
			}
			if at := wholeCluster(b.glyphs, from, i); !b.hasOnlyLabel(from, at) {
				b.xs, b.isForced = b.xs[:at-from], true
				return at, wml.TextItem
			}
		}
		if canBreak(b.glyphs, i) {
			lastBreak = i + 1
		}
	}
	return len(b.glyphs), wml.TextItem
}

// canBreak says whether a line may end after glyph i.
func canBreak(glyphs []glyph, i int) bool {
	if i+1 >= len(glyphs) {
		return true
	}
	g, next := &glyphs[i], &glyphs[i+1]
	if next.cluster.IsJoined() || next.isHeld {
		return false
	}
	if g.object != nil || next.object != nil && next.object.guide == nil {
		return canBreakAtObject(g, next)
	}
	before := rune(0)
	if i > 0 && glyphs[i-1].object == nil {
		before = glyphs[i-1].r
	}
	return linebreak.Allowed(before, g.r, next.r, linebreak.Policy{})
}

func canBreakAtObject(g, next *glyph) bool {
	if next.object != nil && next.object.takesNoRoom() {
		return g.object == nil && linebreak.IsSpace(g.r)
	}
	if g.object != nil && g.object.takesNoRoom() {
		return false
	}
	if g.object != nil && g.object.formula != nil && next.object == nil { // as behind a letter
		return linebreak.Allowed(0, 'x', next.r, linebreak.Policy{})
	}
	if g.object != nil && g.object.kind == wml.TabItem {
		return next.object != nil || !linebreak.IsSpace(next.r)
	}
	if next.object != nil && next.object.kind == wml.TabItem {
		return true
	}
	if g.object == nil && next.object.formula != nil {
		return linebreak.Allowed(0, g.r, 'x', linebreak.Policy{})
	}
	if g.object == nil {
		return linebreak.IsSpace(g.r) || next.object.kind == wml.DrawingItem
	}
	return next.object != nil || !linebreak.IsSpace(next.r)
}

// takesNoRoom is true for what stands in the text without being seen there.
func (o *object) takesNoRoom() bool {
	switch o.kind {
	case wml.BookmarkItem, wml.FootnoteItem, wml.EndnoteItem:
		return true
	case wml.DrawingItem:
		return o.drawing == nil || o.drawing.Anchor != nil
	}
	return false
}

func (o *object) isTab() bool { return o.kind == wml.TabItem || o.kind == wml.PositionTabItem }

// mayHang says whether glyph i may stand behind the end of its line (ECMA-376 part 1,
// 17.3.1.21).
func (b *lineBreaker) mayHang(i int) bool {
	g := &b.glyphs[i]
	return g.object == nil && !b.box.p.KeepsPunctuation && linebreak.Hangs(g.r, g.style.eastAsianLang) && eastAsianLetter(g.style.eastAsianLang) != 0 &&
		b.xs[i-b.from] <= b.limit+lineTolerance && canBreak(b.glyphs, i)
}

// wholeCluster is the beginning of the cluster that glyph i belongs to, or i where
// that is the line's beginning.
func wholeCluster(glyphs []glyph, from, i int) int {
	at := i
	for at > from && glyphs[at].cluster.IsJoined() {
		at--
	}
	if at == from {
		return i
	}
	return at
}

// hangsOver is true for what hangs over the end of a line.
func hangsOver(g *glyph) bool {
	if g.object != nil {
		switch g.object.kind {
		case wml.BreakItem, wml.PageBreakItem, wml.ColumnBreakItem:
			return true
		}
		return g.object.takesNoRoom()
	}
	return linebreak.IsSpace(g.r)
}

// hasOnlyLabel is true while nothing but a list label stands in the line.
func (b *lineBreaker) hasOnlyLabel(from, i int) bool {
	return from == 0 && i <= b.box.labelGlyphs
}

// align is the paragraph's alignment with "left" for the side that lines begin on.
func (p *paragraphBox) align() string {
	if p.p.RTL {
		switch p.p.Align {
		case "left":
			return "right"
		case "right":
			return "left"
		}
	}
	return p.p.Align
}

func (b *lineBreaker) endOf(ln *line) float64 {
	if ln.visible == ln.from {
		return ln.start
	}
	if ln.visible == b.lastTab {
		return b.tabEnd
	}
	i := ln.visible - 1
	if b.hangs {
		return b.xs[i-ln.from]
	}
	return b.xs[i-ln.from] + b.glyphs[i].width
}

// align shifts or stretches a line between its start and the limit.
func (b *lineBreaker) align(ln *line, limit float64) {
	slack := limit - ln.end
	if slack <= 0 {
		return
	}
	switch b.alignmentOf(ln) {
	case "center":
		b.shift(ln, slack/2)
	case "right":
		b.shift(ln, slack)
	case "both":
		if ln.isLast || ln.breakKind == wml.PageBreakItem || ln.breakKind == wml.ColumnBreakItem ||
			ln.breakKind == wml.BreakItem && b.box.keepsReturns {
			return
		}
		b.justify(ln, slack)
	case "distribute":
		b.distribute(ln, slack)
	}
}

// distribute spreads the slack of any line over all its letters behind the last tab: those of
// distributed paragraphs are parted like their words (ECMA-376 part 1, 17.18.44). Letters that
// join stay together.
func (b *lineBreaker) distribute(ln *line, slack float64) {
	from := max(b.lastTab, ln.from)
	parts := func(i int) bool {
		return b.glyphs[i].cluster == nil && b.glyphs[i-1].cluster == nil && !b.glyphs[i].isHeld
	}
	gaps := 0
	for i := from + 1; i < ln.visible; i++ {
		if parts(i) {
			gaps++
		}
	}
	if gaps == 0 {
		b.justify(ln, slack)
		return
	}
	each, add := slack/float64(gaps), 0.0
	for i := from + 1; i < ln.to; i++ {
		if i < ln.visible && parts(i) {
			add += each
		}
		ln.xs[i-ln.from] += add
	}
	ln.end += slack
}

func (b *lineBreaker) shift(ln *line, by float64) {
	for i := range ln.xs {
		ln.xs[i] += by
	}
	for i := range ln.leaders {
		ln.leaders[i].from += by
		ln.leaders[i].to += by
	}
	ln.end += by
}

// justify spreads the slack over the spaces behind the last tab.
func (b *lineBreaker) justify(ln *line, slack float64) {
	from := max(b.lastTab, ln.from)
	spaces := 0
	for i := from; i < ln.visible; i++ {
		if stretches(b.glyphs, i, ln.visible) {
			spaces++
		}
	}
	if spaces == 0 {
		return
	}
	each, add := slack/float64(spaces), 0.0
	for i := from; i < ln.to; i++ {
		ln.xs[i-ln.from] += add
		if i < ln.visible && stretches(b.glyphs, i, ln.visible) {
			add += each
		}
	}
	ln.end += slack
}

// stretches is true for spaces, and for East Asian characters, which have none.
func stretches(glyphs []glyph, i, visible int) bool {
	g := &glyphs[i]
	if g.object != nil || i+1 < len(glyphs) && glyphs[i+1].isHeld {
		return false
	}
	return g.r == ' ' || g.r == '\u00A0' || i+1 < visible && linebreak.IsIdeographic(g.r)
}

// measure computes the line's natural height from what stands in it.
func (b *lineBreaker) measure(ln *line) {
	var ascent, descent, objectAscent float64
	to := ln.visible
	if to == ln.from {
		to = ln.to
	}
	for i := ln.from; i < to; i++ {
		g := &b.glyphs[i]
		if o := g.object; o != nil {
			if o.kind == wml.DrawingItem && !o.takesNoRoom() {
				room := o.drawing.outsets()
				objectAscent = math.Max(objectAscent, o.drawing.height()+room.Top+room.Bottom)
			}
			if o.takesNoRoom() || o.kind == wml.DrawingItem {
				continue
			}
			if o.guide != nil {
				ascent = math.Max(ascent, o.guide.raise+o.guide.ascent)
			}
			if o.formula != nil {
				ascent, descent = math.Max(ascent, o.formula.Ascent), math.Max(descent, o.formula.Descent)
			}
		}
		ascent, descent = math.Max(ascent, g.style.ascent), math.Max(descent, g.style.descent)
	}
	if ascent == 0 && descent == 0 {
		if objectAscent == 0 || ln.from == ln.to {
			ascent, descent = b.box.mark.ascent, b.box.mark.descent
		}
	}
	ln.textNatural, ln.descent = ascent+descent, descent
	if ln.textNatural == 0 { // spacing is a part of the font's height even where only a picture stands
		ln.textNatural = b.box.mark.ascent + b.box.mark.descent
	}
	ln.ascent = math.Max(ascent, objectAscent)
	ln.hasObject = objectAscent > ascent
	ln.natural = ln.ascent + descent
	ln.height = ln.natural
}
