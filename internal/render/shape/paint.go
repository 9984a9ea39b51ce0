package shape

import (
	"fmt"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

// A Painter draws areas, outlines and pictures of shapes, and tells what
// of them it could not draw.
type Painter struct {
	Canvas *pdf.Canvas
	Fonts  *pdf.FontSet // for metafiles
	// Metafiles keeps those that come back; nil for none.
	Metafiles Metafiles
	Parts     *opc.Package // has the pictures
	Findings  *render.Findings
	// unit and number say where it draws: a slide's number, for one.
	Unit   string
	Number int
}

// Lost tells what the place at hand is drawn without.
func (sp *Painter) Lost(losses []dml.Loss) {
	for _, loss := range losses {
		sp.Findings.At(render.FindingDrawing, string(loss), sp.Unit, sp.Number)
	}
}

// Picture draws an image part, or says why it does not.
func (sp *Painter) Picture(p *dml.Picture, at dml.Rect, opts pdf.ImageOptions) {
	data, ok := sp.Parts.Part(p.Part)
	if !ok {
		sp.Findings.Add(render.FindingPicture, "a picture is missing from the file")
		return
	}
	opts.Left, opts.Top, opts.Right, opts.Bottom, opts.Transparency = p.Left, p.Top, p.Right, p.Bottom, 1-p.Alpha
	if err := sp.Image(data, at, opts); err != nil {
		sp.Findings.Add(render.FindingPicture, fmt.Sprintf("%s %d: %v", sp.Unit, sp.Number, err))
	}
}

// Fill paints the areas of a shape whose box is given.
func (sp *Painter) Fill(contours []Contour, f *dml.ShapeFill, box dml.Rect) {
	if f == nil {
		return
	}
	sp.Lost(f.Losses)
	for len(contours) > 0 {
		n := 1
		for n < len(contours) && contours[n].Path == contours[0].Path {
			n++
		}
		if area := joined(contours[:n]); len(area) > 2 {
			sp.fillArea(area, f, box, contours[0].Shade)
		}
		contours = contours[n:]
	}
}

// fillArea paints one area, darker by shade.
func (sp *Painter) fillArea(area []pdf.Point, f *dml.ShapeFill, box dml.Rect, shade float64) {
	towards := dml.RGB{}
	if shade < 0 {
		towards = dml.RGB{R: 255, G: 255, B: 255}
	}
	switch f.Kind {
	case dml.FillSolid:
		sp.Canvas.Polygon(area, &pdf.Fill{Color: dml.Mix(f.Color, towards, math.Abs(shade)), Transparency: 1 - f.Alpha}, nil)
		return
	case dml.FillGradient, dml.FillPicture:
		sp.Canvas.Save()
		sp.Canvas.ClipPolygon(area)
		if f.Kind == dml.FillGradient {
			sp.gradient(f, box)
		} else {
			sp.pictureFill(f, box)
		}
		sp.Canvas.Restore()
	default:
		return
	}
	if shade != 0 {
		sp.Canvas.Polygon(area, &pdf.Fill{Color: towards, Transparency: 1 - math.Abs(shade)}, nil)
	}
}

// joined makes one area of what a path has, its lines joined by seams that do not
// show. It is nil where nothing is to be filled.
func joined(path []Contour) []pdf.Point {
	if len(path) == 1 && !path[0].IsHollow {
		return path[0].Points
	}
	var out []pdf.Point
	for _, c := range path {
		if c.IsHollow {
			return nil
		}
		if len(c.Points) < 3 {
			continue
		}
		out = append(out, c.Points...)
		out = append(out, c.Points[0])
		if start := out[0]; start != c.Points[0] {
			out = append(out, start)
		}
	}
	return out
}

// pictureFill paints a box with one picture, or with as many as it takes.
func (sp *Painter) pictureFill(f *dml.ShapeFill, box dml.Rect) {
	const most, perPixel = 1500, 0.75 // points: 96 pixels are an inch
	data, _ := sp.Parts.Part(f.Picture.Part)
	pw, ph := pdf.ImageSize(data)
	w, h := float64(pw)*perPixel*f.TileX, float64(ph)*perPixel*f.TileY
	if w < 1 || h < 1 || math.Ceil(box.W/w)*math.Ceil(box.H/h) > most {
		if f.TileX != 0 {
			sp.Findings.At(render.FindingDrawing, "the tiles of a picture are drawn as one, stretched", sp.Unit, sp.Number)
		}
		sp.Picture(f.Picture, box, pdf.ImageOptions{})
		return
	}
	for y := box.Y; y < box.Y+box.H; y += h {
		for x := box.X; x < box.X+box.W; x += w {
			sp.Picture(f.Picture, dml.Rect{X: x, Y: y, W: w, H: h}, pdf.ImageOptions{})
		}
	}
}

// gradient paints a box in steps of colour. Each step reaches to the far end,
// under the following ones, so that no seams show between them.
func (sp *Painter) gradient(f *dml.ShapeFill, box dml.Rect) {
	const most = 96
	steps := int(pdf.Clamp(math.Max(box.W, box.H)/2, 8, most))
	opaque := func(t float64) *pdf.Fill {
		c, a := GradientAt(f.Stops, t)
		if a < 1 { // strips overlap: half-transparent ones would add up
			c = dml.Mix(c, dml.RGB{R: 255, G: 255, B: 255}, 1-a)
		}
		return &pdf.Fill{Color: c}
	}
	cx, cy := box.X+box.W/2, box.Y+box.H/2
	if f.Radial {
		for i := range steps {
			t := 1 - float64(i)/float64(steps)
			w, h := box.W*t*math.Sqrt2, box.H*t*math.Sqrt2
			sp.Canvas.Polygon(pdf.Ellipse(cx-w/2, cy-h/2, w, h), opaque(t), nil)
		}
		return
	}
	a := f.Angle * math.Pi / 180
	dx, dy := math.Cos(a), math.Sin(a)
	half := (math.Abs(box.W*dx) + math.Abs(box.H*dy)) / 2
	side := box.W + box.H
	for i := range steps {
		from := -half + 2*half*float64(i)/float64(steps)
		to := half + 1
		if i == 0 {
			from -= 1
		}
		x1, y1, x2, y2 := cx+from*dx, cy+from*dy, cx+to*dx, cy+to*dy
		sp.Canvas.Polygon(Points(x1-side*dy, y1+side*dx, x1+side*dy, y1-side*dx, x2+side*dy, y2-side*dx, x2-side*dy, y2+side*dx),
			opaque((float64(i)+0.5)/float64(steps)), nil)
	}
}

// GradientAt is the colour and the opacity of a gradient at t, from 0 to 1.
func GradientAt(stops []dml.GradientStop, t float64) (dml.RGB, float64) {
	prev := stops[0]
	for _, s := range stops {
		if t <= s.At {
			if s.At <= prev.At {
				return s.Color, s.Alpha
			}
			k := (t - prev.At) / (s.At - prev.At)
			return dml.Mix(prev.Color, s.Color, k), prev.Alpha + (s.Alpha-prev.Alpha)*k
		}
		prev = s
	}
	return prev.Color, prev.Alpha
}

// StrokeOf turns a shape's line into a stroke. The thinnest line that is
// still seen in print stands for a width of 0.
func StrokeOf(l *dml.ShapeLine) pdf.Stroke {
	const thinnest, widest = 0.1, 500 // points
	const thinnestDashed = 0.5        // points: what the dashes of thinner lines are as long as
	w := pdf.Clamp(l.Width, thinnest, widest)
	s := pdf.Stroke{Color: l.Color, Width: w, Transparency: 1 - l.Alpha}
	for _, d := range dashes(l.Dash) {
		s.Dash = append(s.Dash, d*math.Max(w, thinnestDashed))
	}
	return s
}

// dashes gives ST_PresetLineDashVal in multiples of the line's width.
func dashes(name string) []float64 {
	switch name {
	case "dot":
		return []float64{1, 3}
	case "sysDot":
		return []float64{1, 1}
	case "sysDash":
		return []float64{3, 1}
	case "dash":
		return []float64{4, 3}
	case "lgDash":
		return []float64{8, 3}
	case "dashDot":
		return []float64{4, 3, 1, 3}
	case "lgDashDot":
		return []float64{8, 3, 1, 3}
	case "lgDashDotDot":
		return []float64{8, 3, 1, 3, 1, 3}
	case "sysDashDot":
		return []float64{3, 1, 1, 1}
	case "sysDashDotDot":
		return []float64{3, 1, 1, 1, 1, 1}
	}
	return nil
}

// Stroke draws outlines, with arrow heads on open ones.
func (sp *Painter) Stroke(contours []Contour, l *dml.ShapeLine) {
	s := StrokeOf(l)
	for _, c := range contours {
		if c.IsBare {
			continue
		}
		if !c.IsOpen {
			sp.Canvas.Polygon(c.Points, nil, &s)
			continue
		}
		pts := append([]pdf.Point{}, c.Points...)
		if len(pts) < 2 {
			continue
		}
		head := sp.lineEnd(pts, l.Head, s)
		Reverse(pts)
		tail := sp.lineEnd(pts, l.Tail, s)
		Reverse(pts)
		sp.Canvas.Polyline(pts, s)
		for _, end := range [][]pdf.Point{head, tail} {
			if len(end) > 0 {
				sp.Canvas.Polygon(end, &pdf.Fill{Color: s.Color, Transparency: s.Transparency}, nil)
			}
		}
	}
}

// Reverse turns a line around.
func Reverse(p []pdf.Point) {
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
}

// lineEnd gives the area of an arrow head at the first point of a line and
// shortens the line to its back.
func (sp *Painter) lineEnd(p []pdf.Point, kind string, s pdf.Stroke) []pdf.Point {
	if kind == "" {
		return nil
	}
	size := 3 * math.Max(s.Width, 1.5)
	tip := p[0]
	dx, dy := p[1].X-tip.X, p[1].Y-tip.Y
	for i := 2; math.Hypot(dx, dy) < size/2 && i < len(p); i++ {
		dx, dy = p[i].X-tip.X, p[i].Y-tip.Y
	}
	d := math.Hypot(dx, dy)
	if d == 0 {
		return nil
	}
	dx, dy = dx/d, dy/d
	at := func(along, across float64) pdf.Point {
		return pdf.Point{X: tip.X + dx*along - dy*across, Y: tip.Y + dy*along + dx*across}
	}
	switch kind {
	case "oval":
		return pdf.Ellipse(tip.X-size/2, tip.Y-size/2, size, size)
	case "diamond":
		return []pdf.Point{at(-size/2, 0), at(0, size/2), at(size/2, 0), at(0, -size/2)}
	}
	if d > size {
		p[0] = at(size*0.8, 0)
	}
	if kind == "stealth" {
		return []pdf.Point{tip, at(size, size/2), at(size*0.6, 0), at(size, -size/2)}
	}
	return []pdf.Point{tip, at(size, size/2), at(size, -size/2)}
}
