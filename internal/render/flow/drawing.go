package flow

import (
	"cmp"
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
	fitted   float64 // height of a shape that follows its text, 0 for others
	of       *wml.Drawing
}

// drawing makes a drawing item of the text ready.
func (b *glyphBuilder) drawing(item *wml.Item) {
	if item.Drawing == nil {
		return
	}
	box := b.drawingBox(item.Drawing, b.env)
	o := &object{kind: wml.DrawingItem, item: item, drawing: box, link: b.link}
	b.object(o)
	if box.Anchor == nil {
		room := box.outsets()
		b.out[len(b.out)-1].width = box.Width + room.Left + room.Right
	}
}

func (c *composer) drawingBox(d *wml.Drawing, env environment) *drawingBox {
	box := &drawingBox{Drawing: d, of: d, composer: c}
	if !c.enter(&env) {
		return box
	}
	if t := d.Box; t != nil {
		inner := env
		inner.background, inner.isInCell, inner.isInBand, inner.grid = nil, false, false, 0
		if d.Fill != nil && d.Fill.Alpha == 1 && d.Fill.Kind != dml.FillPicture {
			inner.background = &d.Fill.Color
		}
		area := box.textArea(d.Height)
		width := area.W
		if t.Turn != 0 {
			width = area.H
		}
		box.text = c.stack(collect(t.Blocks), width, inner)
		if t.GrowsWithText && t.Turn == 0 {
			box.fitted = d.Height - area.H + box.text.shown()
		}
	}
	for _, child := range d.Children {
		member := c.drawingBox(child, env)
		if member.fitted > 0 { // a group keeps its members apart
			member.fitted = math.Max(member.fitted, member.Height)
		}
		box.children = append(box.children, member)
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

// textArea is where the text of a drawing of a height stands, seen from its corner.
func (d *drawingBox) textArea(height float64) dml.Rect {
	const least = 4 // points: room for a letter
	o, _ := shape.OutlineOf(d.Geometry, d.Width, height)
	in, inset := o.Text, d.Box.Inset
	switch i := inset; { // they turn with the text
	case d.Box.Turn > 0:
		inset = wml.Margins{Top: i.Left, Right: i.Top, Bottom: i.Right, Left: i.Bottom}
	case d.Box.Turn < 0:
		inset = wml.Margins{Top: i.Right, Right: i.Bottom, Bottom: i.Left, Left: i.Top}
	}
	if d.FlipH {
		in.X = d.Width - in.X - in.W
	}
	if d.FlipV {
		in.Y = height - in.Y - in.H
	}
	return dml.Rect{
		X: in.X + inset.Left, Y: in.Y + inset.Top,
		W: math.Max(in.W-inset.Left-inset.Right, least), H: math.Max(in.H-inset.Top-inset.Bottom, 0),
	}
}

// height is that of a drawing's box. Word makes a shape that fits its text (spAutoFit) as high
// as that whenever it lays it out, higher or lower than the file says.
func (d *drawingBox) height() float64 {
	if d.fitted > 0 {
		return d.fitted
	}
	return d.Height
}

// outsets are how far the room of a drawing reaches over each edge of its box: it holds the
// outline of a turned one, and effects such as shadows (ECMA-376 part 1, 20.4.2.6). The
// extents that Word writes for effects hold the turned outline, too.
func (d *drawingBox) outsets() wml.Margins {
	if d.Rotation == 0 {
		return d.Effects
	}
	sin, cos := math.Sincos(d.Rotation * math.Pi / 180)
	w, h := d.Width, d.height()
	x, y := (w*math.Abs(cos)+h*math.Abs(sin)-w)/2, (w*math.Abs(sin)+h*math.Abs(cos)-h)/2
	across, down := d.lying()
	e := &d.Effects
	return wml.Margins{Top: math.Max(y, down+e.Top), Right: math.Max(x, across+e.Right), Bottom: math.Max(y, down+e.Bottom), Left: math.Max(x, across+e.Left)}
}

// lying is how far the box of a drawing that lies on its side reaches over its own at the left
// and right, and above and below, where the file counts from that; else 0.
func (d *drawingBox) lying() (across, down float64) {
	if !d.IsLying {
		return 0, 0
	}
	w, h := d.Width, d.height()
	return (h - w) / 2, (w - h) / 2
}

// inColumn is the drawing with the width that it has in a column.
func (d *drawingBox) inColumn(width float64) *drawingBox {
	if d.ColumnShare == 0 {
		return d
	}
	box, drawing := *d, *d.Drawing
	drawing.Width = d.ColumnShare * width
	box.Drawing = &drawing
	return &box
}

// position is where an anchored drawing stands on the page; x and y are the
// upper left corner of its paragraph, width that of its column.
func (d *drawingBox) position(g *geometry, x, y, width float64, inCell bool) (left, top float64) {
	a := d.Anchor
	from, room := x, width
	switch a.H.From {
	case "page":
		from, room = 0, g.width
	case "margin":
		from, room = g.left, g.width-g.left-g.right
	case "leftMargin", "insideMargin":
		from, room = 0, g.left
	case "rightMargin", "outsideMargin":
		from, room = g.width-g.right, g.right
	}
	if inCell {
		from, room = x, width
	}
	across, down := d.lying()
	left = from + alignIn(a.H, room, d.Width+2*across) + across
	from, room = y, 0
	switch a.V.From {
	case "page":
		from, room = 0, g.height
	case "margin":
		from, room = math.Abs(g.top), g.height-math.Abs(g.top)-math.Abs(g.bottom)
	case "topMargin":
		from, room = 0, math.Abs(g.top)
	case "bottomMargin":
		from, room = g.height-math.Abs(g.bottom), math.Abs(g.bottom)
	}
	if inCell {
		from, room = y, 0
	}
	top = from + alignIn(a.V, room, d.height()+2*down) + down
	if a.V.Align != "" && !inCell && d.height() <= g.height { // the margin may be lower than what stands in it
		top = math.Min(top, g.height-d.height())
	}
	return left, top
}

func alignIn(p wml.AnchorPosition, room, size float64) float64 {
	switch p.Align {
	case "center":
		return (room - size) / 2
	case "right", "bottom", "outside":
		return room - size
	case "left", "top", "inside":
		return 0
	}
	return p.Offset
}

// exclusions are the areas of drawings that are anchored in a line of a paragraph, and
// that text runs around; x and y are the upper left corner of the paragraph. In a cell
// they are those of drawings that stand in it.
func (p *paragraphBox) exclusions(ln *line, g *geometry, x, y float64, inCell bool) []exclusion {
	var out []exclusion
	for i := ln.from; i < ln.to; i++ {
		o := p.glyphs[i].object
		if o == nil || o.kind != wml.DrawingItem || o.drawing == nil || o.drawing.Anchor == nil {
			continue
		}
		a := o.drawing.Anchor
		if a.Wrap == "none" || a.IsBehind && a.Wrap == "" || inCell && !a.IsInCell {
			continue
		}
		left, top := o.drawing.position(g, x, y, p.width, inCell)
		aligned := ""
		if a.Wrap != "topAndBottom" && (a.Side == "" || a.Side == "bothSides") {
			aligned = a.H.Align
		}
		more := o.drawing.outsets()
		out = append(out, exclusion{aligned: aligned, x: left - more.Left - a.Left, y: top - more.Top - a.Top, right: left + o.drawing.Width + more.Right + a.Right,
			bottom: top + o.drawing.height() + more.Bottom + a.Bottom, spansColumn: a.Wrap == "topAndBottom", side: a.Side})
	}
	return out
}

// anchoredOf draws the drawings that are anchored in a line.
func (p *paragraphBox) anchoredOf(ln *line, dst *layer, x, y float64) {
	if ln.from == 0 || dst != p.on {
		p.topY, p.on = y, dst
		if ln.from == 0 {
			p.topY -= p.own
		}
	}
	for i := ln.from; i < ln.to; i++ {
		o := p.glyphs[i].object
		if o == nil || o.kind != wml.DrawingItem || o.drawing == nil || o.drawing.Anchor == nil {
			continue
		}
		d := o.drawing.inColumn(p.width)
		top := p.topY
		if d.Anchor.V.From == "line" {
			top = y
		}
		left, at := d.position(&dst.geometry, x, top, p.width, p.isInCell && d.Anchor.IsInCell)
		if d.Anchor.H.From == "character" && d.Anchor.H.Align == "" {
			left += ln.xs[i-ln.from]
		}
		part := &layer{geometry: dst.geometry}
		d.draw(part, left, at)
		tag := d.tag(left, at)
		ops := []op{func(p *painter) { p.beginApart(d, tag) }, part.behind.draw}
		ops = append(append(ops, part.main...), part.front.draw, func(p *painter) { p.canvas.End() })
		dst.add(func(p *painter) { p.place(d, tag) })
		if d.Anchor.IsBehind {
			dst.behind.add(d.Anchor.Z, ops)
		} else {
			dst.front.add(d.Anchor.Z, ops)
		}
	}
}

// draw puts a drawing on a page, its upper left corner at x and y.
func (d *drawingBox) draw(dst *layer, x, y float64) {
	tag := d.tag(x, y)
	dst.within(d.key(tag), tag, func() { d.drawParts(dst, x, y) })
	if d.Link != nil {
		dst.add(func(p *painter) {
			p.canvas.Begin(nil, pdf.Tag{Role: pdf.Link, Alt: d.Alt})
			p.link(d.Link, x, y, d.Width, d.height())
			p.canvas.End()
		})
	}
}

func (d *drawingBox) drawParts(dst *layer, x, y float64) {
	w, h := d.Width, d.height()
	isRotated := d.Rotation != 0 && math.Abs(d.Rotation) < 360
	if isRotated {
		dst.add(func(p *painter) { p.canvas.RotateText(d.Rotation, x+w/2, y+h/2) })
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
}

// drawText puts the text of a drawing into its place. What does not fit is cut off,
// as Word does it.
func (d *drawingBox) drawText(dst *layer, x, y, h float64) {
	area := d.textArea(h)
	area.X, area.Y = area.X+x, area.Y+y
	text := d.text
	if text.shown() > d.textRoom(area)+fitTolerance && text.shows() {
		dst.add(func(p *painter) {
			p.lost([]dml.Loss{dml.LossOverflow})
			p.canvas.Save()
			p.canvas.ClipRect(x, area.Y, d.Width, area.H)
		})
		text = text.upTo(d.textRoom(area))
		defer dst.add(func(p *painter) { p.canvas.Restore() })
	}
	if d.Box.Turn != 0 {
		cx, cy := area.X+area.W/2, area.Y+area.H/2
		area = dml.Rect{X: cx - area.H/2, Y: cy - area.W/2, W: area.H, H: area.W}
		dst.add(func(p *painter) { p.canvas.RotateText(d.Box.Turn, cx, cy) })
		defer dst.add(func(p *painter) { p.canvas.Restore() })
	}
	top := area.Y
	if room := area.H - text.shown(); room > 0 {
		top += spaceAbove(d.Box.VAlign, room)
	}
	text.draw(dst, area.X, top)
}

// textRoom is how high the text of a drawing may become in its area.
func (d *drawingBox) textRoom(area dml.Rect) float64 {
	if d.Box.Turn != 0 {
		return area.W
	}
	return area.H
}

// shapes draws shapes on the page at hand.
func (p *painter) shapes() *shape.Painter {
	return &shape.Painter{Canvas: p.canvas, Fonts: p.composer.fonts, Metafiles: p.metafiles, Parts: p.composer.doc.Package, Findings: p.composer.tally.findings, Unit: "page", Number: p.canvas.Pages()}
}

func (p *painter) shape(d *drawingBox, x, y, w, h float64) {
	p.lost(d.Losses)
	switch {
	case d.WordArt != nil:
		p.wordArt(d, x, y, w, h)
		return
	case d.Chart != nil:
		p.lost(d.Chart.Losses)
		chart.Draw(p.canvas, p.composer.fonts, p.composer.tally.findings, d.Chart, dml.Rect{X: x, Y: y, W: w, H: h})
		return
	}
	box := dml.Rect{X: x, Y: y, W: w, H: h}
	o, isKnown := shape.OutlineOf(d.Geometry, w, h)
	contours := shape.Place(o.Contours, box, d.FlipH, d.FlipV)
	if d.Image != nil {
		p.picture(d, box, contours)
	}
	if d.Fill == nil && d.Line == nil {
		return
	}
	fill, line := d.Fill, d.Line
	if !isKnown {
		fill = seeThroughBox(d)
		if d.Geometry.Preset == wml.UnknownForm {
			line = nil
		} else {
			p.lost([]dml.Loss{dml.LossForm})
		}
	}
	sp := p.shapes()
	sp.Fill(contours, fill, box)
	if line != nil {
		sp.Stroke(contours, line)
	}
}

// seeThroughBox is the fill of a shape whose form is not known, nil for none. Its box
// hides nothing: it is see-through, and only there for a text to be read on it.
func seeThroughBox(d *drawingBox) *dml.ShapeFill {
	if d.Fill == nil || d.text == nil || !d.text.shows() || d.Fill.Kind == dml.FillPicture {
		return nil
	}
	return &dml.ShapeFill{Kind: dml.FillSolid, Color: d.Fill.Color, Alpha: math.Min(d.Fill.Alpha, shape.SeeThrough), Losses: d.Fill.Losses}
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
		for _, r := range runes {
			pdf.ReportUnshaped(p.composer.tally.findings, r)
		}
		xs, end := pdf.Place(0, runes, face, size, pdf.TextOptions{})
		if end <= 0 {
			continue
		}
		stretch := pdf.Clamp(w/end, 0.1, most)
		left := x + (w-end*stretch)/2
		for j := range xs {
			xs[j] = left + xs[j]*stretch
		}
		p.canvas.TextStretched(xs, y+float64(i)*height+height/2+size*capitals/2, runes, face, size, stretch, d.Fill.Color)
	}
}

// picture draws an image, cut to the form of its drawing.
func (p *painter) picture(d *drawingBox, box dml.Rect, contours []shape.Contour) {
	data, ok := d.composer.doc.Package.Part(d.Image.Part)
	if !ok {
		d.composer.tally.findings.Add(render.FindingPicture, "a picture is missing from the file")
		return
	}
	if form := d.Geometry; (form.Custom != nil || form.Preset != "" && form.Preset != "rect") && len(contours) > 0 {
		p.canvas.Save()
		defer p.canvas.Restore()
		p.canvas.ClipPolygon(contours[0].Points)
	}
	crop := d.Image.Crop
	err := p.shapes().Image(data, box, pdf.ImageOptions{Left: crop[0], Top: crop[1], Right: crop[2], Bottom: crop[3], FlipH: d.FlipH, FlipV: d.FlipV, Transparency: d.Image.Transparency})
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

// tag is what a drawing is: text in a box, a figure, or decoration.
func (d *drawingBox) tag(x, y float64) pdf.Tag {
	switch {
	case d.hasText():
		return pdf.Tag{Role: pdf.Division}
	case d.WordArt != nil:
		return pdf.Tag{Role: pdf.Figure, Alt: cmp.Or(d.Alt, d.WordArt.Text), Box: pdf.Box{X: x, Y: y, W: d.Width, H: d.height()}}
	case d.Alt != "" || d.Image != nil || d.Chart != nil || len(d.children) > 0:
		return pdf.Tag{Role: pdf.Figure, Alt: d.Alt, Box: pdf.Box{X: x, Y: y, W: d.Width, H: d.height()}}
	}
	return pdf.Tag{Role: pdf.Artifact}
}

// key is what the canvas knows a drawing's element by; decoration has none.
func (d *drawingBox) key(tag pdf.Tag) any {
	if tag.Role == pdf.Artifact {
		return nil
	}
	return d.of
}

// place gives a drawing beside the text its place in that, beginApart begins it where it is
// drawn.
func (p *painter) place(d *drawingBox, tag pdf.Tag) {
	if tag.Role != pdf.Artifact {
		p.canvas.Place(d.of, tag)
	}
}

func (p *painter) beginApart(d *drawingBox, tag pdf.Tag) {
	if tag.Role == pdf.Artifact {
		p.canvas.Begin(nil, tag)
		return
	}
	p.canvas.Apart(d.of, tag)
}

func (d *drawingBox) hasText() bool {
	if d.text != nil && d.text.shows() {
		return true
	}
	for _, child := range d.children {
		if child.hasText() {
			return true
		}
	}
	return false
}
