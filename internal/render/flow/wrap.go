package flow

import (
	"math"

	"github.com/platenhq/platen/internal/office/wml"
)

// geometry is a page's size and margins, which anchored drawings count from.
type geometry struct{ width, height, left, right, top, bottom float64 }

// exclusion is an area of a page that text runs around.
type exclusion struct {
	x, y, right, bottom float64
	// spansColumn keeps text from standing beside it at all.
	spansColumn bool
	side        string
	// aligned is the side that a drawing with text on both sides is aligned at.
	aligned string
	isTable bool // that floats
}

// maxSteps bounds how many objects one line passes on its way down.
const maxSteps = 200

// besides tells where lines of a column are free of objects.
func besides(list []exclusion, area columnArea) room {
	return func(y, height float64) (skip float64, free []stretch) {
		start := y
		for range maxSteps {
			stretches, next := freeStretches(list, area, y, height)
			for _, s := range stretches {
				if s.right-s.left >= minBeside || next <= y {
					free = append(free, stretch{s.left - area.x, s.right - area.x})
				}
			}
			if len(free) > 0 || next <= y {
				return y - start, free
			}
			y = next
		}
		return y - start, []stretch{{0, area.width}}
	}
}

// freeStretches are the stretches of a column beside what stands at a height, from the
// left to the right, and where the uppermost of these objects ends.
func freeStretches(list []exclusion, area columnArea, y, height float64) (free []stretch, next float64) {
	free, next = []stretch{{area.x, area.x + area.width}}, y
	lowest := math.Inf(1)
	for i := range list {
		e := &list[i]
		if e.y >= y+height-besideTolerance || e.bottom <= y+besideTolerance || e.x >= area.x+area.width || e.right <= area.x {
			continue
		}
		lowest = math.Min(lowest, e.bottom)
		free = beside(free, e)
	}
	if !math.IsInf(lowest, 1) {
		next = lowest + belowTolerance
	}
	return free, next
}

// beside are what is left of stretches where text may stand beside an object.
func beside(free []stretch, e *exclusion) (left []stretch) {
	if e.spansColumn {
		return nil
	}
	widest := stretch{}
	for _, s := range free {
		before, after := stretch{s.left, math.Min(s.right, e.x)}, stretch{math.Max(s.left, e.right), s.right}
		for _, part := range []struct {
			stretch
			not string
		}{{before, "right"}, {after, "left"}} {
			if part.right <= part.left || e.side == part.not {
				continue
			}
			left = append(left, part.stretch)
			if part.right-part.left > widest.right-widest.left {
				widest = part.stretch
			}
		}
	}
	if e.side == "largest" && len(left) > 0 {
		return []stretch{widest}
	}
	return left
}

// wrapAround keeps the room of the drawings that are anchored in a paragraph of a cell
// free, and composes the paragraph around those that stand in the cell.
func (s *stack) wrapAround(box *paragraphBox, gap float64) {
	top := s.height() + gap + box.top
	for _, ln := range box.lines {
		s.exclusions = append(s.exclusions, box.exclusions(ln, &geometry{}, 0, top-box.own, true)...)
	}
	if len(s.exclusions) > 0 {
		box.above = gap
		box.compose(0, besides(s.exclusions, columnArea{width: box.width}), top)
	}
}

// growAround makes a cell as high as the drawings in it that text runs around.
func (s *stack) growAround() {
	end := s.shown()
	for _, e := range s.exclusions {
		s.below = math.Max(s.below, e.bottom-end)
	}
}

// exclusions are the areas of drawings that are anchored in a line of a paragraph, and
// that text runs around; x and y are the upper left corner of the paragraph. In a cell
// they are those of drawings that stand in it.
func (p *paragraphBox) exclusions(ln *line, g *geometry, x, y float64, inCell bool) []exclusion {
	var out []exclusion
	for i := ln.from; i < ln.to; i++ {
		o := p.glyphs[i].object
		if o == nil || o.kind != wml.DrawingItem || o.drawing == nil || o.drawing.Anchor == nil {
			continue
		}
		a := o.drawing.Anchor
		if a.Wrap == "none" || a.IsBehind && a.Wrap == "" || inCell && !a.IsInCell {
			continue
		}
		left, top := o.drawing.position(g, x, y, p.width, inCell)
		aligned := ""
		if a.Wrap != "topAndBottom" && (a.Side == "" || a.Side == "bothSides") {
			aligned = a.H.Align
		}
		more := o.drawing.outsets()
		out = append(out, exclusion{aligned: aligned, x: left - more.Left - a.Left, y: top - more.Top - a.Top, right: left + o.drawing.Width + more.Right + a.Right,
			bottom: top + o.drawing.height() + more.Bottom + a.Bottom, spansColumn: a.Wrap == "topAndBottom", side: a.Side})
	}
	return out
}

