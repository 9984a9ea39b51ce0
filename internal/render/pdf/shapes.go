package pdf

import (
	"math"
	"slices"
	"strconv"

	"github.com/platenhq/platen/internal/office/dml"
)

// Point is a place on the page, in points from its upper left corner.
type Point struct{ X, Y float64 }

// Fill says how an area is painted.
type Fill struct {
	Color        dml.RGB
	Transparency float64 // 0 is opaque, 1 invisible
}

// Stroke says how a line is drawn.
type Stroke struct {
	Color        dml.RGB
	Width        float64   // points
	Dash         []float64 // lengths of dashes and gaps in points; nil is solid
	Transparency float64   // 0 is opaque, 1 invisible
}

// faded runs draw with a transparency set.
func (c *Canvas) faded(transparency float64, draw func()) {
	if transparency <= 0 {
		draw()
		return
	}
	if transparency >= 1 {
		return
	}
	c.writef("q\n/GS%d gs\n", c.opacityState(transparency))
	draw()
	c.write("Q\n")
}

// opacityState is the object of the graphics state for a transparency (ISO 32000-1, 8.4.5).
func (c *Canvas) opacityState(transparency float64) int {
	// Whole percents: every value makes an object of its own in the file.
	alpha := math.Round((1-transparency)*100) / 100
	state, isKnown := c.opacity[alpha]
	if !isKnown {
		state = c.file.add(dictionary("/Type /ExtGState /ca %.2f /CA %.2f /BM /Normal", alpha, alpha))
		c.opacity[alpha] = state
	}
	return state
}

func (c *Canvas) setFill(color dml.RGB) {
	if c.state.hasFill && c.state.fillColor == color {
		return
	}
	c.content = append(appendColor(c.content, color), " rg\n"...)
	c.state.hasFill, c.state.fillColor = true, color
}

func (c *Canvas) setStroke(s Stroke) {
	if !c.state.hasStroke || c.state.strokeColor != s.Color {
		c.content = append(appendColor(c.content, s.Color), " RG\n"...)
	}
	if !c.state.hasStroke || c.state.strokeWidth != s.Width {
		c.content = append(appendDecimal(c.content, s.Width), " w\n"...)
	}
	if !slices.Equal(c.state.dash, s.Dash) {
		c.content, c.state.dash = appendDash(c.content, s.Dash), slices.Clone(s.Dash)
	}
	c.state.hasStroke, c.state.strokeColor, c.state.strokeWidth = true, s.Color, s.Width
}

// appendDash writes the lengths of dashes and gaps (ISO 32000-1, 8.4.3.6).
func appendDash(out []byte, dash []float64) []byte {
	out = append(out, '[')
	for i, d := range dash {
		if i > 0 {
			out = append(out, ' ')
		}
		out = appendDecimal(out, d)
	}
	return append(out, "] 0 d\n"...)
}

// appendColor writes the parts of a colour, from 0 to 1.
func appendColor(out []byte, color dml.RGB) []byte {
	out = append(strconv.AppendFloat(out, float64(color.R)/255, 'f', 3, 64), ' ')
	out = append(strconv.AppendFloat(out, float64(color.G)/255, 'f', 3, 64), ' ')
	return strconv.AppendFloat(out, float64(color.B)/255, 'f', 3, 64)
}

// point writes a place of the page, and the operator for it.
func (c *Canvas) point(x, y float64, operator string) {
	c.content = append(appendDecimal(append(appendDecimal(c.content, x), ' '), c.pageH-y), operator...)
}

// polygon writes lines through points.
func (c *Canvas) polygon(points []Point) {
	operator := " m "
	for _, p := range points {
		c.point(p.X, p.Y, operator)
		operator = " l "
	}
}

// rectangle writes a rectangle and the operator that paints it.
func (c *Canvas) rectangle(x, y, w, h float64, operator string) {
	c.point(x, y+h, " ")
	c.content = append(appendDecimal(append(appendDecimal(c.content, w), ' '), h), operator...)
}

// perShape is what a shape costs beside its points, in marks.
const perShape = 4

// FillRect paints a rectangle.
func (c *Canvas) FillRect(x, y, w, h float64, color dml.RGB) {
	c.Rect(x, y, w, h, &Fill{Color: color}, nil)
}

