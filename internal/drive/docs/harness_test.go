package docs

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/wml"
)

// docx builds a document with this body, a header and a footnote.
func docx(t testing.TB, body string) *wml.Document {
	t.Helper()
	const (
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		kind      = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		w         = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`
	)
	parts := []struct{ name, content string }{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{"_rels/.rels", relations + `<Relationship Id="d" Type="` + kind + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", relations + `<Relationship Id="h" Type="` + kind + `header" Target="header1.xml"/>` +
			`<Relationship Id="f" Type="` + kind + `footnotes" Target="footnotes.xml"/>` +
			`<Relationship Id="l" Type="` + kind + `hyperlink" Target="https://example.com/" TargetMode="External"/></Relationships>`},
		{"word/document.xml", `<w:document` + w + `><w:body>` + body + `<w:sectPr><w:headerReference w:type="default" r:id="h"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`},
		{"word/header1.xml", `<w:hdr` + w + `>` + para("Head {{Name}}") + `</w:hdr>`},
		{"word/footnotes.xml", `<w:footnotes` + w + `><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote><w:footnote w:id="2">` + para("Note {{Name}}") + `</w:footnote></w:footnotes>`},
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts {
		f, err := z.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, out.Bytes())
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
