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
