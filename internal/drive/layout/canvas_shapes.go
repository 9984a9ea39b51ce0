package layout

import (
	"fmt"
	"math"
	"slices"

	"github.com/platenhq/platen/internal/drive/office"
)

// Point is a place on the page, in points from its upper left corner.
type Point struct{ X, Y float64 }

// Fill says how an area is painted.
type Fill struct {
	Color        office.RGB
	Transparency float64 // 0 is opaque, 1 invisible
}

// Stroke says how a line is drawn.
type Stroke struct {
	Color        office.RGB
	Width        float64   // points
	Dash         []float64 // lengths of dashes and gaps in points; nil is solid
	Transparency float64   // 0 is opaque, 1 invisible
}

// path writes the outline of an area.
func (c *Canvas) path(points []Point) {
	for i, p := range points {
		operator := "l"
		if i == 0 {
			operator = "m"
		}
		c.content.op(operator, p.X, c.up(p.Y))
	}
}

// painted runs draw with an opacity set, in a state of its own.
func (c *Canvas) painted(transparency float64, draw func()) {
	if transparency >= 1 {
		return
	}
	if transparency <= 0 {
		draw()
		return
	}
	// Whole percents: every value makes a state of its own in the file.
	percent := int(math.Round((1 - transparency) * 100))
	if !slices.Contains(c.alphas, percent) {
		c.alphas = append(c.alphas, percent)
	}
	c.content.word(fmt.Sprintf("q\n/G%d gs", percent))
	draw()
	c.content.word("Q")
}

func (c *Canvas) setFill(color office.RGB) {
	if !c.state.fillSet || c.state.fill != color {
		c.color(color, "rg")
	}
	c.state.fillSet, c.state.fill = true, color
}

func (c *Canvas) color(color office.RGB, operator string) {
	const fullScale = 255
	c.content.fine(float64(color.R)/fullScale, float64(color.G)/fullScale, float64(color.B)/fullScale)
	c.content.word(operator)
}

func (c *Canvas) setStroke(s Stroke) {
	if !c.state.strokeSet || c.state.strokeColor != s.Color {
		c.color(s.Color, "RG")
	}
	if !c.state.strokeSet || c.state.strokeWidth != s.Width {
		c.content.op("w", s.Width)
	}
	dash := ""
	if len(s.Dash) > 0 {
		dash = fmt.Sprint(s.Dash)
	}
	if c.state.dash != dash {
		c.content = append(c.content, '[')
		for _, length := range s.Dash {
			c.content.number(length, 2)
		}
		c.content.word("] 0 d")
	}
	c.state.strokeSet, c.state.strokeColor, c.state.strokeWidth, c.state.dash = true, s.Color, s.Width, dash
}

// FillRect paints a rectangle.
func (c *Canvas) FillRect(x, y, w, h float64, color office.RGB) {
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
	c.area(fill, stroke, func() { c.content.op("re", x, c.up(y+h), w, h) })
}

// Polygon draws a closed area; fill or stroke may be nil.
func (c *Canvas) Polygon(points []Point, fill *Fill, stroke *Stroke) {
	if len(points) >= 2 {
		c.area(fill, stroke, func() { c.path(points) })
	}
}

func (c *Canvas) area(fill *Fill, stroke *Stroke, outline func()) {
	if fill != nil {
		c.setFill(fill.Color)
		c.painted(fill.Transparency, func() { outline(); c.content.word("f") })
	}
	if stroke != nil && stroke.Width > 0 {
		c.setStroke(*stroke)
		c.painted(stroke.Transparency, func() { outline(); c.content.word("s") })
	}
}

// StrokeLine draws a straight line with flat ends.
func (c *Canvas) StrokeLine(x1, y1, x2, y2 float64, s Stroke) {
	c.Polyline([]Point{{x1, y1}, {x2, y2}}, s)
}

// Polyline draws an open line through points.
func (c *Canvas) Polyline(points []Point, s Stroke) {
	if len(points) < 2 || s.Width <= 0 {
		return
	}
	if len(points) > 2 && len(s.Dash) > 0 { // dashes begin anew at each corner
		for i := 1; i < len(points); i++ {
			c.Polyline(points[i-1:i+1], s)
		}
		return
	}
	c.setStroke(s)
	c.painted(s.Transparency, func() { c.path(points); c.content.word("S") })
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

// RoundRect gives the outline of a rectangle with round corners of radius r.
func RoundRect(x, y, w, h, r float64) []Point {
	r = math.Max(0, math.Min(r, math.Min(w, h)/2))
	if r == 0 {
		return []Point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
	}
	var out []Point
	out = append(out, Arc(x+r, y+r, r, r, 180, 90)...)
	out = append(out, Arc(x+w-r, y+r, r, r, 270, 90)...)
	out = append(out, Arc(x+w-r, y+h-r, r, r, 0, 90)...)
	out = append(out, Arc(x+r, y+h-r, r, r, 90, 90)...)
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
