package chart

import (
	"math"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// chartStack adds up values where a plot stacks them.
type chartStack struct {
	plot     *dml.ChartPlot
	up, down []float64
	totals   []float64 // of percentages
}

func newStack(plot *dml.ChartPlot) *chartStack {
	s := &chartStack{plot: plot}
	n := 0
	for _, series := range plot.Series {
		n = max(n, len(series.Values))
	}
	s.up, s.down = make([]float64, n), make([]float64, n)
	if plot.Grouping == "percentStacked" {
		s.totals = make([]float64, n)
		for _, series := range plot.Series {
			for j, v := range series.Values {
				if !math.IsNaN(v) {
					s.totals[j] += math.Abs(v)
				}
			}
		}
	}
	return s
}

// next is where the value of a series begins and ends; to be asked for in order.
func (s *chartStack) next(series, j int) (from, to float64) {
	v := s.plot.Series[series].Values[j]
	if s.plot.Grouping != "stacked" && s.plot.Grouping != "percentStacked" || math.IsNaN(v) {
		return 0, v
	}
	if s.totals != nil && s.totals[j] > 0 {
		v /= s.totals[j]
	}
	sums := s.up
	if v < 0 {
		sums = s.down
	}
	from = sums[j]
	sums[j] += v
	return from, sums[j]
}

// bars draws columns, or bars that run to the right.
func (p *chartPainter) bars(plot *dml.ChartPlot) {
	isStacked := plot.Grouping == "stacked" || plot.Grouping == "percentStacked"
	side := 1
	if !isStacked {
		side = len(plot.Series)
	}
	slot := p.inner.W / float64(p.groups())
	if p.isHorizontal() {
		slot = p.inner.H / float64(p.groups())
	}
	n, overlap := float64(side), plot.Overlap
	width := slot / (n - (n-1)*overlap + plot.Gap)
	group := width * (n - (n-1)*overlap)
	scale := p.scaleOf(plot)
	base := pdf.Clamp(0, scale.low, scale.high)
	stack := newStack(plot)
	for i, s := range plot.Series {
		for j := range s.Values {
			from, to := stack.next(i, j)
			if math.IsNaN(to) {
				continue
			}
			if !isStacked {
				from = base
			}
			at := p.along(j) - group/2
			if !isStacked {
				k := float64(i)
				if p.isHorizontal() {
					k = n - 1 - k
				}
				at += k * width * (1 - overlap)
			}
			bar := p.bar(at, width, scale.part(from), scale.part(to))
			p.solid(bar, s.Point(j), s.Line)
			p.paint(corners(bar), s.Point(j), s.Line)
			p.barLabel(s, j, bar, to < from, isStacked)
			p.errorsOfBar(s, j, bar, to, scale)
		}
	}
}

func (p *chartPainter) scaleOf(plot *dml.ChartPlot) chartScale {
	if plot.IsSecondary {
		return p.second
	}
	return p.value
}

func (p *chartPainter) bar(at, width, from, to float64) dml.Rect {
	r := p.inner
	low, high := math.Min(from, to), math.Max(from, to)
	if p.isHorizontal() {
		return dml.Rect{X: r.X + low*r.W, Y: at, W: (high - low) * r.W, H: width}
	}
	return dml.Rect{X: at, Y: r.Y + (1-high)*r.H, W: width, H: (high - low) * r.H}
}

func (p *chartPainter) barLabel(s *dml.ChartSeries, j int, bar dml.Rect, isNegative, isStacked bool) {
	if !s.LabelsOf(j).HasAny() {
		return
	}
	lines, style := p.labelLines(s, j, 0), &s.LabelsOf(j).Style
	height := float64(len(lines)) * lineHeight(style)
	x, y, align := bar.X+bar.W/2, bar.Y-height-style.Size*0.15, 0
	switch {
	case isStacked:
		y = bar.Y + (bar.H-height)/2
	case p.isHorizontal() && isNegative:
		x, y, align = bar.X-style.Size*0.3, bar.Y+(bar.H-height)/2, 1
	case p.isHorizontal():
		x, y, align = bar.X+bar.W+style.Size*0.3, bar.Y+(bar.H-height)/2, -1
	case isNegative:
		y = bar.Y + bar.H + style.Size*0.15
	}
	p.text(lines, style, x, y, align)
}

// labelLines is what a value's label says.
func (p *chartPainter) labelLines(s *dml.ChartSeries, j int, share float64) []string {
	var lines []string
	l := s.LabelsOf(j)
	if len(l.Lines) > 0 {
		return l.Lines
	}
	if l.HasSeries {
		lines = append(lines, s.Name)
	}
	if l.HasCategory {
		lines = append(lines, p.category(j))
	}
	if l.HasValue {
		lines = append(lines, dml.FormatValue(s.Values[j], l.Format))
	}
	if l.HasPercent {
		format := "0%"
		if strings.Contains(l.Format, "%") {
			format = l.Format
		}
		lines = append(lines, dml.FormatValue(share, format))
	}
	return lines
}

// lines draws the points of lines, areas and scatter plots.
func (p *chartPainter) lines(plot *dml.ChartPlot) {
	scale, stack := p.scaleOf(plot), newStack(plot)
	x := p.xScale()
	for i, s := range plot.Series {
		var run, lower []pdf.Point
		flush := func() {
			p.stretch(plot, s, run, lower)
			run, lower = nil, nil
		}
		for j := range s.Values {
			from, to := stack.next(i, j)
			if math.IsNaN(to) || plot.Kind == dml.PlotScatter && (j >= len(s.X) && len(s.X) > 0 || j < len(s.X) && math.IsNaN(s.X[j])) {
				flush()
				continue
			}
			at := p.along(j)
			if plot.Kind == dml.PlotScatter {
				at = p.inner.X + x.part(numberOf(s, j))*p.inner.W
			}
			height := func(v float64) float64 { return p.inner.Y + (1-scale.part(v))*p.inner.H }
			run = append(run, pdf.Point{X: at, Y: height(to)})
			lower = append(lower, pdf.Point{X: at, Y: height(pdf.Clamp(from, scale.low, scale.high))})
			p.errorsOf(s, j, pdf.Point{X: at, Y: height(to)}, height, func(v float64) float64 { return p.inner.X + x.part(v)*p.inner.W })
			if s.LabelsOf(j).HasAny() {
				lines := p.labelLines(s, j, 0)
				p.text(lines, &s.LabelsOf(j).Style, at, height(to)-float64(len(lines))*lineHeight(&s.LabelsOf(j).Style)-3, 0)
			}
		}
		flush()
	}
}

// numberOf is where a value stands on the level axis of a cloud.
func numberOf(s *dml.ChartSeries, j int) float64 {
	if j < len(s.X) {
		return s.X[j]
	}
	return float64(j + 1)
}

// stretch draws points that follow each other without a gap.
func (p *chartPainter) stretch(plot *dml.ChartPlot, s *dml.ChartSeries, run, lower []pdf.Point) {
	if plot.Kind == dml.PlotArea {
		shape.Reverse(lower)
		if len(run) > 1 {
			p.paint(append(append([]pdf.Point{}, run...), lower...), s.Fill, s.Line)
		}
		return
	}
	if s.Line != nil && len(run) > 1 {
		p.c.Polyline(run, shape.StrokeOf(s.Line))
	}
	if s.Marker != nil {
		size := s.MarkerSize
		for _, at := range run {
			p.paint(pdf.Ellipse(at.X-size/2, at.Y-size/2, size, size), s.Marker, nil)
		}
	}
}

// xScale is the scale of a scatter plot's horizontal axis.
func (p *chartPainter) xScale() chartScale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, plot := range p.Plots {
		for _, s := range plot.Series {
			for j := range s.Values {
				v := float64(j + 1)
				if j < len(s.X) {
					v = s.X[j]
				}
				if !math.IsNaN(v) {
					low, high = math.Min(low, v), math.Max(high, v)
				}
			}
		}
	}
	if low > high {
		low, high = 0, 1
	}
	if p.Plots[0].Kind == dml.PlotBubble {
		low, high = roomForBubbles(low, high)
	}
	return niceScale(low, high, &p.Category)
}

