package shape

import (
	"math"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// nonZero, in points, lets a box without a height divide.
const nonZero = 1e-9

// arrowShape draws block arrows. Arrows to other sides are the one to the
// right, turned.
func arrowShape(name string, b presetBox, o *outline) bool {
	w, h := b.w, b.h
	switch name {
	case "rightArrow", "leftArrow", "upArrow", "downArrow":
		isSideways := name == "rightArrow" || name == "leftArrow"
		l, t := w, h
		if !isSideways {
			l, t = h, w
		}
		shaft := t * math.Min(1, b.a("adj1", 50000)) / 2
		head := math.Min(l, b.ss()*b.a("adj2", 50000))
		p := Points(0, t/2-shaft, l-head, t/2-shaft, l-head, 0, l, t/2, l-head, t, l-head, t/2+shaft, 0, t/2+shaft)
		box := dml.Rect{Y: t/2 - shaft, W: l - head + head*(t/2-shaft)/(t/2+nonZero), H: 2 * shaft}
		o.Contours, o.Text = []Contour{{Points: turn(p, name, w, h)}}, turnRect(box, name, w, h)
	case "leftRightArrow", "upDownArrow":
		l, t := w, h
		if name == "upDownArrow" {
			l, t = h, w
		}
		shaft := t * math.Min(1, b.a("adj1", 50000)) / 2
		head := math.Min(l/2, b.ss()*b.a("adj2", 50000))
		p := Points(0, t/2, head, 0, head, t/2-shaft, l-head, t/2-shaft, l-head, 0, l, t/2, l-head, t, l-head, t/2+shaft, head, t/2+shaft, head, t)
		if name == "upDownArrow" {
			for i := range p {
				p[i] = pdf.Point{X: p[i].Y, Y: p[i].X}
			}
		}
		o.Contours = []Contour{{Points: p}}
	case "homePlate":
		x := w - math.Min(w, b.ss()*b.a("adj", 50000))
		o.Contours = poly(0, 0, x, 0, w, h/2, x, h, 0, h)
		o.Text = dml.Rect{W: (x + w) / 2, H: h}
	case "chevron":
		d := math.Min(w, b.ss()*b.a("adj", 50000))
		o.Contours = poly(0, 0, w-d, 0, w, h/2, w-d, h, 0, h, d, h/2)
		o.Text = dml.Rect{X: d, W: math.Max(1, w-2*d), H: h}
	case "notchedRightArrow":
		s, d := h*b.a("adj1", 50000)/2, math.Min(w, b.ss()*b.a("adj2", 50000))
		n := s * d / (h/2 + nonZero)
		o.Contours = poly(0, h/2-s, w-d, h/2-s, w-d, 0, w, h/2, w-d, h, w-d, h/2+s, 0, h/2+s, n, h/2)
	case "bentUpArrow":
		s := b.ss()
		th, hw, hl := s*b.a("adj1", 25000), s*b.a("adj2", 25000), s*b.a("adj3", 25000)
		x := w - hw
		o.Contours = poly(0, h-th, x-th/2, h-th, x-th/2, hl, x-hw, hl, x, 0, w, hl, x+th/2, hl, x+th/2, h, 0, h)
	case "bentArrow":
		s := b.ss()
		th, hw, hl := s*b.a("adj1", 25000), s*b.a("adj2", 25000), s*b.a("adj3", 25000)
		r := math.Min(s*b.a("adj4", 43750), math.Min(w-hl, h-hw))
		p := Points(0, h)
		p = append(p, pdf.Arc(r, hw-th/2+r, r, r, 180, 90)...)
		p = append(p, Points(w-hl, hw-th/2, w-hl, 0, w, hw, w-hl, 2*hw, w-hl, hw+th/2)...)
		in := math.Max(0, r-th)
		arc := pdf.Arc(th+in, hw+th/2+in, in, in, 270, -90)
		o.Contours = []Contour{{Points: append(append(p, arc...), pdf.Point{X: th, Y: h})}}
	default:
		return false
	}
	return true
}

// turn maps an arrow drawn to the right to the direction in its name.
func turn(p []pdf.Point, name string, w, h float64) []pdf.Point {
	for i, q := range p {
		switch name {
		case "leftArrow":
			p[i] = pdf.Point{X: w - q.X, Y: q.Y}
		case "downArrow":
			p[i] = pdf.Point{X: q.Y, Y: q.X}
		case "upArrow":
			p[i] = pdf.Point{X: q.Y, Y: h - q.X}
		}
	}
	return p
}

func turnRect(r dml.Rect, name string, w, h float64) dml.Rect {
	p := turn(Points(r.X, r.Y, r.X+r.W, r.Y+r.H), name, w, h)
	return dml.Rect{X: math.Min(p[0].X, p[1].X), Y: math.Min(p[0].Y, p[1].Y), W: math.Abs(p[1].X - p[0].X), H: math.Abs(p[1].Y - p[0].Y)}
}

// grownStars are those that have no point straight to each side, and are made
// larger so that they reach all four sides of their box (hf and vf).
var grownStars = map[int]struct{ w, h float64 }{
	5: {1.05146, 1.10557}, 6: {1.15470, 1}, 7: {1.02572, 1.05210}, 10: {1.05146, 1},
}

// starShape draws star4 to star32.
func starShape(name string, b presetBox, o *outline) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "star"))
	if !strings.HasPrefix(name, "star") || err != nil || n < 4 || n > 32 {
		return false
	}
	inner := map[int]float64{4: 12500, 5: 19098, 6: 28868, 7: 34601, 8: 37500, 10: 42533}[n]
	if inner == 0 {
		inner = 37500
	}
	r := b.a("adj", inner) * 2
	rx, ry, cx, cy := b.w/2, b.h/2, b.w/2, b.h/2
	if grown, ok := grownStars[n]; ok {
		rx, ry, cy = rx*grown.w, ry*grown.h, cy*grown.h
	}
	var p []pdf.Point
	for i := range 2 * n {
		k := 1.0
		if i%2 == 1 {
			k = r
		}
		a := -math.Pi/2 + math.Pi*float64(i)/float64(n)
		p = append(p, pdf.Point{X: cx + rx*k*math.Cos(a), Y: cy + ry*k*math.Sin(a)})
	}
	o.Contours = []Contour{{Points: p}}
	o.Text = dml.Rect{X: b.w * 0.2, Y: b.h * 0.25, W: b.w * 0.6, H: b.h * 0.5}
	return true
}

