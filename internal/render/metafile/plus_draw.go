package metafile

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

const noteEnds = "arrowheads in a metafile are not drawn"

// plusIsColor says that a record has a colour in place of a brush.
const plusIsColor = 0x8000

// brushOf is the brush that a record names.
func (u *plus) brushOf(flags uint16, id uint32) brush {
	if flags&plusIsColor != 0 {
		return brush{color: argb(id)}
	}
	if b, ok := u.objects[id%plusObjects].(brush); ok {
		return b
	}
	return brush{kind: brushNil}
}

// penOf is the pen that the flags name.
func (u *plus) penOf(flags uint16) plusPen {
	if n, ok := u.objects[flags&0xFF%plusObjects].(plusPen); ok {
		return n
	}
	return plusPen{isNil: true}
}

// paint fills a figure of the world.
func (u *plus) paint(f *Path, isEvenOdd bool, b brush) {
	if len(f.Points) == 0 || !u.spendPoints(len(f.Points)) {
		return
	}
	m := u.matrix()
	if b.gradient != nil {
		g := *b.gradient
		g.toCanvas = m
		b.gradient = &g
	}
	if b.kind == brushSolid && b.color.Alpha == 0 {
		return
	}
	u.showClip()
	u.fill(f.in(m), isEvenOdd, b)
}

// draw draws the lines of a figure.
func (u *plus) draw(f *Path, n plusPen) {
	const thinnest = 0.1 // points
	if n.isNil || len(f.Points) == 0 || !u.spendPoints(len(f.Points)) {
		return
	}
	m := u.matrix()
	scale := m.scale()
	if n.unit != 0 {
		scale = u.pixelsOf(n.unit) * u.device.scale()
	}
	s := Stroke{Color: n.brush.color, Width: math.Max(thinnest, n.width*scale), Cap: n.cap, Join: n.join}
	for _, d := range n.dash {
		s.Dash = append(s.Dash, d*s.Width)
	}
	if s.Color.Alpha == 0 {
		return
	}
	u.showClip()
	u.canvas.Stroke(f.in(m), s)
}

// figures carries out records that draw lines and areas (MS-EMFPLUS 2.3.4).
func (u *plus) figures(kind, flags uint16, r *record) bool {
	isShort := flags&plusShort != 0
	switch kind {
	case plusClear:
		u.showClip()
		u.canvas.Fill(rectangle(-farAway, -farAway, farAway, farAway), false, argb(r.u32()))
	case plusFillRects:
		b := u.brushOf(flags, r.u32())
		u.paint(r.rects(isShort), false, b)
	case plusDrawRects:
		u.draw(r.rects(isShort), u.penOf(flags))
	case plusFillPolygon:
		b := u.brushOf(flags, r.u32())
		u.paint(polygonOf(r.plusPoints(r.howMany(), flags)...), true, b)
	case plusDrawLines:
		const isClosed = 0x2000
		u.draw(lines(r.plusPoints(r.howMany(), flags), flags&isClosed != 0), u.penOf(flags))
	case plusFillEllipse, plusDrawEllipse, plusFillPie, plusDrawPie, plusDrawArc:
		u.round(kind, flags, r)
	case plusFillPath:
		b := u.brushOf(flags, r.u32())
		if f, ok := u.objects[flags&0xFF%plusObjects].(*Path); ok {
			u.paint(f, true, b)
		}
	case plusDrawPath:
		if n, ok := u.objects[r.u32()%plusObjects].(plusPen); ok {
			if f, ok := u.objects[flags&0xFF%plusObjects].(*Path); ok {
				u.draw(f, n)
			}
		}
	case plusFillRegion:
		b := u.brushOf(flags, r.u32())
		if area, ok := u.objects[flags&0xFF%plusObjects].(*plusRegion); ok && area.path != nil {
			u.paint(area.path, area.isEvenOdd, b)
		}
	case plusFillClosedCurve, plusDrawClosedCurve, plusDrawCurve, plusDrawBeziers:
		u.curved(kind, flags, r)
	default:
		return false
	}
	return true
}

func (r *record) howMany() int { return int(min(r.u32(), math.MaxInt32)) }

// rects reads several rectangles as one figure.
func (r *record) rects(isShort bool) *Path {
	f := &Path{}
	for range r.howMany() {
		b := r.rect(isShort)
		if r.isShort {
			break
		}
		f.add(rectangle(b[0], b[1], b[0]+b[2], b[1]+b[3]))
	}
	return f
}

