package pdf

import "strconv"

// Path is a series of contours of straight lines and cubic curves.
type Path struct {
	ops    []byte // m, l, c, h as in PDF
	points []Point
}

// MoveTo begins a contour.
func (p *Path) MoveTo(to Point) { p.ops, p.points = append(p.ops, 'm'), append(p.points, to) }

// LineTo goes on in a straight line.
func (p *Path) LineTo(to Point) { p.ops, p.points = append(p.ops, 'l'), append(p.points, to) }

// CurveTo goes on in a cubic Bézier curve.
func (p *Path) CurveTo(c1, c2, to Point) {
	p.ops, p.points = append(p.ops, 'c'), append(p.points, c1, c2, to)
}

// Close joins the contour's end with its beginning.
func (p *Path) Close() { p.ops = append(p.ops, 'h') }

// PathStroke is a Stroke with ends and corners (ISO 32000-1, 8.4.3).
type PathStroke struct {
	Stroke
	Cap  int // 0 flat, 1 round, 2 square
	Join int // 0 mitred, 1 round, 2 bevelled
}

// FillPath paints what lies inside a path, by the even-odd rule or else by the
// nonzero winding number rule.
func (c *Canvas) FillPath(p *Path, isEvenOdd bool, f Fill) {
	if !c.begin(p, f.Transparency) {
		return
	}
	c.content = append(appendColor(c.content, f.Color), " rg\n"...)
	c.content = p.appendTo(c.content, c.pageH)
	if isEvenOdd {
		c.write("f*\nQ\n")
	} else {
		c.write("f\nQ\n")
	}
}

// StrokePath draws the lines of a path; contours that are not closed stay open.
func (c *Canvas) StrokePath(p *Path, s PathStroke) {
	if s.Width <= 0 {
		return
	}
	if !c.begin(p, s.Transparency) {
		return
	}
	c.content = append(appendColor(c.content, s.Color), " RG\n"...)
	c.writef("%s w\n%d J\n%d j\n", decimal(s.Width), s.Cap, s.Join)
	c.content = appendDash(c.content, s.Dash) // always: that of what was drawn before may still hold
	c.content = p.appendTo(c.content, c.pageH)
	c.write("S\nQ\n")
}

// ClipPath keeps what follows inside a path, until Restore of an earlier Save.
// A path without points hides all that follows.
func (c *Canvas) ClipPath(p *Path, isEvenOdd bool) {
	if len(c.pages) == 0 || !c.room(perShape+len(p.points)) {
		return
	}
	if len(p.points) == 0 {
		c.write("0 0 0 0 re\n")
	}
	c.content = p.appendTo(c.content, c.pageH)
	if isEvenOdd {
		c.write("W* n\n")
	} else {
		c.write("W n\n")
	}
}

// Transform maps what follows, until Restore of an earlier Save: (x, y) goes to
// (a·x + c·y + e, b·x + d·y + f), in points from the page's upper left corner.
func (c *Canvas) Transform(m [6]float64) {
	if len(c.pages) == 0 {
		return
	}
	// The page of a PDF has its origin at the bottom: flip, map, flip.
	h := c.pageH
	for _, v := range []float64{m[0], -m[1], -m[2], m[3]} {
		c.content = append(strconv.AppendFloat(c.content, bounded(v), 'f', 6, 64), ' ')
	}
	c.writef("%s %s cm\n", decimal(m[2]*h+m[4]), decimal(h-m[3]*h-m[5]))
}

// begin begins the drawing of a path; false where nothing is to be drawn.
func (c *Canvas) begin(p *Path, transparency float64) bool {
	if len(p.points) < 2 || transparency >= 1 || len(c.pages) == 0 || !c.mayDraw(perShape+len(p.points)) {
		return false
	}
	c.write("q\n")
	if transparency > 0 {
		c.writef("/GS%d gs\n", c.opacityState(transparency))
	}
	return true
}

// appendTo writes a path's operators for a page of a height.
func (p *Path) appendTo(out []byte, height float64) []byte {
	points := p.points
	for _, op := range p.ops {
		n := 1
		switch op {
		case 'c':
			n = 3
		case 'h':
			n = 0
		}
		for _, at := range points[:n] {
			out = appendDecimal(append(appendDecimal(out, at.X), ' '), height-at.Y)
			out = append(out, ' ')
		}
		points = points[n:]
		out = append(out, op, '\n')
	}
	return out
}

// bounded keeps numbers to what readers of PDF take (ISO 32000-1, annex C).
func bounded(v float64) float64 {
	const most = 32_000
	return Clamp(v, -most, most)
}

func appendDecimal(out []byte, v float64) []byte {
	return strconv.AppendFloat(out, bounded(v), 'f', 2, 64)
}

func decimal(v float64) string { return string(appendDecimal(nil, v)) }
