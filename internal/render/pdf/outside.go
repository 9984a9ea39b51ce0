package pdf

import (
	"math"

	"github.com/platenhq/platen/internal/render"
)

// turned is where points of a page are after rotations: at (xx·x + xy·y + dx, yx·x + yy·y + dy).
type turned struct{ xx, xy, dx, yx, yy, dy float64 }

// level leaves points where they are.
var level = turned{xx: 1, yy: 1}

// turn is t of what was turned clockwise around a point before.
func (t turned) turn(degrees float64, center Point) turned {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	dx, dy := center.X-cos*center.X+sin*center.Y, center.Y-sin*center.X-cos*center.Y
	return turned{
		xx: t.xx*cos + t.xy*sin, xy: t.xy*cos - t.xx*sin, dx: t.xx*dx + t.xy*dy + t.dx,
		yx: t.yx*cos + t.yy*sin, yy: t.yy*cos - t.yx*sin, dy: t.yx*dx + t.yy*dy + t.dy,
	}
}

func (t turned) apply(p Point) Point {
	return Point{t.xx*p.X + t.xy*p.Y + t.dx, t.yx*p.X + t.yy*p.Y + t.dy}
}

// noteLetter notes a letter whose middle is off the page: at x, a third of its size above
// its baseline.
func (c *Canvas) noteLetter(x, baseline, size float64) {
	const middle = 1.0 / 3
	p := c.state.place.apply(Point{x, baseline - size*middle})
	if p.X < 0 || p.Y < 0 || p.X > c.pageW || p.Y > c.pageH {
		c.isCut = true
	}
}

// ReportOutside reports text that stands beside the page at hand, where nobody sees it.
// The unit is "page" or "slide".
func ReportOutside(c *Canvas, findings *render.Findings, unit string, number int) {
	if c.isCut {
		findings.At(render.FindingTruncated, "text stands outside the "+unit, unit, number)
	}
}
