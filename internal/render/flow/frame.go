package flow

import (
	"math"

	"github.com/platenhq/platen/internal/office/wml"
)

// framed places the paragraphs of one frame, beginning with block i, and
// returns the last of them.
func (f *flow) framed(blocks []wml.Block, i int) int {
	f.applyPending()
	first := blocks[i].(*wml.Paragraph)
	end := frameEnd(blocks, i)
	group, fr, env := blocks[i:end], first.Frame, f.environment()
	env.framed = true
	width := fr.Width
	if width <= 0 {
		width = f.naturalWidth(group, f.area().width, env)
	}
	s := f.stack(group, width, env)
	if s.height() > f.page.bottom-f.page.top { // no page has room for the frame, but the text goes on over several
		for ; i < end; i++ {
			f.paragraphAt(blocks, i)
		}
		return end - 1
	}
	f.placeFrame(fr, width, s.height(), func(x, y float64) { s.draw(&f.page.layer, x, y) })
	return end - 1
}

// frameEnd is the block behind the frame that begins with block i.
func frameEnd(blocks []wml.Block, i int) int {
	first := blocks[i].(*wml.Paragraph)
	for i++; i < len(blocks); i++ {
		if p, ok := blocks[i].(*wml.Paragraph); !ok || p.Frame == nil || *p.Frame != *first.Frame {
			break
		}
	}
	return i
}

// standsAside is true for frames that leave the left edge to the text beside
// them, as the page number of a footer does.
func standsAside(fr *wml.Frame) bool {
	return fr != nil && fr.DropCap == "" && (fr.XAlign == "right" || fr.XAlign == "center" || fr.XAlign == "outside")
}

// frame makes an item of a frame in a header, a cell or a text box. It takes no
// height: what follows stands beside it, and is not set around it.
func (c *composer) frame(group []wml.Block, column float64, env environment) item {
	fr := group[0].(*wml.Paragraph).Frame
	env.framed = true
	width := fr.Width
	if width <= 0 {
		width = c.naturalWidth(group, column, env)
	}
	s := c.stack(group, width, env)
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
func (c *composer) naturalWidth(blocks []wml.Block, column float64, env environment) float64 {
	widest := 12.0
	for _, b := range blocks {
		p, ok := b.(*wml.Paragraph)
		if !ok {
			return column
		}
		for _, ln := range c.paragraph(p, column, env).lines {
			w := 0.0
			for i := ln.from; i < ln.visible; i++ {
				w += ln.box.glyphs[i].width
			}
			widest = math.Max(widest, w+p.Left+p.Right)
		}
	}
	return math.Min(widest+0.1, column)
}

// placeFrame finds a frame's place on the page, draws it and keeps its room free.
func (f *flow) placeFrame(fr *wml.Frame, width, height float64, draw func(x, y float64)) {
	content := height
	if fr.Height > 0 && fr.HeightRule == "exact" {
		height = fr.Height
	} else {
		height = math.Max(height, fr.Height)
	}
	g, area := &f.page.geometry, f.area()
	gap := 0.0
	if !f.atTop {
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
	y = math.Min(y, math.Max(0, g.height-content))
	draw(x, y)
	side := math.Max(fr.HSpace, 0)
	if fr.Wrap == "none" {
		return
	}
	f.page.exclusions = append(f.page.exclusions, exclusion{x: x - side, y: y - fr.VSpace, right: x + width + side, bottom: y + height + fr.VSpace,
		whole: fr.Wrap == "notBeside"})
}

// floatingTable places a table that text flows around, where it fits on the
// page; elsewhere it stands in the flow like any other.
func (f *flow) floatingTable(t *wml.Table) bool {
	f.applyPending()
	box := f.table(t, f.area().width, f.environment())
	height := 0.0
	for _, row := range box.rows {
		height += row.height
	}
	fr := *t.Floating
	if fr.VAnchor == "text" && f.y+fr.Y+height > f.limit() || height > f.page.bottom-f.page.top {
		return false
	}
	width := box.edges[len(box.edges)-1]
	f.placeFrame(&fr, width, height, func(x, y float64) {
		for _, row := range box.rows {
			row.draw(&f.page.layer, x, y)
			y += row.height
		}
	})
	return true
}
