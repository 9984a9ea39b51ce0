package metafile

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

// Canvas is what a metafile is drawn on. Places are where the box lies that the
// picture was given, in points, y downwards.
type Canvas interface {
	// Save remembers the clip until the matching Restore.
	Save()
	Restore()
	// Clip keeps what follows inside a path.
	Clip(p *Path, isEvenOdd bool)
	Fill(p *Path, isEvenOdd bool, c Color)
	Stroke(p *Path, s Stroke)
	// Picture draws a PNG or JPEG file into the unit square that m maps.
	Picture(file []byte, m Matrix) error
	Text(t Text)
	// Metrics are a font's ascent and descent, and Advance the width of a
	// letter, for a size of 1.
	Metrics(f Font) (ascent, descent float64)
	Advance(f Font, r rune) float64
	// Spend says whether so much more work may be done for the document.
	Spend(work int) bool
}

// Color is a colour with its opacity: 1 is opaque.
type Color struct {
	dml.RGB
	Alpha float64
}

// Point is a place.
type Point struct{ X, Y float64 }

// Path is a series of contours. Each Op takes one point (m, l), three (c: two
// handles and the end) or none (h, which closes the contour).
type Path struct {
	Ops    []byte
	Points []Point
}

func (p *Path) moveTo(at Point) { p.Ops, p.Points = append(p.Ops, 'm'), append(p.Points, at) }
func (p *Path) lineTo(at Point) { p.Ops, p.Points = append(p.Ops, 'l'), append(p.Points, at) }
func (p *Path) close() {
	if len(p.Ops) > 0 && p.Ops[len(p.Ops)-1] != 'h' {
		p.Ops = append(p.Ops, 'h')
	}
}

func (p *Path) curveTo(c1, c2, to Point) {
	p.Ops, p.Points = append(p.Ops, 'c'), append(p.Points, c1, c2, to)
}

func (p *Path) add(more *Path) {
	p.Ops, p.Points = append(p.Ops, more.Ops...), append(p.Points, more.Points...)
}

// in is the path mapped by a matrix.
func (p *Path) in(m Matrix) *Path {
	out := &Path{Ops: p.Ops, Points: make([]Point, len(p.Points))}
	for i, at := range p.Points {
		out.Points[i] = m.apply(at)
	}
	return out
}

// bounds is the box around the points, handles included.
func (p *Path) bounds() (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, at := range p.Points {
		low = Point{math.Min(low.X, at.X), math.Min(low.Y, at.Y)}
		high = Point{math.Max(high.X, at.X), math.Max(high.Y, at.Y)}
	}
	return low, high
}

func polygonOf(points ...Point) *Path {
	p := &Path{}
	for i, at := range points {
		if i == 0 {
			p.moveTo(at)
		} else {
			p.lineTo(at)
		}
	}
	p.close()
	return p
}

func rectangle(left, top, right, bottom float64) *Path {
	return polygonOf(Point{left, top}, Point{right, top}, Point{right, bottom}, Point{left, bottom})
}

// arc adds a part of the ellipse in a box, from an angle over a sweep in radians,
// clockwise where y grows downwards. It goes on from the contour's end, if there is one.
func (p *Path) arc(cx, cy, rx, ry, from, sweep float64) {
	pieces := max(1, int(math.Ceil(math.Abs(sweep)/(math.Pi/2)-1e-9)))
	step := sweep / float64(pieces)
	k := 4.0 / 3 * math.Tan(step/4)
	at := func(a float64) (sin, cos float64, place Point) {
		sin, cos = math.Sincos(a)
		return sin, cos, Point{cx + rx*cos, cy + ry*sin}
	}
	sin, cos, start := at(from)
	if len(p.Ops) == 0 || p.Ops[len(p.Ops)-1] == 'h' {
		p.moveTo(start)
	} else {
		p.lineTo(start)
	}
	for i := range pieces {
		nextSin, nextCos, end := at(from + step*float64(i+1))
		p.curveTo(Point{start.X - k*rx*sin, start.Y + k*ry*cos}, Point{end.X + k*rx*nextSin, end.Y - k*ry*nextCos}, end)
		sin, cos, start = nextSin, nextCos, end
	}
}

func ellipse(left, top, right, bottom float64) *Path {
	p := &Path{}
	p.arc((left+right)/2, (top+bottom)/2, (right-left)/2, (bottom-top)/2, 0, 2*math.Pi)
	p.close()
	return p
}

// roundRectangle has corners of an ellipse of a width and a height.
func roundRectangle(left, top, right, bottom, w, h float64) *Path {
	if left > right {
		left, right = right, left
	}
	if top > bottom {
		top, bottom = bottom, top
	}
	rx, ry := math.Min(math.Abs(w), right-left)/2, math.Min(math.Abs(h), bottom-top)/2
	if rx == 0 || ry == 0 {
		return rectangle(left, top, right, bottom)
	}
	p := &Path{}
	p.arc(right-rx, top+ry, rx, ry, -math.Pi/2, math.Pi/2)
	p.arc(right-rx, bottom-ry, rx, ry, 0, math.Pi/2)
	p.arc(left+rx, bottom-ry, rx, ry, math.Pi/2, math.Pi/2)
	p.arc(left+rx, top+ry, rx, ry, math.Pi, math.Pi/2)
	p.close()
	return p
}

// Stroke says how a line is drawn.
type Stroke struct {
	Color Color
	Width float64   // points
	Dash  []float64 // points; nil is solid
	Cap   int       // as in PDF: 0 flat, 1 round, 2 square
	Join  int       // as in PDF: 0 mitred, 1 round, 2 bevelled
}

// Font says which letters are meant.
type Font struct {
	Family       string
	Bold, Italic bool
}

// Text is a line of letters. M maps its baseline, which runs along x from 0, in
// points.
type Text struct {
	Font    Font
	Size    float64 // points
	Stretch float64 // how many times as wide letters are as the font has them
	Color   Color
	Runes   []rune
	X       []float64 // where each begins
	M       Matrix
}

// Matrix maps (x, y) to (A·x + C·y + E, B·x + D·y + F).
type Matrix struct{ A, B, C, D, E, F float64 }

var identity = Matrix{A: 1, D: 1}

func translation(x, y float64) Matrix { return Matrix{1, 0, 0, 1, x, y} }

func (m Matrix) apply(p Point) Point {
	return Point{m.A*p.X + m.C*p.Y + m.E, m.B*p.X + m.D*p.Y + m.F}
}

// then is what maps by m and after that by next.
func (m Matrix) then(next Matrix) Matrix {
	return Matrix{
		A: m.A*next.A + m.B*next.C, B: m.A*next.B + m.B*next.D,
		C: m.C*next.A + m.D*next.C, D: m.C*next.B + m.D*next.D,
		E: m.E*next.A + m.F*next.C + next.E, F: m.E*next.B + m.F*next.D + next.F,
	}
}

// scale is how many times as long lines become, on the mean of directions.
func (m Matrix) scale() float64 { return math.Sqrt(math.Abs(m.A*m.D - m.B*m.C)) }

func (m Matrix) isMirror() bool { return m.A*m.D-m.B*m.C < 0 }

// isSound tells whether places can be computed with it.
func (m Matrix) isSound() bool {
	for _, v := range []float64{m.A, m.B, m.C, m.D, m.E, m.F} {
		if math.IsNaN(v) || math.Abs(v) > 1e12 {
			return false
		}
	}
	return true
}
