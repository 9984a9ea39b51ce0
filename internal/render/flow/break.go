package flow

import (
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/linebreak"
)

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
