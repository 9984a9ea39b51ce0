package layout

import "github.com/platenhq/platen/internal/drive/office"

// canBreak says whether a line may end after glyph i.
func canBreak(glyphs []glyph, i int) bool {
	if i+1 >= len(glyphs) {
		return true
	}
	g, next := &glyphs[i], &glyphs[i+1]
	if g.object != nil || next.object != nil {
		return canBreakAtObject(g, next)
	}
	before := rune(0)
	if i > 0 && glyphs[i-1].object == nil {
		before = glyphs[i-1].r
	}
	return mayBreak(before, g.r, next.r, breakPolicy{})
}

func canBreakAtObject(g, next *glyph) bool {
	if next.object != nil && next.object.takesNoRoom() {
		return g.object == nil && isSpace(g.r)
	}
	if g.object != nil && g.object.takesNoRoom() {
		return false
	}
	if g.object != nil && g.object.kind == office.TabItem {
		return next.object != nil || !isSpace(next.r)
	}
	if next.object != nil && next.object.kind == office.TabItem {
		return true
	}
	if g.object == nil {
		return isSpace(g.r) || next.object.kind == office.DrawingItem
	}
	return next.object != nil || !isSpace(next.r)
}

// takesNoRoom is true for what stands in the text without being seen there.
func (o *object) takesNoRoom() bool {
	switch o.kind {
	case office.BookmarkItem, office.FootnoteItem, office.EndnoteItem:
		return true
	case office.DrawingItem:
		return o.drawing == nil || o.drawing.Anchor != nil
	}
	return false
}
