package shape

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// perDegree is how DrawingML writes angles.
const perDegree = 60000

// samePlace is how near two places are, in points, that count as one.
const samePlace = 0.01

// Limits on a custom geometry; both are far above what programs write.
const (
	maxGuides     = 2000
	maxPathPoints = 50000
	maxAdjust     = 1e9
	far           = 1e6 // points from the shape's corner
)

// shades says how much darker a path is painted than its shape (ST_PathFillMode,
// ECMA-376 part 1, 20.1.10.37, which leaves the amount open).
var shades = map[string]float64{"darken": 0.4, "darkenLess": 0.2, "lighten": -0.4, "lightenLess": -0.2}

// guides are the named values of a custom geometry (ECMA-376 part 1, 20.1.9.11).
type guides map[string]float64

func newGuides(w, h float64) guides {
	ss, ls := math.Min(w, h), math.Max(w, h)
	g := guides{
		"w": w, "h": h, "l": 0, "t": 0, "r": w, "b": h, "hc": w / 2, "vc": h / 2, "ss": ss, "ls": ls,
		"cd2": 10800000, "cd4": 5400000, "cd8": 2700000, "3cd4": 16200000, "3cd8": 8100000, "5cd8": 13500000, "7cd8": 18900000,
	}
	for _, n := range []float64{2, 3, 4, 5, 6, 8, 10, 12, 16, 32} {
		k := strconv.Itoa(int(n))
		g["wd"+k], g["hd"+k], g["ssd"+k] = w/n, h/n, ss/n
	}
	return g
}

