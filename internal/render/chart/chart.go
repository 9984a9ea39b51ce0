// Package chart draws charts: bars, lines, areas, pies, radars, stocks and clouds of points or
// bubbles with their axes, legend and labels.
//
// A new type of chart begins where it is read: dml.PlotKind tells what that takes.
// Here it takes a case in Draw: behind the scales where its values have one, in
// front of the frame where it has no rectangular axes. It takes a method in plot.go
// that paints it, and its sign in the legend's entries. In scales of axes.go it
// says whether its axis begins at zero.
package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// chartPainter draws one chart.
type chartPainter struct {
	c        *pdf.Canvas
	fonts    *pdf.FontSet
	findings *render.Findings
	*dml.Chart
	// area is what title and legend leave, inner the plot without the labels of its axes.
	box, area, inner dml.Rect
	// value and second are the scales of the value axes.
	value, second chartScale
	// depth is how far to the right what lies behind stands, 0 for a flat chart.
	depth float64
}

// Draw draws a chart into a box.
func Draw(c *pdf.Canvas, fonts *pdf.FontSet, findings *render.Findings, ch *dml.Chart, box dml.Rect) {
	if box.W < 10 || box.H < 10 {
		return
	}
	all := len(ch.Plots)
	shown := *ch
	shown.Plots = together(ch.Plots)
	ch = &shown
	p := &chartPainter{c: c, fonts: fonts, findings: findings, Chart: ch, box: box}
	if f := ch.Fill; f != nil && f.Kind == dml.FillSolid {
		c.Polygon(corners(box), &pdf.Fill{Color: f.Color, Transparency: 1 - f.Alpha}, nil)
	}
	if ch.Line != nil {
		s := shape.StrokeOf(ch.Line)
		c.Rect(box.X, box.Y, box.W, box.H, nil, &s)
	}
	if ch.ThreeD && !hasDepth(ch.Plots) {
		findings.Add(render.FindingDrawing, "a chart in three dimensions is drawn flat")
	}
	switch {
	case all == 0:
		findings.Add(render.FindingDrawing, "a chart of a kind that cannot be drawn is left out")
	case len(ch.Plots) < all:
		findings.Add(render.FindingDrawing, string(dml.LossPlot))
	}
	pad := 0.02 * math.Min(box.W, box.H)
	p.area = dml.Rect{X: box.X + pad, Y: box.Y + pad, W: box.W - 2*pad, H: box.H - 2*pad}
	p.title()
	p.legend()
	if len(ch.Plots) == 0 {
		return
	}
	if ch.Plots[0].Kind.HasShares() {
		p.pie(ch.Plots[0])
		return
	}
	p.scales()
	if ch.Plots[0].Kind == dml.PlotRadar {
		p.radar()
		return
	}
	p.frame()
	p.setDepth()
	p.axes()
	for _, plot := range ch.Plots {
		switch plot.Kind {
		case dml.PlotBar:
			p.bars(plot)
		case dml.PlotBubble:
			p.bubbles(plot)
		default:
			p.highLow(plot)
			p.lines(plot)
		}
	}
}

// together are the plots that are drawn with the first one: shares of a circle
// take the whole area, and so do radars. Plots with axes have none for them.
func together(plots []*dml.ChartPlot) []*dml.ChartPlot {
	if len(plots) > 0 && plots[0].Kind.HasShares() {
		return plots[:1]
	}
	isRadar := len(plots) > 0 && plots[0].Kind == dml.PlotRadar
	return slices.DeleteFunc(slices.Clone(plots), func(p *dml.ChartPlot) bool {
		return p.Kind.HasShares() || (p.Kind == dml.PlotRadar) != isRadar
	})
}

func corners(r dml.Rect) []pdf.Point {
	return shape.Points(r.X, r.Y, r.X+r.W, r.Y, r.X+r.W, r.Y+r.H, r.X, r.Y+r.H)
}

// place turns a place in parts of the chart into one on the page.
func (p *chartPainter) place(r *dml.Rect) dml.Rect {
	return dml.Rect{X: p.box.X + r.X*p.box.W, Y: p.box.Y + r.Y*p.box.H, W: r.W * p.box.W, H: r.H * p.box.H}
}

func (p *chartPainter) face(style *dml.TextRun) *pdf.Face {
	return p.fonts.Face(style.Font, style.Bold, style.Italic)
}

