// Package shape draws shapes of documents and slides: outlines of presets and of
// custom geometry, fills, strokes, arrowheads and pictures. Text on a shape is
// for flow and slide.
package shape

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Contour is one line of a shape, in points on the page.
type Contour struct {
	Points   []pdf.Point
	IsOpen   bool // its end is not its start
	IsHollow bool // it is not filled
	IsBare   bool // its edge is not drawn
	// Shade darkens its fill, from 0 to 1 (black), or lightens it, from 0 to -1.
	Shade float64
	// Path is the number of the path that it belongs to. What a path has is filled
	// together: a line inside another one is a hole where it runs the other way.
	Path int
}

// outline is a shape's geometry before it is put on the page: contours in a
// box of w × h, and the part of the box that text may use.
type outline struct {
	Contours []Contour
	Text     dml.Rect
}

// Points are those of coordinates given as x, y, x, y …
func Points(xy ...float64) []pdf.Point {
	out := make([]pdf.Point, len(xy)/2)
	for i := range out {
		out[i] = pdf.Point{X: xy[2*i], Y: xy[2*i+1]}
	}
	return out
}

// OutlineOf draws a shape's geometry. Presets that are not known are drawn
// as rectangles; isKnown is false then.
func OutlineOf(g dml.Geometry, w, h float64) (o outline, isKnown bool) {
	if g.Custom != nil {
		return outlineOf(g.Custom, nil, w, h), true
	}
	if definition := presetNamed(g.Preset); definition != nil {
		return outlineOf(definition, g.Adjust, w, h), true
	}
	box := Contour{Points: Points(0, 0, w, 0, w, h, 0, h)}
	return outline{Contours: []Contour{box}, Text: dml.Rect{W: w, H: h}}, g.Preset == "" || g.Preset == "rect" || g.Preset == "textNoShape"
}

// aheadOnCircle is by how many degrees the place of an ellipse that is seen in a
// direction from its middle is further on the circle that the ellipse is a view
// of: pdf.Arc counts on that.
func aheadOnCircle(direction, rx, ry float64) float64 {
	const rounding = 1e-9 // degrees: right angles and those of circles are the same
	sin, cos := math.Sincos(direction * math.Pi / 180)
	ahead := math.Remainder(math.Atan2(sin*rx, cos*ry)*180/math.Pi-direction, 360)
	if math.Abs(ahead) < rounding {
		return 0
	}
	return ahead
}

// Place moves contours from a shape's box to the page, mirrored as asked.
func Place(in []Contour, frame dml.Rect, flipH, flipV bool) []Contour {
	out := make([]Contour, len(in))
	for i, c := range in {
		moved := make([]pdf.Point, len(c.Points))
		for j, p := range c.Points {
			if flipH {
				p.X = frame.W - p.X
			}
			if flipV {
				p.Y = frame.H - p.Y
			}
			moved[j] = pdf.Point{X: frame.X + p.X, Y: frame.Y + p.Y}
		}
		out[i] = c
		out[i].Points = moved
	}
	return out
}

// SeeThrough is how opaque the box of a shape is whose form is not known: white
// text can be read on it where it is dark, and what is behind it.
const SeeThrough = 0.5
