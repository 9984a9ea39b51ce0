package docs

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

// namespaces are those of every root that the tests write.
const namespaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
	` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
	` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` +
	` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"` +
	` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

// docx builds a document with this body, a header and a footnote.
func docx(t testing.TB, body string) *wml.Document {
	t.Helper()
	return docxWith(t, body+`<w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>`, nil)
}

// docxWith builds a document of a body with its section's properties, a header,
// a footnote and further parts. A part's name is that of its file and, but for
// its number, of its kind: "styles", "footer2". It is the id of its
// relationship, too.
func docxWith(t testing.TB, body string, further map[string]string) *wml.Document {
	t.Helper()
	return read(t, pack(t, `<w:document`+namespaces+`><w:body>`+body+`</w:body></w:document>`, further))
}

func pack(t testing.TB, document string, further map[string]string) []byte {
	t.Helper()
	const (
		kind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		wml  = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
	)
	content := map[string]string{
		"header1":   `<w:hdr` + namespaces + `>` + para("Head {{Name}}") + `</w:hdr>`,
		"footnotes": `<w:footnotes` + namespaces + `><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote><w:footnote w:id="2">` + para("Note {{Name}}") + `</w:footnote></w:footnotes>`,
	}
	maps.Copy(content, further)
	relations, types := "", ""
	parts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		of := strings.TrimRight(name, "0123456789")
		relations += `<Relationship Id="` + name + `" Type="` + kind + of + `" Target="` + name + `.xml"/>`
		types += `<Override PartName="/word/` + name + `.xml" ContentType="` + wml + of + `+xml"/>`
		parts["word/"+name+".xml"] = content[name]
	}
	parts["[Content_Types].xml"] = officetest.TypesStart + `<Override PartName="/word/document.xml" ContentType="` + officetest.WordMain + `"/>` + types + `</Types>`
	parts["_rels/.rels"] = officetest.RelationsStart + `<Relationship Id="d" Type="` + kind + `officeDocument" Target="word/document.xml"/></Relationships>`
	parts["word/_rels/document.xml.rels"] = officetest.RelationsStart + relations +
		`<Relationship Id="l" Type="` + kind + `hyperlink" Target="https://example.com/" TargetMode="External"/></Relationships>`
	parts["word/document.xml"] = document
	return officetest.Zip(t, parts)
}

func read(t testing.TB, data []byte) *wml.Document {
	t.Helper()
	d, err := wml.ReadDocument(data)
	if err != nil {
		t.Fatalf("ReadDocument: %v", err)
	}
	return d
}

// reread writes a document and reads it again, as the drive does.
func reread(t testing.TB, d *wml.Document) *wml.Document {
	t.Helper()
	data, err := d.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return read(t, data)
}

func para(text string) string {
	return `<w:p><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func tableXML(rows ...[]string) string {
	var b strings.Builder
	b.WriteString(`<w:tbl><w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid>`)
	for _, r := range rows {
		b.WriteString(`<w:tr>`)
		for _, c := range r {
			b.WriteString(`<w:tc><w:tcPr><w:tcW w:w="1000" w:type="dxa"/></w:tcPr>` + c + `</w:tc>`)
		}
		b.WriteString(`</w:tr>`)
	}
	return b.String() + `</w:tbl>`
}

func get(t testing.TB, d *wml.Document) *gdocs.Document {
	t.Helper()
	doc, err := Get(d, "id", "Title", "rev")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	checkIndexes(t, "body", doc.Body.Content, 0)
	for id, h := range doc.Headers {
		checkIndexes(t, id, h.Content, 0)
	}
	for id, f := range doc.Footers {
		checkIndexes(t, id, f.Content, 0)
	}
	for id, n := range doc.Footnotes {
		checkIndexes(t, id, n.Content, 0)
	}
	return doc
}

// checkIndexes fails unless the ranges join without a gap and every
// paragraph's text is as long as its range. It returns the end.
func checkIndexes(t testing.TB, where string, content []*gdocs.StructuralElement, at int64) int64 {
	t.Helper()
	joins := func(what string, start int64) {
		t.Helper()
		if start != at {
			t.Errorf("%s: %s begins at %d, want %d", where, what, start, at)
		}
	}
	for _, e := range content {
		joins("element", e.StartIndex)
		switch {
		case e.Paragraph != nil:
			for _, p := range e.Paragraph.Elements {
				joins("paragraph element", p.StartIndex)
				if p.TextRun != nil && p.EndIndex-p.StartIndex != edit.Units(p.TextRun.Content) {
					t.Errorf("%s: %q has the range %d to %d", where, p.TextRun.Content, p.StartIndex, p.EndIndex)
				}
				at = p.EndIndex
			}
			if last := e.Paragraph.Elements[len(e.Paragraph.Elements)-1]; last.TextRun == nil || !strings.HasSuffix(last.TextRun.Content, "\n") {
				t.Errorf("%s: the paragraph at %d does not end with a line feed", where, e.StartIndex)
			}
		case e.Table != nil:
			at++
			for _, r := range e.Table.TableRows {
				joins("row", r.StartIndex)
				at++
				for _, c := range r.TableCells {
					joins("cell", c.StartIndex)
					if at = checkIndexes(t, where, c.Content, at+1); at != c.EndIndex {
						t.Errorf("%s: a cell ends at %d, want %d", where, c.EndIndex, at)
					}
				}
				if r.EndIndex != at {
					t.Errorf("%s: a row ends at %d, want %d", where, r.EndIndex, at)
				}
			}
			at++
		case e.SectionBreak != nil:
			at++
		}
		if e.EndIndex != at {
			t.Errorf("%s: an element ends at %d, want %d", where, e.EndIndex, at)
		}
	}
	return at
}