func (p *chartPainter) width(text string, style *dml.TextRun) float64 {
	return pdf.Measure(text, p.face(style), style.Size, pdf.TextOptions{Kern: true})
}

// ascent is how far the top of a line is above its baseline, in parts of its size:
// LibreOffice sets text of charts in lines of one em and ignores the font's
// metrics.
const ascent = 0.8

// lineHeight is the distance of baselines.
func lineHeight(style *dml.TextRun) float64 { return style.Size }

// text draws lines one under the other, the first one's top at y. Align is -1
// for lines that begin at x, 0 for those around it, 1 for those that end there.
func (p *chartPainter) text(lines []string, style *dml.TextRun, x, y float64, align int) {
	face := p.face(style)
	for _, line := range lines {
		for _, r := range line {
			face.Report(p.findings, r)
		}
		at := x - float64(align+1)/2*p.width(line, style)
		p.c.TextWith(at, y+style.Size*ascent, line, face, style.Size, style.Color, pdf.TextOptions{Kern: true})
		y += lineHeight(style)
	}
}

// wrap parts a text into lines at its spaces; fits says whether each word has room.
func (p *chartPainter) wrap(text string, style *dml.TextRun, room float64) (lines []string, fits bool) {
	fits = true
	at := ""
	for _, word := range strings.Fields(text) {
		fits = fits && p.width(word, style) <= room
		for i, part := range strings.SplitAfter(word, "-") {
			space := ""
			if i == 0 && at != "" {
				space = " "
			}
			switch {
			case part == "":
			case at == "" || p.width(at+space+part, style) <= room:
				at += space + part
			default:
				lines, at = append(lines, at), part
			}
		}
	}
	if at != "" || len(lines) == 0 {
		lines = append(lines, at)
	}
	return lines, fits
}

// titleWidth is how wide lines of a title are at most, titleGap how far it stands from
// what is above it, in parts of the chart. What is below stands twice as far from it.
const (
	titleWidth = 0.8
	titleGap   = 0.02
)

func (p *chartPainter) title() {
	t := p.Title
	if t == nil {
		return
	}
	var lines []string
	for _, line := range t.Lines {
		part, _ := p.wrap(line, &t.Style, p.box.W*titleWidth)
		lines = append(lines, part...)
	}
	height := float64(len(lines)) * lineHeight(&t.Style)
	x, y := p.box.X+p.box.W/2, p.area.Y+titleGap*p.box.H
	if t.Place != nil {
		widest := 0.0
		for _, line := range lines {
			widest = math.Max(widest, p.width(line, &t.Style))
		}
		x, y = p.box.X+t.Place.X*p.box.W+widest/2, p.box.Y+t.Place.Y*p.box.H
	}
	p.text(lines, &t.Style, x, y, 0)
	below := math.Min(y+height+2*titleGap*p.box.H, p.area.Y+p.area.H/2)
	p.area.H -= math.Max(below-p.area.Y, 0)
	p.area.Y = math.Max(below, p.area.Y)
}

// legendEntry is a name with the colour that it stands for.
type legendEntry struct {
	name string
	fill *dml.ShapeFill
	line *dml.ShapeLine
}

func (p *chartPainter) entries() []legendEntry {
	var out []legendEntry
	for _, plot := range p.Plots {
		for _, s := range plot.Series {
			if !plot.Kind.HasShares() {
				e := legendEntry{name: s.Name, fill: s.Fill}
				if isDrawnAsLine(plot) {
					e.fill, e.line = s.Marker, s.Line
				}
				out = append(out, e)
				continue
			}
			for i := range s.Values {
				if i < len(p.Categories) {
					out = append(out, legendEntry{name: p.Categories[i], fill: s.Point(i)})
				}
			}
			break
		}
	}
	return out
}

// isDrawnAsLine tells plots whose series are lines.
func isDrawnAsLine(plot *dml.ChartPlot) bool {
	switch plot.Kind {
	case dml.PlotLine, dml.PlotScatter, dml.PlotStock:
		return true
	}
	return plot.Kind == dml.PlotRadar && !plot.IsFilled
}

