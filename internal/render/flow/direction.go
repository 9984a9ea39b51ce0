package flow

import (
	"slices"

	"github.com/platenhq/platen/internal/render/bidi"
	"github.com/platenhq/platen/internal/render/pdf"
)

// shape gives the glyphs their direction, and those that the font shapes their
// form and width.
func (b *glyphBuilder) shape(isRTL bool) {
	runes := make([]rune, len(b.out))
	faces := make([]*pdf.Face, len(b.out))
	for i := range b.out {
		g := &b.out[i]
		switch {
		case g.object != nil:
			runes[i] = objectRune
			if g.object.isTab() {
				runes[i] = '\t'
			}
		case pdf.Invisible(g.r) && i > 0: // joiners and marks of direction
			runes[i], faces[i] = g.r, faces[i-1]
		default:
			runes[i] = g.r
			var before *pdf.Face
			if i > 0 {
				before = faces[i-1]
			}
			faces[i], _ = pdf.FaceBehind(before, g.style.face, g.r)
		}
	}
	levels := bidi.Levels(runes, isRTL)
	for from := 0; from < len(runes); { // sizes part what is shaped together, and nothing else does
		to := from + 1
		for to < len(runes) && b.out[to].style.size == b.out[from].style.size {
			to++
		}
		for i, cluster := range pdf.Shape(runes[from:to], faces[from:to], levels[from:to]) {
			b.out[from+i].setCluster(cluster)
		}
		from = to
	}
	for i := range b.out {
		b.out[i].level = levels[i]
	}
}

func (g *glyph) setCluster(c *pdf.Cluster) {
	if c == nil {
		return
	}
	g.cluster, g.width = c, 0
	if !c.IsJoined() {
		g.width = c.Advance*g.style.size*g.style.scale + g.style.spacing
	}
}

// turns says whether text of the paragraph runs from right to left.
func (p *paragraphBox) turns() bool {
	return p.p.RTL || slices.ContainsFunc(p.glyphs, func(g glyph) bool { return g.level > 0 })
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

// at is the glyph that stands k-th from the left.
func (ln *line) at(k int) int {
	if ln.visual != nil {
		return ln.visual[k]
	}
	return ln.from + k
}

// part is a stretch of a line with one direction, from the first to in front of the
// last place from the left.
type part struct{ first, last int }

// parts are a line's parts in the order in which they are read: programs that read a
// PDF aloud, or copy from it, follow the order in which it is drawn.
func (ln *line) parts() []part {
	if ln.visual == nil {
		return []part{{0, ln.visible - ln.from}}
	}
	var parts []part
	for first := 0; first < len(ln.visual); {
		last, step := first+1, 0
		for last < len(ln.visual) {
			by := ln.visual[last] - ln.visual[last-1]
			if by != 1 && by != -1 || step != 0 && by != step {
				break
			}
			last, step = last+1, by
		}
		parts = append(parts, part{first, last})
		first = last
	}
	slices.SortFunc(parts, func(a, b part) int {
		return min(ln.visual[a.first], ln.visual[a.last-1]) - min(ln.visual[b.first], ln.visual[b.last-1])
	})
	return parts
}
