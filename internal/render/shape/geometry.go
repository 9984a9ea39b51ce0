// Package shape draws shapes of documents and slides: outlines of presets and of
// custom geometry, fills, strokes, arrowheads and pictures. Text on a shape is
// for flow and slide.
package shape

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Contour is one outline of a shape, in points on the page.
type Contour struct {
	Points   []pdf.Point
	IsOpen   bool // a line, not an area
	IsHollow bool // an area that is not filled
}

// outline is a shape's geometry before it is put on the page: contours in a
// box of w × h, and the part of the box that text may use.
type outline struct {
	Contours []Contour
	Text     dml.Rect
}

// presetBox is what a preset's drawing needs: its box and its adjustments.
type presetBox struct {
	w, h float64
	adj  map[string]float64
}

// a gives an adjustment as a fraction; adjustments are written in 1/100000.
func (b presetBox) a(name string, absent float64) float64 {
	const most = 100 // times the size of the shape
	return math.Max(-most, math.Min(most, b.adjustment(name, absent)/100000))
}

// degrees gives an adjustment that is an angle, clockwise from the right.
func (b presetBox) degrees(name string, absent float64) float64 {
	const turn = 21600000
	return pdf.Clamp(b.adjustment(name, absent), 0, turn-1) / perDegree
}

func (b presetBox) adjustment(name string, absent float64) float64 {
	if v, ok := b.adj[name]; ok {
		return v
	}
	return absent
}

func (b presetBox) ss() float64 { return math.Min(b.w, b.h) }

// poly makes an area from coordinates given as x, y, x, y …
func poly(xy ...float64) []Contour {
	return []Contour{{Points: Points(xy...)}}
}

// Points are those of coordinates given as x, y, x, y …
func Points(xy ...float64) []pdf.Point {
	out := make([]pdf.Point, len(xy)/2)
	for i := range out {
		out[i] = pdf.Point{X: xy[2*i], Y: xy[2*i+1]}
	}
	return out
}

func line2(xy ...float64) Contour { return Contour{Points: Points(xy...), IsOpen: true} }

// OutlineOf draws a shape's geometry. Presets that are not known are drawn
// as rectangles; isKnown is false then.
func OutlineOf(g dml.Geometry, w, h float64) (o outline, isKnown bool) {
	o.Text = dml.Rect{W: w, H: h}
	if g.Custom != nil {
		return customOutline(g.Custom, w, h), true
	}
	b := presetBox{w, h, g.Adjust}
	for _, family := range []func(string, presetBox, *outline) bool{basicShape, arrowShape, starShape, lineShape, calloutShape, flowShape} {
		if family(g.Preset, b, &o) {
			return o, true
		}
	}
	o.Contours = poly(0, 0, w, 0, w, h, 0, h)
	return o, false
}

// basicShape draws the presets of "basic shapes" (ECMA-376 part 1, 20.1.9 and presetShapeDefinitions.xml).
func basicShape(name string, b presetBox, o *outline) bool {
	w, h, ss := b.w, b.h, b.ss()
	switch name {
	case "rect", "textNoShape", "flowChartProcess", "actionButtonBlank", "":
		o.Contours = poly(0, 0, w, 0, w, h, 0, h)
	case "roundRect":
		r := ss * math.Max(0, math.Min(0.5, b.a("adj", 16667)))
		o.Contours = []Contour{{Points: pdf.RoundRect(0, 0, w, h, r)}}
		in := r * 0.29289
		o.Text = dml.Rect{X: in, Y: in, W: w - 2*in, H: h - 2*in}
	case "ellipse", "flowChartConnector", "cloud":
		o.Contours = []Contour{{Points: pdf.Ellipse(0, 0, w, h)}}
		o.Text = dml.Rect{X: w * 0.14645, Y: h * 0.14645, W: w * 0.7071, H: h * 0.7071}
	case "triangle":
		x := w * b.a("adj", 50000)
		o.Contours = poly(x, 0, w, h, 0, h)
		o.Text = dml.Rect{X: x / 2, Y: h / 2, W: w / 2, H: h / 2}
	case "rtTriangle":
		o.Contours = poly(0, 0, w, h, 0, h)
		o.Text = dml.Rect{X: w / 12, Y: h * 7 / 12, W: w / 2, H: h / 3}
	case "diamond", "flowChartDecision":
		o.Contours = poly(w/2, 0, w, h/2, w/2, h, 0, h/2)
		o.Text = dml.Rect{X: w / 4, Y: h / 4, W: w / 2, H: h / 2}
	case "parallelogram", "flowChartInputOutput":
		x := ss * b.a("adj", 25000)
		if name != "parallelogram" {
			x = w / 5
		}
		o.Contours = poly(x, 0, w, 0, w-x, h, 0, h)
	case "trapezoid":
		x := ss * b.a("adj", 25000)
		o.Contours = poly(x, 0, w-x, 0, w, h, 0, h)
	case "pentagon":
		o.Contours = poly(w/2, 0, w, h*0.382, w*0.809, h, w*0.191, h, 0, h*0.382)
	case "hexagon":
		x := ss * b.a("adj", 25000)
		o.Contours = poly(0, h/2, x, 0, w-x, 0, w, h/2, w-x, h, x, h)
	case "octagon":
		x := ss * b.a("adj", 29289)
		o.Contours = poly(0, x, x, 0, w-x, 0, w, x, w, h-x, w-x, h, x, h, 0, h-x)
	case "plus", "mathPlus":
		x := ss * b.a("adj", 25000)
		o.Contours = poly(x, 0, w-x, 0, w-x, x, w, x, w, h-x, w-x, h-x, w-x, h, x, h, x, h-x, 0, h-x, 0, x, x, x)
	default:
		return solidShape(name, b, o) || cornerShape(name, b, o)
	}
	return true
}

