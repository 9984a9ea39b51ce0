package accessible_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/accessible"
)

func paragraph(style, text string, objects ...string) *docs.StructuralElement {
	p := &docs.Paragraph{ParagraphStyle: &docs.ParagraphStyle{NamedStyleType: style}, Elements: []*docs.ParagraphElement{{TextRun: &docs.TextRun{Content: text + "\n"}}}}
	for _, id := range objects {
		p.Elements = append(p.Elements, &docs.ParagraphElement{InlineObjectElement: &docs.InlineObjectElement{InlineObjectId: id}})
	}
	return &docs.StructuralElement{Paragraph: p}
}

func table(header bool, texts ...string) *docs.StructuralElement {
	t := &docs.Table{Columns: 2}
	for i, text := range texts {
		t.TableRows = append(t.TableRows, &docs.TableRow{TableRowStyle: &docs.TableRowStyle{TableHeader: header && i == 0}, TableCells: []*docs.TableCell{{Content: []*docs.StructuralElement{paragraph("", text)}}}})
	}
	return &docs.StructuralElement{Table: t}
}

func picture(description, title string) *docs.EmbeddedObject {
	return &docs.EmbeddedObject{Description: description, Title: title, ImageProperties: &docs.ImageProperties{}}
}

func told(found []accessible.Barrier) (all []string) {
	for _, b := range found {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", b.Where, b.Code, b.Tag)))
	}
	return all
}

func TestBarriersOfADocumentAreFoundAtTheirPlaces(t *testing.T) {
	t.Parallel()
	inline := map[string]docs.InlineObject{}
	for id, o := range map[string]*docs.EmbeddedObject{
		"silent": picture("", " "), "described": picture("Our logo", ""), "titled": picture("", "Our logo"), "of a tag": picture("{{image Logo}}", ""),
		"chart": {Description: "{{chart Sales}}"}, "drawing": {EmbeddedDrawingProperties: &docs.EmbeddedDrawingProperties{}},
	} {
		inline[id] = docs.InlineObject{InlineObjectProperties: &docs.InlineObjectProperties{EmbeddedObject: o}}
	}
	floating := paragraph("", "x")
	floating.Paragraph.PositionedObjectIds = []string{"floats"}
	d := &docs.Document{
		InlineObjects:     inline,
		PositionedObjects: map[string]docs.PositionedObject{"floats": {PositionedObjectProperties: &docs.PositionedObjectProperties{EmbeddedObject: picture("", "")}}},
		Headers:           map[string]docs.Header{"h": {Content: []*docs.StructuralElement{paragraph("HEADING_4", "x", "silent")}}},
		Body: &docs.Body{Content: []*docs.StructuralElement{
			paragraph("HEADING_2", "First"), paragraph("HEADING_3", "Next"), paragraph("HEADING_5", " "), paragraph("HEADING_1", "Back"), paragraph("HEADING_4", "Deep"),
			paragraph("", "x", "silent", "described", "titled", "of a tag", "chart", "drawing"),
			floating,
			paragraph("", "{{qr Link 25mm}} and {{Name}}"),
			table(false, "Name", "{{#each Items}}{{Name}}{{/each}}"), table(true, "Name", "{{#each Items}}{{Name}}{{/each}}"), table(false, "Name", "{{Name}}"),
		}},
	}
	want := []string{
		"paragraph 1 heading_level_skipped", "paragraph 5 heading_level_skipped",
		"paragraph 6 picture_without_text", "paragraph 6 picture_without_text {{image Logo}}", "paragraph 7 picture_without_text", "paragraph 8 picture_without_text {{qr Link 25mm}}",
		"table 1 table_without_header",
	}
	if got := told(accessible.InDocument(d, accessible.Texts{})); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	says := accessible.InDocument(d, accessible.Texts{})[1].Message
	if want := "A heading of level 4 follows one of level 1. Give it the style Heading 2, or put the heading between them that is missing."; says != want {
		t.Errorf("got %q, want %q", says, want)
	}
}

