package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/wml"
)

type tabLeader struct {
	tab      int // its glyph
	from, to float64
	kind     string
	style    *textStyle
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