// lineShape draws lines, connectors, braces and brackets: nothing that is filled.
func lineShape(name string, b presetBox, o *outline) bool {
	w, h := b.w, b.h
	var p []pdf.Point
	x1 := w * b.a("adj1", 50000)
	switch name {
	case "line", "straightConnector1":
		p = Points(0, 0, w, h)
	case "bentConnector2":
		p = Points(0, 0, w, 0, w, h)
	case "bentConnector3":
		p = Points(0, 0, x1, 0, x1, h, w, h)
	case "bentConnector4":
		y := h * b.a("adj2", 50000)
		p = Points(0, 0, x1, 0, x1, y, w, y, w, h)
	case "bentConnector5":
		y, x3 := h*b.a("adj2", 50000), w*b.a("adj3", 50000)
		p = Points(0, 0, x1, 0, x1, y, x3, y, x3, h, w, h)
	case "curvedConnector2":
		p = pdf.Bezier(Points(0, 0), pdf.Point{X: w / 2, Y: 0}, pdf.Point{X: w, Y: h / 2}, pdf.Point{X: w, Y: h})
	case "curvedConnector3":
		p = pdf.Bezier(Points(0, 0), pdf.Point{X: x1 / 2, Y: 0}, pdf.Point{X: x1, Y: h / 4}, pdf.Point{X: x1, Y: h / 2})
		p = pdf.Bezier(p, pdf.Point{X: x1, Y: h * 3 / 4}, pdf.Point{X: (x1 + w) / 2, Y: h}, pdf.Point{X: w, Y: h})
	case "curvedConnector4", "curvedConnector5":
		y := h * b.a("adj2", 50000)
		p = pdf.Bezier(Points(0, 0), pdf.Point{X: x1 / 2, Y: 0}, pdf.Point{X: x1, Y: y / 4}, pdf.Point{X: x1, Y: y / 2})
		p = pdf.Bezier(p, pdf.Point{X: x1, Y: y}, pdf.Point{X: w, Y: y}, pdf.Point{X: w, Y: h})
	case "arc":
		p = arcBetween(w, h, b.degrees("adj1", 16200000), b.degrees("adj2", 0))
	case "leftBrace", "rightBrace":
		y, r := h*b.a("adj2", 50000), math.Min(b.ss()*b.a("adj1", 8333), h/4)
		p = pdf.Arc(w, r, w/2, r, 270, -90)
		p = append(p, pdf.Arc(0, y-r, w/2, r, 0, 90)...)
		p = append(p, pdf.Arc(0, y+r, w/2, r, 270, 90)...)
		p = append(p, pdf.Arc(w, h-r, w/2, r, 180, -90)...)
		if name == "rightBrace" {
			mirror(p, w)
		}
	case "leftBracket", "rightBracket":
		r := math.Min(b.ss()*b.a("adj", 8333), h/2)
		p = append(pdf.Arc(w, r, w, r, 270, -90), pdf.Arc(w, h-r, w, r, 180, -90)...)
		if name == "rightBracket" {
			mirror(p, w)
		}
	default:
		return false
	}
	o.Contours = []Contour{{Points: p, IsOpen: true}}
	return true
}

