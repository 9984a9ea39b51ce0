package slides

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

const (
	rootNamespaces = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	relationKind   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	slideRelations = `<Relationship Id="l" Type="` + relationKind + `slideLayout" Target="../slideLayouts/slideLayout1.xml"/>` +
		`<Relationship Id="n" Type="` + relationKind + `notesSlide" Target="../notesSlides/notesSlide1.xml"/>` +
		`<Relationship Id="web" Type="` + relationKind + `hyperlink" Target="https://example.com/" TargetMode="External"/>`
)

// pptx puts shapes on the slide of a blank presentation, with notes.
func pptx(t testing.TB, shapes, notes string) *pml.Presentation {
	t.Helper()
	return pptxWith(t, shapes, notes, nil)
}

// pptxWith is pptx with further parts, or others, by their names.
func pptxWith(t testing.TB, shapes, notes string, further map[string]string) *pml.Presentation {
	t.Helper()
	blank, err := blank.Presentation()
	if err != nil {
		t.Fatal(err)
	}
	p, err := opc.ReadPackage(blank)
	if err != nil {
		t.Fatal(err)
	}
	p.SetPart("ppt/slides/slide1.xml", "", []byte(slidePart(shapes)))
	p.SetPart("ppt/notesSlides/notesSlide1.xml", "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml",
		[]byte(`<p:notes`+rootNamespaces+`><p:cSld><p:spTree>`+notes+`</p:spTree></p:cSld></p:notes>`))
	p.SetPart("ppt/slides/_rels/slide1.xml.rels", "", []byte(officetest.RelationsStart+slideRelations+`</Relationships>`))
	for name, content := range further {
		p.SetPart(name, "application/xml", []byte(content))
	}
	data, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return read(t, data)
}

func slidePart(shapes string) string {
	return `<p:sld` + rootNamespaces + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
}

func read(t testing.TB, data []byte) *pml.Presentation {
	t.Helper()
	p, err := pml.ReadPresentation(data)
	if err != nil {
		t.Fatalf("ReadPresentation: %v", err)
	}
	return p
}

func reread(t testing.TB, p *pml.Presentation) *pml.Presentation {
	t.Helper()
	data, err := p.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return read(t, data)
}

func sp(id, paragraphs string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="` + id + `" name="Box" descr="alt"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr>` +
		`<p:spPr><a:xfrm><a:off x="12700" y="25400"/><a:ext cx="127000" cy="254000"/></a:xfrm><a:prstGeom prst="rect"/></p:spPr>` +
		`<p:txBody><a:bodyPr/>` + paragraphs + `</p:txBody></p:sp>`
}

func para(text string) string { return `<a:p><a:r><a:t>` + text + `</a:t></a:r></a:p>` }

func tableXML(cells ...string) string {
	row := ""
	for _, c := range cells {
		row += `<a:tc><a:txBody><a:bodyPr/>` + para(c) + `</a:txBody></a:tc>`
	}
	return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Table"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>` +
		`<p:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="127000"/></p:xfrm><a:graphic><a:graphicData><a:tbl><a:tblPr/><a:tblGrid>` +
		strings.Repeat(`<a:gridCol w="635000"/>`, len(cells)) + `</a:tblGrid><a:tr h="127000">` + row + `</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
}

func group(inner string) string {
	return `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="20" name="Group"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + inner + `</p:grpSp>`
}

// contentOf joins a text and checks that its ranges join, too.
func contentOf(t testing.TB, text *gslides.TextContent) string {
	t.Helper()
	if text == nil {
		return ""
	}
	var b strings.Builder
	at, end := int64(0), int64(0)
	for _, e := range text.TextElements {
		if e.StartIndex != at {
			t.Errorf("an element begins at %d, want %d", e.StartIndex, at)
		}
		switch {
		case e.ParagraphMarker != nil:
			end = e.EndIndex
			continue
		case e.TextRun != nil:
			b.WriteString(e.TextRun.Content)
			if n := edit.Units(e.TextRun.Content); e.EndIndex-e.StartIndex != n {
				t.Errorf("%q has the range %d to %d", e.TextRun.Content, e.StartIndex, e.EndIndex)
			}
		case e.AutoText != nil:
			b.WriteString("<" + e.AutoText.Type + ">")
		}
		at = e.EndIndex
		if at > end {
			t.Errorf("an element ends at %d, behind its paragraph's end %d", at, end)
		}
	}
	if at != end {
		t.Errorf("the text ends at %d, its last paragraph at %d", at, end)
	}
	return b.String()
}

