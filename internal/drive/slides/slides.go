// Package slides shows a .pptx as Google's presentations resource and applies
// Google's batchUpdate requests to it.
//
// The resource is a projection made for one answer: the truth stays the XML
// that package pml points back at. Nothing in here knows HTTP, accounts or how a
// slide is drawn.
//
// A new kind of request takes a case in apply.go and a method in the file of its
// subject. Remove it from the refused kinds in apply_test.go, and add a seed to
// fuzz_test.go.
package slides

import (
	"fmt"
	"math"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/pml"
)

// NotFoundError says that a presentation has no page with this id. It becomes
// Google's 404.
type NotFoundError struct{ ID string }

// Error names the page.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("Page %s was not found in the presentation.", e.ID)
}

// Get returns a presentation in Google's form. Lengths are EMU, 12,700 to the
// point; a page's objects are listed from the back to the front. The error is
// an *opc.FormatError.
func Get(p *pml.Presentation, id, title, revision string) (*gslides.Presentation, error) {
	d, err := open(p)
	if err != nil {
		return nil, fmt.Errorf("lay out presentation %s: %w", id, err)
	}
	out := &gslides.Presentation{
		PresentationId: id,
		Title:          title,
		RevisionId:     revision,
		PageSize:       &gslides.Size{Width: emu(p.Width), Height: emu(p.Height)},
	}
	v := d.variants()
	for _, s := range d.slides {
		out.Slides = append(out.Slides, d.show(s, v))
	}
	for _, m := range d.masters {
		out.Masters = append(out.Masters, d.show(m, v))
	}
	for _, l := range d.layouts {
		out.Layouts = append(out.Layouts, d.show(l, v))
	}
	asides, err := showAsides(p)
	out.Layouts = append(out.Layouts, asides...)
	return out, err
}

// showAsides shows what stands beside the slides as layouts: "aside1" is one that
// replaceAllText fills, "code1" one that nothing fills.
func showAsides(p *pml.Presentation) ([]*gslides.Page, error) {
	asides, err := edit.Asides(p.Package)
	var pages []*gslides.Page
	for i, a := range asides {
		kind := "code"
		if a.IsFilled {
			kind = "aside"
		}
		id := fmt.Sprintf("%s%d", kind, i+1)
		text := a.Text + "\n"
		end := edit.Units(text)
		pages = append(pages, &gslides.Page{
			ObjectId: id, PageType: "LAYOUT", PageProperties: &gslides.PageProperties{}, LayoutProperties: &gslides.LayoutProperties{DisplayName: a.Kind},
			PageElements: []*gslides.PageElement{{ObjectId: id + "_text", Shape: &gslides.Shape{ShapeType: "TEXT_BOX", Text: &gslides.TextContent{TextElements: []*gslides.TextElement{
				{EndIndex: end, ParagraphMarker: &gslides.ParagraphMarker{}},
				{EndIndex: end, TextRun: &gslides.TextRun{Content: text}},
			}}}}},
		})
	}
	return pages, err
}

// GetPage returns one page, which may be a slide, notes, a layout or a master.
// An unknown id is a *NotFoundError.
func GetPage(p *pml.Presentation, pageID, revision string) (*gslides.Page, error) {
	d, err := open(p)
	if err != nil {
		return nil, fmt.Errorf("lay out page %s: %w", pageID, err)
	}
	found := d.find(pageID)
	if found == nil {
		return nil, &NotFoundError{ID: pageID}
	}
	page := d.show(found, d.variants())
	page.RevisionId = revision
	return page, nil
}

func (d *deck) show(p *page, v *variants) *gslides.Page {
	out := &gslides.Page{ObjectId: p.id, PageType: p.kind, PageProperties: &gslides.PageProperties{}}
	shapes := map[*etree.Element]*pml.Shape{}
	name := child(p.root, "cSld").SelectAttrValue("name", "")
	switch p.kind {
	case "SLIDE":
		learn(shapes, p.slide.Shapes)
		out.PageProperties.PageBackgroundFill = background(p.slide.Background)
		out.SlideProperties = &gslides.SlideProperties{IsSkipped: p.slide.Hidden}
		if p.slide.Layout != "" {
			out.SlideProperties.LayoutObjectId = partID("layout", p.slide.Layout)
		}
		if p.slide.Master != "" {
			out.SlideProperties.MasterObjectId = partID("master", p.slide.Master)
		}
		if n := d.notes[p.part]; n != nil {
			out.SlideProperties.NotesPage = d.show(n, v)
		}
	case "NOTES":
		out.NotesProperties = &gslides.NotesProperties{SpeakerNotesObjectId: p.speakerNotes()}
	case "LAYOUT":
		out.LayoutProperties = &gslides.LayoutProperties{Name: p.root.SelectAttrValue("type", ""), DisplayName: name, MasterObjectId: d.masterOf(p)}
	case "MASTER":
		out.MasterProperties = &gslides.MasterProperties{DisplayName: name}
	}
	for _, e := range p.elements {
		out.PageElements = append(out.PageElements, show(e, shapes, v))
	}
	return out
}

func (d *deck) masterOf(layout *page) string {
	for _, r := range d.pkg.Relationships(layout.part) {
		if r.Type == "slideMaster" {
			return partID("master", r.Target)
		}
	}
	return ""
}

// speakerNotes is the id of the shape that holds the notes.
func (p *page) speakerNotes() string {
	for _, e := range p.elements {
		if ph := placeholderOf(e.elem); ph != nil && ph.SelectAttrValue("type", "") == "body" {
			return e.id
		}
	}
	return ""
}

