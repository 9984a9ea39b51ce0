package chart

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// largestBubble is the width of the largest bubble at its usual scale, in parts of the shorter
// side of the plot: Excel's.
const largestBubble = 0.25

// roomForBubbles widens a scale, so that bubbles at its ends stand in the plot.
func roomForBubbles(low, high float64) (float64, float64) {
	room := (high - low) * largestBubble / 2
	return low - room, high + room
}

// bubbles draws circles whose areas, or widths, are their values. Those of less than nothing are
// left out.
func (p *chartPainter) bubbles(plot *dml.ChartPlot) {
	most := 0.0
	for _, s := range plot.Series {
		for j := range s.Values {
			if v := sizeOf(s, j); v > most {
				most = v
			}
		}
	}
	if most <= 0 {
		return
	}
	scale, x := p.scaleOf(plot), p.xScale()
	widest := largestBubble * math.Min(p.inner.W, p.inner.H) * plot.BubbleScale
	for _, s := range plot.Series {
		for j, v := range s.Values {
			if math.IsNaN(v) || math.IsNaN(numberOf(s, j)) || !(sizeOf(s, j) > 0) {
				continue
			}
			part := sizeOf(s, j) / most
			if !plot.SizesAreWidths {
				part = math.Sqrt(part)
			}
			height := func(v float64) float64 { return p.inner.Y + (1-scale.part(v))*p.inner.H }
			across := func(v float64) float64 { return p.inner.X + x.part(v)*p.inner.W }
			size, at := widest*part, pdf.Point{X: across(numberOf(s, j)), Y: height(v)}
			p.paint(pdf.Ellipse(at.X-size/2, at.Y-size/2, size, size), s.Point(j), s.Line)
			p.errorsOf(s, j, at, height, across)
			if s.LabelsOf(j).HasAny() {
				lines, style := p.labelLines(s, j, 0), &s.LabelsOf(j).Style
				p.text(lines, style, at.X+size/2+style.Size*0.3, at.Y-float64(len(lines))*lineHeight(style)/2, -1)
			}
		}
	}
}

// sizeOf is the size of a bubble; all are alike where the file has none.
func sizeOf(s *dml.ChartSeries, j int) float64 {
	switch {
	case len(s.Sizes) == 0:
		return 1
	case j >= len(s.Sizes):
		return math.NaN()
	}
	return s.Sizes[j]
}

// highLow draws the lines from the highest to the lowest value of each group, and the bars from
// the first to the last, of stocks and of lines that have them (ECMA-376 part 1, 21.2.2.80 and
// 21.2.2.218).
func (p *chartPainter) highLow(plot *dml.ChartPlot) {
	if len(plot.Series) == 0 || plot.HighLow == nil && !plot.HasUpDown {
		return
	}
	scale := p.scaleOf(plot)
	height := func(v float64) float64 { return p.inner.Y + (1-scale.part(v))*p.inner.H }
	width := p.inner.W / float64(p.groups()) / (1 + plot.UpDownGap)
	for j := range p.groups() {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range plot.Series {
			if j < len(s.Values) && !math.IsNaN(s.Values[j]) {
				low, high = math.Min(low, s.Values[j]), math.Max(high, s.Values[j])
			}
		}
		x := p.along(j)
		if low < high {
			p.rule(x, height(high), x, height(low), plot.HighLow)
		}
		first, last := valueAt(plot.Series[0], j), valueAt(plot.Series[len(plot.Series)-1], j)
		if !plot.HasUpDown || math.IsNaN(first) || math.IsNaN(last) {
			continue
		}
		fill := plot.Up
		if last < first {
			fill = plot.Down
		}
		top, bottom := height(math.Max(first, last)), height(math.Min(first, last))
		line := dml.ShapeLine{Width: 0.75, Color: p.Category.Style.Color, Alpha: 1, Dash: "solid"}
		p.paint(corners(dml.Rect{X: x - width/2, Y: top, W: width, H: bottom - top}), fill, &line)
	}
}

func valueAt(s *dml.ChartSeries, j int) float64 {
	if j >= len(s.Values) {
		return math.NaN()
	}
	return s.Values[j]
}

// capWidth is how wide the ends of error bars are, in points.
const capWidth = 5

// errorsOf draws the error bars of a value that stands at a place.
func (p *chartPainter) errorsOf(s *dml.ChartSeries, j int, at pdf.Point, height, across func(v float64) float64) {
	for i := range s.Errors {
		bars := &s.Errors[i]
		if j >= len(bars.From) || bars.Line == nil {
			continue
		}
		for _, end := range []float64{bars.From[j], bars.To[j]} {
			switch {
			case math.IsNaN(end):
			case bars.IsLevel:
				p.errorBar(at.X, at.Y, across(end), at.Y, bars)
			default:
				p.errorBar(at.X, at.Y, at.X, height(end), bars)
			}
		}
	}
}

// errorsOfBar draws those of a bar, from its end on.
func (p *chartPainter) errorsOfBar(s *dml.ChartSeries, j int, bar dml.Rect, to float64, scale chartScale) {
	value := s.Values[j]
	for i := range s.Errors {
		bars := &s.Errors[i]
		if j >= len(bars.From) || bars.Line == nil || bars.IsLevel {
			continue
		}
		for _, end := range []float64{bars.From[j], bars.To[j]} {
			if math.IsNaN(end) {
				continue
			}
			from, part := scale.part(to), scale.part(to+end-value) // stacked bars stand on others
			if p.isHorizontal() {
				y := bar.Y + bar.H/2
				p.errorBar(p.inner.X+from*p.inner.W, y, p.inner.X+part*p.inner.W, y, bars)
				continue
			}
			x := bar.X + bar.W/2
			p.errorBar(x, p.inner.Y+(1-from)*p.inner.H, x, p.inner.Y+(1-part)*p.inner.H, bars)
		}
	}
}

// errorBar draws a line with a cap at its end.
func (p *chartPainter) errorBar(x1, y1, x2, y2 float64, bars *dml.ChartErrors) {
	stroke := shape.StrokeOf(bars.Line)
	p.c.StrokeLine(x1, y1, x2, y2, stroke)
	switch {
	case !bars.HasCaps:
	case y1 == y2:
		p.c.StrokeLine(x2, y2-capWidth/2.0, x2, y2+capWidth/2.0, stroke)
	default:
		p.c.StrokeLine(x2-capWidth/2.0, y2, x2+capWidth/2.0, y2, stroke)
	}
}
