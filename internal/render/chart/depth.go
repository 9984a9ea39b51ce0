package chart

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// Charts in three dimensions are seen from the right and above: what lies behind stands to the
// right and higher. Angles of view, of which a file may have any, are not followed.
const (
	depthOfBars = 0.06 // of the shorter side of the plot
	rise        = 0.6  // how much higher what is behind stands, for each point to the right
	tilt        = 0.55 // of a pie: its height by its width
	thickness   = 0.2  // of a pie, by its radius
)

// hasDepth says that all plots are drawn in three dimensions.
func hasDepth(plots []*dml.ChartPlot) bool {
	for _, plot := range plots {
		if !plot.HasDepth {
			return false
		}
	}
	return len(plots) > 0
}

// setDepth takes the room for what is behind from the plot. Bars reach into the gap beside them.
func (p *chartPainter) setDepth() {
	if !hasDepth(p.Plots) {
		return
	}
	p.depth = depthOfBars * math.Min(p.inner.W, p.inner.H)
	p.inner.W -= p.depth
	p.inner.Y, p.inner.H = p.inner.Y+p.depth*rise, p.inner.H-p.depth*rise
}

// solid draws the sides of a bar that are seen beside its front.
func (p *chartPainter) solid(bar dml.Rect, fill *dml.ShapeFill, line *dml.ShapeLine) {
	if p.depth == 0 || fill == nil {
		return
	}
	x, y := p.depth, p.depth*rise
	right, bottom := bar.X+bar.W, bar.Y+bar.H
	p.paint(shape.Points(bar.X, bar.Y, bar.X+x, bar.Y-y, right+x, bar.Y-y, right, bar.Y), shaded(fill, dml.RGB{R: 255, G: 255, B: 255}), line)
	p.paint(shape.Points(right, bar.Y, right+x, bar.Y-y, right+x, bottom-y, right, bottom), shaded(fill, dml.RGB{}), line)
}

// shaded is a fill in a lighter or a darker colour.
func shaded(f *dml.ShapeFill, to dml.RGB) *dml.ShapeFill {
	const part = 0.3
	out := *f
	if f.Kind == dml.FillGradient {
		out.Kind = dml.FillSolid
		out.Color, out.Alpha = shape.GradientAt(f.Stops, 0.5)
	}
	out.Color = dml.Mix(out.Color, to, part)
	return &out
}

// wall draws the part of a slice's edge that is seen from the front: that below the middle.
func (p *chartPainter) wall(cx, cy, radius, from, sweep float64, fill *dml.ShapeFill) {
	if fill == nil {
		return
	}
	const turn, half = 360, 180
	for base := math.Floor(from/turn) * turn; base < from+sweep; base += turn {
		begin, end := math.Max(from, base), math.Min(from+sweep, base+half)
		if end <= begin {
			continue
		}
		edge := pdf.Arc(cx, cy, radius, radius*tilt, begin, end-begin)
		below := pdf.Arc(cx, cy+radius*thickness, radius, radius*tilt, begin, end-begin)
		shape.Reverse(below)
		p.paint(append(edge, below...), shaded(fill, dml.RGB{}), nil)
	}
}
