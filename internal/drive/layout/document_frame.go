package layout

import (
	"math"

	"github.com/platenhq/platen/internal/drive/office"
)

// framed places the paragraphs of one frame, beginning with block i, and
// returns the last of them.
func (f *flow) framed(blocks []office.Block, i int) int {
	f.applyPending()
	first := blocks[i].(*office.Paragraph)
	last := i
	for last+1 < len(blocks) {
		p, ok := blocks[last+1].(*office.Paragraph)
		if !ok || p.Frame == nil || *p.Frame != *first.Frame {
			break
		}
		last++
	}
	group := blocks[i : last+1]
	fr := first.Frame
	width := fr.Width
	if width <= 0 {
		width = f.naturalWidth(group)
	}
	s := f.stack(group, width, f.environment())
	f.placeFrame(fr, width, s.height(), func(x, y float64) { s.draw(&f.page.layer, x, y) })
	return last
}

// naturalWidth is that of the widest line of a frame without a width.
func (f *flow) naturalWidth(blocks []office.Block) float64 {
	widest := 12.0
	for _, b := range blocks {
		p, ok := b.(*office.Paragraph)
		if !ok {
			return f.area().width
		}
		for _, ln := range f.paragraph(p, f.area().width, f.environment()).lines {
			w := 0.0
			for i := ln.from; i < ln.visible; i++ {
				w += ln.box.glyphs[i].width
			}
			widest = math.Max(widest, w+p.Left+p.Right)
		}
	}
	return math.Min(widest+0.1, f.area().width)
}

// placeFrame finds a frame's place, draws it and keeps its room free.
func (f *flow) placeFrame(fr *office.Frame, width, height float64, draw func(x, y float64)) {
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
	h := office.AnchorPosition{From: map[string]string{"page": "page", "margin": "margin"}[fr.HAnchor], Align: fr.XAlign, Offset: fr.X}
	v := office.AnchorPosition{From: map[string]string{"page": "page", "margin": "margin"}[fr.VAnchor], Align: fr.YAlign, Offset: fr.Y}
	if fr.YAlign == "inline" {
		v.Align = ""
	}
	d := &drawingBox{Drawing: &office.Drawing{Width: width, Height: height, Anchor: &office.Anchor{H: h, V: v}}}
	x, y := d.position(g, area.x, f.y+gap, area.width, false)
	if fr.DropCap != "" {
		x, y = area.x, f.y+gap
		if fr.DropCap == "margin" {
			x -= width
		}
	}
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
func (f *flow) floatingTable(t *office.Table) bool {
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
