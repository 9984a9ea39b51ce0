package chart

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// web is the net of a radar: an axis for each category around a centre, the first one upwards.
type web struct {
	cx, cy, radius float64
	count          int
}

// at is a place on the i-th axis, in parts of its length.
func (w *web) at(i int, part float64) pdf.Point {
	sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(w.count))
	return pdf.Point{X: w.cx + w.radius*part*sin, Y: w.cy - w.radius*part*cos}
}

// radar draws plots whose categories stand around a centre (ECMA-376 part 1, 21.2.2.153).
func (p *chartPainter) radar() {
	w := p.web()
	for _, v := range p.value.steps() {
		if p.Value.Grid != nil && v > p.value.low {
			ring := make([]pdf.Point, w.count)
			for i := range ring {
				ring[i] = w.at(i, p.value.part(v))
			}
			p.closed(ring, p.Value.Grid)
		}
	}
	if !p.Value.Deleted {
		for i := range w.count {
			p.rule(w.cx, w.cy, w.at(i, 1).X, w.at(i, 1).Y, p.Value.Line)
		}
	}
	for _, plot := range p.Plots {
		for _, s := range plot.Series {
			p.radarSeries(w, plot, s)
		}
	}
	p.radarLabels(w)
}

// web is the net that the names around it leave room for.
func (p *chartPainter) web() *web {
	r, style := p.area, &p.Category.Style
	width, height := 0.0, 0.0
	if p.Inner != nil {
		r = p.place(p.Inner)
	} else if isShown(&p.Category) {
		for i := range p.groups() {
			width = math.Max(width, p.width(p.category(i), style))
		}
		width, height = math.Min(width+labelGap, r.W/3), lineHeight(style)+labelGap
	}
	return &web{cx: r.X + r.W/2, cy: r.Y + r.H/2, radius: math.Max(math.Min(r.W/2-width, r.H/2-height), 2), count: p.groups()}
}

// radarSeries draws a row: an area, or a line that is open where a value is missing.
func (p *chartPainter) radarSeries(w *web, plot *dml.ChartPlot, s *dml.ChartSeries) {
	var run, all []pdf.Point
	isWhole := len(s.Values) == w.count
	flush := func() {
		if s.Line != nil && len(run) > 1 {
			p.c.Polyline(run, shape.StrokeOf(s.Line))
		}
		run = nil
	}
	for j, v := range s.Values {
		if math.IsNaN(v) {
			isWhole = false
			all = append(all, w.at(j, p.value.part(p.value.low)))
			continue
		}
		all = append(all, w.at(j, p.value.part(v)))
	}
	switch {
	case len(all) < 2:
	case plot.IsFilled:
		p.paint(all, s.Fill, s.Line)
	case isWhole:
		p.closed(all, s.Line)
	default:
		for j, v := range s.Values {
			if math.IsNaN(v) {
				flush()
				continue
			}
			run = append(run, all[j])
		}
		flush()
	}
	for j, v := range s.Values {
		if math.IsNaN(v) {
			continue
		}
		if at := all[j]; s.Marker != nil && !plot.IsFilled {
			p.paint(pdf.Ellipse(at.X-s.MarkerSize/2, at.Y-s.MarkerSize/2, s.MarkerSize, s.MarkerSize), s.Marker, nil)
		}
		if s.LabelsOf(j).HasAny() {
			lines, style := p.labelLines(s, j, 0), &s.LabelsOf(j).Style
			p.text(lines, style, all[j].X, all[j].Y-float64(len(lines))*lineHeight(style)-labelGap, 0)
		}
	}
}

// radarLabels writes the scale beside the first axis, and the names behind the ends of all.
func (p *chartPainter) radarLabels(w *web) {
	if isShown(&p.Value) {
		style := &p.Value.Style
		for _, v := range p.value.steps() {
			at := w.at(0, p.value.part(v))
			p.text([]string{p.valueText(v, &p.Value)}, style, at.X-labelGap, at.Y-lineHeight(style)/2, 1)
		}
	}
	if !isShown(&p.Category) {
		return
	}
	style := &p.Category.Style
	for i := range w.count {
		const level = 0.01 // of the radius: names above and below the centre stand in the middle
		at, align := w.at(i, 1+labelGap/w.radius), 0
		switch {
		case at.X > w.cx+w.radius*level:
			align = -1
		case at.X < w.cx-w.radius*level:
			align = 1
		}
		up := (at.Y - w.cy) / w.radius // -1 above, 1 below
		y := at.Y + lineHeight(style)*(pdf.Clamp(up, -1, 1)-1)/2
		p.text([]string{p.category(i)}, style, at.X, y, align)
	}
}

// closed draws a line that ends where it begins.
func (p *chartPainter) closed(points []pdf.Point, line *dml.ShapeLine) {
	if line != nil {
		stroke := shape.StrokeOf(line)
		p.c.Polygon(points, nil, &stroke)
	}
}
