package fill_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// obtained makes a picture of the size that its source says, such as 40x20.
func obtained() lang.Obtain {
	return func(p lang.Picture) (lang.Obtained, error) {
		o := lang.Obtained{Width: 100, Height: 100}
		if _, err := fmt.Sscanf(p.Source, "%dx%d", &o.Width, &o.Height); err != nil && p.Code == "" {
			return o, platen.Errorf(platen.KindInvalid, "picture_unusable", "It is no picture.")
		}
		head := pngHead(o.Width, o.Height)
		o.URI, o.Again = "data:image/png;base64,"+base64.StdEncoding.EncodeToString(head), fmt.Sprintf("data:image/png;sha256=%x;base64,", sha256.Sum256(head))
		return o, nil
	}
}

// pngHead is as much of a grey PNG as tells its size.
func pngHead(width, height int) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), uint32(width))
	chunk = append(binary.BigEndian.AppendUint32(chunk, uint32(height)), 8, 0, 0, 0, 0)
	head := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(head, crc32.ChecksumIEEE(chunk))
}

const pictured = `{"Logo": "200x100", "Wide": "4000x100", "Site": "https://example.com/a?b=c&d", "Bad": "nothing", "Evil": "{{image Logo}}", "Empty": "",
	"Items": [{"Photo": "10x10", "Name": "Bolt"}, {"Photo": "20x10", "Name": "Nut"}, {"Photo": "", "Name": "Washer"}]}`

// composePictures reads a document and composes what fills it.
func composePictures(t *testing.T, file []byte) (*wml.Document, *lang.Evaluator, []*gdocs.Request, error) {
	t.Helper()
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	e := lang.NewEvaluator(parse(t, pictured), lang.Builtins{})
	e.ObtainWith(obtained())
	requests, err := fill.ComposeDocument(resource, e, nonce)
	return d, e, requests, err
}

// withPictures fills a document and returns it read again.
func withPictures(t *testing.T, file []byte) (*wml.Document, []string) {
	t.Helper()
	d, e, requests, err := composePictures(t, file)
	if err != nil {
		var codes []string
		for _, f := range e.Findings() {
			codes = append(codes, f.Code)
		}
		return nil, codes
	}
	if _, err := docs.Apply(d, "id", requests); err != nil {
		t.Fatalf("Apply: %v", err)
	}
	written, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if d, err = wml.ReadDocument(written); err != nil {
		t.Fatal(err)
	}
	return d, nil
}