func get(t testing.TB, p *pml.Presentation) *gslides.Presentation {
	t.Helper()
	out, err := Get(p, "id", "Title", "rev")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return out
}

func apply(t *testing.T, p *pml.Presentation, requests ...*gslides.Request) []*gslides.Response {
	t.Helper()
	answers, err := Apply(p, "id", requests)
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return answers
}

// sketch lists the slides with the texts of their objects, by id.
func sketch(t *testing.T, p *pml.Presentation) []string {
	t.Helper()
	var all []string
	for _, s := range get(t, reread(t, p)).Slides {
		line := s.ObjectId + ":"
		var walk func([]*gslides.PageElement)
		walk = func(elements []*gslides.PageElement) {
			for _, e := range elements {
				line += " " + e.ObjectId
				if e.Shape != nil {
					line += "=" + strings.TrimSuffix(contentOf(t, e.Shape.Text), "\n")
				}
				if e.Table != nil {
					line += "=table"
				}
				if e.ElementGroup != nil {
					walk(e.ElementGroup.Children)
				}
			}
		}
		walk(s.PageElements)
		all = append(all, line)
	}
	return all
}

func wantSketch(t *testing.T, p *pml.Presentation, want ...string) {
	t.Helper()
	if got := sketch(t, p); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func onPage(page string, x, y, w, h float64) *gslides.PageElementProperties {
	return &gslides.PageElementProperties{
		PageObjectId: page,
		Size:         &gslides.Size{Width: &gslides.Dimension{Magnitude: w, Unit: "PT"}, Height: &gslides.Dimension{Magnitude: h, Unit: "PT"}},
		Transform:    &gslides.AffineTransform{ScaleX: 1, ScaleY: 1, TranslateX: x, TranslateY: y, Unit: "PT"},
	}
}

// pixel is a PNG of one.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func shapesWithImage(text, url string) *gslides.Request {
	return &gslides.Request{ReplaceAllShapesWithImage: &gslides.ReplaceAllShapesWithImageRequest{
		ContainsText: &gslides.SubstringMatchCriteria{Text: text, MatchCase: true}, ImageUrl: url,
	}}
}

func index(n int64) *int64 { return &n }

// box is the id of the first shape of a slide that pptx makes of sp("2", …).
const box = "slide_256_2"

// refuse carries out requests that are to be refused, and returns in which
// words.
func refuse(t testing.TB, p *pml.Presentation, requests ...*gslides.Request) string {
	t.Helper()
	_, err := Apply(p, "id", requests)
	fault, ok := errors.AsType[*opc.RequestError](err)
	if !ok {
		t.Errorf("got %v, want a RequestError", err)
		return ""
	}
	return fault.Message
}

// sent is what a client gets of a part of an answer.
func sent(t testing.TB, resource any) string {
	t.Helper()
	data, err := json.Marshal(resource)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// parse reads an element of a slide.
func parse(t testing.TB, xml string) *etree.Element {
	t.Helper()
	d := etree.NewDocument()
	if err := d.ReadFromString(xml); err != nil {
		t.Fatal(err)
	}
	return d.Root()
}

func xmlOf(t testing.TB, e *etree.Element) string {
	t.Helper()
	d := etree.NewDocument()
	d.SetRoot(e.Copy())
	text, err := d.WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// partXML is a part as it would be written.
func partXML(t testing.TB, p *pml.Presentation, name string) string {
	t.Helper()
	data, ok := p.Package.Part(name)
	if !ok {
		t.Fatalf("%s is missing", name)
	}
	return string(data)
}

// slideXML is the first slide as it would be written.
func slideXML(t testing.TB, p *pml.Presentation) string {
	t.Helper()
	return partXML(t, reread(t, p), "ppt/slides/slide1.xml")
}

// textRange is a range of a text, from an index up to another.
func textRange(from, to int64) *gslides.Range {
	return &gslides.Range{Type: "FIXED_RANGE", StartIndex: &from, EndIndex: &to}
}

func wholeText() *gslides.Range { return &gslides.Range{Type: "ALL"} }

// first is the first object of the first slide.
func first(t testing.TB, p *pml.Presentation) *gslides.PageElement {
	t.Helper()
	return get(t, p).Slides[0].PageElements[0]
}
