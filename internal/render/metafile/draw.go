package metafile

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

func opaque(r, g, b uint8) Color { return Color{dml.RGB{R: r, G: g, B: b}, 1} }

// The raster operations of a pen that we distinguish (MS-WMF 2.1.1.2).
const (
	ropBlack   = 1
	ropNop     = 11
	ropCopyPen = 13
	ropWhite   = 16
)

// pen is a logical pen (MS-EMF 2.2.19, 2.2.20; MS-WMF 2.2.1.4).
type pen struct {
	style uint32
	width float64 // logical; 0 is as thin as can be
	color Color
	dash  []float64 // of a pen with a style of its own
	isNil bool
}

// The parts of a pen's style (MS-EMF 2.1.25).
const (
	penStyles     = 0xF
	penDash       = 1
	penDot        = 2
	penDashDot    = 3
	penDashDotDot = 4
	penNull       = 5
	penUser       = 7
	penCaps       = 0xF00
	penSquare     = 0x100
	penFlat       = 0x200
	penJoins      = 0xF000
	penBevel      = 0x1000
	penMiter      = 0x2000
	penGeometric  = 0x10000
)

// stroke is how the pen draws; false for one that draws nothing.
func (p *player) stroke() (Stroke, bool) {
	const thinnest, pixel = 0.1, 0.25 // points
	n := p.dc.pen
	if n.isNil || n.style&penStyles == penNull || p.dc.rop == ropNop {
		return Stroke{}, false
	}
	m := p.matrix()
	s := Stroke{Color: p.mixed(n.color), Width: n.width * m.scale(), Cap: 1, Join: 1}
	if s.Width == 0 {
		s.Width = pixel
	}
	s.Width = math.Max(thinnest, s.Width)
	switch n.style & penCaps {
	case penSquare:
		s.Cap = 2
	case penFlat:
		s.Cap = 0
	}
	switch n.style & penJoins {
	case penBevel:
		s.Join = 2
	case penMiter:
		s.Join = 0
	}
	unit := math.Max(s.Width, 0.75)
	for _, d := range dashes(n.style & penStyles) {
		s.Dash = append(s.Dash, d*unit)
	}
	if n.style&penStyles == penUser {
		for _, d := range n.dash {
			s.Dash = append(s.Dash, math.Max(0.01, math.Abs(d)*m.scale()))
		}
	}
	if len(s.Dash) > 0 {
		s.Cap = 0 // else dashes would grow together
	}
	return s, true
}

// dashes are those of a pen's style, in multiples of its width.
func dashes(style uint32) []float64 {
	switch style {
	case penDash:
		return []float64{3, 1}
	case penDot:
		return []float64{1, 1}
	case penDashDot:
		return []float64{3, 1, 1, 1}
	case penDashDotDot:
		return []float64{3, 1, 1, 1, 1, 1}
	}
	return nil
}

// mixed is a colour as the mix with the background leaves it.
func (p *player) mixed(c Color) Color {
	switch p.dc.rop {
	case ropBlack:
		return opaque(0, 0, 0)
	case ropWhite:
		return opaque(255, 255, 255)
	}
	return c
}

// shape draws a figure in logical places, closed or open, filled by the brush
// and drawn by the pen; inside a path it is added to that.
func (p *player) shape(figure *Path, isFilled, isStroked bool) {
	p.flushMask()
	if len(figure.Points) == 0 || !p.spendPoints(len(figure.Points)) {
		return
	}
	figure = figure.in(p.matrix())
	if p.isOpen {
		p.path.add(figure)
		p.fresh = true
		return
	}
	p.paint(figure, isFilled, isStroked)
}

// paint draws a path that is in the canvas's places.
func (p *player) paint(path *Path, isFilled, isStroked bool) {
	if len(path.Points) == 0 {
		return
	}
	p.showClip()
	if isFilled && p.dc.rop != ropNop {
		p.fill(path, !p.dc.isWinding, p.dc.brush)
	}
	if !isStroked {
		return
	}
	if s, ok := p.stroke(); ok {
		p.canvas.Stroke(path, s)
	}
}

// lines is a figure through points. At the position where its first point is
// not the first of the figure.
func lines(points []Point, isClosed bool) *Path {
	if isClosed && len(points) > 1 {
		return polygonOf(points...)
	}
	f := &Path{}
	for i, at := range points {
		if i == 0 {
			f.moveTo(at)
		} else {
			f.lineTo(at)
		}
	}
	return f
}

