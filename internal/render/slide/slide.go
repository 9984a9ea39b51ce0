// Package slide draws the slides of a presentation, one on each page: it goes
// through their shapes and sets the text in them.
package slide

import (
	"fmt"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/chart"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/shape"
)

// Presentation draws the slides of a .pptx file, one on each page; hidden ones
// are left out. The findings tell of what the pages lack.
func Presentation(fonts *pdf.FontSet, p *pml.Presentation, title string) ([]byte, []render.Finding, error) {
	c := pdf.NewCanvas(title, presentationLanguage(p))
	c.Begin(nil, pdf.Tag{Role: pdf.Document})
	pr := &slidePrinter{Painter: shape.Painter{Canvas: c, Fonts: fonts, Metafiles: shape.Metafiles{}, Parts: p.Package, Findings: &render.Findings{}, Unit: "slide"}, fonts: fonts, pres: p}
	for _, s := range p.Slides {
		if s.Hidden {
			continue
		}
		c.AddPage(p.Width, p.Height)
		c.Outline(slideTitle(s), 0, 0)
		pr.slide(s)
	}
	pdf.ReportFull(c, pr.Findings)
	if c.Pages() == 0 {
		c.AddPage(p.Width, p.Height)
	}
	data, err := c.Bytes()
	if err != nil {
		return nil, nil, fmt.Errorf("lay out presentation: %w", err)
	}
	return data, pr.Findings.All(), nil
}

// slidePrinter draws slides on a canvas.
type slidePrinter struct {
	shape.Painter
	fonts *pdf.FontSet
	pres  *pml.Presentation
	// letters counts the characters of texts, set how many were set in lines.
	letters, typeset int
	// isOver says that text of the slide at hand reaches over its lower edge.
	isOver bool
}

// Limits on text, far above what can be read on slides.
const (
	maxSlideLetters = 200_000   // in one shape
	maxLetters      = 3_000_000 // on all slides, a master's on each
	maxTypeset      = 6_000_000 // the same, counted again each time that text is made smaller to fit
)

// mayShow counts the letters of a text, and says whether there is room for them.
func (pr *slidePrinter) mayShow(t *dml.TextBody) bool {
	own := 0
	for _, p := range t.Paragraphs {
		for _, r := range p.Runs {
			own += len(r.Text) + 1
		}
	}
	if pr.letters += own; own <= maxSlideLetters && pr.letters <= maxLetters {
		return true
	}
	pr.Findings.Add(render.FindingTruncated, "the slides have more text than one PDF may hold")
	return false
}

func (pr *slidePrinter) slide(s *pml.Slide) {
	pr.Number, pr.isOver = s.Number, false
	if s.Background != nil {
		pr.Fill([]shape.Contour{{Points: shape.Points(0, 0, pr.pres.Width, 0, pr.pres.Width, pr.pres.Height, 0, pr.pres.Height)}},
			s.Background, dml.Rect{W: pr.pres.Width, H: pr.pres.Height})
	}
	pr.Canvas.Begin(nil, pdf.Tag{Role: pdf.Artifact})
	for _, sh := range s.Inherited {
		pr.shape(sh)
	}
	pr.Canvas.End()
	pr.Canvas.Begin(nil, pdf.Tag{Role: pdf.Section})
	pr.placeInOrder(s.Shapes)
	for _, sh := range s.Shapes {
		pr.shape(sh)
	}
	pr.Canvas.End()
	if !pr.isOver {
		pdf.ReportOutside(pr.Canvas, pr.Findings, pr.Unit, pr.Number)
	}
}

func (pr *slidePrinter) shape(sh *pml.Shape) {
	if sh.Hidden || isEmptyPlaceholder(sh) {
		return
	}
	pr.Canvas.Begin(sh, tagOf(sh))
	if sh.Text != nil && isTitle(sh) {
		for _, p := range sh.Text.Paragraphs {
			pr.Canvas.Place(p, pdf.Tag{Role: pdf.Heading})
		}
	}
	pr.drawShape(sh)
	pr.Canvas.End()
	if sh.Link != "" {
		pr.Canvas.Begin(nil, pdf.Tag{Role: pdf.Link, Alt: sh.Description})
		pr.Canvas.LinkURL(sh.Frame.X, sh.Frame.Y, sh.Frame.W, sh.Frame.H, sh.Link)
		pr.Canvas.End()
	}
}