func learn(into map[*etree.Element]*pml.Shape, shapes []*pml.Shape) {
	for _, s := range shapes {
		into[s.Elem] = s
		learn(into, s.Children)
	}
}

func background(fill *dml.ShapeFill) *gslides.PageBackgroundFill {
	if fill == nil || fill.Kind != dml.FillSolid {
		return nil
	}
	return &gslides.PageBackgroundFill{PropertyState: "RENDERED", SolidFill: &gslides.SolidFill{Alpha: fill.Alpha, Color: opaque(fill.Color)}}
}

func show(e *element, shapes map[*etree.Element]*pml.Shape, v *variants) *gslides.PageElement {
	out := &gslides.PageElement{ObjectId: e.id}
	resolved := shapes[e.elem]
	if properties := shapeProperties(e.elem); properties != nil {
		out.Title, out.Description = properties.SelectAttrValue("title", ""), properties.SelectAttrValue("descr", "")
	}
	if e.elem.Tag == "grpSp" {
		// Children are placed on the page, so the group itself moves nothing.
		out.Transform = &gslides.AffineTransform{ScaleX: 1, ScaleY: 1, Unit: "EMU"}
		out.ElementGroup = &gslides.Group{}
		for _, c := range e.children {
			out.ElementGroup.Children = append(out.ElementGroup.Children, show(c, shapes, v))
		}
		return out
	}
	out.Size, out.Transform = place(resolved)
	switch e.elem.Tag {
	case "sp":
		out.Shape = shape(e.elem, resolved, v)
	case "pic":
		out.Image = &gslides.Image{ImageProperties: &gslides.ImageProperties{}, Placeholder: placeholder(e.elem)}
		if resolved != nil && resolved.Picture != nil {
			out.Image.ContentUrl = resolved.Picture.Part
		} else if resolved != nil {
			out.Image.SourceUrl = resolved.LinkedPicture
		}
	case "cxnSp":
		out.Line = &gslides.Line{LineType: "STRAIGHT_LINE", LineCategory: "STRAIGHT"}
	case "graphicFrame":
		if resolved != nil && resolved.Chart != nil && out.Title == "" {
			out.Title = edit.TaggedText(resolved.Chart.Texts())
		}
		if t := tableOf(e.elem); t != nil {
			out.Table = table(t, resolved, v)
		}
	}
	return out
}

// place returns the size and the transform of a shape on its page; without a
// resolved shape, as on layouts, nothing is known of them.
func place(s *pml.Shape) (*gslides.Size, *gslides.AffineTransform) {
	if s == nil {
		return nil, nil
	}
	f := s.Frame
	sin, cos := math.Sincos(s.Rotation * math.Pi / 180)
	flipX, flipY := 1.0, 1.0
	if s.FlipH {
		flipX = -1
	}
	if s.FlipV {
		flipY = -1
	}
	t := &gslides.AffineTransform{
		ScaleX: round(cos * flipX), ShearX: round(-sin * flipY),
		ShearY: round(sin * flipX), ScaleY: round(cos * flipY), Unit: "EMU",
	}
	// Rotation and flips are about the middle of the frame.
	t.TranslateX = emu(f.X + f.W/2 - (t.ScaleX*f.W+t.ShearX*f.H)/2).Magnitude
	t.TranslateY = emu(f.Y + f.H/2 - (t.ShearY*f.W+t.ScaleY*f.H)/2).Magnitude
	return &gslides.Size{Width: emu(f.W), Height: emu(f.H)}, t
}

func shape(e *etree.Element, resolved *pml.Shape, v *variants) *gslides.Shape {
	out := &gslides.Shape{ShapeType: shapeType(e), Placeholder: placeholder(e), ShapeProperties: &gslides.ShapeProperties{}}
	var body *dml.TextBody
	if resolved != nil {
		body = resolved.Text
		if f := resolved.Fill; f != nil && f.Kind == dml.FillSolid {
			out.ShapeProperties.ShapeBackgroundFill = &gslides.ShapeBackgroundFill{
				PropertyState: "RENDERED", SolidFill: &gslides.SolidFill{Alpha: f.Alpha, Color: opaque(f.Color)},
			}
		}
		if resolved.Link != "" {
			out.ShapeProperties.Link = &gslides.Link{Url: resolved.Link}
		}
	}
	out.Text = text(child(e, "txBody"), body, v)
	return out
}

func shapeType(e *etree.Element) string {
	if locks := child(child(e, "nvSpPr"), "cNvSpPr"); locks != nil && locks.SelectAttrValue("txBox", "") == "1" {
		return "TEXT_BOX"
	}
	geometry := child(child(e, "spPr"), "prstGeom")
	if geometry == nil {
		if placeholderOf(e) != nil {
			return "TEXT_BOX"
		}
		return "CUSTOM"
	}
	if t := shapeTypeOf(geometry.SelectAttrValue("prst", "")); t != "" {
		return t
	}
	return "CUSTOM"
}

func placeholderOf(e *etree.Element) *etree.Element {
	for _, tag := range []string{"nvSpPr", "nvPicPr"} {
		if nv := child(e, tag); nv != nil {
			return child(child(nv, "nvPr"), "ph")
		}
	}
	return nil
}

func points(n float64) *gslides.Dimension {
	return &gslides.Dimension{Magnitude: math.Round(n*1000) / 1000, Unit: "PT"}
}

func emu(points float64) *gslides.Dimension {
	return &gslides.Dimension{Magnitude: math.Round(points * 12700), Unit: "EMU"}
}

func round(n float64) float64 { return math.Round(n*1e9) / 1e9 }
