package layout

import (
	"fmt"

	"github.com/platenhq/platen/internal/drive/office"
)

// Presentation draws the slides of a .pptx file, one on each page; hidden ones
// are left out. The findings tell of what the pages lack.
func Presentation(fonts *FontSet, p *office.Presentation, title string) ([]byte, []Finding, error) {
	c := NewCanvas(title, presentationLanguage(p))
	pr := &slidePrinter{shapePainter: shapePainter{c: c, parts: p.Package, findings: &findings{}, unit: "slide"}, fonts: fonts, pres: p}
	for _, s := range p.Slides {
		if s.Hidden {
			continue
		}
		c.AddPage(p.Width, p.Height)
		c.Outline(slideTitle(s), 0, 0)
		pr.slide(s)
	}
	noteFull(c, pr.findings)
	if c.Pages() == 0 {
		c.AddPage(p.Width, p.Height)
	}
	data, err := c.Bytes()
	if err != nil {
		return nil, nil, fmt.Errorf("lay out presentation: %w", err)
	}
	return data, pr.findings.all(), nil
}

// slidePrinter draws slides on a canvas.
type slidePrinter struct {
	shapePainter
	fonts *FontSet
	pres  *office.Presentation
	// letters counts the characters of texts, set how many were set in lines.
	letters, typeset int
}

// Limits on text, far above what can be read on slides.
const (
	maxSlideLetters = 200_000   // in one shape
	maxLetters      = 3_000_000 // on all slides, a master's on each
	maxTypeset      = 6_000_000 // the same, counted again each time that text is made smaller to fit
)

// mayShow counts the letters of a text, and says whether there is room for them.
func (pr *slidePrinter) mayShow(t *office.TextBody) bool {
	own := 0
	for _, p := range t.Paragraphs {
		for _, r := range p.Runs {
			own += len(r.Text) + 1
		}
	}
	if pr.letters += own; own <= maxSlideLetters && pr.letters <= maxLetters {
		return true
	}
	pr.findings.add(FindingTruncated, "the slides have more text than one PDF may hold")
	return false
}

func (pr *slidePrinter) slide(s *office.Slide) {
	pr.number = s.Number
	if s.Background != nil {
		pr.fill([]contour{{points: points(0, 0, pr.pres.Width, 0, pr.pres.Width, pr.pres.Height, 0, pr.pres.Height)}},
			s.Background, office.Rect{W: pr.pres.Width, H: pr.pres.Height})
	}
	for _, sh := range s.Inherited {
		pr.shape(sh)
	}
	for _, sh := range s.Shapes {
		pr.shape(sh)
	}
}

func (pr *slidePrinter) shape(sh *office.Shape) {
	if sh.Hidden || emptyPlaceholder(sh) {
		return
	}
	pr.lost(sh.Losses)
	if sh.Rotation != 0 {
		pr.c.Rotate(sh.Rotation, sh.Frame.X+sh.Frame.W/2, sh.Frame.Y+sh.Frame.H/2)
		defer pr.c.Restore()
	}
	switch sh.Kind {
	case office.ShapeGroup:
		for _, child := range sh.Children {
			pr.shape(flipped(child, sh))
		}
	case office.ShapeTable:
		pr.table(sh)
	case office.ShapeOther:
		pr.graphic(sh)
	default:
		pr.plain(sh)
	}
	if sh.Link != "" {
		pr.c.LinkURL(sh.Frame.X, sh.Frame.Y, sh.Frame.W, sh.Frame.H, sh.Link)
	}
}

// emptyPlaceholder reports a placeholder that nobody filled: it shows a prompt
// while editing and nothing in print.
func emptyPlaceholder(sh *office.Shape) bool {
	if sh.Placeholder == nil || sh.Kind != office.ShapePlain || sh.Text == nil {
		return false
	}
	return !says(sh.Text)
}

// says reports whether there is a letter in a text.
func says(t *office.TextBody) bool {
	for _, p := range t.Paragraphs {
		for _, r := range p.Runs {
			if r.Text != "" {
				return true
			}
		}
	}
	return false
}