// outline writes a segment in one line: text as it is, ¶ for line feeds,
// [ | ] for tables, § for section breaks, other elements by name.
func outline(content []*gdocs.StructuralElement) string {
	var b strings.Builder
	for _, e := range content {
		switch {
		case e.SectionBreak != nil:
			b.WriteString("§")
		case e.Table != nil:
			b.WriteString("[")
			for _, r := range e.Table.TableRows {
				for _, c := range r.TableCells {
					b.WriteString("|" + outline(c.Content))
				}
				b.WriteString("/")
			}
			b.WriteString("]")
		default:
			for _, p := range e.Paragraph.Elements {
				switch {
				case p.TextRun != nil:
					b.WriteString(strings.ReplaceAll(p.TextRun.Content, "\n", "¶"))
				case p.PageBreak != nil:
					b.WriteString("<page>")
				case p.InlineObjectElement != nil:
					b.WriteString("<object>")
				case p.FootnoteReference != nil:
					b.WriteString("<note>")
				case p.AutoText != nil:
					b.WriteString("<" + p.AutoText.Type + ">")
				case p.Equation != nil:
					b.WriteString("<equation>")
				default:
					b.WriteString("<?>")
				}
			}
		}
	}
	return b.String()
}

// newDocument is a blank document with a text.
func newDocument(t *testing.T, text string) *wml.Document {
	t.Helper()
	data, err := blank.Document()
	if err != nil {
		t.Fatal(err)
	}
	return apply(t, read(t, data), insertAt(1, text))
}

// apply carries out requests and reads what they leave, as the drive does.
func apply(t testing.TB, d *wml.Document, requests ...*gdocs.Request) *wml.Document {
	t.Helper()
	if _, err := Apply(d, "id", requests); err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return reread(t, d)
}

// applyTo is the outline of a body that requests leave of another.
func applyTo(t testing.TB, body string, requests ...*gdocs.Request) string {
	t.Helper()
	return outline(get(t, apply(t, docx(t, body), requests...)).Body.Content)
}

// refuse carries out requests that are to be refused, and returns in which
// words.
func refuse(t testing.TB, d *wml.Document, requests ...*gdocs.Request) string {
	t.Helper()
	_, err := Apply(d, "id", requests)
	fault, ok := errors.AsType[*opc.RequestError](err)
	if !ok {
		t.Errorf("got %v, want a RequestError", err)
		return ""
	}
	return fault.Message
}

// partXML is a part as it would be written.
func partXML(t testing.TB, d *wml.Document, name string) string {
	t.Helper()
	data, ok := d.Package.Part(name)
	if !ok {
		t.Fatalf("%s is missing", name)
	}
	return string(data)
}

func bodyXML(t testing.TB, d *wml.Document) string {
	t.Helper()
	tree, err := d.Package.XML("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	return xmlOf(tree.Root().FindElement("w:body"))
}

// element reads an element of a document.
func element(t testing.TB, xml string) *etree.Element {
	t.Helper()
	d := etree.NewDocument()
	if err := d.ReadFromString(xml); err != nil {
		t.Fatal(err)
	}
	return d.Root()
}

func insertAt(index int64, text string) *gdocs.Request {
	return &gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: index}, Text: text}}
}

func deleteRange(from, to int64) *gdocs.Request {
	return &gdocs.Request{DeleteContentRange: &gdocs.DeleteContentRangeRequest{Range: rangeFrom("", from, to)}}
}

func insertRow(table, row int64, below bool) *gdocs.Request {
	return &gdocs.Request{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: cellAtIndex(table, row, 0), InsertBelow: below}}
}

func deleteRow(table, row int64) *gdocs.Request {
	return &gdocs.Request{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: cellAtIndex(table, row, 0)}}
}

func styleText(from, to int64, s *gdocs.TextStyle, fields string) *gdocs.Request {
	return &gdocs.Request{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: rangeFrom("", from, to), TextStyle: s, Fields: fields}}
}

func createBullets(from, to int64, preset string) *gdocs.Request {
	return &gdocs.Request{CreateParagraphBullets: &gdocs.CreateParagraphBulletsRequest{Range: rangeFrom("", from, to), BulletPreset: preset}}
}

func deleteBullets(from, to int64) *gdocs.Request {
	return &gdocs.Request{DeleteParagraphBullets: &gdocs.DeleteParagraphBulletsRequest{Range: rangeFrom("", from, to)}}
}
