package flow

import (
	"math"
	"strings"

	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// A span is a stretch of a line with one style, tabs included: what stands from
// the first to in front of the last place from the left, between two edges.
type span struct {
	style       *textStyle
	first, last int
	from, to    float64
}

// spans calls do for the spans of the glyphs before last, which end at end.
func (ln *line) spans(last int, end float64, isSame func(a, b *textStyle) bool, do func(span)) {
	style := func(k int) *textStyle { return ln.box.glyphs[ln.at(k)].style }
	count := last - ln.from
	for i := 0; i < count; {
		s := style(i)
		j := i
		for j < count && (style(j) == s || isSame(style(j), s)) {
			j++
		}
		to := end
		if j < count {
			to = math.Min(end, ln.xs[ln.at(j)-ln.from])
		}
		do(span{s, i, j, ln.xs[ln.at(i)-ln.from], to})
		i = j
	}
}

// backgrounds paints highlighting and run shading.
func (p *painter) backgrounds(ln *line, x, baseline float64) {
	hasBackground := false
	for i := ln.from; i < ln.visible && !hasBackground; i++ {
		hasBackground = ln.box.glyphs[i].style.back != nil
	}
	if !hasBackground {
		return
	}
	ln.spans(ln.visible, ln.end, func(a, b *textStyle) bool { return sameColor(a.back, b.back) && a.size == b.size }, func(at span) {
		if s := at.style; s.back != nil && at.to > at.from {
			p.canvas.FillRect(x+at.from, baseline-s.ascent, at.to-at.from, s.ascent+s.descent, *s.back)
		}
	})
}

// decorations draws underlines, strike-throughs and links.
func (p *painter) decorations(ln *line, x, baseline float64) {
	last, end := ln.underlineEnd()
	isDecorated := false
	for i := ln.from; i < last && !isDecorated; i++ {
		s := ln.box.glyphs[i].style
		isDecorated = s.underline != "" || s.isStruck || s.link != nil || s.border.IsVisible()
	}
	if !isDecorated {
		return
	}
	ln.spans(last, end, func(a, b *textStyle) bool {
		return a.underline == b.underline && a.underlineColor == b.underlineColor && a.lineSize == b.lineSize && a.raise == b.raise &&
			a.face.Family == b.face.Family && a.isStruck == b.isStruck && a.link == b.link && sameBorder(a.border, b.border)
	}, func(at span) {
		s := at.style
		if at.to <= at.from {
			return
		}
		if s.underline == "words" {
			p.underlineWords(ln, at, x, baseline)
		} else {
			p.underline(s, x+at.from, x+at.to, baseline)
		}
		if s.isStruck {
			p.strike(s, x+at.from, x+at.to, baseline-s.raise)
		}
		if at.to = math.Min(at.to, ln.end); at.to <= at.from {
			return
		}
		if s.link != nil {
			i := ln.at(at.first)
			p.beginText(ln.box, i)
			p.link(s.link, x+at.from, baseline-s.ascent, at.to-at.from, s.ascent+s.descent)
			p.endText(ln.box, i)
		}
		if s.border.IsVisible() {
			p.canvas.Rect(x+at.from, baseline-s.ascent, at.to-at.from, s.ascent+s.descent, nil, strokeOf(s.border))
		}
	})
}

// underlineEnd is the end of the spaces that hang over the end of a line, as far as
// its room goes: LibreOffice underlines them, and forms are signed on them.
func (ln *line) underlineEnd() (to int, end float64) {
	to, end = ln.visible, ln.end
	if ln.visual != nil {
		return to, end
	}
	for i := ln.visible; i < ln.to; i++ {
		if g := &ln.box.glyphs[i]; g.object == nil {
			to, end = i+1, ln.xs[i-ln.from]+g.width
		}
	}
	return to, math.Max(ln.end, math.Min(end, ln.limit))
}

// isDrawnWith says whether two glyphs are drawn together.
func (g *glyph) isDrawnWith(other *glyph) bool {
	return g.object == nil && g.style == other.style && (g.cluster == nil) == (other.cluster == nil)
}

// underlineWords leaves spaces out.
func (p *painter) underlineWords(ln *line, at span, x, baseline float64) {
	isGap := func(i int) bool { g := &ln.box.glyphs[ln.at(i)]; return g.object == nil && linebreak.IsSpace(g.r) }
	for i := at.first; i < at.last; i++ {
		if isGap(i) {
			continue
		}
		first := i
		for i < at.last && !isGap(i) {
			i++
		}
		to := at.to
		if i < at.last {
			to = ln.xs[ln.at(i)-ln.from]
		}
		p.underline(at.style, x+ln.xs[ln.at(first)-ln.from], x+to, baseline)
	}
}

func (p *painter) underline(s *textStyle, from, to, baseline float64) {
	if s.underline == "" || to <= from {
		return
	}
	offset, thick := s.face.Underline(s.lineSize)
	stroke := pdf.Stroke{Color: s.underlineColor, Width: math.Max(thick, minStroke)}
	y := baseline + offset
	if s.raise < 0 {
		y -= s.raise
	}
	kind := strings.ToLower(s.underline)
	switch {
	case strings.Contains(kind, "dott"):
		stroke.Dash = []float64{stroke.Width, stroke.Width * 2}
	case strings.Contains(kind, "dash"):
		stroke.Dash = []float64{stroke.Width * 4, stroke.Width * 2}
	}
	switch {
	case strings.Contains(kind, "thick") || strings.Contains(kind, "heavy"):
		stroke.Width *= 2
	case strings.Contains(kind, "double"):
		stroke.Width *= 0.75
		p.canvas.StrokeLine(from, y+stroke.Width*2, to, y+stroke.Width*2, stroke)
	case strings.Contains(kind, "wav"):
		p.wave(from, to, y, stroke)
		return
	}
	p.canvas.StrokeLine(from, y, to, y, stroke)
}

func (p *painter) wave(from, to, y float64, stroke pdf.Stroke) {
	step := stroke.Width * 2
	points := []pdf.Point{{X: from, Y: y}}
	for x, isUp := from+step, true; x < to && len(points) < maxSigns; x, isUp = x+step, !isUp {
		at := y + stroke.Width
		if isUp {
			at = y - stroke.Width
		}
		points = append(points, pdf.Point{X: x, Y: at})
	}
	p.canvas.Polyline(points, stroke)
}

func (p *painter) strike(s *textStyle, from, to, baseline float64) {
	offset, thick := s.face.Strikethrough(s.size)
	stroke := pdf.Stroke{Color: s.color, Width: math.Max(thick, minStroke)}
	if !s.isStruckTwice {
		p.canvas.StrokeLine(from, baseline-offset, to, baseline-offset, stroke)
		return
	}
	stroke.Width *= 0.75
	for _, d := range []float64{-1, 1} {
		p.canvas.StrokeLine(from, baseline-offset+d*stroke.Width, to, baseline-offset+d*stroke.Width, stroke)
	}
}