// flipped is a child as a mirrored group shows it.
func flipped(child, group *office.Shape) *office.Shape {
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
	if out.Kind == office.ShapeGroup {
		dx, dy := out.Frame.X-child.Frame.X, out.Frame.Y-child.Frame.Y
		out.Children = moved(out.Children, dx, dy)
	}
	return &out
}

func moved(shapes []*office.Shape, dx, dy float64) []*office.Shape {
	out := make([]*office.Shape, len(shapes))
	for i, s := range shapes {
		m := *s
		m.Frame.X += dx
		m.Frame.Y += dy
		m.Children = moved(s.Children, dx, dy)
		out[i] = &m
	}
	return out
}

// plain draws a shape with geometry: area, picture, outline, text.
func (pr *slidePrinter) plain(sh *office.Shape) {
	f := sh.Frame
	o, known := shapeOutline(sh.Geometry, f.W, f.H)
	contours, fill := placeContours(o.contours, f, sh.FlipH, sh.FlipV), sh.Fill
	if !known {
		pr.lost([]office.Loss{office.LossForm})
		fill = instead(sh)
	}
	pr.fill(contours, fill, f)
	if sh.Kind == office.ShapePicture {
		pr.shapePicture(sh, contours)
	}
	if sh.Line != nil {
		pr.stroke(contours, sh.Line)
	}
	if sh.Text != nil {
		box := o.text
		if sh.FlipH {
			box.X = f.W - box.X - box.W
		}
		if sh.FlipV {
			box.Y = f.H - box.Y - box.H
		}
		box.X, box.Y = box.X+f.X, box.Y+f.Y
		if sh.Text.Frame != (office.Rect{}) {
			box = sh.Text.Frame
		}
		pr.text(sh.Text, box, sh.FlipV)
	}
}

// instead is the fill of the box of a shape whose form is not known. It must
// hide nothing: it is see-through, and only there for a text to be read on it.
func instead(sh *office.Shape) *office.ShapeFill {
	if sh.Fill == nil || sh.Text == nil || !says(sh.Text) || sh.Fill.Kind != office.FillSolid && sh.Fill.Kind != office.FillGradient {
		return nil
	}
	return &office.ShapeFill{Kind: office.FillSolid, Color: sh.Fill.Color, Alpha: seeThrough}
}

func (pr *slidePrinter) shapePicture(sh *office.Shape, contours []contour) {
	if sh.Picture == nil {
		return
	}
	if sh.Geometry.Preset != "rect" && len(contours) > 0 {
		pr.c.Save()
		defer pr.c.Restore()
		pr.c.ClipPolygon(contours[0].points)
	}
	pr.picture(sh.Picture, sh.Frame, ImageOptions{FlipH: sh.FlipH, FlipV: sh.FlipV})
}

// graphic draws what another program left as pictures or shapes of a diagram or object.
func (pr *slidePrinter) graphic(sh *office.Shape) {
	switch {
	case len(sh.Children) > 0:
		if sh.Simplified {
			pr.findings.add(FindingDrawing, fmt.Sprintf("slide %d: a diagram whose look is not in the file is drawn as plain boxes", pr.number))
		}
		for _, child := range sh.Children {
			pr.shape(child)
		}
	case sh.Chart != nil:
		pr.lost(sh.Chart.Losses)
		drawChart(pr.c, pr.fonts, pr.findings, sh.Chart, sh.Frame)
	case sh.Picture != nil:
		pr.picture(sh.Picture, sh.Frame, ImageOptions{})
	default:
		pr.findings.add(FindingDrawing, fmt.Sprintf("slide %d: a %s is not drawn", pr.number, sh.Graphic))
	}
}

func slideTitle(s *office.Slide) string {
	for _, sh := range s.Shapes {
		if sh.Placeholder == nil || sh.Text == nil || sh.Placeholder.Type != "title" && sh.Placeholder.Type != "ctrTitle" {
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

func presentationLanguage(p *office.Presentation) string {
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
