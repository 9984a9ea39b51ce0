package pdf

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/signintech/gopdf"
)

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
	out := c.operators(p, f.Transparency)
	if out == nil {
		return
	}
	out = fmt.Appendf(out, "%s %s %s rg\n", channel(f.Color.R), channel(f.Color.G), channel(f.Color.B))
	out = p.appendTo(out, c.pageH)
	if isEvenOdd {
		out = append(out, "f*\nQ\n"...)
	} else {
		out = append(out, "f\nQ\n"...)
	}
	c.write(out)
}

// StrokePath draws the lines of a path; contours that are not closed stay open.
func (c *Canvas) StrokePath(p *Path, s PathStroke) {
	if s.Width <= 0 {
		return
	}
	out := c.operators(p, s.Transparency)
	if out == nil {
		return
	}
	out = fmt.Appendf(out, "%s %s %s RG\n%s w\n%d J\n%d j\n", channel(s.Color.R), channel(s.Color.G), channel(s.Color.B), decimal(s.Width), s.Cap, s.Join)
	// Written always: a pattern of what was drawn before may still hold.
	out = append(out, '[')
	for i, d := range s.Dash {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(out, decimal(d)...)
	}
	out = append(out, "] 0 d\n"...)
	out = p.appendTo(out, c.pageH)
	c.write(append(out, "S\nQ\n"...))
}

// ClipPath keeps what follows inside a path, until Restore of an earlier Save.
// A path without points hides all that follows.
func (c *Canvas) ClipPath(p *Path, isEvenOdd bool) {
	if !c.room(perShape + len(p.points)) {
		return
	}
	out := p.appendTo(nil, c.pageH)
	if len(p.points) == 0 {
		out = []byte("0 0 0 0 re\n")
	}
	if isEvenOdd {
		c.write(append(out, "W* n\n"...))
	} else {
		c.write(append(out, "W n\n"...))
	}
}

// Transform maps what follows, until Restore of an earlier Save: (x, y) goes to
// (a·x + c·y + e, b·x + d·y + f), in points from the page's upper left corner.
func (c *Canvas) Transform(m [6]float64) {
	// The page of a PDF has its origin at the bottom: flip, map, flip.
	h := c.pageH
	out := []byte(nil)
	for _, v := range []float64{m[0], -m[1], -m[2], m[3]} {
		out = append(strconv.AppendFloat(out, bounded(v), 'f', 6, 64), ' ')
	}
	c.write(fmt.Appendf(out, "%s %s cm\n", decimal(m[2]*h+m[4]), decimal(h-m[3]*h-m[5])))
}

// operators begins the drawing of a path; nil where nothing is to be drawn.
func (c *Canvas) operators(p *Path, transparency float64) []byte {
	if len(p.points) < 2 || transparency >= 1 || !c.room(perShape+len(p.points)) {
		return nil
	}
	out := append(make([]byte, 0, 64+14*len(p.points)), "q\n"...)
	if transparency <= 0 {
		return out
	}
	alpha, blend := math.Round((1-transparency)*100)/100, gopdf.NormalBlendMode
	state, err := gopdf.GetCachedExtGState(gopdf.ExtGStateOptions{StrokingCA: &alpha, NonStrokingCa: &alpha, BlendMode: &blend}, &c.pdf)
	if err != nil {
		c.fail(err)
		return nil
	}
	return fmt.Appendf(out, "/GS%d gs\n", state.Index+1)
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

// channel is one of a colour's parts, from 0 to 1.
func channel(v uint8) string { return strconv.FormatFloat(float64(v)/255, 'f', 3, 64) }

// rawOperators are operators that gopdf cannot write.
type rawOperators struct {
	page int
	data []byte
}

// rawMark stands in a page's content for the next of its raw contents: dashes
// with a negative phase, which nothing else sets.
var rawMark = []byte("[] -1.00 d\n")

// write adds operators to the page, behind what was drawn before.
func (c *Canvas) write(data []byte) {
	if len(c.pages) == 0 {
		return
	}
	c.raw = append(c.raw, rawOperators{page: len(c.pages) - 1, data: data})
	c.pdf.SetCustomLineType(nil, -1)
}

// insertRaw puts the raw contents of a page, in their order, where they belong.
func insertRaw(content []byte, raw []rawOperators) []byte {
	if len(raw) == 0 {
		return content
	}
	size := len(content)
	for _, r := range raw {
		size += len(r.data)
	}
	out := make([]byte, 0, size)
	for _, r := range raw {
		before, after, ok := bytes.Cut(content, rawMark)
		if !ok {
			break
		}
		out, content = append(append(out, before...), r.data...), after
	}
	return append(out, content...)
}