func mirror(p []pdf.Point, w float64) {
	for i := range p {
		p[i].X = w - p[i].X
	}
}

// calloutShape draws boxes with a pointer.
func calloutShape(name string, b presetBox, o *outline) bool {
	w, h := b.w, b.h
	tip := pdf.Point{X: w/2 + w*b.a("adj1", -20833), Y: h/2 + h*b.a("adj2", 62500)}
	switch name {
	case "wedgeRectCallout":
		o.Contours = []Contour{{Points: pointer(Points(0, 0, w, 0, w, h, 0, h), tip, w, h)}}
	case "wedgeRoundRectCallout":
		r := b.ss() * b.a("adj3", 16667)
		o.Contours = []Contour{{Points: pointer(pdf.RoundRect(0, 0, w, h, r), tip, w, h)}}
	case "wedgeEllipseCallout":
		a := math.Atan2((tip.Y-h/2)*w, (tip.X-w/2)*h) * 180 / math.Pi
		o.Contours = []Contour{{Points: append(pdf.Arc(w/2, h/2, w/2, h/2, a+11, 338), tip)}}
	default:
		return false
	}
	return true
}

// pointer puts a wedge to the tip on the side of a box that is nearest to it.
func pointer(box []pdf.Point, tip pdf.Point, w, h float64) []pdf.Point {
	dx, dy := tip.X-w/2, tip.Y-h/2
	isUpright := math.Abs(dx)*h > math.Abs(dy)*w // the wedge is on the left or right side
	at := func(size, d float64) (float64, float64) {
		if d > 0 {
			return size * 7 / 12, size * 10 / 12
		}
		return size * 2 / 12, size * 5 / 12
	}
	var from, to pdf.Point
	switch lo, hi := at(w, dx); {
	case !isUpright && dy < 0:
		from, to = pdf.Point{X: lo, Y: 0}, pdf.Point{X: hi, Y: 0}
	case !isUpright:
		from, to = pdf.Point{X: hi, Y: h}, pdf.Point{X: lo, Y: h}
	case dx > 0:
		lo, hi = at(h, dy)
		from, to = pdf.Point{X: w, Y: lo}, pdf.Point{X: w, Y: hi}
	default:
		lo, hi = at(h, dy)
		from, to = pdf.Point{X: 0, Y: hi}, pdf.Point{X: 0, Y: lo}
	}
	for i := range box {
		a, c := box[i], box[(i+1)%len(box)]
		if onEdge(a, c, from) && onEdge(a, c, to) {
			out := append([]pdf.Point{}, box[:i+1]...)
			return append(append(out, from, tip, to), box[i+1:]...)
		}
	}
	return box
}

func onEdge(a, b, p pdf.Point) bool {
	if math.Abs(a.Y-b.Y) < samePlace {
		return math.Abs(p.Y-a.Y) < samePlace && p.X >= math.Min(a.X, b.X)-samePlace && p.X <= math.Max(a.X, b.X)+samePlace
	}
	if math.Abs(a.X-b.X) < samePlace {
		return math.Abs(p.X-a.X) < samePlace && p.Y >= math.Min(a.Y, b.Y)-samePlace && p.Y <= math.Max(a.Y, b.Y)+samePlace
	}
	return false
}