// pie draws the first series of a pie, or all rings of a doughnut.
func (p *chartPainter) pie(plot *dml.ChartPlot) {
	r := p.area
	if p.Inner != nil {
		r = p.place(p.Inner)
	}
	rings := plot.Series[:1]
	hole := 0.0
	if plot.Kind == dml.PlotDoughnut {
		rings, hole = plot.Series, plot.Hole
	}
	radius := math.Min(r.W, r.H) / 2
	cx, cy := r.X+r.W/2, r.Y+r.H/2
	if p.Inner == nil {
		radius, cx, cy = p.besideLabels(rings[len(rings)-1], plot.Angle, r, radius*(1-(1-hole)/float64(len(rings))))
	}
	thick := radius * (1 - hole) / float64(len(rings))
	for i, s := range rings {
		outer := radius - float64(len(rings)-1-i)*thick
		p.ring(plot, s, cx, cy, math.Max(outer-thick, 0), outer)
	}
}

// besideLabels is the radius and the centre of a circle in an area, so that the labels
// outside stand in it, too. Two thirds of the circle stay.
func (p *chartPainter) besideLabels(s *dml.ChartSeries, angle float64, r dml.Rect, inner float64) (radius, cx, cy float64) {
	radius = math.Min(r.W, r.H) / 2
	var left, top, right, bottom float64
	total, from := sumOf(s), angle-90
	if total <= 0 || math.IsInf(total, 0) {
		return radius, r.X + r.W/2, r.Y + r.H/2
	}
	for j, v := range s.Values {
		if !(v > 0) {
			continue
		}
		sweep := v / total * 360
		l := p.sliceLabel(s, j, v/total, inner, radius, (from+sweep/2)*math.Pi/180)
		if l.isOutside && s.LabelsOf(j).HasAny() {
			left, right = math.Max(left, l.w/2-l.x-radius), math.Max(right, l.x+l.w/2-radius)
			top, bottom = math.Max(top, l.h/2-l.y-radius), math.Max(bottom, l.y+l.h/2-radius)
		}
		from += sweep
	}
	w, h := r.W-left-right, r.H-top-bottom
	if fit := math.Min(w, h) / 2; fit > radius*2/3 {
		return fit, r.X + left + w/2, r.Y + top + h/2
	}
	return radius * 2 / 3, r.X + r.W/2, r.Y + r.H/2
}