// position is where an anchored drawing stands on the page; x and y are the
// upper left corner of its paragraph, width that of its column.
func (d *drawingBox) position(g *geometry, x, y, width float64, inCell bool) (left, top float64) {
	a := d.Anchor
	from, room := x, width
	switch a.H.From {
	case "page":
		from, room = 0, g.width
	case "margin":
		from, room = g.left, g.width-g.left-g.right
	case "leftMargin", "insideMargin":
		from, room = 0, g.left
	case "rightMargin", "outsideMargin":
		from, room = g.width-g.right, g.right
	}
	if inCell {
		from, room = x, width
	}
	across, down := d.lying()
	left = from + alignIn(a.H, room, d.Width+2*across) + across
	from, room = y, 0
	switch a.V.From {
	case "page":
		from, room = 0, g.height
	case "margin":
		from, room = math.Abs(g.top), g.height-math.Abs(g.top)-math.Abs(g.bottom)
	case "topMargin":
		from, room = 0, math.Abs(g.top)
	case "bottomMargin":
		from, room = g.height-math.Abs(g.bottom), math.Abs(g.bottom)
	}
	if inCell {
		from, room = y, 0
	}
	top = from + alignIn(a.V, room, d.height()+2*down) + down
	if a.V.Align != "" && !inCell && d.height() <= g.height { // the margin may be lower than what stands in it
		top = math.Min(top, g.height-d.height())
	}
	return left, top
}

// inColumn is the drawing with the width that it has in a column.
func (d *drawingBox) inColumn(width float64) *drawingBox {
	if d.ColumnShare == 0 {
		return d
	}
	box, drawing := *d, *d.Drawing
	drawing.Width = d.ColumnShare * width
	box.Drawing = &drawing
	return &box
}

func alignIn(p wml.AnchorPosition, room, size float64) float64 {
	switch p.Align {
	case "center":
		return (room - size) / 2
	case "right", "bottom", "outside":
		return room - size
	case "left", "top", "inside":
		return 0
	}
	return p.Offset
}

// anchoredOf draws the drawings that are anchored in a line.
func (p *paragraphBox) anchoredOf(ln *line, dst *layer, x, y float64) {
	if ln.from == 0 || dst != p.on {
		p.topY, p.on = y, dst
		if ln.from == 0 {
			p.topY -= p.own
		}
	}
	for i := ln.from; i < ln.to; i++ {
		o := p.glyphs[i].object
		if o == nil || o.kind != wml.DrawingItem || o.drawing == nil || o.drawing.Anchor == nil {
			continue
		}
		d := o.drawing.inColumn(p.width)
		top := p.topY
		if d.Anchor.V.From == "line" {
			top = y
		}
		left, at := d.position(&dst.geometry, x, top, p.width, p.isInCell && d.Anchor.IsInCell)
		if d.Anchor.H.From == "character" && d.Anchor.H.Align == "" {
			left += ln.xs[i-ln.from]
		}
		part := &layer{geometry: dst.geometry}
		d.draw(part, left, at)
		tag := d.tag(left, at)
		ops := []op{func(p *painter) { p.beginApart(d, tag) }, part.behind.draw}
		ops = append(append(ops, part.main...), part.front.draw, func(p *painter) { p.canvas.End() })
		dst.add(func(p *painter) { p.place(d, tag) })
		if d.Anchor.IsBehind {
			dst.behind.add(d.Anchor.Z, ops)
		} else {
			dst.front.add(d.Anchor.Z, ops)
		}
	}
}

// height is that of a drawing's box. Word makes a shape that fits its text (spAutoFit) as high
// as that whenever it lays it out, higher or lower than the file says.
func (d *drawingBox) height() float64 {
	if d.fitted > 0 {
		return d.fitted
	}
	return d.Height
}

// outsets are how far the room of a drawing reaches over each edge of its box: it holds the
// outline of a turned one, and effects such as shadows (ECMA-376 part 1, 20.4.2.6). The
// extents that Word writes for effects hold the turned outline, too.
func (d *drawingBox) outsets() wml.Margins {
	if d.Rotation == 0 {
		return d.Effects
	}
	sin, cos := math.Sincos(d.Rotation * math.Pi / 180)
	w, h := d.Width, d.height()
	x, y := (w*math.Abs(cos)+h*math.Abs(sin)-w)/2, (w*math.Abs(sin)+h*math.Abs(cos)-h)/2
	across, down := d.lying()
	e := &d.Effects
	return wml.Margins{Top: math.Max(y, down+e.Top), Right: math.Max(x, across+e.Right), Bottom: math.Max(y, down+e.Bottom), Left: math.Max(x, across+e.Left)}
}

// lying is how far the box of a drawing that lies on its side reaches over its own at the left
// and right, and above and below, where the file counts from that; else 0.
func (d *drawingBox) lying() (across, down float64) {
	if !d.IsLying {
		return 0, 0
	}
	w, h := d.Width, d.height()
	return (h - w) / 2, (w - h) / 2
}