// solidShape draws basic shapes with more to them than corners.
func solidShape(name string, b presetBox, o *outline) bool {
	w, h, ss := b.w, b.h, b.ss()
	switch name {
	case "donut":
		d := ss * b.a("adj", 25000)
		o.Contours = []Contour{{Points: ring(pdf.Ellipse(0, 0, w, h), pdf.Ellipse(d, d, w-2*d, h-2*d))}}
	case "frame":
		d := ss * b.a("adj1", 12500)
		o.Contours = []Contour{{Points: ring(Points(0, 0, w, 0, w, h, 0, h), Points(d, d, w-d, d, w-d, h-d, d, h-d))}}
	case "can", "flowChartMagneticDisk":
		d := math.Min(h, ss*b.a("adj", 25000)) / 2
		side := append(pdf.Arc(w/2, h-d, w/2, d, 0, 180), pdf.Arc(w/2, d, w/2, d, 180, 180)...)
		o.Contours = []Contour{{Points: side}, {Points: pdf.Arc(w/2, d, w/2, d, 0, 180), IsOpen: true}}
		o.Text = dml.Rect{Y: 2 * d, W: w, H: h - 3*d}
	case "cube":
		d := ss * b.a("adj", 25000)
		o.Contours = []Contour{{Points: Points(0, d, d, 0, w, 0, w, h-d, w-d, h, 0, h)}, line2(0, d, w-d, d, w-d, h), line2(w-d, d, w, 0)}
		o.Text = dml.Rect{Y: d, W: w - d, H: h - d}
	case "pie", "chord":
		first := map[string]float64{"pie": 0, "chord": 2700000}[name]
		pts := arcBetween(w, h, b.degrees("adj1", first), b.degrees("adj2", 16200000))
		if name == "pie" {
			pts = append(pts, pdf.Point{X: w / 2, Y: h / 2})
		}
		o.Contours = []Contour{{Points: pts}}
	case "heart":
		o.Contours = []Contour{{Points: heart(w, h)}}
	default:
		return false
	}
	return true
}

// arcBetween is the part of the ellipse in a box of w × h that runs clockwise
// from one direction in which it is seen from its middle to another.
func arcBetween(w, h, from, to float64) []pdf.Point {
	rx, ry := w/2, h/2
	ahead := aheadOnCircle(from, rx, ry)
	sweep := to - from
	if sweep <= 0 {
		sweep += 360
	}
	return pdf.Arc(rx, ry, rx, ry, from+ahead, sweep+aheadOnCircle(to, rx, ry)-ahead)
}

// aheadOnCircle is by how many degrees the place of an ellipse that is seen in a
// direction from its middle is further on the circle that the ellipse is a view
// of: pdf.Arc counts on that.
func aheadOnCircle(direction, rx, ry float64) float64 {
	const rounding = 1e-9 // degrees: right angles and those of circles are the same
	sin, cos := math.Sincos(direction * math.Pi / 180)
	ahead := math.Remainder(math.Atan2(sin*rx, cos*ry)*180/math.Pi-direction, 360)
	if math.Abs(ahead) < rounding {
		return 0
	}
	return ahead
}

func heart(w, h float64) []pdf.Point {
	p := []pdf.Point{{X: w / 2, Y: h / 4}}
	p = pdf.Bezier(p, pdf.Point{X: w * 0.708, Y: -h / 3}, pdf.Point{X: w * 1.52, Y: h / 4}, pdf.Point{X: w / 2, Y: h})
	return pdf.Bezier(p, pdf.Point{X: -w * 0.52, Y: h / 4}, pdf.Point{X: w * 0.292, Y: -h / 3}, pdf.Point{X: w / 2, Y: h / 4})
}

// ring joins an outline and a hole in it by a seam that does not show.
func ring(outer, hole []pdf.Point) []pdf.Point {
	out := append([]pdf.Point{}, outer...)
	out = append(out, outer[0])
	out = append(out, hole[0])
	for i := len(hole) - 1; i >= 0; i-- {
		out = append(out, hole[i])
	}
	return append(out, outer[0])
}