// sumOf is the sum of what a series has above zero.
func sumOf(s *dml.ChartSeries) float64 {
	total := 0.0
	for _, v := range s.Values {
		if v > 0 {
			total += v
		}
	}
	return total
}

// smallestHole is the radius in points below which a ring is drawn as a pie.
const smallestHole = 0.5

func (p *chartPainter) ring(plot *dml.ChartPlot, s *dml.ChartSeries, cx, cy, inner, outer float64) {
	total := sumOf(s)
	if total <= 0 || math.IsInf(total, 0) {
		return
	}
	from, flat := plot.Angle-90, 1.0
	if plot.HasDepth {
		flat, cy = tilt, cy-outer*thickness/2
	}
	for j, v := range s.Values {
		if !(v > 0) {
			continue
		}
		sweep := v / total * 360
		slice := pdf.Arc(cx, cy, outer, outer*flat, from, sweep)
		if plot.HasDepth {
			p.wall(cx, cy, outer, from, sweep, s.Point(j))
		}
		if inner > smallestHole {
			back := pdf.Arc(cx, cy, inner, inner, from, sweep)
			shape.Reverse(back)
			slice = append(slice, back...)
		} else {
			slice = append(slice, pdf.Point{X: cx, Y: cy})
		}
		p.paint(slice, s.Point(j), s.Line)
		if s.LabelsOf(j).HasAny() {
			l := p.sliceLabel(s, j, v/total, inner, outer, (from+sweep/2)*math.Pi/180)
			p.text(l.lines, &s.LabelsOf(j).Style, cx+l.x, cy+l.y*flat-l.h/2, 0)
		}
		from += sweep
	}
}

// fitsSlice reports whether a label in the middle of a slice, so far from the centre of
// the circle, stands between the slice's sides.
func fitsSlice(w, h, share, at, angle float64) bool {
	if share >= 0.5 {
		return true
	}
	sin, cos := math.Abs(math.Sin(angle)), math.Abs(math.Cos(angle))
	return (w*sin+h*cos)/2 <= at*math.Sin(math.Pi*share)
}

// sliceLabel is a label of a slice: its lines, its size, and its middle from the centre
// of the circle.
type sliceLabel struct {
	lines      []string
	x, y, w, h float64
	isOutside  bool
}

// sliceLabel stands inside a slice that has room for it, else outside.
func (p *chartPainter) sliceLabel(s *dml.ChartSeries, j int, share, inner, outer, angle float64) sliceLabel {
	lines, style := p.labelLines(s, j, share), &s.LabelsOf(j).Style
	widest, height := 0.0, float64(len(lines))*lineHeight(style)
	for _, line := range lines {
		widest = math.Max(widest, p.width(line, style))
	}
	at := outer - math.Hypot(widest, height)/2 - style.Size*0.3
	isOutside := at < math.Max(inner, outer*0.35) || 2*math.Pi*share*at < height || !fitsSlice(widest, height, share, at, angle)
	if isOutside {
		at = outer + style.Size*0.3 + math.Abs(math.Cos(angle))*widest/2 + math.Abs(math.Sin(angle))*height/2
	}
	return sliceLabel{lines: lines, x: at * math.Cos(angle), y: at * math.Sin(angle), w: widest, h: height, isOutside: isOutside}
}
