package office

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

const (
	wordMain       = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	slidesMain     = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
	relationsStart = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	typesStart     = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>`
	wordNamespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
		`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`xmlns:v="urn:schemas-microsoft-com:vml" ` +
		`xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" ` +
		`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`
	slideNamespaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
)

// zipped packs parts in the order of their names.
func zipped(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	return packed(t, zip.Deflate, parts)
}

func packed(t testing.TB, method uint16, parts map[string]string) []byte {
	t.Helper()
	var names []string
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(parts[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// wordParts are the parts of a small .docx with this body and, by file name,
// these further stories ("header1": "<w:p>…").
func wordParts(body string, stories map[string]string) map[string]string {
	relations, types := "", ""
	parts := map[string]string{
		"_rels/.rels": relationsStart + `<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
			`<w:document ` + wordNamespaces + `><w:body>` + body + `<w:sectPr/></w:body></w:document>`,
	}
	roots := map[string]string{"header": "hdr", "footer": "ftr", "footnotes": "footnotes", "endnotes": "endnotes"}
	for name, content := range stories {
		kind := strings.TrimRight(name, "0123456789")
		relations += `<Relationship Id="` + name + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + name + `.xml"/>`
		parts["word/"+name+".xml"] = `<w:` + roots[kind] + ` ` + wordNamespaces + `>` + content + `</w:` + roots[kind] + `>`
	}
	parts["word/_rels/document.xml.rels"] = relationsStart + relations + `</Relationships>`
	parts["[Content_Types].xml"] = typesStart + types + `<Override PartName="/word/document.xml" ContentType="` + wordMain + `"/></Types>`
	return parts
}

func wordFile(t testing.TB, body string, stories map[string]string) *Package {
	t.Helper()
	return mustRead(t, zipped(t, wordParts(body, stories)))
}

// slideFile is a presentation of one slide with this shape tree and notes.
func slideFile(t testing.TB, shapes, notes string) *Package {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	return mustRead(t, zipped(t, map[string]string{
		"[Content_Types].xml":              typesStart + `<Override PartName="/ppt/presentation.xml" ContentType="` + slidesMain + `"/></Types>`,
		"_rels/.rels":                      relationsStart + `<Relationship Id="rId1" Type="` + office + `officeDocument" Target="/ppt/presentation.xml"/></Relationships>`,
		"ppt/presentation.xml":             `<p:presentation ` + slideNamespaces + `><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  relationsStart + `<Relationship Id="s1" Type="` + office + `slide" Target="slides/slide1.xml"/></Relationships>`,
		"ppt/slides/slide1.xml":            `<p:sld ` + slideNamespaces + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels": relationsStart + `<Relationship Id="n1" Type="` + office + `notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>`,
		"ppt/notesSlides/notesSlide1.xml":  `<p:notes ` + slideNamespaces + `><p:cSld><p:spTree>` + notes + `</p:spTree></p:cSld></p:notes>`,
	}))
}

func mustRead(t testing.TB, data []byte) *Package {
	t.Helper()
	p, err := ReadPackage(data)
	if err != nil {
		t.Fatalf("ReadPackage: %v", err)
	}
	return p
}

// reread writes a package and opens it again, as the next reader would.
func reread(t testing.TB, p *Package) *Package {
	t.Helper()
	data, err := p.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return mustRead(t, data)
}

// texts returns the text of every paragraph of a part.
func texts(t testing.TB, p *Package, part string) []string {
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
func inside(t testing.TB, p *Package, part, tag string) string {
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
