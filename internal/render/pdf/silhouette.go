package pdf

import (
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"

	"github.com/platenhq/platen/internal/office/dml"
)

// Silhouettes paints letters as areas, each at its own x on a baseline: programs that read a
// PDF find no text in them. Fonts of single scripts have no outlines here.
func (c *Canvas) Silhouettes(xs []float64, baseline float64, runes []rune, f *Face, size, stretch float64, color dml.RGB) {
	if size <= 0 {
		return
	}
	var p Path
	for i, r := range runes {
		if Invisible(r) {
			continue
		}
		face, shown := FaceFor(f, r)
		if gid, ok := face.glyph(shown); ok {
			face.addOutline(&p, gid, xs[i], baseline, size, stretch)
		}
	}
	if len(p.ops) > 0 {
		c.FillPath(&p, false, Fill{Color: color})
	}
}

// Hollow has letters drawn as their outlines until the matching Restore; it does its own Save.
func (c *Canvas) Hollow(size float64, color dml.RGB) {
	c.Save()
	c.content = append(appendColor(c.content, color), " RG\n"...)
	c.writef("%s w 1 j [] 0 d 1 Tr\n", decimal(size*boldLine))
}

// addOutline adds a glyph to a path, its origin at a place of the page.
func (f *Face) addOutline(p *Path, gid font.GID, x, baseline, size, stretch float64) {
	if f.kerns.font == nil { // of boxes
		return
	}
	f.kerns.mu.Lock()
	outline, ok := f.outlines().GlyphData(gid).(font.GlyphOutline)
	f.kerns.mu.Unlock()
	if !ok {
		return
	}
	scale := size / float64(f.tables.em())
	by, ok := f.tables.stretches[uint16(gid)]
	if !ok {
		by = 1
	}
	at := func(s opentype.SegmentPoint) Point {
		px, py := float64(s.X)*by, float64(s.Y)
		if f.isSlanted {
			px += py * slant
		}
		return Point{x + px*scale*stretch, baseline - py*scale}
	}
	var last Point
	for i, s := range outline.Segments {
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			if i > 0 {
				p.Close()
			}
			last = at(s.Args[0])
			p.MoveTo(last)
		case opentype.SegmentOpLineTo:
			last = at(s.Args[0])
			p.LineTo(last)
		case opentype.SegmentOpQuadTo:
			control, end := at(s.Args[0]), at(s.Args[1])
			p.CurveTo(third(last, control), third(end, control), end)
			last = end
		case opentype.SegmentOpCubeTo:
			last = at(s.Args[2])
			p.CurveTo(at(s.Args[0]), at(s.Args[1]), last)
		}
	}
	if len(outline.Segments) > 0 {
		p.Close()
	}
}

// third is the control point of a cubic curve beside an end of a quadratic one.
func third(end, control Point) Point {
	return Point{end.X + (control.X-end.X)*2/3, end.Y + (control.Y-end.Y)*2/3}
}
