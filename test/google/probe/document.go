package main

import (
	"archive/zip"
	"bytes"
	"slices"
)

// Texts of the document. The marker is replaced, wherever Google reaches it.
const (
	marker   = "probemarker"
	replaced = "probereplaced"
)

const (
	ooxml     = "http://schemas.openxmlformats.org/"
	xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

// suggesting has tracked changes, which become suggestions.
const suggesting = `<w:p><w:r><w:t xml:space="preserve">Text </w:t></w:r><w:ins w:id="1" w:author="Probe" w:date="2026-01-01T00:00:00Z"><w:r><w:t>suggested</w:t></w:r></w:ins>` +
	`<w:del w:id="2" w:author="Probe" w:date="2026-01-01T00:00:00Z"><w:r><w:delText>removed</w:delText></w:r></w:del></w:p>`

// body has what the requests of the interfaces cannot make: a table of contents, and
// a table with merged and shaded cells.
const body = `<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj></w:sdtPr><w:sdtContent>` +
	`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> TOC \o "1-3" \h \z \u </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` +
	`<w:hyperlink w:anchor="_Toc1"><w:r><w:t>Heading ` + marker + `</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:sdtContent></w:sdt>` +
	`<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:bookmarkStart w:id="0" w:name="_Toc1"/><w:r><w:t>Heading ` + marker + `</w:t></w:r><w:bookmarkEnd w:id="0"/></w:p>` +
	`<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/></w:tblGrid>` +
	`<w:tr>` + mergedCell + shadedCell + `</w:tr><w:tr>` + plainCell + plainCell + plainCell + `</w:tr></w:tbl><w:p><w:r><w:t>Between</w:t></w:r></w:p>` +
	`<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="4500"/><w:gridCol w:w="4500"/></w:tblGrid>` +
	`<w:tr>` + plainCell + plainCell + `</w:tr></w:tbl><w:p><w:r><w:t>End</w:t></w:r></w:p>`

const (
	mergedCell = `<w:tc><w:tcPr><w:tcW w:w="6000" w:type="dxa"/><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>merged</w:t></w:r></w:p></w:tc>`
	shadedCell = `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/><w:shd w:val="clear" w:color="auto" w:fill="FFCC00"/></w:tcPr><w:p><w:r><w:t>shaded</w:t></w:r></w:p></w:tc>`
	plainCell  = `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc>`
)

type part struct{ name, content string }

// parts are those of every file.
var parts = []part{
	{"[Content_Types].xml", xmlHeader + `<Types xmlns="` + ooxml + `package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>` +
		`<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>`},
	{"_rels/.rels", xmlHeader + `<Relationships xmlns="` + ooxml + `package/2006/relationships"><Relationship Id="rId1" Type="` + ooxml + `officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
	{"word/_rels/document.xml.rels", xmlHeader + `<Relationships xmlns="` + ooxml + `package/2006/relationships"><Relationship Id="rId1" Type="` + ooxml + `officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
	{"word/styles.xml", xmlHeader + `<w:styles xmlns:w="` + ooxml + `wordprocessingml/2006/main"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>`},
}

// wordFile is a .docx with this content of its body.
func wordFile(content string) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	document := part{"word/document.xml", xmlHeader + `<w:document xmlns:w="` + ooxml + `wordprocessingml/2006/main"><w:body>` + content + `<w:sectPr/></w:body></w:document>`}
	for _, p := range append(slices.Clone(parts), document) {
		f, err := w.Create(p.name)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