func (pr *slidePrinter) drawShape(sh *pml.Shape) {
	pr.Lost(sh.Losses)
	if sh.Rotation != 0 {
		pr.Canvas.Rotate(sh.Rotation, sh.Frame.X+sh.Frame.W/2, sh.Frame.Y+sh.Frame.H/2)
		defer pr.Canvas.Restore()
	}
	switch sh.Kind {
	case pml.ShapeGroup:
		for _, child := range sh.Children {
			pr.shape(flip(child, sh))
		}
	case pml.ShapeTable:
		pr.table(sh)
	case pml.ShapeOther:
		pr.graphic(sh)
	default:
		pr.plain(sh)
	}
}

// isEmptyPlaceholder reports a placeholder that nobody filled: it shows a prompt
// while editing and nothing in print.
func isEmptyPlaceholder(sh *pml.Shape) bool {
	if sh.Placeholder == nil || sh.Kind != pml.ShapePlain || sh.Text == nil {
		return false
	}
	return !hasText(sh.Text)
}

// hasText reports whether there is a letter in a text.
func hasText(t *dml.TextBody) bool {
	for _, p := range t.Paragraphs {
		for _, r := range p.Runs {
			if r.Text != "" || r.Formula != nil {
				return true
			}
		}
	}
	return false
}

// flip is a child as a mirrored group shows it.
func flip(child, group *pml.Shape) *pml.Shape {
	if !group.FlipH && !group.FlipV {
		return child
	}
	out, g := *child, group.Frame
	if group.FlipH {
		out.Frame.X = 2*g.X + g.W - child.Frame.X - child.Frame.W
		out.FlipH = !out.FlipH
	}
	if group.FlipV {
		out.Frame.Y = 2*g.Y + g.H - child.Frame.Y - child.Frame.H
		out.FlipV = !out.FlipV
	}
	if group.FlipH != group.FlipV {
		out.Rotation = -out.Rotation
	}
	if out.Kind == pml.ShapeGroup {
		dx, dy := out.Frame.X-child.Frame.X, out.Frame.Y-child.Frame.Y
		out.Children = move(out.Children, dx, dy)
	}
	return &out
}

func move(shapes []*pml.Shape, dx, dy float64) []*pml.Shape {
	out := make([]*pml.Shape, len(shapes))
	for i, s := range shapes {
		m := *s
		m.Frame.X += dx
		m.Frame.Y += dy
		m.Children = move(s.Children, dx, dy)
		out[i] = &m
	}
	return out
}

// plain draws a shape with geometry: area, picture, outline, text.
func (pr *slidePrinter) plain(sh *pml.Shape) {
	f := sh.Frame
	o, known := shape.OutlineOf(sh.Geometry, f.W, f.H)
	if grown := pr.grown(sh, o.Text); grown != f {
		f = grown
		o, known = shape.OutlineOf(sh.Geometry, f.W, f.H)
	}
	contours, fill := shape.Place(o.Contours, f, sh.FlipH, sh.FlipV), sh.Fill
	if !known {
		pr.Lost([]dml.Loss{dml.LossForm})
		fill = instead(sh)
	}
	area := f
	if sh.FillsLikeSlide {
		area = dml.Rect{W: pr.pres.Width, H: pr.pres.Height}
	}
	pr.Fill(contours, fill, area)
	if sh.Kind == pml.ShapePicture {
		pr.shapePicture(sh, contours)
	}
	if sh.Line != nil {
		if sh.Kind == pml.ShapePicture && sh.Geometry.Preset == "rect" { // its frame hides nothing of it
			w := sh.Line.Width
			f := dml.Rect{X: f.X - w/2, Y: f.Y - w/2, W: f.W + w, H: f.H + w}
			o, _ := shape.OutlineOf(sh.Geometry, f.W, f.H)
			contours = shape.Place(o.Contours, f, sh.FlipH, sh.FlipV)
		}
		pr.Stroke(contours, sh.Line)
	}
	if sh.Text != nil {
		box := o.Text
		if sh.FlipH {
			box.X = f.W - box.X - box.W
		}
		if sh.FlipV {
			box.Y = f.H - box.Y - box.H
		}
		box.X, box.Y = box.X+f.X, box.Y+f.Y
		if sh.Text.Frame != (dml.Rect{}) {
			box = sh.Text.Frame
		}
		pr.text(sh.Text, box, sh.FlipV)
	}
}

