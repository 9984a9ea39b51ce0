package flow

import (
	"slices"

	"github.com/platenhq/platen/internal/render/bidi"
)

// turn puts the glyphs of a composed line where they are seen. Lines are composed
// as if all text ran from left to right; those of a paragraph that runs the other
// way are turned around between the two edges of the column.
func (b *lineBreaker) turn(ln *line, left, right float64) {
	count := ln.visible - ln.from
	if count <= 0 {
		return
	}
	base := uint8(0)
	if b.box.p.RTL {
		base = 1
	}
	levels, widths := b.levelsOf(ln, base)
	ln.visual = bidi.Order(levels)
	first := ln.xs[0]
	x := first
	for _, i := range ln.visual {
		ln.xs[i] = x
		x += widths[i]
	}
	if base == 1 {
		slices.Reverse(ln.visual)
		edges := left + right
		for i, w := range widths {
			ln.xs[i] = edges - ln.xs[i] - w
		}
		for i := count; i < len(ln.xs); i++ { // spaces at the end, and what takes no room
			ln.xs[i] = edges - ln.end
		}
		for i := range ln.leaders {
			l := &ln.leaders[i]
			l.from, l.to = edges-l.to, edges-l.from
		}
		ln.end = edges - first
	}
	for i := range ln.visual {
		ln.visual[i] += ln.from
	}
}

// levelsOf gives the visible glyphs of a line their levels above that of their
// paragraph, and their widths in the line.
func (b *lineBreaker) levelsOf(ln *line, base uint8) (levels []uint8, widths []float64) {
	count := ln.visible - ln.from
	runes := make([]rune, count)
	levels, widths = make([]uint8, count), make([]float64, count)
	for i := range count {
		g := &b.glyphs[ln.from+i]
		runes[i], levels[i] = g.r, max(g.level, base)
		if g.object != nil && g.object.isTab() {
			runes[i] = '\t'
		}
		end := ln.end
		if i+1 < count {
			end = ln.xs[i+1]
		}
		widths[i] = end - ln.xs[i]
	}
	bidi.EndSpaces(levels, runes, base)
	for i := range levels {
		levels[i] -= base
	}
	return levels, widths
}
