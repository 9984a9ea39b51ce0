package metafile

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

type brushKind int

const (
	brushSolid brushKind = iota
	brushNil
	brushHatch
	brushPattern
	brushLinear
)

// brush is a logical brush (MS-WMF 2.2.1.1), or the gradient of a rectangle.
type brush struct {
	kind     brushKind
	color    Color
	hatch    hatch
	back     *Color // of a hatch; nil is the context's
	picture  *bitmap
	gradient *gradient
}

// hatch is a set of lines (MS-WMF 2.1.1.12).
type hatch uint32

const (
	hatchHorizontal hatch = iota
	hatchVertical
	hatchDown // from the upper left
	hatchUp
	hatchCross
	hatchDiagonalCross
)

// fill paints a path of the canvas with a brush.
func (p *player) fill(path *Path, isEvenOdd bool, b brush) {
	low, high := p.seen(path)
	if b.kind > brushNil && !(low.X < high.X && low.Y < high.Y) {
		return
	}
	switch b.kind {
	case brushNil:
	case brushSolid:
		p.canvas.Fill(path, isEvenOdd, p.mixed(b.color))
	case brushHatch:
		if b.back != nil {
			p.canvas.Fill(path, isEvenOdd, *b.back)
		} else if p.dc.isOpaque {
			p.canvas.Fill(path, isEvenOdd, p.dc.background)
		}
		p.inside(path, isEvenOdd, func() { p.hatch(b, low, high) })
	case brushPattern:
		p.inside(path, isEvenOdd, func() { p.tiles(b.picture, path, low, high) })
	case brushLinear:
		p.inside(path, isEvenOdd, func() { p.gradient(b.gradient, low, high) })
	}
}

// seen is the box around what the canvas shows of a path. Within it numbers are
// small enough to count on in steps.
func (p *player) seen(path *Path) (low, high Point) {
	low, high = path.bounds()
	b := p.box
	return Point{math.Max(low.X, b.X), math.Max(low.Y, b.Y)}, Point{math.Min(high.X, b.X+b.W), math.Min(high.Y, b.Y+b.H)}
}

func (p *player) inside(path *Path, isEvenOdd bool, draw func()) {
	p.canvas.Save()
	p.canvas.Clip(path, isEvenOdd)
	draw()
	p.canvas.Restore()
}

// pixel is how large a pixel of the device is on the canvas, within what can be
// seen: hatches of a printer would be grey areas.
func (p *player) pixel() float64 {
	const least, most = 0.2, 1
	return math.Max(least, math.Min(most, p.unit))
}

// hatch draws the lines of a hatch over a box.
func (p *player) hatch(b brush, low, high Point) {
	const cell, most = 8, 4000
	step := cell * p.pixel()
	w, h := high.X-low.X, high.Y-low.Y
	if n := (w + h) / step; math.IsNaN(n) || n > most || !p.spendPoints(int(n)*4) {
		p.canvas.Fill(rectangle(low.X, low.Y, high.X, high.Y), false, mean(b.color, p.dc.background))
		return
	}
	lines := &Path{}
	line := func(x1, y1, x2, y2 float64) {
		lines.moveTo(Point{x1, y1})
		lines.lineTo(Point{x2, y2})
	}
	// The lines of all figures meet: they count from the canvas's corner.
	first := func(v float64) float64 { return math.Ceil(v/step) * step }
	if b.hatch == hatchHorizontal || b.hatch == hatchCross {
		for y := first(low.Y); y <= high.Y; y += step {
			line(low.X, y, high.X, y)
		}
	}
	if b.hatch == hatchVertical || b.hatch == hatchCross {
		for x := first(low.X); x <= high.X; x += step {
			line(x, low.Y, x, high.Y)
		}
	}
	if b.hatch == hatchDown || b.hatch == hatchDiagonalCross {
		for c := first(low.X - high.Y); c <= high.X-low.Y; c += step {
			line(low.Y+c, low.Y, high.Y+c, high.Y)
		}
	}
	if b.hatch == hatchUp || b.hatch == hatchDiagonalCross {
		for c := first(low.X + low.Y); c <= high.X+high.Y; c += step {
			line(c-low.Y, low.Y, c-high.Y, high.Y)
		}
	}
	if len(lines.Ops) > 0 {
		p.canvas.Stroke(lines, Stroke{Color: b.color, Width: p.pixel()})
	}
}

