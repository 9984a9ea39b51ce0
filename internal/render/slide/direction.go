package slide

import (
	"slices"

	"github.com/platenhq/platen/internal/render/bidi"
	"github.com/platenhq/platen/internal/render/pdf"
)

// shapeGlyphs gives characters their direction, and those that the font shapes their form
// and width.
func shapeGlyphs(glyphs []slideGlyph, isRTL bool, scale float64) {
	if !isRTL && !slices.ContainsFunc(glyphs, func(g slideGlyph) bool { return pdf.NeedsShaping(g.r) }) {
		return
	}
	runes, faces := make([]rune, len(glyphs)), make([]*pdf.Face, len(glyphs))
	for i, g := range glyphs {
		if runes[i] = g.letter(); g.formula == nil {
			faces[i] = g.face
		}
	}
	levels := bidi.Levels(runes, isRTL)
	for from := 0; from < len(glyphs); { // sizes part what is shaped together, and nothing else does
		to := from + 1
		for to < len(glyphs) && glyphs[to].size == glyphs[from].size {
			to++
		}
		for i, cluster := range pdf.Shape(runes[from:to], faces[from:to], levels[from:to]) {
			g := &glyphs[from+i]
			if cluster == nil || g.formula != nil || g.r == '\t' || g.r == '\n' {
				continue
			}
			g.cluster, g.width = cluster, 0
			if !cluster.IsJoined() {
				g.width = cluster.Advance*g.size + g.run.Spacing*scale
			}
		}
		from = to
	}
	for i := range glyphs {
		glyphs[i].level = levels[i]
	}
}

// inVisualOrder are the characters of a line from left to right. Spaces at its end
// stay there: nobody sees them.
func inVisualOrder(glyphs []slideGlyph, isRTL bool) []slideGlyph {
	if !isRTL && !slices.ContainsFunc(glyphs, func(g slideGlyph) bool { return g.level > 0 }) {
		return glyphs
	}
	end := len(glyphs)
	for end > 0 && glyphs[end-1].r == ' ' {
		end--
	}
	runes, levels := make([]rune, end), make([]uint8, end)
	for i, g := range glyphs[:end] {
		runes[i], levels[i] = g.r, g.level
	}
	base := uint8(0)
	if isRTL {
		base = 1
	}
	bidi.EndSpaces(levels, runes, base)
	out := make([]slideGlyph, 0, len(glyphs))
	for _, i := range bidi.Order(levels) {
		out = append(out, glyphs[i])
		out[len(out)-1].place = i
	}
	for i, g := range glyphs[end:] {
		g.place = end + i
		out = append(out, g)
	}
	return out
}
