package flow

import (
	"math"
	"slices"

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

type tabLeader struct {
	tab      int // its glyph
	from, to float64
	kind     string
	style    *textStyle
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
	if g.object != nil && g.object.kind == wml.TabItem {
		return next.object != nil || !linebreak.IsSpace(next.r)
	}
	if next.object != nil && next.object.kind == wml.TabItem {
		return true
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

// alignLabel moves a list label that ends or is centred at its position.
func (b *lineBreaker) alignLabel(from int) {
	label := b.box.p.Label
	if from != 0 || label == nil || label.Align == "left" {
		return
	}
	w := 0.0
	for i := 0; i < b.box.labelGlyphs; i++ {
		if b.glyphs[i].object == nil {
			w += b.glyphs[i].width
		}
	}
	if label.Align == "center" {
		w /= 2
	}
	b.x -= w
}

// pendingTab is a centred, right or decimal tab whose text is still coming.
type pendingTab struct {
	align   string
	from    float64 // where the tab begins
	stop    float64
	index   int // of the tab glyph
	width   float64
	decimal float64 // width before the decimal sign, -1 while none was seen
	sign    rune    // the decimal sign
	isSure  bool    // another sign stood before it
	leader  string
	// limit is where the text may end, 0 for anywhere.
	limit float64
}

// advance moves on by a glyph's width and returns where it ends, pending tabs considered.
func (b *lineBreaker) advance(i int, w float64) float64 {
	if b.tab.align == "" {
		b.x += w
		return b.x
	}
	t := &b.tab
	// Of two different signs in a number, the first one parts its thousands.
	if r := b.glyphs[i].r; t.align == "decimal" && (r == '.' || r == ',') && (t.decimal < 0 || !t.isSure && r != t.sign) {
		t.isSure = t.decimal >= 0
		t.decimal, t.sign = t.width, r
	}
	t.width += w
	b.x += w
	return t.start() + t.width
}

// start is where the tab's text begins as far as it is known.
func (t *pendingTab) start() float64 {
	at := t.stop
	switch t.align {
	case "center":
		at -= t.width / 2
	case "right":
		at -= t.width
	case "decimal":
		if t.decimal >= 0 {
			at -= t.decimal
		} else {
			at -= t.width
		}
	}
	if t.limit > 0 {
		at = math.Min(at, t.limit-t.width)
	}
	return math.Max(at, t.from)
}

// alignNumber begins a line of a cell whose only tab stop is a decimal one: its
// text stands there without a tab, as in Word (LibreOffice's
// SwAutoTabDecimalPortion), and inside the cell.
func (b *lineBreaker) alignNumber(from int, left float64) {
	p := b.box
	if !p.isInCell || len(p.p.Tabs) != 1 || p.p.Tabs[0].Align != "decimal" || p.labelGlyphs > 0 {
		return
	}
	if slices.ContainsFunc(b.glyphs, func(g glyph) bool { return g.object != nil && g.object.kind == wml.TabItem }) {
		return
	}
	b.tab = pendingTab{align: "decimal", from: b.x, stop: left + p.p.Tabs[0].Pos, index: from - 1, decimal: -1, limit: b.limit}
}

// closeTab moves the text of a pending tab to its place; to is the glyph behind it.
func (b *lineBreaker) closeTab(to int) {
	t := &b.tab
	if t.align == "" {
		return
	}
	first := b.from
	// Spaces at the end of the line hang over.
	for i := to - 1; i > t.index && hangsOver(&b.glyphs[i]); i-- {
		t.width -= b.glyphs[i].width
	}
	by := t.start() - t.from
	for i := t.index + 1 - first; i < len(b.xs); i++ {
		if i >= 0 {
			b.xs[i] += by
		}
	}
	b.x += by
	b.tabEnd = t.start()
	b.leader(t.leader, t.index, t.from, b.tabEnd)
	b.tab = pendingTab{}
}

func (b *lineBreaker) leader(kind string, tab int, from, to float64) {
	if kind != "" && to-from > 1 {
		b.leaders = append(b.leaders, tabLeader{tab: tab, from: from, to: to, kind: kind, style: b.glyphs[tab].style})
	}
}

// usualMargin is how far text may stand beyond the margin, where a tab stop puts it
// there: as far as the paper goes, where nobody sets the margin narrower than usual.
const usualMargin = 72.0

// placeTab puts the tab glyph i into the line; false means that it belongs on
// the next one.
func (b *lineBreaker) placeTab(i int, left float64, mayWrap bool) bool {
	b.closeTab(i)
	stop := b.nextStop(i, b.x-left)
	at := stop.Pos + left
	if at > b.limit+lineTolerance {
		isOwn := slices.Contains(b.box.p.Tabs, stop)
		switch {
		case stop.Align == "left" && isOwn && mayWrap && b.box.sendsTabsOn && !b.hasOnlyLabel(0, i):
			return false
		case stop.Align == "left" && isOwn && !b.box.sendsTabsOn && at < b.limit+usualMargin:
			b.limit += usualMargin
		case stop.Align == "left" && mayWrap && !b.hasOnlyLabel(0, i) && b.x >= b.limit-fullTolerance:
			return false
		case stop.Align == "left":
			at = math.Max(b.x, math.Min(at, b.limit))
		default:
			b.limit = at // LibreOffice's "tab over margin", as Word does
		}
	}
	b.xs = append(b.xs, b.x)
	b.lastTab = i + 1
	if stop.Align == "left" {
		b.leader(stop.Leader, i, b.x, at)
		b.x = math.Max(b.x, at)
		b.tabEnd = b.x
		return true
	}
	b.tab = pendingTab{align: stop.Align, from: b.x, stop: at, index: i, decimal: -1, leader: stop.Leader}
	return true
}

// nextStop finds the tab stop behind x, which counts from the column's edge.
func (b *lineBreaker) nextStop(i int, x float64) wml.Tab {
	p := b.box
	if o := b.glyphs[i].object; o.kind == wml.PositionTabItem {
		switch o.item.Text {
		case "center":
			return wml.Tab{Align: "center", Pos: (b.limit) / 2}
		case "right":
			return wml.Tab{Align: "right", Pos: b.limit}
		}
		return wml.Tab{Align: "left", Pos: math.Max(p.left, x)}
	}
	last := 0.0
	isHanging := p.firstLine < 0 && p.left > x+stopTolerance
	for _, t := range p.p.Tabs {
		if t.Align == "bar" {
			continue
		}
		last = math.Max(last, t.Pos)
		if t.Pos > x+stopTolerance {
			if isHanging && p.left < t.Pos {
				return wml.Tab{Align: "left", Pos: p.left}
			}
			return t
		}
	}
	if isHanging {
		return wml.Tab{Align: "left", Pos: p.left}
	}
	step := p.defaultTab
	n := math.Floor((x+stopTolerance)/step) + 1
	return wml.Tab{Align: "left", Pos: n * step}
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
	switch b.box.align() {
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