// Rect draws a rectangle; fill or stroke may be nil. The stroke runs on its edge.
func (c *Canvas) Rect(x, y, w, h float64, fill *Fill, stroke *Stroke) {
	if w < 0 {
		x, w = x+w, -w
	}
	if h < 0 {
		y, h = y+h, -h
	}
	if len(c.pages) == 0 || !c.mayDraw(perShape) {
		return
	}
	if fill != nil {
		c.setFill(fill.Color)
		c.faded(fill.Transparency, func() { c.rectangle(x, y, w, h, " re f\n") })
	}
	if stroke != nil && stroke.Width > 0 {
		c.setStroke(*stroke)
		c.faded(stroke.Transparency, func() { c.rectangle(x, y, w, h, " re S\n") })
	}
}

// StrokeLine draws a straight line with flat ends.
func (c *Canvas) StrokeLine(x1, y1, x2, y2 float64, s Stroke) {
	if s.Width <= 0 || len(c.pages) == 0 || !c.mayDraw(perShape) {
		return
	}
	c.setStroke(s)
	c.faded(s.Transparency, func() {
		c.point(x1, y1, " m ")
		c.point(x2, y2, " l S\n")
	})
}

// Polygon draws a closed area; fill or stroke may be nil.
func (c *Canvas) Polygon(points []Point, fill *Fill, stroke *Stroke) {
	if len(points) == 4 && isBox([4]Point(points)) {
		c.Rect(points[0].X, points[0].Y, points[2].X-points[0].X, points[2].Y-points[0].Y, fill, stroke)
		return
	}
	if len(points) < 2 || len(c.pages) == 0 || !c.mayDraw(perShape+len(points)) {
		return
	}
	if fill != nil {
		c.setFill(fill.Color)
		c.faded(fill.Transparency, func() {
			c.polygon(points)
			c.write("f\n")
		})
	}
	if stroke != nil && stroke.Width > 0 {
		c.setStroke(*stroke)
		c.faded(stroke.Transparency, func() {
			c.polygon(points)
			c.write("s\n")
		})
	}
}

// isBox tells whether four corners are those of an upright rectangle.
func isBox(p [4]Point) bool {
	return p[0].Y == p[1].Y && p[1].X == p[2].X && p[2].Y == p[3].Y && p[3].X == p[0].X ||
		p[0].X == p[1].X && p[1].Y == p[2].Y && p[2].X == p[3].X && p[3].Y == p[0].Y
}

// Polyline draws an open line through points.
func (c *Canvas) Polyline(points []Point, s Stroke) {
	if len(points) < 2 || s.Width <= 0 || len(c.pages) == 0 {
		return
	}
	if len(points) == 2 || len(s.Dash) > 0 {
		for i := 1; i < len(points); i++ {
			c.StrokeLine(points[i-1].X, points[i-1].Y, points[i].X, points[i].Y, s)
		}
		return
	}
	if !c.mayDraw(perShape + len(points)) {
		return
	}
	c.setStroke(s)
	c.faded(s.Transparency, func() {
		c.polygon(points)
		c.write("S\n")
	})
}

// Ellipse gives the outline of the ellipse inside a rectangle, clockwise from its right.
func Ellipse(x, y, w, h float64) []Point {
	return Arc(x+w/2, y+h/2, w/2, h/2, 0, 360)
}

// Arc gives points on an ellipse from one angle over a sweep, in degrees
// clockwise from the right, close enough together to look round in print.
func Arc(cx, cy, rx, ry, from, sweep float64) []Point {
	steps := int(math.Ceil(math.Abs(sweep) / 360 * math.Max(24, math.Min(180, 3*math.Sqrt(math.Abs(rx)+math.Abs(ry))*4))))
	steps = max(2, steps)
	out := make([]Point, 0, steps+1)
	for i := 0; i <= steps; i++ {
		a := (from + sweep*float64(i)/float64(steps)) * math.Pi / 180
		out = append(out, Point{cx + rx*math.Cos(a), cy + ry*math.Sin(a)})
	}
	return out
}

// Bezier appends the points of a cubic curve that begins at the last point of path.
func Bezier(path []Point, c1, c2, end Point) []Point {
	if len(path) == 0 {
		return append(path, end)
	}
	start := path[len(path)-1]
	length := math.Hypot(c1.X-start.X, c1.Y-start.Y) + math.Hypot(c2.X-c1.X, c2.Y-c1.Y) + math.Hypot(end.X-c2.X, end.Y-c2.Y)
	steps := max(4, min(64, int(length/3)))
	for i := 1; i <= steps; i++ {
		t := float64(i) / float64(steps)
		u := 1 - t
		a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		path = append(path, Point{a*start.X + b*c1.X + d*c2.X + e*end.X, a*start.Y + b*c1.Y + d*c2.Y + e*end.Y})
	}
	return path
}
