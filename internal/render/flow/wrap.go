package flow

import (
	"math"
	"slices"

	"github.com/platenhq/platen/internal/office/wml"
)

// placeTextFrame places the paragraphs of a text frame.
func (d *distributor) placeTextFrame(c *child) bool {
	s, width := d.textFrameStack(c.textFrame, d.area().width, d.env)
	if s.height() > d.bottom-d.pageTop { // no page has room for the frame, but the text goes on over several
		d.children = slices.Concat(c.paragraphs(), d.children[1:])
		return d.placeChild()
	}
	d.placeAside(c.textFrame[0].Frame, 0, width, s.height(), func(x, y float64) { s.draw(&d.layer, x, y) })
	return true
}

// textFrameStack composes the paragraphs of a text frame in a column, and returns its width.
func (c *composer) textFrameStack(group []*wml.Paragraph, column float64, env environment) (s *stack, width float64) {
	env.isFramed, env.grid = true, 0
	if width = group[0].Frame.Width; width <= 0 {
		width = c.naturalWidth(group, column, env)
	}
	return c.stack([]child{{textFrame: group}}, width, env), width
}

// standsAside is true for frames that leave the left edge to the text beside
// them, as the page number of a footer does.
func standsAside(fr *wml.Frame) bool {
	return fr != nil && fr.DropCap == "" && (fr.XAlign == "right" || fr.XAlign == "center" || fr.XAlign == "outside")
}

// textFrame makes an item of a frame in a header, a cell or a text box. It takes no
// height: what follows stands beside it, and is not set around it.
func (c *composer) textFrame(group []*wml.Paragraph, column float64, env environment) item {
	s, width := c.textFrameStack(group, column, env)
	d := &drawingBox{Drawing: &wml.Drawing{Width: width, Height: s.height(), Anchor: textFrameAnchor(group[0].Frame)}}
	return item{draw: func(dst *layer, x, y, _ float64) {
		left, top := d.position(&dst.geometry, x, y, column, false)
		s.draw(dst, left, top)
	}}
}

// textFrameAnchor is a frame's place as that of a drawing.
func textFrameAnchor(fr *wml.Frame) *wml.Anchor {
	from := map[string]string{"page": "page", "margin": "margin"}
	h := wml.AnchorPosition{From: from[fr.HAnchor], Align: fr.XAlign, Offset: fr.X}
	v := wml.AnchorPosition{From: from[fr.VAnchor], Align: fr.YAlign, Offset: fr.Y}
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
			widest = math.Max(widest, widthOf(ln.box.glyphs[ln.from:ln.visible])+p.Left+p.Right)
		}
	}
	return math.Min(widest+frameTolerance, column)
}

// placeAside finds a frame's place on the page, draws it there or aside and keeps its
// room free.
func (d *distributor) placeAside(fr *wml.Frame, aside, width, height float64, draw func(x, y float64)) {
	content := height
	if fr.Height > 0 && fr.HeightRule == "exact" {
		height = fr.Height
	} else {
		height = math.Max(height, fr.Height)
	}
	g, area := &d.geometry, d.area()
	gap := 0.0
	if !d.isAtTop {
		gap = d.space.below()
	}
	at := &drawingBox{Drawing: &wml.Drawing{Width: width, Height: height, Anchor: textFrameAnchor(fr)}}
	x, y := at.position(g, area.x, d.y+gap, area.width, false)
	if fr.DropCap != "" {
		x, y = area.x, d.y+gap
		if fr.DropCap == "margin" {
			x -= width
		}
	}
	x, y = x+aside, math.Min(y, math.Max(0, g.height-content))
	draw(x, y)
	if fr.Wrap == "none" {
		return
	}
	d.exclusions = append(d.exclusions, exclusion{x: x - math.Max(fr.Around.Left, 0), y: y - fr.Around.Top,
		right: x + width + math.Max(fr.Around.Right, 0), bottom: y + height + fr.Around.Bottom, spansColumn: fr.Wrap == "notBeside"})
}

// placeFloating places a table that text flows around, where it fits on the
// page; elsewhere it stands in the flow like any other.
func (d *distributor) placeFloating(t *wml.Table) bool {
	env := d.env
	env.grid = 0
	box := d.table(t, d.area().width, env)
	height := sumHeights(box.rows)
	fr := *t.Floating
	if fr.VAnchor == "text" && d.y+fr.Y+height > d.limit() || height > d.bottom-d.pageTop {
		return false
	}
	width := box.edges[len(box.edges)-1]
	d.placeAside(&fr, asideOf(t), width, height, func(x, y float64) {
		for _, row := range box.rows {
			row.draw(&d.layer, x, y)
			y += row.height
		}
	})
	if n := len(d.exclusions); n > 0 && fr.Wrap != "none" {
		d.exclusions[n-1].isTable = true
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
