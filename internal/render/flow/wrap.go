package flow

import (
	"math"

	"github.com/platenhq/platen/internal/office/wml"
)

// placeFramed places the paragraphs of a frame.
func (f *distributor) placeFramed(c *child) {
	f.applyPending()
	fr, env := c.frame[0].Frame, f.environment()
	env.isFramed, env.grid = true, 0
	width := fr.Width
	if width <= 0 {
		width = f.naturalWidth(c.frame, f.area().width, env)
	}
	s := f.frameStack(c.frame, width, env)
	if s.height() > f.page.bottom-f.page.top { // no page has room for the frame, but the text goes on over several
		single := c.paragraphs()
		for i := range single {
			f.placeParagraph(&single[i], nil)
		}
		return
	}
	f.placeFrame(fr, 0, width, s.height(), func(x, y float64) { s.draw(&f.page.layer, x, y) })
}

// frameStack composes the paragraphs of a frame.
func (c *composer) frameStack(group []*wml.Paragraph, width float64, env environment) *stack {
	env.isFramed, env.grid = true, 0
	return c.stack([]child{{frame: group}}, width, env)
}

// standsAside is true for frames that leave the left edge to the text beside
// them, as the page number of a footer does.
func standsAside(fr *wml.Frame) bool {
	return fr != nil && fr.DropCap == "" && (fr.XAlign == "right" || fr.XAlign == "center" || fr.XAlign == "outside")
}

// frame makes an item of a frame in a header, a cell or a text box. It takes no
// height: what follows stands beside it, and is not set around it.
func (c *composer) frame(group []*wml.Paragraph, column float64, env environment) item {
	fr := group[0].Frame
	env.isFramed, env.grid = true, 0
	width := fr.Width
	if width <= 0 {
		width = c.naturalWidth(group, column, env)
	}
	s := c.frameStack(group, width, env)
	d := &drawingBox{Drawing: &wml.Drawing{Width: width, Height: s.height(), Anchor: frameAnchor(fr)}}
	return item{draw: func(dst *layer, x, y, _ float64) {
		left, top := d.position(&dst.geometry, x, y, column, false)
		s.draw(dst, left, top)
	}}
}

// frameAnchor is a frame's place as that of a drawing.
func frameAnchor(fr *wml.Frame) *wml.Anchor {
	h := wml.AnchorPosition{From: map[string]string{"page": "page", "margin": "margin"}[fr.HAnchor], Align: fr.XAlign, Offset: fr.X}
	v := wml.AnchorPosition{From: map[string]string{"page": "page", "margin": "margin"}[fr.VAnchor], Align: fr.YAlign, Offset: fr.Y}
	if fr.YAlign == "inline" {
		v.Align = ""
	}
	return &wml.Anchor{H: h, V: v}
}

// naturalWidth is that of the widest line of a frame without a width.
func (c *composer) naturalWidth(group []*wml.Paragraph, column float64, env environment) float64 {
	widest := minFrame
	for _, p := range group {
		for _, ln := range c.paragraph(p, column, env).lines {
			w := 0.0
			for i := ln.from; i < ln.visible; i++ {
				w += ln.box.glyphs[i].width
			}
			widest = math.Max(widest, w+p.Left+p.Right)
		}
	}
	return math.Min(widest+frameTolerance, column)
}

// placeFrame finds a frame's place on the page, draws it there or aside and keeps its
// room free.
func (f *distributor) placeFrame(fr *wml.Frame, aside, width, height float64, draw func(x, y float64)) {
	content := height
	if fr.Height > 0 && fr.HeightRule == "exact" {
		height = fr.Height
	} else {
		height = math.Max(height, fr.Height)
	}
	g, area := &f.page.geometry, f.area()
	gap := 0.0
	if !f.isAtTop {
		gap = f.space.below()
	}
	d := &drawingBox{Drawing: &wml.Drawing{Width: width, Height: height, Anchor: frameAnchor(fr)}}
	x, y := d.position(g, area.x, f.y+gap, area.width, false)
	if fr.DropCap != "" {
		x, y = area.x, f.y+gap
		if fr.DropCap == "margin" {
			x -= width
		}
	}
	x, y = x+aside, math.Min(y, math.Max(0, g.height-content))
	draw(x, y)
	if fr.Wrap == "none" {
		return
	}
	f.page.exclusions = append(f.page.exclusions, exclusion{x: x - math.Max(fr.Around.Left, 0), y: y - fr.Around.Top,
		right: x + width + math.Max(fr.Around.Right, 0), bottom: y + height + fr.Around.Bottom, spansColumn: fr.Wrap == "notBeside"})
}

// placeFloating places a table that text flows around, where it fits on the
// page; elsewhere it stands in the flow like any other.
func (f *distributor) placeFloating(t *wml.Table) bool {
	f.applyPending()
	env := f.environment()
	env.grid = 0
	box := f.table(t, f.area().width, env)
	height := 0.0
	for _, row := range box.rows {
		height += row.height
	}
	fr := *t.Floating
	if fr.VAnchor == "text" && f.y+fr.Y+height > f.limit() || height > f.page.bottom-f.page.top {
		return false
	}
	width := box.edges[len(box.edges)-1]
	f.placeFrame(&fr, asideOf(t), width, height, func(x, y float64) {
		for _, row := range box.rows {
			row.draw(&f.page.layer, x, y)
			y += row.height
		}
	})
	if n := len(f.page.exclusions); n > 0 && fr.Wrap != "none" {
		f.page.exclusions[n-1].isTable = true
	}
	return true
}

// asideOf is how far right of a frame's place a floating table stands: the distances of
// the text around it count where it is aligned, and its text, not its edge, stands where
// an offset says.
func asideOf(t *wml.Table) float64 {
	switch fr := t.Floating; fr.XAlign {
	case "left":
		return fr.Around.Left
	case "right":
		return -fr.Around.Right
	case "":
		if len(t.Rows) > 0 && len(t.Rows[0].Cells) > 0 {
			return -t.Rows[0].Cells[0].Margins.Left
		}
	}
	return 0
}

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