// round draws ellipses and parts of them. Angles are clockwise, in degrees.
func (u *plus) round(kind, flags uint16, r *record) {
	b := brush{}
	isFilled := kind == plusFillEllipse || kind == plusFillPie
	if isFilled {
		b = u.brushOf(flags, r.u32())
	}
	start, sweep := 0.0, 360.0
	if kind == plusFillPie || kind == plusDrawPie || kind == plusDrawArc {
		start, sweep = r.f32(), math.Max(-360, math.Min(360, r.f32()))
	}
	at := r.rect(flags&plusShort != 0)
	cx, cy, rx, ry := at[0]+at[2]/2, at[1]+at[3]/2, at[2]/2, at[3]/2
	f := &Path{}
	if kind == plusFillPie || kind == plusDrawPie {
		f.moveTo(Point{cx, cy})
	}
	f.arc(cx, cy, rx, ry, start*math.Pi/180, sweep*math.Pi/180)
	if kind != plusDrawArc {
		f.close()
	}
	if isFilled {
		u.paint(f, true, b)
	} else {
		u.draw(f, u.penOf(flags))
	}
}

// curved draws curves through points, or with handles (MS-EMFPLUS 2.3.4.2 to
// 2.3.4.5, 2.3.4.15).
func (u *plus) curved(kind, flags uint16, r *record) {
	var b brush
	tension, first, count := 0.0, 0, math.MaxInt32
	switch kind {
	case plusFillClosedCurve:
		b = u.brushOf(flags, r.u32())
		tension = r.f32()
	case plusDrawClosedCurve:
		tension = r.f32()
	case plusDrawCurve:
		tension = r.f32()
		first, count = r.howMany(), r.howMany()
	}
	points := r.plusPoints(r.howMany(), flags)
	switch kind {
	case plusDrawBeziers:
		u.draw(curves(points), u.penOf(flags))
	case plusDrawCurve:
		if first < len(points) {
			u.draw(spline(points, tension, false, first, count), u.penOf(flags))
		}
	case plusFillClosedCurve:
		u.paint(spline(points, tension, true, 0, len(points)), true, b)
	default:
		u.draw(spline(points, tension, true, 0, len(points)), u.penOf(flags))
	}
}

// spline is a cardinal spline through points.
func spline(points []Point, tension float64, isClosed bool, first, count int) *Path {
	f := &Path{}
	n := len(points)
	if n < 2 {
		return f
	}
	at := func(i int) Point {
		if isClosed {
			return points[(i+n)%n]
		}
		return points[max(0, min(n-1, i))]
	}
	last := min(n-1, first+count)
	if isClosed {
		last = n
	}
	k := tension / 3
	f.moveTo(at(first))
	for i := first; i < last; i++ {
		a, b := at(i), at(i+1)
		before, after := at(i-1), at(i+2)
		f.curveTo(Point{a.X + k*(b.X-before.X), a.Y + k*(b.Y-before.Y)}, Point{b.X - k*(after.X-a.X), b.Y - k*(after.Y-a.Y)}, b)
	}
	if isClosed {
		f.close()
	}
	return f
}

// pictures carries out records that draw pictures and text.
func (u *plus) pictures(kind, flags uint16, r *record) bool {
	switch kind {
	case plusDrawImage, plusDrawImagePoints:
		r.take(4) // attributes
		unit := r.u32()
		b := r.rectF()
		from := source{b[0], b[1], b[2], b[3]}
		if unit != 2 {
			from = source{}
		}
		var m Matrix
		if kind == plusDrawImage {
			to := r.rect(flags&plusShort != 0)
			m = Matrix{A: to[2], D: to[3], E: to[0], F: to[1]}
		} else {
			p := r.plusPoints(r.howMany(), flags)
			if len(p) < 3 {
				return true
			}
			m = Matrix{p[1].X - p[0].X, p[1].Y - p[0].Y, p[2].X - p[0].X, p[2].Y - p[0].Y, p[0].X, p[0].Y}
		}
		u.drawImage(u.objects[flags&0xFF%plusObjects], from, m.then(u.matrix()))
	case plusDrawString:
		u.drawString(flags, r)
	case plusDrawDriverString:
		u.driverString(flags, r)
	default:
		return false
	}
	return true
}

// drawImage draws a picture into the unit square that m maps to the canvas.
func (u *plus) drawImage(object any, from source, m Matrix) {
	switch o := object.(type) {
	case *bitmap:
		if b, m := u.crop(o, from, m); b != nil {
			u.place(b, m)
		}
	case nestedMetafile:
		low, high := rectangle(0, 0, 1, 1).in(m).bounds()
		if !m.isSound() {
			return
		}
		u.showClip()
		if !u.nest(o, dml.Rect{X: low.X, Y: low.Y, W: high.X - low.X, H: high.Y - low.Y}) {
			u.limits.note(noteRecord)
		}
	}
}