func TestBarriersOfSlidesAreFoundAtTheirPlaces(t *testing.T) {
	t.Parallel()
	image := func(description string) *slides.PageElement {
		return &slides.PageElement{Description: description, Image: &slides.Image{}}
	}
	text := func(content string) *slides.TextContent {
		return &slides.TextContent{TextElements: []*slides.TextElement{{TextRun: &slides.TextRun{Content: content}}}}
	}
	group := func(description string) *slides.PageElement {
		return &slides.PageElement{Description: description, ElementGroup: &slides.Group{Children: []*slides.PageElement{image("")}}}
	}
	p := &slides.Presentation{Slides: []*slides.Page{
		{PageElements: []*slides.PageElement{image("A harbour"), {Shape: &slides.Shape{Text: text("Dear {{Name}}")}}, group("Our team")}},
		{PageElements: []*slides.PageElement{image(""), image("{{image Photo}}"), group(""), {Shape: &slides.Shape{Text: text("{{code128 No}}")}},
			{Table: &slides.Table{TableRows: []*slides.TableRow{{TableCells: []*slides.TableCell{{Text: text("{{qr Link}}")}}}}}}}},
	}}
	want := []string{
		"slide 2 picture_without_text", "slide 2 picture_without_text {{image Photo}}", "slide 2 picture_without_text",
		"slide 2 picture_without_text {{code128 No}}", "slide 2 picture_without_text {{qr Link}}",
	}
	if got := told(accessible.InPresentation(p, accessible.Texts{})); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAlternativeTextsOfTagsAreJudged(t *testing.T) {
	t.Parallel()
	const logo, photo, place = `{{image Logo 40mm alt "Our logo"}}`, `{{image Photo alt Name}}`, `{{qr Link alt Name}}`
	d := &docs.Document{
		InlineObjects: map[string]docs.InlineObject{"place": {InlineObjectProperties: &docs.InlineObjectProperties{EmbeddedObject: picture(place, "")}}},
		Body:          &docs.Body{Content: []*docs.StructuralElement{paragraph("", logo), paragraph("", photo), paragraph("", "x", "place"), paragraph("", "{{image [Photo alt]}} {{image Photo alt}}")}},
	}
	p := &slides.Presentation{Slides: []*slides.Page{
		{PageElements: []*slides.PageElement{{Shape: &slides.Shape{Text: &slides.TextContent{TextElements: []*slides.TextElement{{TextRun: &slides.TextRun{Content: logo}}}}}}}},
		{PageElements: []*slides.PageElement{{Description: place, Image: &slides.Image{}}}},
	}}
	without := []string{"paragraph 4 picture_without_text {{image [Photo alt]}}", "paragraph 4 picture_without_text {{image Photo alt}}"}
	for _, c := range []struct {
		texts              accessible.Texts
		document, onSlides []string
		lost, lostOnSlides int
	}{
		{document: without},
		{texts: accessible.Texts{Empty: []string{photo, place}}, document: append([]string{"paragraph 2 picture_without_text " + photo, "paragraph 3 picture_without_text " + place}, without...), onSlides: []string{"slide 2 picture_without_text " + place}},
		{texts: accessible.Texts{OnGoogle: true}, document: append([]string{"paragraph 1 picture_without_text " + logo, "paragraph 2 picture_without_text " + photo, "paragraph 3 picture_without_text " + place}, without...), onSlides: []string{"slide 1 picture_without_text " + logo}, lost: 3, lostOnSlides: 1},
	} {
		count := func(found []accessible.Barrier) (n int) {
			for _, b := range found {
				if b.Lost {
					n++
				}
			}
			return n
		}
		if got := accessible.InDocument(d, c.texts); !slices.Equal(told(got), c.document) || count(got) != c.lost {
			t.Errorf("%+v: got %q, want %q", c.texts, told(got), c.document)
		}
		if got := accessible.InPresentation(p, c.texts); !slices.Equal(told(got), c.onSlides) || count(got) != c.lostOnSlides {
			t.Errorf("%+v: on slides: got %q, want %q", c.texts, told(got), c.onSlides)
		}
	}
}