// cornerShape draws rectangles with some corners cut or rounded.
func cornerShape(name string, b presetBox, o *outline) bool {
	w, h := b.w, b.h
	d := b.ss() * b.a("adj", 16667)
	d1, d2 := b.ss()*b.a("adj1", 16667), b.ss()*b.a("adj2", 0)
	snip := func(c [4]float64) []pdf.Point {
		return Points(c[0], 0, w-c[1], 0, w, c[1], w, h-c[2], w-c[2], h, c[3], h, 0, h-c[3], 0, c[0])
	}
	round := func(c [4]float64) []pdf.Point {
		p := pdf.Arc(c[0], c[0], c[0], c[0], 180, 90)
		p = append(p, pdf.Arc(w-c[1], c[1], c[1], c[1], 270, 90)...)
		p = append(p, pdf.Arc(w-c[2], h-c[2], c[2], c[2], 0, 90)...)
		return append(p, pdf.Arc(c[3], h-c[3], c[3], c[3], 90, 90)...)
	}
	var p []pdf.Point
	switch name {
	case "snip1Rect":
		p = snip([4]float64{0, d, 0, 0})
	case "snip2SameRect":
		p = snip([4]float64{d1, d1, d2, d2})
	case "snip2DiagRect":
		p = snip([4]float64{b.ss() * b.a("adj1", 0), b.ss() * b.a("adj2", 16667), b.ss() * b.a("adj1", 0), b.ss() * b.a("adj2", 16667)})
	case "round1Rect":
		p = round([4]float64{0, d, 0, 0})
	case "round2SameRect":
		p = round([4]float64{d1, d1, d2, d2})
	case "round2DiagRect":
		p = round([4]float64{d1, d2, d1, d2})
	default:
		return false
	}
	o.Contours = []Contour{{Points: p}}
	return true
}

// flowShape draws flow-chart symbols.
func flowShape(name string, b presetBox, o *outline) bool {
	w, h := b.w, b.h
	switch name {
	case "flowChartMerge":
		o.Contours = poly(0, 0, w, 0, w/2, h)
		o.Text = dml.Rect{X: w / 4, W: w / 2, H: h / 2}
	case "flowChartExtract":
		o.Contours = poly(w/2, 0, w, h, 0, h)
		o.Text = dml.Rect{X: w / 4, Y: h / 2, W: w / 2, H: h / 2}
	case "flowChartTerminator":
		o.Contours = []Contour{{Points: pdf.RoundRect(0, 0, w, h, h/2)}}
	case "flowChartAlternateProcess":
		o.Contours = []Contour{{Points: pdf.RoundRect(0, 0, w, h, b.ss()/6)}}
	case "flowChartPredefinedProcess":
		o.Contours = append(poly(0, 0, w, 0, w, h, 0, h), line2(w/8, 0, w/8, h), line2(w*7/8, 0, w*7/8, h))
		o.Text = dml.Rect{X: w / 8, W: w * 3 / 4, H: h}
	case "flowChartManualOperation":
		o.Contours = poly(0, 0, w, 0, w*0.8, h, w*0.2, h)
	case "flowChartManualInput":
		o.Contours = poly(0, h/5, w, 0, w, h, 0, h)
	case "flowChartPreparation":
		o.Contours = poly(0, h/2, w/5, 0, w*4/5, 0, w, h/2, w*4/5, h, w/5, h)
	case "flowChartOffpageConnector":
		o.Contours = poly(0, 0, w, 0, w, h*0.8, w/2, h, 0, h*0.8)
	case "flowChartDelay":
		p := Points(0, 0, w/2, 0)
		o.Contours = []Contour{{Points: append(append(p, pdf.Arc(w/2, h/2, w/2, h/2, -90, 180)...), pdf.Point{X: 0, Y: h})}}
	case "flowChartDocument":
		p := pdf.Bezier(Points(0, 0, w, 0, w, h*0.8), pdf.Point{X: w / 2, Y: h * 0.8}, pdf.Point{X: w / 2, Y: h * 1.1}, pdf.Point{X: 0, Y: h * 0.93})
		o.Contours = []Contour{{Points: p}}
		o.Text = dml.Rect{W: w, H: h * 0.8}
	default:
		return false
	}
	return true
}

// Place moves contours from a shape's box to the page, mirrored as asked.
func Place(in []Contour, frame dml.Rect, flipH, flipV bool) []Contour {
	out := make([]Contour, len(in))
	for i, c := range in {
		moved := make([]pdf.Point, len(c.Points))
		for j, p := range c.Points {
			if flipH {
				p.X = frame.W - p.X
			}
			if flipV {
				p.Y = frame.H - p.Y
			}
			moved[j] = pdf.Point{X: frame.X + p.X, Y: frame.Y + p.Y}
		}
		out[i] = Contour{Points: moved, IsOpen: c.IsOpen, IsHollow: c.IsHollow}
	}
	return out
}

// SeeThrough is how opaque the box of a shape is whose form is not known: white
// text can be read on it where it is dark, and what is behind it.
const SeeThrough = 0.5