// drawString draws a text into a box (MS-EMFPLUS 2.3.4.14). It wraps nothing: a
// line is as long as it is.
func (u *plus) drawString(flags uint16, r *record) {
	b := u.brushOf(flags, r.u32())
	format, _ := u.objects[r.u32()%plusObjects].(plusFormat)
	n := r.howMany()
	box := r.rectF()
	runes := r.utf16(min(n, (len(r.data)-r.at)/2))
	f, ok := u.objects[flags&0xFF%plusObjects].(plusFont)
	if !ok {
		return
	}
	const between = 1.2 // lines, in sizes
	size := f.size
	if f.unit != 0 && f.unit != 2 {
		size *= u.pixelsOf(f.unit) / u.page
	}
	all := [][]rune{nil}
	for _, c := range runes {
		switch c {
		case '\r':
		case '\n':
			all = append(all, nil)
		default:
			all[len(all)-1] = append(all[len(all)-1], c)
		}
	}
	ascent, _ := u.canvas.Metrics(f.Font)
	y := box[1]
	if height := float64(len(all)) * between * size; box[3] > 0 {
		y += (box[3] - height) * float64(min(format.lineAlign, 2)) / 2
	}
	for _, line := range all {
		width := 0.0
		xs := make([]Point, len(line))
		for i, c := range line {
			xs[i].X = width
			width += u.canvas.Advance(f.Font, c) * size
		}
		x := box[0]
		if box[2] > 0 {
			x += (box[2] - width) * float64(min(format.align, 2)) / 2
		}
		u.glyphLine(f, b, line, xs, translation(x, y+ascent*size), size)
		y += between * size
	}
}

// driverString draws letters at places (MS-EMFPLUS 2.3.4.6).
func (u *plus) driverString(flags uint16, r *record) {
	const isText, isAdvanced = 1, 4
	b := u.brushOf(flags, r.u32())
	options, hasMatrix := r.u32(), r.u32()
	n := min(r.howMany(), (len(r.data)-r.at)/2)
	units := r.take(2 * n)
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = rune(units[2*i]) | rune(units[2*i+1])<<8
	}
	if options&isText == 0 {
		runes = u.glyphs(codedText{runes: runes}).runes
	}
	f, ok := u.objects[flags&0xFF%plusObjects].(plusFont)
	if !ok || n == 0 {
		return
	}
	count := n
	if options&isAdvanced != 0 {
		count = 1
	}
	places := r.plusPoints(count, 0)
	if len(places) == 0 {
		return
	}
	m := identity
	if hasMatrix != 0 {
		m = r.matrix()
	}
	size := f.size
	if f.unit != 0 && f.unit != 2 {
		size *= u.pixelsOf(f.unit) / u.page
	}
	start := places[0]
	xs := make([]Point, n)
	x := 0.0
	for i := range xs {
		xs[i].X = x
		if i < len(places) && options&isAdvanced == 0 {
			xs[i] = Point{places[i].X - start.X, places[i].Y - start.Y}
		}
		x += u.canvas.Advance(f.Font, runes[i]) * size
	}
	u.glyphLine(f, b, runes, xs, m.then(translation(start.X, start.Y)), size)
}

// glyphLine draws letters in world coordinates; m maps their baseline. Letters
// that leave it are drawn one by one.
func (u *plus) glyphLine(f plusFont, b brush, runes []rune, xs []Point, m Matrix, size float64) {
	m = m.then(u.matrix())
	across, along := math.Hypot(m.C, m.D), math.Hypot(m.A, m.B)
	points := size * across
	if len(runes) == 0 || !m.isSound() || !(points > 0.01) || points > 5000 || !u.spendPoints(len(runes)) {
		return
	}
	upright := Matrix{m.A / along, m.B / along, m.C / across, m.D / across, m.E, m.F}
	if along == 0 || b.kind == brushNil {
		return
	}
	u.showClip()
	stretch := math.Max(0.1, math.Min(10, along/across))
	for len(runes) > 0 {
		n := 1
		for n < len(runes) && xs[n].Y == xs[0].Y {
			n++
		}
		at := upright
		at.E, at.F = m.E+m.C*xs[0].Y, m.F+m.D*xs[0].Y
		x := make([]float64, n)
		for i := range x {
			x[i] = xs[i].X * along
		}
		u.canvas.Text(Text{Font: f.Font, Size: points, Stretch: stretch, Color: b.color, Runes: runes[:n], X: x, M: at})
		width := x[n-1] + u.canvas.Advance(f.Font, runes[n-1])*points*stretch
		u.decorate(f.underline, f.strike, width, points, at, b.color)
		runes, xs = runes[n:], xs[n:]
	}
}
