package flow

import (
	"math"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/chart"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// drawingBox is a drawing with the text of its boxes composed.
type drawingBox struct {
	*wml.Drawing
	composer *composer
	text     *stack
	children []*drawingBox
	grown    float64 // height with text that the shape grows by
}

func (d *drawingBox) height() float64 { return math.Max(d.Height, d.grown) }

// drawing makes a drawing item of the text ready.
func (b *glyphBuilder) drawing(item *wml.Item) {
	if item.Drawing == nil {
		return
	}
	box := b.drawingBox(item.Drawing, b.env)
	o := &object{kind: wml.DrawingItem, item: item, drawing: box, link: b.link}
	b.object(o)
	if box.Anchor == nil {
		b.out[len(b.out)-1].width = box.Width
	}
}

func (c *composer) drawingBox(d *wml.Drawing, env environment) *drawingBox {
	box := &drawingBox{Drawing: d, composer: c}
	if !c.enter(&env) {
		return box
	}
	if t := d.Box; t != nil {
		inner := env
		inner.background, inner.isInCell = d.Fill, false
		if d.Transparency > 0 {
			inner.background = nil
		}
		width := math.Max(d.Width-t.Inset.Left-t.Inset.Right, 4)
		box.text = c.stack(collect(t.Blocks), width, inner)
		if t.GrowsWithText {
			box.grown = box.text.height() + t.Inset.Top + t.Inset.Bottom
		}
	}
	for _, child := range d.Children {
		box.children = append(box.children, c.drawingBox(child, env))
	}
	switch d.Geometry.Preset {
	case "chart":
		if d.Chart == nil {
			c.tally.findings.Add(render.FindingDrawing, "a chart is not drawn")
		}
	case "relIds":
		c.tally.findings.Add(render.FindingDrawing, "a SmartArt graphic is not drawn")
	case "textpath":
		c.tally.findings.Add(render.FindingDrawing, "WordArt is drawn as straight text")
	}
	return box
}

// draw puts a drawing on a page, its upper left corner at x and y.
func (d *drawingBox) draw(dst *layer, x, y float64) {
	w, h := d.Width, d.height()
	isRotated := d.Rotation != 0 && math.Abs(d.Rotation) < 360
	if isRotated {
		dst.add(func(p *painter) { p.canvas.Rotate(d.Rotation, x+w/2, y+h/2) })
	}
	dst.add(func(p *painter) { p.shape(d, x, y, w, h) })
	for _, child := range d.children {
		child.draw(dst, x+child.X, y+child.Y)
	}
	if d.text != nil {
		d.drawText(dst, x, y, h)
	}
	if isRotated {
		dst.add(func(p *painter) { p.canvas.Restore() })
	}
	if d.Link != nil {
		dst.add(func(p *painter) { p.link(d.Link, x, y, w, h) })
	}
}

func (d *drawingBox) drawText(dst *layer, x, y, h float64) {
	inset := d.Box.Inset
	top := y + inset.Top
	room := h - inset.Top - inset.Bottom - d.text.height()
	if room > 0 {
		switch d.Box.VAlign {
		case "center":
			top += room / 2
		case "bottom":
			top += room
		}
	}
	d.text.draw(dst, x+inset.Left, top)
}

func (p *painter) shape(d *drawingBox, x, y, w, h float64) {
	p.lost(d.Losses)
	if d.Image != nil {
		p.picture(d, x, y, w, h)
	}
	if d.WordArt != nil {
		p.wordArt(d, x, y, w, h)
		return
	}
	if d.Chart != nil {
		p.lost(d.Chart.Losses)
		chart.Draw(p.canvas, p.composer.fonts, p.composer.tally.findings, d.Chart, dml.Rect{X: x, Y: y, W: w, H: h})
	}
	var fill *pdf.Fill
	var stroke *pdf.Stroke
	if d.Fill != nil {
		fill = &pdf.Fill{Color: *d.Fill, Transparency: d.Transparency}
	}
	if d.Line.IsVisible() {
		stroke = strokeOf(d.Line)
	}
	if fill == nil && stroke == nil {
		return
	}
	switch d.Geometry.Preset {
	case "line", "straightConnector1":
		if stroke == nil {
			return
		}
		y1, y2 := y, y+h
		if d.FlipV != d.FlipH {
			y1, y2 = y2, y1
		}
		p.canvas.StrokeLine(x, y1, x+w, y2, *stroke)
	case "rect", "":
		if d.Geometry.Custom == nil {
			p.canvas.Rect(x, y, w, h, fill, stroke)
			return
		}
		p.drawOutline(d, x, y, w, h, fill, stroke)
	case "roundRect":
		p.canvas.Polygon(pdf.RoundRect(x, y, w, h, math.Min(w, h)/6), fill, stroke)
	case "textpath", "chart", "relIds":
	default:
		p.drawOutline(d, x, y, w, h, fill, stroke)
	}
}

// drawOutline draws a shape of another form. One whose form is not known hides
// nothing: its box is see-through, and only there for a text to be read on it.
func (p *painter) drawOutline(d *drawingBox, x, y, w, h float64, fill *pdf.Fill, stroke *pdf.Stroke) {
	if d.Geometry.Preset == wml.UnknownForm {
		stroke = nil
	}
	o, isKnown := shape.OutlineOf(d.Geometry, w, h)
	if !isKnown {
		if d.Geometry.Preset != wml.UnknownForm {
			p.lost([]dml.Loss{dml.LossForm})
		}
		if fill = seeThroughBox(d, fill); fill == nil && stroke == nil {
			return
		}
	}
	for _, c := range shape.Place(o.Contours, dml.Rect{X: x, Y: y, W: w, H: h}, d.FlipH, d.FlipV) {
		switch {
		case !c.IsOpen && c.IsHollow:
			p.canvas.Polygon(c.Points, nil, stroke)
		case !c.IsOpen:
			p.canvas.Polygon(c.Points, fill, stroke)
		case stroke != nil:
			p.canvas.Polyline(c.Points, *stroke)
		}
	}
}

// seeThroughBox is the fill of a shape whose form is not known, nil for none.
func seeThroughBox(d *drawingBox, fill *pdf.Fill) *pdf.Fill {
	if fill == nil || d.text == nil || !d.text.shows() {
		return nil
	}
	return &pdf.Fill{Color: fill.Color, Transparency: math.Max(fill.Transparency, 1-shape.SeeThrough)}
}

// lost tells what the page at hand is drawn without.
func (p *painter) lost(losses []dml.Loss) {
	for _, loss := range losses {
		p.composer.tally.findings.At(render.FindingDrawing, string(loss), "page", p.canvas.Pages())
	}
}

// wordArt fills a box with a text, without the curve that it may have.
func (p *painter) wordArt(d *drawingBox, x, y, w, h float64) {
	const capitals, most = 0.72, 5 // of the size; how much wider letters may get
	lines := strings.Split(strings.TrimSpace(d.WordArt.Text), "\n")
	face := p.composer.fonts.Face(d.WordArt.Font, d.WordArt.Bold, d.WordArt.Italic)
	height := h / float64(len(lines))
	size := math.Min(height/capitals, 400)
	for i, line := range lines {
		runes := []rune(strings.TrimSpace(line))
		xs, end := pdf.Place(0, runes, face, size, pdf.TextOptions{})
		if end <= 0 {
			continue
		}
		stretch := pdf.Clamp(w/end, 0.1, most)
		left := x + (w-end*stretch)/2
		for j := range xs {
			xs[j] = left + xs[j]*stretch
		}
		p.canvas.TextStretched(xs, y+float64(i)*height+height/2+size*capitals/2, runes, face, size, stretch, *d.Fill)
	}
}

func (p *painter) picture(d *drawingBox, x, y, w, h float64) {
	data, ok := d.composer.doc.Package.Part(d.Image.Part)
	if !ok {
		d.composer.tally.findings.Add(render.FindingPicture, "a picture is missing from the file")
		return
	}
	crop := d.Image.Crop
	err := p.canvas.Image(data, x, y, w, h, pdf.ImageOptions{Left: crop[0], Top: crop[1], Right: crop[2], Bottom: crop[3], FlipH: d.FlipH, FlipV: d.FlipV, Transparency: d.Image.Transparency})
	if err != nil {
		d.composer.tally.findings.Add(render.FindingPicture, "a picture is in a format that cannot be drawn ("+extension(d.Image.Part)+")")
	}
}

func extension(part string) string {
	for i := len(part) - 1; i >= 0; i-- {
		if part[i] == '.' {
			return part[i+1:]
		}
	}
	return "unknown"
}
