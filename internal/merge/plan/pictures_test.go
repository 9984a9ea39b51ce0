package plan_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/office"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
)

// obtained makes a picture of the size that its source says, such as 40x20.
func obtained(t testing.TB) merge.Obtain {
	return func(p merge.Picture) (merge.Obtained, error) {
		o := merge.Obtained{Width: 100, Height: 100}
		if _, err := fmt.Sscanf(p.Source, "%dx%d", &o.Width, &o.Height); err != nil && !p.QR {
			return o, platen.Errorf(platen.KindInvalid, "picture_unusable", "It is no picture.")
		}
		var data bytes.Buffer
		if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, o.Width, o.Height))); err != nil {
			t.Fatal(err)
		}
		o.URI = "data:image/png;base64," + base64.StdEncoding.EncodeToString(data.Bytes())
		return o, nil
	}
}

const pictured = `{"Logo": "200x100", "Wide": "4000x100", "Site": "https://example.com/a?b=c&d", "Bad": "nothing", "Evil": "{{image Logo}}", "Empty": "",
	"Items": [{"Photo": "10x10", "Name": "Bolt"}, {"Photo": "20x10", "Name": "Nut"}, {"Photo": "", "Name": "Washer"}]}`

// withPictures fills a document and returns it read again.
func withPictures(t *testing.T, file []byte) (*office.Document, []string) {
	t.Helper()
	d, err := office.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	e := merge.NewEvaluator(parse(t, pictured), merge.Builtins{})
	e.ObtainWith(obtained(t))
	requests, err := plan.Document(resource, e, nonce)
	if err != nil {
		var codes []string
		for _, f := range e.Faults() {
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
	if d, err = office.ReadDocument(written); err != nil {
		t.Fatal(err)
	}
	return d, nil
}

// lines are the paragraphs of a document, with each picture's size in points.
func lines(t *testing.T, d *office.Document) []string {
	t.Helper()
	resource, err := docs.Get(d, "id", "title", "2")
	if err != nil {
		t.Fatal(err)
	}
	text := shown(resource.Body.Content)
	for i := range len(resource.InlineObjects) {
		size := resource.InlineObjects[fmt.Sprintf("kix.object%d", i+1)].InlineObjectProperties.EmbeddedObject.Size
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
		"| {{image Wide}} | b":                                       "| <50×1> | b",
	} {
		d, faults := withPictures(t, docx(t, drawn(template), "", ""))
		if len(faults) > 0 {
			t.Errorf("%s: %v", template, faults)
			continue
		}
		if got := strings.Join(lines(t, d), "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", template, got, want)
		}
	}
}

func TestAPictureIsStoredOnce(t *testing.T) {
	t.Parallel()
	d, faults := withPictures(t, docx(t, drawn("{{image Logo}} {{image Logo 10mm}}\n{{image Logo}}"), "{{image Logo}}", ""))
	if len(faults) > 0 {
		t.Fatal(faults)
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

func TestLinksKeepTheLookOfTheirTag(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>{{link Site "our site"}}</w:t></w:r><w:r><w:t>. {{link Empty "none"}}</w:t></w:r></w:p>`
	d, faults := withPictures(t, docx(t, body, "", ""))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	part, _ := d.Package.Part("word/document.xml")
	if got := string(part); !strings.Contains(got, `<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">our site</w:t></w:r></w:hyperlink>`) || !strings.Contains(got, ". none") {
		t.Errorf("got %s", got)
	}
	for _, r := range d.Package.Relationships("word/document.xml") {
		if r.Type == "hyperlink" && (r.Target != "https://example.com/a?b=c&d" || !r.External) {
			t.Errorf("got %+v", r)
		}
	}
}

func TestPicturesThatCannotBeAreFaults(t *testing.T) {
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
		if _, faults := withPictures(t, docx(t, c.body, "", c.note)); len(faults) != 1 || faults[0] != c.want {
			t.Errorf("%s: got %v, want %s", name, faults, c.want)
		}
	}
}

func TestOnSlidesPicturesTakeThePlaceOfShapes(t *testing.T) {
	t.Parallel()
	fill := func(shapes ...string) (*office.Presentation, error) {
		p, err := office.ReadPresentation(pptx(t, shapes))
		if err != nil {
			t.Fatal(err)
		}
		resource, err := slides.Get(p, "id", "title", "1")
		if err != nil {
			t.Fatal(err)
		}
		e := merge.NewEvaluator(parse(t, pictured), merge.Builtins{})
		e.ObtainWith(obtained(t))
		requests, err := plan.Presentation(resource, e, nonce)
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
		if p, err = office.ReadPresentation(written); err != nil {
			t.Fatal(err)
		}
		return p, nil
	}
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
			t.Errorf("%s: got %v, want a fault", text, err)
		}
	}
}