// grown is the frame of a shape that follows its text, as high as that needs it, and as
// wide where lines do not wrap. The text stays where it is: a frame grows away from its
// anchor and its alignment.
func (pr *slidePrinter) grown(sh *pml.Shape, box dml.Rect) dml.Rect {
	t, f := sh.Text, sh.Frame
	shows := sh.Fill != nil || sh.Line != nil
	if t == nil || !t.Grow || !shows || t.Vertical != "" && t.Vertical != "horz" || t.Rotation != 0 || sh.Rotation != 0 || t.Frame != (dml.Rect{}) || !hasText(t) {
		return f
	}
	if pr.letters > maxLetters || pr.typeset > maxTypeset {
		return f
	}
	needs := pr.set(t, math.Max(box.W-t.Left-t.Right, 1), 1, 1)
	more := math.Max(needs.height+t.Top+t.Bottom-box.H, -f.H)
	f.H += more
	if t.NoWrap {
		wider := math.Max(needs.width+t.Left+t.Right-box.W, -f.W)
		f.X, f.W = f.X-wider*keptEdge(t), f.W+wider
	}
	switch t.Anchor {
	case "ctr":
		f.Y -= more / 2
	case "b":
		f.Y -= more
	}
	return f
}

// instead is the fill of the box of a shape whose form is not known. It must
// hide nothing: it is see-through, and only there for a text to be read on it.
func instead(sh *pml.Shape) *dml.ShapeFill {
	if sh.Fill == nil || sh.Text == nil || !hasText(sh.Text) || sh.Fill.Kind != dml.FillSolid && sh.Fill.Kind != dml.FillGradient {
		return nil
	}
	return &dml.ShapeFill{Kind: dml.FillSolid, Color: sh.Fill.Color, Alpha: shape.SeeThrough}
}

func (pr *slidePrinter) shapePicture(sh *pml.Shape, contours []shape.Contour) {
	if sh.Picture == nil {
		return
	}
	if sh.Geometry.Preset != "rect" && len(contours) > 0 {
		pr.Canvas.Save()
		defer pr.Canvas.Restore()
		pr.Canvas.ClipPolygon(contours[0].Points)
	}
	pr.Picture(sh.Picture, sh.Frame, pdf.ImageOptions{FlipH: sh.FlipH, FlipV: sh.FlipV})
}

// graphic draws what another program left as pictures or shapes of a diagram or object.
func (pr *slidePrinter) graphic(sh *pml.Shape) {
	switch {
	case len(sh.Children) > 0:
		if sh.Simplified {
			pr.Findings.Add(render.FindingDrawing, fmt.Sprintf("slide %d: a diagram whose look is not in the file is drawn as plain boxes", pr.Number))
		}
		for _, child := range sh.Children {
			pr.shape(child)
		}
	case sh.Chart != nil:
		pr.Lost(sh.Chart.Losses)
		chart.Draw(pr.Canvas, pr.fonts, pr.Findings, sh.Chart, sh.Frame)
	case sh.Picture != nil:
		pr.Picture(sh.Picture, sh.Frame, pdf.ImageOptions{})
	default:
		pr.Findings.Add(render.FindingDrawing, fmt.Sprintf("slide %d: a %s is not drawn", pr.Number, sh.Graphic))
	}
}

func slideTitle(s *pml.Slide) string {
	for _, sh := range s.Shapes {
		if sh.Text == nil || !isTitle(sh) {
			continue
		}
		title := ""
		for _, p := range sh.Text.Paragraphs {
			for _, r := range p.Runs {
				title += r.Text
			}
			title += " "
		}
		if len(title) > 1 {
			return title[:len(title)-1]
		}
	}
	return fmt.Sprintf("Slide %d", s.Number)
}

func presentationLanguage(p *pml.Presentation) string {
	for _, s := range p.Slides {
		for _, sh := range s.Shapes {
			if sh.Text == nil {
				continue
			}
			for _, para := range sh.Text.Paragraphs {
				for _, r := range para.Runs {
					if r.Lang != "" && r.Text != "" {
						return r.Lang
					}
				}
			}
		}
	}
	return ""
}
