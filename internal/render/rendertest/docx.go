// Package rendertest makes files for tests of all that draws pages, and reads the
// PDFs that came of them with programs of others (poppler).
package rendertest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// WordNamespaces are those that a part of a document may use.
const WordNamespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
	`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" ` +
	`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ` +
	`xmlns:wpg="http://schemas.microsoft.com/office/word/2010/wordprocessingGroup" ` +
	`xmlns:wpc="http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas" ` +
	`xmlns:lc="http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
	`xmlns:v="urn:schemas-microsoft-com:vml"`

// pageSetup is A4 with margins of an inch.
const pageSetup = `<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720"/>`

// Docx is a small .docx under construction. Parts name what stands beside the
// body: "header1.xml" is a header with relationship id "header1".
type Docx struct {
	Body, Section, Settings, Styles string
	Defaults                        string // more of w:docDefaults
	Parts                           map[string]string
}

// Bytes writes the file.
func (d Docx) Bytes(tb testing.TB) []byte {
	tb.Helper()
	files := map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels":         `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml":   `<w:document ` + WordNamespaces + `><w:body>` + d.Body + `<w:sectPr>` + d.Section + pageSetup + `</w:sectPr></w:body></w:document>`,
		"word/styles.xml": `<w:styles ` + WordNamespaces + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="20"/></w:rPr></w:rPrDefault>` + d.Defaults + `</w:docDefaults>` +
			`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
			`<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:tblPr><w:tblCellMar><w:left w:w="0"/><w:right w:w="0"/></w:tblCellMar></w:tblPr></w:style>` + d.Styles + `</w:styles>`,
		"word/settings.xml": `<w:settings ` + WordNamespaces + `>` + d.Settings + `</w:settings>`,
	}
	relations := `<Relationship Id="styles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>` +
		`<Relationship Id="settings" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/settings" Target="settings.xml"/>`
	for name, content := range d.Parts {
		kind := strings.TrimRight(strings.TrimSuffix(name, ".xml"), "0123456789")
		root := map[string]string{"header": "hdr", "footer": "ftr"}[kind]
		if root == "" {
			root = kind
		}
		files["word/"+name] = "<w:" + root + " " + WordNamespaces + ">" + content + "</w:" + root + ">"
		relations += fmt.Sprintf(`<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, strings.TrimSuffix(name, ".xml"), kind, name)
	}
	files["word/_rels/document.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relations + `</Relationships>`
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

// Word is a word on a page as pdftotext sees it.
type Word struct {
	Text                   string
	Page                   int
	Left, Top, Right, Base float64
}

var wordPattern = regexp.MustCompile(`<page |<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>`)

// Words reads the words of a PDF with an independent reader.
func Words(t *testing.T, pdf []byte) []Word {
	t.Helper()
	var words []Word
	page := 0
	for _, m := range wordPattern.FindAllStringSubmatch(Tool(t, pdf, "pdftotext", "-bbox", "FILE", "-"), -1) {
		if m[5] == "" {
			page++
			continue
		}
		number := func(s string) float64 {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		words = append(words, Word{Text: m[5], Page: page, Left: number(m[1]), Top: number(m[2]), Right: number(m[3]), Base: number(m[4])})
	}
	return words
}

// Find returns the first word of that text.
func Find(t *testing.T, words []Word, text string) Word {
	t.Helper()
	for _, w := range words {
		if w.Text == text {
			return w
		}
	}
	t.Fatalf("no word %q in %v", text, words)
	return Word{}
}

// Near wants a number, give or take.
func Near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if got < want-by || got > want+by {
		t.Errorf("%s: got %.2f, want %.2f ± %.2f", what, got, want, by)
	}
}

// Paragraph is a w:p of one run.
func Paragraph(properties, text string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// SampleDocument is a page of text and a table.
func SampleDocument(tb testing.TB) []byte {
	tb.Helper()
	body := ""
	for range 8 {
		body += Paragraph(`<w:jc w:val="both"/>`, strings.Repeat("The harbour master confirms the berth for the season. ", 6))
	}
	row := `<w:tr><w:tc>` + Paragraph("", "Berth") + `</w:tc><w:tc>` + Paragraph("", "1,200.00") + `</w:tc></w:tr>`
	body += `<w:tbl><w:tblPr><w:tblBorders><w:insideH w:val="single" w:sz="4"/></w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid>` + strings.Repeat(row, 8) + `</w:tbl>`
	return Docx{Body: body}.Bytes(tb)
}
