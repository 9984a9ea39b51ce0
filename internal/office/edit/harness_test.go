package edit

import (
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

const (
	document = "word/document.xml"
	slide    = "ppt/slides/slide1.xml"
)

func wordFile(t testing.TB, body string, stories map[string]string) *opc.Package {
	t.Helper()
	return mustRead(t, officetest.Zip(t, officetest.WordParts(body, stories)))
}

// slideFile is a presentation of one slide with this shape tree and notes.
func slideFile(t testing.TB, shapes, notes string) *opc.Package {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	return mustRead(t, officetest.Zip(t, map[string]string{
		"[Content_Types].xml":              officetest.TypesStart + `<Override PartName="/ppt/presentation.xml" ContentType="` + officetest.SlidesMain + `"/></Types>`,
		"_rels/.rels":                      officetest.RelationsStart + `<Relationship Id="rId1" Type="` + office + `officeDocument" Target="/ppt/presentation.xml"/></Relationships>`,
		"ppt/presentation.xml":             `<p:presentation ` + officetest.SlideNamespaces + `><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  officetest.RelationsStart + `<Relationship Id="s1" Type="` + office + `slide" Target="slides/slide1.xml"/></Relationships>`,
		"ppt/slides/slide1.xml":            `<p:sld ` + officetest.SlideNamespaces + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels": officetest.RelationsStart + `<Relationship Id="n1" Type="` + office + `notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>`,
		"ppt/notesSlides/notesSlide1.xml":  `<p:notes ` + officetest.SlideNamespaces + `><p:cSld><p:spTree>` + notes + `</p:spTree></p:cSld></p:notes>`,
	}))
}

func mustRead(t testing.TB, data []byte) *opc.Package {
	t.Helper()
	p, err := opc.ReadPackage(data)
	if err != nil {
		t.Fatalf("ReadPackage: %v", err)
	}
	return p
}

// reread writes a package and opens it again, as the next reader would.
func reread(t testing.TB, p *opc.Package) *opc.Package {
	t.Helper()
	data, err := p.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return mustRead(t, data)
}

// texts returns the text of every paragraph of a part.
func texts(t testing.TB, p *opc.Package, part string) []string {
	t.Helper()
	tree, err := p.XML(part)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range editedParagraphs(nil, tree.Root(), false) {
		all = append(all, ParagraphText(ParagraphPieces(p.elem)))
	}
	return all
}

// inside returns the XML between the tags of the first element with this name.
func inside(t testing.TB, p *opc.Package, part, tag string) string {
	t.Helper()
	tree, err := p.XML(part)
	if err != nil {
		t.Fatal(err)
	}
	e := tree.FindElement("//" + tag)
	if e == nil {
		t.Fatalf("%s has no %s", part, tag)
	}
	doc := etree.NewDocument()
	doc.WriteSettings = tree.WriteSettings
	for _, c := range e.ChildElements() {
		doc.AddChild(c.Copy())
	}
	text, err := doc.WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// edited is the body of a document whose first paragraph was edited.
func edited(t *testing.T, body string, edits ...Edit) string {
	t.Helper()
	p := wordFile(t, body, nil)
	tree, err := p.XML(document)
	if err != nil {
		t.Fatal(err)
	}
	EditParagraph(editedParagraphs(nil, tree.Root(), false)[0].elem, edits)
	p.Touch(document)
	return strings.TrimSuffix(inside(t, reread(t, p), document, "w:body"), "<w:sectPr/>")
}

// editedSlide are the paragraphs of a shape whose first one was edited.
func editedSlide(t *testing.T, paragraphs string, edits ...Edit) string {
	t.Helper()
	p := slideFile(t, `<p:sp><p:txBody>`+paragraphs+`</p:txBody></p:sp>`, "")
	tree, err := p.XML(slide)
	if err != nil {
		t.Fatal(err)
	}
	EditParagraph(tree.FindElement("//a:p"), edits)
	p.Touch(slide)
	return inside(t, reread(t, p), slide, "p:txBody")
}