// curves is a figure of Bézier curves: a start, then three points for each.
func curves(points []Point) *Path {
	f := &Path{}
	if len(points) == 0 {
		return f
	}
	f.moveTo(points[0])
	for i := 1; i+2 < len(points); i += 3 {
		f.curveTo(points[i], points[i+1], points[i+2])
	}
	return f
}

// follow draws a figure that goes on from the position, which is its first point,
// and leaves the position at its end.
func (p *player) follow(figure *Path) {
	if len(figure.Points) < 2 {
		return
	}
	p.dc.position = figure.Points[len(figure.Points)-1]
	if !p.isOpen {
		p.shape(figure, false, true)
		return
	}
	if !p.spendPoints(len(figure.Points)) {
		return
	}
	figure = figure.in(p.matrix())
	if !p.fresh && len(p.path.Ops) > 0 && p.path.Ops[len(p.path.Ops)-1] != 'h' {
		figure = &Path{Ops: figure.Ops[1:], Points: figure.Points[1:]}
	}
	p.path.add(figure)
	p.fresh = false
}

// from puts the position before points.
func (p *player) from(points []Point) []Point {
	return append([]Point{p.dc.position}, points...)
}

// moveTo sets the position.
func (p *player) moveTo(at Point) {
	p.dc.position, p.fresh = at, true
}

// Arcs are cut out of an ellipse in four ways (MS-WMF 2.3.3.1, 2.3.3.2, 2.3.3.13).
type arcKind int

const (
	arcOpen arcKind = iota
	arcChord
	arcPie
	arcTo
)

// arc draws the part of the ellipse in a box from the ray through one point to
// the ray through another, counterclockwise as it is seen if nothing else is set.
func (p *player) arc(kind arcKind, left, top, right, bottom float64, start, end Point) {
	cx, cy, rx, ry := (left+right)/2, (top+bottom)/2, math.Abs(right-left)/2, math.Abs(bottom-top)/2
	if rx == 0 || ry == 0 {
		return
	}
	from, to := math.Atan2((start.Y-cy)/ry, (start.X-cx)/rx), math.Atan2((end.Y-cy)/ry, (end.X-cx)/rx)
	isClockwise := p.dc.isClockwise
	if p.matrix().isMirror() {
		isClockwise = !isClockwise
	}
	sweep := to - from
	for isClockwise && sweep <= 0 {
		sweep += 2 * math.Pi
	}
	for !isClockwise && sweep >= 0 {
		sweep -= 2 * math.Pi
	}
	f := &Path{}
	switch kind {
	case arcTo:
		f.moveTo(p.dc.position)
		f.arc(cx, cy, rx, ry, from, sweep)
		p.follow(f)
		return
	case arcPie:
		f.moveTo(Point{cx, cy})
	}
	f.arc(cx, cy, rx, ry, from, sweep)
	if kind != arcOpen {
		f.close()
	}
	p.shape(f, kind != arcOpen, true)
}

// angleArc draws a line to an arc of a circle, and the arc (MS-EMF 2.3.5.2).
func (p *player) angleArc(center Point, radius, start, sweep float64) {
	const most = 720
	sweep = math.Max(-most, math.Min(most, sweep))
	f := &Path{}
	f.moveTo(p.dc.position)
	// Angles are counterclockwise as they are seen.
	sign := -1.0
	if p.matrix().isMirror() {
		sign = 1
	}
	f.arc(center.X, center.Y, radius, radius, sign*start*math.Pi/180, sign*sweep*math.Pi/180)
	p.follow(f)
}

func (p *player) beginPath() { p.path, p.isOpen, p.fresh = &Path{}, true, true }
func (p *player) endPath()   { p.isOpen = false }

func (p *player) closeFigure() {
	if p.isOpen {
		p.path.close()
		p.fresh = true
	}
}

// finishPath draws the path that was ended, and forgets it.
func (p *player) finishPath(isFilled, isStroked bool) {
	path := p.path
	p.path, p.isOpen = nil, false
	if path != nil && !p.limits.isOver {
		p.flushMask()
		p.paint(path, isFilled, isStroked)
	}
}