// composeTemplate returns the requests that fill a document.
func composeTemplate(t *testing.T, template string) []*gdocs.Request {
	t.Helper()
	_, _, requests, err := composePictures(t, docx(t, drawn(template), "", ""))
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// pictureIDs are the ids of the pictures in the lines, in their order.
func pictureIDs(content []*gdocs.StructuralElement) []string {
	var ids []string
	for _, e := range content {
		switch {
		case e.Paragraph != nil:
			for _, part := range e.Paragraph.Elements {
				if part.InlineObjectElement != nil {
					ids = append(ids, part.InlineObjectElement.InlineObjectId)
				}
			}
		case e.Table != nil:
			for _, row := range e.Table.TableRows {
				for _, cell := range row.TableCells {
					ids = append(ids, pictureIDs(cell.Content)...)
				}
			}
		}
	}
	return ids
}

// lines are the paragraphs of a document, with each picture's size in points.
func lines(t *testing.T, d *wml.Document) []string {
	t.Helper()
	resource, err := docs.Get(d, "id", "title", "2")
	if err != nil {
		t.Fatal(err)
	}
	text := shown(resource.Body.Content)
	for _, id := range pictureIDs(resource.Body.Content) {
		size := resource.InlineObjects[id].InlineObjectProperties.EmbeddedObject.Size
		text = strings.Replace(text, "<object>", fmt.Sprintf("<%g×%g>", math.Round(size.Width.Magnitude), math.Round(size.Height.Magnitude)), 1)
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

func TestPicturesStandWhereTheirTagsStood(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"a {{image Logo}} b":                                         "a <150×75> b",
		"{{image Logo}}":                                             "<150×75>",
		"{{image Logo 36pt}}":                                        "<36×18>",
		"{{image Logo 10x1in}}":                                      "<144×72>",
		"{{image Logo 1x10in}} and {{image Logo 72pt}}":              "<72×36> and <72×36>",
		"{{qr Site 72pt}}, {{qr \"text\" 1in}}":                      "<72×72>, <72×72>",
		"{{qr Site}}":                                                "<85×85>",
		"x{{image Empty}}y {{image Gone}}z":                          "xy z",
		"{{Evil}} {{#if Logo}}{{image Logo}}{{/if}}":                 "{{image Logo}} <150×75>",
		"{{#each Items}}{{image Photo}}{{Name}} {{/each}}":           "<8×8>Bolt <15×8>Nut Washer ",
		"| {{Items.Name}} | {{image Items.Photo}}\nend":              "| Bolt | <8×8>\n| Nut | <15×8>\n| Washer |\nend",
		"| {{image Items.Photo}} {{Items.Name}} | x\nend":            "| <8×8> Bolt | x\n| <15×8> Nut | x\n|  Washer | x\nend",
		"{{#each Items}}\n{{Name}}\n{{image Photo}}\n{{/each}}\nend": "Bolt\n<8×8>\nNut\n<15×8>\nWasher\n\nend",
		"* {{Items.Name}} {{image Items.Photo}}":                     "* Bolt <8×8>\n* Nut <15×8>\n* Washer ",
		"{{image \"20x20000\" 100mm}}{{image \"20x20000\"}}":         "<3×2834><1×600>",
		"| {{image Wide}} | b":                                       "| <39×1> | b", // a column of 50 without its margins
	} {
		d, findings := withPictures(t, docx(t, drawn(template), "", ""))
		if len(findings) > 0 {
			t.Errorf("%s: %v", template, findings)
			continue
		}
		if got := strings.Join(lines(t, d), "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", template, got, want)
		}
	}
}

func TestAPictureIsStoredOnce(t *testing.T) {
	t.Parallel()
	d, findings := withPictures(t, docx(t, drawn("{{image Logo}} {{image Logo 10mm}}\n{{image Logo}}"), "{{image Logo}}", ""))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	sent := 0
	for _, r := range composeTemplate(t, "{{image Logo}} {{image Logo 10mm}}\n| {{image Logo}} | {{Items.Name}}\nend") {
		if r.InsertInlineImage != nil && len(r.InsertInlineImage.Uri) != len("data:image/png;sha256=;base64,")+64 {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("the picture was sent %d times in one batch, want once", sent)
	}
	relations := 0
	for _, part := range []string{"word/document.xml", "word/header1.xml"} {
		for _, r := range d.Package.Relationships(part) {
			if r.Type == "image" {
				relations++
			}
		}
	}
	if relations != 2 {
		t.Errorf("got %d relationships to the picture, want one for the body and one for the header", relations)
	}
}

// placeholderXML is a picture of 72 × 36 points that says of itself.
func placeholderXML(description string) string {
	return `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="914400" cy="457200"/><wp:docPr id="7" name="x" descr="` + description + `"/>` +
		`<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"/></a:graphic></wp:inline></w:drawing></w:r>`
}

func TestPicturesTakeTheBoxOfThoseThatAskForThem(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>` }
	row := func(a, b string) string {
		return `<w:tbl><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:p>` + a + `</w:p></w:tc><w:tc><w:p>` + b + `</w:p></w:tc></w:tr></w:tbl><w:p/>`
	}
	for name, c := range map[string]struct{ body, want string }{
		"beside text":       {`<w:p>` + text("a {{Evil}} ") + placeholderXML("{{image Logo}}") + text(" b {{Site}}") + `</w:p>`, "a {{image Logo}} <72×36> b https://example.com/a?b=c&d"},
		"whatever its size": {`<w:p>` + placeholderXML("{{qr Site 100mm}}") + `</w:p>`, "<36×36>"},
		"that is not there": {`<w:p>` + text("a") + placeholderXML("{{image Empty}}") + text("b") + `</w:p>`, "ab"},
		"any other":         {`<w:p>` + placeholderXML("A photo of {{Site}}") + text("{{image Logo 72pt}}") + `</w:p>`, "<72×36><72×36>"},
		"in rows":           {row(placeholderXML("{{image Items.Photo}}"), text("{{Items.Name}}")), "| <36×36> | Bolt\n| <72×36> | Nut\n| | Washer"},
		"in a condition":    {`<w:p>` + text("x{{#if Empty}}") + placeholderXML("{{image Logo}}") + text("{{/if}}y") + `</w:p>`, "xy"},
	} {
		d, findings := withPictures(t, docx(t, c.body, "", ""))
		if len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
			continue
		}
		if got := strings.Join(lines(t, d), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestPicturesThatCannotBeAreFindings(t *testing.T) {
	t.Parallel()
	box := `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>` + para("{{image Logo}}") + `</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`
	note := `<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
	for name, c := range map[string]struct{ body, note, want string }{
		"no picture":    {body: para("{{image Bad}}"), want: "picture_unusable"},
		"a list":        {body: para("{{image Items.Photo}}"), want: "many_values"},
		"in a footnote": {body: note, note: "{{image Logo}}", want: "picture_in_text"},
		"in a text box": {body: box, want: "picture_in_text"},
		"no link":       {body: para("{{link Logo}}"), want: "link_unusable"},
	} {
		if _, findings := withPictures(t, docx(t, c.body, "", c.note)); len(findings) != 1 || findings[0] != c.want {
			t.Errorf("%s: got %v, want %s", name, findings, c.want)
		}
	}
}

// fillSlide fills a slide of shapes and what is added to its XML.
func fillSlide(t *testing.T, added string, shapes ...string) (*pml.Presentation, error) {
	t.Helper()
	file, err := opc.ReadPackage(pptx(t, shapes))
	if err != nil {
		t.Fatal(err)
	}
	slide, _ := file.Part("ppt/slides/slide1.xml")
	file.SetPart("ppt/slides/slide1.xml", "", []byte(strings.Replace(string(slide), "</p:spTree>", added+"</p:spTree>", 1)))
	content, err := file.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	p, err := pml.ReadPresentation(content)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := slides.Get(p, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	e := lang.NewEvaluator(parse(t, pictured), lang.Builtins{})
	e.ObtainWith(obtained())
	requests, err := fill.ComposePresentation(resource, e, nonce)
	if err != nil {
		return nil, err
	}
	if _, err := slides.Apply(p, "id", requests); err != nil {
		t.Fatalf("Apply: %v", err)
	}
	written, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = pml.ReadPresentation(written); err != nil {
		t.Fatal(err)
	}
	return p, nil
}

func TestOnSlidesPicturesTakeTheBoxOfThoseThatAskForThem(t *testing.T) {
	t.Parallel()
	pic := func(id int, description string) string {
		return fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="P" descr="%s"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/>`+
			`<p:spPr><a:xfrm rot="600000"><a:off x="1000" y="2000"/><a:ext cx="4000" cy="8000"/></a:xfrm></p:spPr></p:pic>`, id, description)
	}
	p, err := fillSlide(t, pic(20, "{{image Logo}}")+pic(21, "{{image Empty}}")+pic(22, "A photo"), "a text")
	if err != nil {
		t.Fatal(err)
	}
	part, _ := p.Package.Part("ppt/slides/slide1.xml")
	// 200 × 100 pixels in 4000 × 8000: 4000 × 2000, in the middle.
	if got := string(part); strings.Count(got, "<p:pic>") != 2 || !strings.Contains(got, `rot="600000"><a:off x="1000" y="5000"/><a:ext cx="4000" cy="2000"/>`) || !strings.Contains(got, `descr="A photo"`) {
		t.Errorf("got %s", got)
	}
}

func TestOnSlidesPicturesTakeThePlaceOfShapes(t *testing.T) {
	t.Parallel()
	fill := func(shapes ...string) (*pml.Presentation, error) { return fillSlide(t, "", shapes...) }
	p, err := fill("{{image Logo}}", "{{Evil}}", "{{qr Site}}", "{{image Empty}}", `a {{link Site "b"}}`)
	if err != nil {
		t.Fatal(err)
	}
	part, _ := p.Package.Part("ppt/slides/slide1.xml")
	if got := strings.Count(string(part), "<p:pic>"); got != 2 {
		t.Errorf("got %d pictures in %s, want 2", got, part)
	}
	if !strings.Contains(string(part), "<a:t>{{image Logo}}</a:t>") || strings.Contains(string(part), "Empty") {
		t.Errorf("got %s", part)
	}
	if !strings.Contains(string(part), "a:hlinkClick") {
		t.Errorf("no link in %s", part)
	}
	for _, text := range []string{"Logo: {{image Logo}}", "| {{image Logo}} | x"} {
		if _, err := fill(text); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %v, want a finding", text, err)
		}
	}
}

func TestPicturesOfRepeatedSlidesAreThoseOfTheItem(t *testing.T) {
	t.Parallel()
	placeholder := `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="30" name="G"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:pic><p:nvPicPr><p:cNvPr id="20" name="P" descr="{{image Photo}}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/>` +
		`<p:spPr><a:xfrm><a:off x="1000" y="2000"/><a:ext cx="4000" cy="8000"/></a:xfrm></p:spPr></p:pic>` + drawnShape(31, "in a group: {{Name}}") + `</p:grpSp>`
	p, err := fillSlide(t, placeholder, "{{#each Items}}", "{{image Photo}}", "{{qr Name}}", "{{Name}} {{Evil}}", "{{/each}}")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		pictures int
		size     string
	}{{3, `cx="4000" cy="4000"`}, {3, `cx="4000" cy="2000"`}, {1, ""}} {
		part, _ := p.Package.Part(fmt.Sprintf("ppt/slides/slide%d.xml", []int{1, 3, 2}[i]))
		got := string(part)
		name := []string{"Bolt", "Nut", "Washer"}[i]
		if strings.Count(got, "<p:pic>") != want.pictures || !strings.Contains(got, want.size) || !strings.Contains(got, name+" {{image Logo}}<") || !strings.Contains(got, "in a group: "+name) {
			t.Errorf("slide %d: got %s", i+1, got)
		}
	}
	if len(p.Slides) != 3 {
		t.Errorf("got %d slides", len(p.Slides))
	}
}
