// Package officetest makes small .docx and .pptx files for tests. It imports no
// other package of office, so that all of them can test with it.
package officetest

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What main parts, relationships and roots of small files say.
const (
	// The content types of main parts.
	WordMain   = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	SlidesMain = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
	// How files of relationships and of content types begin.
	RelationsStart = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	TypesStart     = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>`
	// The namespaces of a document and of a slide.
	WordNamespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
		`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`xmlns:v="urn:schemas-microsoft-com:vml" ` +
		`xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" ` +
		`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`
	SlideNamespaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
)

// Zip packs parts in the order of their names.
func Zip(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	return Pack(t, zip.Deflate, parts)
}

// Pack packs parts in the order of their names, by one of zip's methods.
func Pack(t testing.TB, method uint16, parts map[string]string) []byte {
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

// WordParts are the parts of a small .docx with this body and, by file name,
// these further stories ("header1": "<w:p>…").
func WordParts(body string, stories map[string]string) map[string]string {
	relations := ""
	parts := map[string]string{
		"_rels/.rels": RelationsStart + `<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
			`<w:document ` + WordNamespaces + `><w:body>` + body + `<w:sectPr/></w:body></w:document>`,
	}
	roots := map[string]string{"header": "hdr", "footer": "ftr", "footnotes": "footnotes", "endnotes": "endnotes"}
	for name, content := range stories {
		kind := strings.TrimRight(name, "0123456789")
		relations += `<Relationship Id="` + name + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + name + `.xml"/>`
		parts["word/"+name+".xml"] = `<w:` + roots[kind] + ` ` + WordNamespaces + `>` + content + `</w:` + roots[kind] + `>`
	}
	parts["word/_rels/document.xml.rels"] = RelationsStart + relations + `</Relationships>`
	parts["[Content_Types].xml"] = TypesStart + `<Override PartName="/word/document.xml" ContentType="` + WordMain + `"/></Types>`
	return parts
}