func (g guides) value(s string) float64 {
	if v, ok := g[s]; ok {
		return v
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

func (g guides) read(list *etree.Element) {
	if list == nil {
		return
	}
	for i, gd := range dml.ChildrenNamed(list, "gd") {
		if i >= maxGuides {
			return
		}
		v := g.formula(strings.Fields(gd.SelectAttrValue("fmla", "")))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v = 0
		}
		g[gd.SelectAttrValue("name", "")] = v
	}
}

func (g guides) formula(f []string) float64 {
	var v [3]float64
	for i := range v {
		if i+1 < len(f) {
			v[i] = g.value(f[i+1])
		}
	}
	x, y, z := v[0], v[1], v[2]
	const unit = math.Pi / 180 / perDegree
	if len(f) == 0 {
		return 0
	}
	switch f[0] {
	case "val":
		return x
	case "*/":
		return x * y / z
	case "+-":
		return x + y - z
	case "+/":
		return (x + y) / z
	case "?:":
		if x > 0 {
			return y
		}
		return z
	case "abs":
		return math.Abs(x)
	case "min":
		return math.Min(x, y)
	case "max":
		return math.Max(x, y)
	case "pin":
		return math.Max(x, math.Min(y, z))
	case "sqrt":
		return math.Sqrt(x)
	case "mod":
		return math.Sqrt(x*x + y*y + z*z)
	case "sin":
		return x * math.Sin(y*unit)
	case "cos":
		return x * math.Cos(y*unit)
	case "tan":
		return x * math.Tan(y*unit)
	case "at2":
		return math.Atan2(y, x) / unit
	case "cat2":
		return x * math.Cos(math.Atan2(z, y))
	case "sat2":
		return x * math.Sin(math.Atan2(z, y))
	}
	return 0
}

// outlineOf draws an a:custGeom, or the definition of a preset, in a box of w × h
// points. The values of adjust take the place of its own adjustments.
func outlineOf(e *etree.Element, adjust map[string]float64, w, h float64) outline {
	o := outline{Text: dml.Rect{W: w, H: h}}
	const emu = 12700
	g := newGuides(w*emu, h*emu)
	g.read(dml.Child(e, "avLst"))
	for name, value := range adjust {
		g[name] = pdf.Clamp(value, -maxAdjust, maxAdjust)
	}
	g.read(dml.Child(e, "gdLst"))
	paths := dml.Child(e, "pathLst")
	if paths == nil {
		return o
	}
	budget := maxPathPoints
	for number, path := range dml.ChildrenNamed(paths, "path") {
		pw, ph := g.value(path.SelectAttrValue("w", "0")), g.value(path.SelectAttrValue("h", "0"))
		p := pathReader{g: g, sx: 1.0 / emu, sy: 1.0 / emu, budget: &budget}
		if pw > 0 {
			p.sx = w / pw
		}
		if ph > 0 {
			p.sy = h / ph
		}
		fill := path.SelectAttrValue("fill", "norm")
		stroke := path.SelectAttrValue("stroke", "true")
		p.like = Contour{IsHollow: fill == "none", Shade: shades[fill], IsBare: stroke == "false" || stroke == "0", Path: number}
		for _, c := range dml.ChildElements(path) {
			p.command(c)
		}
		p.flush(true)
		o.Contours = append(o.Contours, p.out...)
	}
	if r := dml.Child(e, "rect"); r != nil {
		at := func(key string) float64 { return g.value(r.SelectAttrValue(key, "0")) / emu }
		if box := (dml.Rect{X: at("l"), Y: at("t"), W: at("r") - at("l"), H: at("b") - at("t")}); box.W > 0 && box.H > 0 {
			o.Text = box
		}
	}
	return o
}

type pathReader struct {
	g      guides
	sx, sy float64
	like   Contour // what all contours of the path have
	budget *int
	cur    []pdf.Point
	out    []Contour
}

func (p *pathReader) flush(isOpen bool) {
	if len(p.cur) > 1 {
		first, last := p.cur[0], p.cur[len(p.cur)-1]
		if math.Hypot(first.X-last.X, first.Y-last.Y) < samePlace {
			isOpen = false
		}
		c := p.like
		c.Points, c.IsOpen = p.cur, isOpen
		p.out = append(p.out, c)
	}
	p.cur = nil
}

func (p *pathReader) command(c *etree.Element) {
	if *p.budget <= 0 {
		return
	}
	var pts []pdf.Point
	for _, pt := range dml.ChildrenNamed(c, "pt") {
		x, y := p.g.value(pt.SelectAttrValue("x", "0"))*p.sx, p.g.value(pt.SelectAttrValue("y", "0"))*p.sy
		pts = append(pts, pdf.Point{X: pdf.Clamp(x, -far, far), Y: pdf.Clamp(y, -far, far)})
	}
	before := len(p.cur)
	switch {
	case c.Tag == "moveTo" && len(pts) == 1:
		p.flush(true)
		p.cur, before = pts, 0
	case c.Tag == "lnTo" && len(pts) == 1:
		p.cur = append(p.cur, pts[0])
	case c.Tag == "cubicBezTo" && len(pts) == 3:
		p.cur = pdf.Bezier(p.cur, pts[0], pts[1], pts[2])
	case c.Tag == "quadBezTo" && len(pts) == 2 && len(p.cur) > 0:
		s := p.cur[len(p.cur)-1]
		third := func(a, b pdf.Point) pdf.Point { return pdf.Point{X: a.X + (b.X-a.X)*2/3, Y: a.Y + (b.Y-a.Y)*2/3} }
		p.cur = pdf.Bezier(p.cur, third(s, pts[0]), third(pts[1], pts[0]), pts[1])
	case c.Tag == "arcTo" && len(p.cur) > 0:
		at := func(key string) float64 { return p.g.value(c.SelectAttrValue(key, "0")) }
		rx, ry := math.Abs(at("wR")), math.Abs(at("hR"))
		from, sweep := at("stAng")/perDegree, math.Max(-360, math.Min(360, at("swAng")/perDegree))
		s, a := p.cur[len(p.cur)-1], from*math.Pi/180
		// The angles are those of directions in the path's own units, not of the circle
		// that the ellipse is a view of.
		a = math.Atan2(math.Sin(a)*rx, math.Cos(a)*ry)
		sweep += aheadOnCircle(from+sweep, rx, ry) - aheadOnCircle(from, rx, ry)
		rx, ry = math.Min(rx*p.sx, far), math.Min(ry*p.sy, far)
		p.cur = append(p.cur, pdf.Arc(s.X-rx*math.Cos(a), s.Y-ry*math.Sin(a), rx, ry, a*180/math.Pi, sweep)[1:]...)
	case c.Tag == "close":
		p.flush(false)
		before = 0
	}
	*p.budget -= max(1, len(p.cur)-before)
}