// tiles puts a bitmap side by side over a box.
func (p *player) tiles(b *bitmap, path *Path, low, high Point) {
	const most = 2000
	unit := p.unit
	if b == nil || unit <= 0 {
		return
	}
	w, h := float64(b.w)*unit, float64(b.h)*unit
	if n := math.Ceil((high.X-low.X)/w) * math.Ceil((high.Y-low.Y)/h); math.IsNaN(n) || n > most || !p.canvas.Spend(int(n)) {
		p.limits.note(noteBrush)
		p.canvas.Fill(path, false, b.mean())
		return
	}
	file := b.encoded()
	for y := math.Floor(low.Y/h) * h; y < high.Y; y += h {
		for x := math.Floor(low.X/w) * w; x < high.X; x += w {
			if p.canvas.Picture(file, Matrix{A: w, D: h, E: x, F: y}) != nil {
				p.limits.note(noteBitmap)
				return
			}
		}
	}
}

// mean is the colour between two.
func mean(a, b Color) Color {
	return Color{dml.Mix(a.RGB, b.RGB, 0.5), (a.Alpha + b.Alpha) / 2}
}

// gradient is a change of colours (MS-EMF 2.3.5.12).
type gradient struct {
	from, to Color
	m        Matrix // maps the unit square, along whose x axis it runs, to the canvas
}

// at is the colour at t: 0 is the beginning, 1 the end.
func (g *gradient) at(t float64) Color {
	t = math.Max(0, math.Min(1, t))
	return Color{dml.Mix(g.from.RGB, g.to.RGB, t), g.from.Alpha + (g.to.Alpha-g.from.Alpha)*t}
}

// gradient paints a box in steps of colour.
func (p *player) gradient(g *gradient, low, high Point) {
	const steps = 64
	if !p.spendPoints(4 * steps) {
		return
	}
	m := g.m
	// Along the unit square's x axis, over all of the box.
	along := Point{m.A, m.B}
	length := along.X*along.X + along.Y*along.Y
	if length == 0 || !m.isSound() {
		p.canvas.Fill(rectangle(low.X, low.Y, high.X, high.Y), false, g.at(0))
		return
	}
	from, to := math.Inf(1), math.Inf(-1)
	for _, corner := range []Point{low, {high.X, low.Y}, high, {low.X, high.Y}} {
		t := ((corner.X-m.E)*along.X + (corner.Y-m.F)*along.Y) / length
		from, to = math.Min(from, t), math.Max(to, t)
	}
	across := Point{-along.Y, along.X}
	reach := (high.X - low.X + high.Y - low.Y) / math.Sqrt(length)
	strip := func(t1, t2 float64, c Color) {
		mid := Point{(low.X + high.X) / 2, (low.Y + high.Y) / 2}
		s := ((mid.X-m.E)*across.X + (mid.Y-m.F)*across.Y) / length
		at := func(t, s float64) Point {
			return Point{m.E + t*along.X + s*across.X, m.F + t*along.Y + s*across.Y}
		}
		p.canvas.Fill(polygonOf(at(t1, s-reach), at(t2, s-reach), at(t2, s+reach), at(t1, s+reach)), false, c)
	}
	for i := range steps {
		t1, t2 := from+(to-from)*float64(i)/steps, from+(to-from)*float64(i+1)/steps
		c := g.at((t1 + t2) / 2)
		if c.Alpha == 1 { // under the next, so that no seam shows
			t2 = to
		}
		strip(t1, t2, c)
	}
}