// legend draws the names of series and takes the room for them from the area.
func (p *chartPainter) legend() {
	const most = 60
	entries := p.entries()
	if p.Legend == "" || len(entries) == 0 {
		return
	}
	l := p.newLegend(entries[:min(len(entries), most)])
	taken := p.legendRoom(l)
	if p.LegendPlace != nil {
		r := p.place(p.LegendPlace)
		if l.total <= r.W {
			l.rows(r.Y+math.Max(0, r.H-l.height)/2, r.X, r.W)
		} else {
			l.column(r.X+l.gap, r.Y, math.Min(l.height*1.2, r.H/float64(len(l.entries))))
		}
		return
	}
	switch p.Legend {
	case "b":
		l.rows(p.area.Y+p.area.H+l.gap, p.area.X, p.area.W)
	case "t":
		l.rows(p.area.Y-taken, p.area.X, p.area.W)
	case "l":
		l.column(p.area.X-taken, l.top(p.box), l.height)
	default:
		l.column(p.area.X+p.area.W+l.gap, l.top(p.box), l.height)
	}
}

// legendRoom takes a legend's room from its side of the area.
func (p *chartPainter) legendRoom(l *chartLegend) float64 {
	switch p.Legend {
	case "b", "t":
		lines := math.Ceil(l.total / math.Max(p.area.W, 1))
		taken := math.Min(lines*l.height+l.gap, p.area.H/2)
		if p.area.H -= taken; p.Legend == "t" {
			p.area.Y += taken
		}
		return taken
	}
	taken := math.Min(l.widest, p.area.W/2)
	if p.area.W -= taken; p.Legend == "l" {
		p.area.X += taken
	}
	return taken
}

// chartLegend is a legend with its entries measured.
type chartLegend struct {
	p                                  *chartPainter
	entries                            []legendEntry
	widths                             []float64
	widest, total, height, swatch, gap float64
}

func (p *chartPainter) newLegend(entries []legendEntry) *chartLegend {
	style := &p.LegendStyle
	l := &chartLegend{p: p, entries: entries, swatch: style.Size * 0.7, gap: style.Size * 0.5, height: lineHeight(style) * 1.2}
	for _, e := range entries {
		w := l.swatch + l.gap + p.width(e.name, style) + 2*l.gap
		l.widths = append(l.widths, w)
		l.widest, l.total = math.Max(l.widest, w), l.total+w
	}
	return l
}

// top is where a column of entries in the middle of a box begins.
func (l *chartLegend) top(box dml.Rect) float64 {
	return box.Y + (box.H-float64(len(l.entries))*l.height)/2
}

func (l *chartLegend) column(x, y, step float64) {
	for _, e := range l.entries {
		l.p.entry(e, x, y, l.swatch, l.gap)
		y += step
	}
}

// slack is how far, in points, a row of a legend may reach over its room.
const slack = 0.01

// rows puts entries side by side, in as many rows as it takes.
func (l *chartLegend) rows(y, x, room float64) {
	at := x + math.Max(0, room-l.total)/2
	for i, e := range l.entries {
		if at+l.widths[i] > x+room+slack && at > x {
			at, y = x, y+l.height
		}
		l.p.entry(e, at, y, l.swatch, l.gap)
		at += l.widths[i]
	}
}

func (p *chartPainter) entry(e legendEntry, x, y, swatch, gap float64) {
	style := &p.LegendStyle
	middle := y + lineHeight(style)/2
	if e.line != nil {
		p.c.StrokeLine(x, middle, x+swatch, middle, shape.StrokeOf(e.line))
	}
	if e.fill != nil {
		size := swatch
		if e.line != nil {
			size /= 2
		}
		p.paint(corners(dml.Rect{X: x + (swatch-size)/2, Y: middle - size/2, W: size, H: size}), e.fill, nil)
	}
	p.text([]string{e.name}, style, x+swatch+gap, y, -1)
}

// paint fills a shape of the chart; of a gradient it takes the middle.
func (p *chartPainter) paint(area []pdf.Point, f *dml.ShapeFill, l *dml.ShapeLine) {
	var fill *pdf.Fill
	if f != nil {
		switch f.Kind {
		case dml.FillSolid:
			fill = &pdf.Fill{Color: f.Color, Transparency: 1 - f.Alpha}
		case dml.FillGradient:
			color, alpha := shape.GradientAt(f.Stops, 0.5)
			fill = &pdf.Fill{Color: color, Transparency: 1 - alpha}
		}
	}
	var stroke *pdf.Stroke
	if l != nil {
		s := shape.StrokeOf(l)
		stroke = &s
	}
	if fill != nil || stroke != nil {
		p.c.Polygon(area, fill, stroke)
	}
}
