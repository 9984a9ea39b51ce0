package fill_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"time"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

const nonce = "N0nceN0nceN0nce"

// docx builds a document of a body, a header and a footnote.
func docx(t testing.TB, body, header, note string) []byte {
	t.Helper()
	const (
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		kind      = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		wordML    = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
		w         = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	)
	return zipped(t, [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="` + wordML + `document.main+xml"/><Override PartName="/word/header1.xml" ContentType="` + wordML + `header+xml"/></Types>`},
		{"_rels/.rels", relations + `<Relationship Id="d" Type="` + kind + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", relations + `<Relationship Id="h" Type="` + kind + `header" Target="header1.xml"/>` +
			`<Relationship Id="f" Type="` + kind + `footnotes" Target="footnotes.xml"/><Relationship Id="n" Type="` + kind + `numbering" Target="numbering.xml"/></Relationships>`},
		{"word/document.xml", `<w:document` + w + `><w:body>` + body + `<w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr></w:body></w:document>`},
		{"word/header1.xml", `<w:hdr` + w + `>` + para(header) + `</w:hdr>`},
		{"word/footnotes.xml", `<w:footnotes` + w + `><w:footnote w:id="2">` + para(note) + `</w:footnote></w:footnotes>`},
		{"word/numbering.xml", `<w:numbering` + w + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum>` +
			`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`},
	})
}

func zipped(t testing.TB, parts [][2]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts {
		f, err := z.Create(p[0])
		if err == nil {
			_, err = f.Write([]byte(p[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func para(text string) string {
	if text == "" {
		return "<w:p/>"
	}
	return `<w:p><w:r><w:t xml:space="preserve">` + escape.Replace(text) + `</w:t></w:r></w:p>`
}

func bullet(text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>` + escape.Replace(text) + `</w:t></w:r></w:p>`
}

// drawn makes a body of lines: "| a | b" is a row of a table, "* a" an entry of
// a list, anything else a paragraph.
func drawn(text string) string {
	var b strings.Builder
	inTable := false
	for line := range strings.SplitSeq(text, "\n") {
		cells, isRow := strings.CutPrefix(line, "|")
		if inTable && !isRow {
			b.WriteString(`</w:tbl>`)
		}
		if isRow && !inTable {
			b.WriteString(`<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>`)
		}
		inTable = isRow
		switch {
		case isRow:
			b.WriteString(`<w:tr>`)
			for c := range strings.SplitSeq(cells, "|") {
				b.WriteString(`<w:tc><w:tcPr><w:tcW w:w="1000" w:type="dxa"/></w:tcPr>`)
				for p := range strings.SplitSeq(strings.TrimSpace(c), "//") {
					b.WriteString(para(strings.TrimSpace(p)))
				}
				b.WriteString(`</w:tc>`)
			}
			b.WriteString(`</w:tr>`)
		case strings.HasPrefix(line, "* "):
			b.WriteString(bullet(line[2:]))
		default:
			b.WriteString(para(line))
		}
	}
	if inTable {
		b.WriteString(`</w:tbl><w:p/>`)
	}
	return b.String()
}

// shown is the reverse of drawn.
func shown(content []*gdocs.StructuralElement) string {
	var lines []string
	for _, e := range content {
		switch {
		case e.Paragraph != nil:
			line := ""
			if e.Paragraph.Bullet != nil {
				line = "* "
			}
			for _, r := range e.Paragraph.Elements {
				if r.TextRun != nil {
					line += strings.TrimSuffix(r.TextRun.Content, "\n")
				} else {
					line += "<object>"
				}
			}
			lines = append(lines, line)
		case e.Table != nil:
			for _, r := range e.Table.TableRows {
				line := "|"
				for i, c := range r.TableCells {
					if i > 0 {
						line += " |"
					}
					line += strings.TrimRight(" "+strings.ReplaceAll(shown(c.Content), "\n", " // "), " ")
				}
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

func parse(t testing.TB, data string) *lang.Data {
	t.Helper()
	d, err := lang.ParseData([]byte(data))
	if err != nil {
		t.Fatalf("ParseData: %v", err)
	}
	return d
}

// filledFile fills a .docx as our drive carries the requests out.
func filledFile(t testing.TB, file []byte, data string) ([]byte, *lang.Evaluator, error) {
	t.Helper()
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatalf("ReadDocument: %v", err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	e := lang.NewEvaluator(parse(t, data), lang.Builtins{WorkflowName: "Flow", AcceptedAt: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC), Number: invoices})
	e.ObtainWith(obtained())
	requests, err := fill.ComposeDocument(resource, e, nonce)
	if err != nil {
		return nil, e, err
	}
	if len(requests) > 0 {
		if _, err := docs.Apply(d, "id", requests); err != nil {
			t.Fatalf("Apply: %v", err)
		}
	}
	written, err := d.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return written, e, nil
}

// invoices is of a document that takes a number of the series invoices.
func invoices(series string) (int64, bool) { return 1042, series == "invoices" }

// fillDocument is filledFile, read again.
func fillDocument(t testing.TB, file []byte, data string) (*gdocs.Document, *lang.Evaluator, error) {
	t.Helper()
	written, e, err := filledFile(t, file, data)
	if err != nil {
		return nil, e, err
	}
	d, err := wml.ReadDocument(written)
	if err != nil {
		t.Fatalf("ReadDocument of what was filled: %v", err)
	}
	filled, err := docs.Get(d, "id", "title", "2")
	if err != nil {
		t.Fatalf("Get of what was filled: %v", err)
	}
	return filled, e, nil
}

const sample = `{"Name": "Ada", "Evil": "{{Name}}", "Brace": "{{", "Lines": "one\ntwo", "Total": 1200, "Paid": true, "Open": false,
	"Items": [{"Name": "Bolt", "Qty": 3, "Price": 0.1}, {"Name": "Nut {{Name}}", "Qty": 1, "Price": 0.2}, {"Name": "Washer", "Qty": 9, "Price": 1}],
	"One": [{"A": 1}], "None": [], "Orders": [{"No": 1, "Lines": [{"A": "x"}, {"A": "y"}]}, {"No": 2, "Lines": [{"A": "z"}]}, {"No": 3, "Lines": []}], "Tags": ["p", "q"],
	"Hints": [{"Notes": ["n1", "{{Name}}"]}, {"Notes": []}, {"Notes": ["n3"]}]}`

func TestDocumentsAreFilled(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, body, want string }{
		{"fields", "Dear {{Name}}, {{Evil}} {{Brace}}Name}} {{= Total * 2}}\n{{Lines}}!", "Dear Ada, {{Name}} {{Name}} 2400\none\vtwo!"},
		{"a row for each item", "| Name | Qty\n| {{Items.Name}} | {{Items.Qty}} × {{= Items.Price * Items.Qty}} ({{Name}})\n| {{= SUM(Items.Qty)}} | {{Items.Name}}\nend",
			"| Name | Qty\n| Bolt | 3 × 0.3 (Ada)\n| Nut {{Name}} | 1 × 0.2 (Ada)\n| Washer | 9 × 9 (Ada)\n| 13 | Bolt\n| 13 | Nut {{Name}}\n| 13 | Washer\nend"},
		{"a row for one item", "| {{One.A}} | x\n", "| 1 | x\n"},
		{"no row for none", "| head | x\n| {{None.A}} | y\n| foot | z\nend", "| head | x\n| foot | z\nend"},
		{"a table of no rows", "a\n| {{None.A}} | y\nb", "a\nb"},
		{"rows of nested lists", "| {{Orders.No}} | {{Orders.Lines.A}}\nend", "| 1 | x\n| 1 | y\n| 2 | z\nend"},
		{"cells of several paragraphs", "| {{Items.Name}} // {{#if Items.Qty > 2}} // many // {{/if}} // {{#if Items.Qty = 1}}one{{/if}} | x\nend",
			"| Bolt // many | x\n| Nut {{Name}} // one | x\n| Washer // many | x\nend"},
		{"bullets", "* {{Items.Name}}: {{Items.Qty}}\n* last\nend", "* Bolt: 3\n* Nut {{Name}}: 1\n* Washer: 9\n* last\nend"},
		{"no bullet for none", "a\n* {{None.A}}\nend", "a\nend"},
		{"bullets of texts", "* {{Tags}}\n* also {{Tags}}\n* {{ Tags }}\nend", "* p\n* q\n* also p, q\n* p\n* q\nend"},
		{"bullets of no texts", "a\n* {{None}}\nend", "a\nend"},
		{"bullets of texts in a block", "{{#each Hints}}\n* {{Notes}}\n{{/each}}\nend", "* n1\n* {{Name}}\n* n3\nend"},
		{"bullets of texts of all items", "* {{Hints.Notes}}\nend", "* n1\n* {{Name}}\n* n3\nend"},
		{"bullets of this", "{{#each Tags}}\n* {{this}}\n{{/each}}\nend", "* p\n* q\nend"},
		{"a bullet of a text", "* {{Name}}\nend", "* Ada\nend"},
		{"lists outside rows", "{{Items.Qty}} and {{Tags}}", "3, 1, 9 and p, q"},
		{"conditions in a line", "a{{#if Paid}}b{{else}}c{{/if}}d{{#if Open}}e{{/if}}f", "abdf"},
		{"a paragraph that a condition empties", "a\n{{#if Open}}x{{/if}}\nb", "a\nb"},
		{"conditions over paragraphs", "a\n{{#if Open}}\nb\n{{else if Total > 1000}}\nc {{Name}}\n{{else}}\nd\n{{/if}}\ne", "a\nc Ada\ne"},
		{"a condition at the end", "a\n{{#if Open}}\nb\n{{/if}}", "a"},
		{"a condition over everything", "{{#if Open}}\nb\n{{/if}}", ""},
		{"a condition over a table", "a\n{{#if Open}}\n| x | y\n{{/if}}\nb", "a\nb"},
		{"a condition before a table", "a\n{{#if Open}}\nx\n{{/if}}\n| x | y\nb", "a\n| x | y\nb"},
		{"a condition over rows", "| h | x\n| {{#if Open}}a | b{{/if}}\n| {{#if Paid}}c | d{{/if}}\n| {{#if Open}}e | f\n| g | h{{/if}}\nend", "| h | x\n| c | d\nend"},
		{"blocks over paragraphs", "{{#each Items}}\n{{@index}}. {{Name}}\nqty {{Qty}}\n{{/each}}\nend",
			"1. Bolt\nqty 3\n2. Nut {{Name}}\nqty 1\n3. Washer\nqty 9\nend"},
		{"a block at the end", "a\n{{#each Items}}\n{{Qty}}\n{{/each}}", "a\n3\n1\n9"},
		{"a block of none", "a\n{{#each None}}\n{{Qty}}\n{{/each}}\nb", "a\nb"},
		{"blocks in blocks", "{{#each Orders}}\nNo {{No}}\n{{#each Lines}}\n- {{A}}\n{{/each}}\n{{#if No = 2}}\ntwo\n{{/if}}\n{{/each}}\nend",
			"No 1\n- x\n- y\nNo 2\n- z\ntwo\nNo 3\nend"},
		{"a block whose first item leaves nothing", "{{#each Items}}\n{{#if Qty < 3}}\n{{Name}}\n{{/if}}\n{{/each}}\nend", "Nut {{Name}}\nend"},
		{"a block in a line", "{{#each Items}}{{Name}}{{#if not @last}}; {{/if}}{{/each}}.", "Bolt; Nut {{Name}}; Washer."},
		{"a block over rows", "| {{#each Orders}}No {{No}} | {{= COUNT(Lines)}}{{/each}}\nend", "| No 1 | 2\n| No 2 | 1\n| No 3 | 0\nend"},
		{"a block of two rows", "| {{#each Orders}}No {{No}} | x\n| {{Lines.A}} | y{{/each}}\nend", "| No 1 | x\n| x | y\n| y | y\n| No 2 | x\n| z | y\n| No 3 | x\nend"},
		{"bullets in a block", "{{#each Orders}}\nNo {{No}}\n* {{Lines.A}}\n{{/each}}\nend", "No 1\n* x\n* y\nNo 2\n* z\nNo 3\nend"},
		{"missing", "a {{Nowhere}}b", "a b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			filled, _, err := fillDocument(t, docx(t, drawn(c.body), "{{Name}} of {{Workflow Name}}", ""), sample)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSuffix(shown(filled.Body.Content), "\n"); got != strings.TrimSuffix(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if got := shown(filled.Headers["kix.header1"].Content); got != "Ada of Flow" {
				t.Errorf("header: %q", got)
			}
		})
	}
}

func TestHeadersAndNotesAreFilledToo(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
	filled, _, err := fillDocument(t, docx(t, body, "{{#each Items}}{{Qty}} {{/each}}", "{{#if Paid}}{{Name}}{{/if}} {{Tags}}"), sample)
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(filled.Headers["kix.header1"].Content); got != "3 1 9 " {
		t.Errorf("header: %q", got)
	}
	if got := shown(filled.Footnotes["kix.footnote2"].Content); got != "Ada p, q" {
		t.Errorf("note: %q", got)
	}
}

// No request makes a floating object: copies would be without.
func TestAFloatingPictureInWhatRepeatsIsAMistake(t *testing.T) {
	t.Parallel()
	const wp = ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"`
	floating := `<w:p><w:r><w:t>a {{No}}</w:t></w:r><w:r><w:drawing><wp:anchor` + wp + `><wp:extent cx="914400" cy="914400"/><wp:docPr id="7" name="Chart"/>CHART</wp:anchor></w:drawing></w:r></w:p>`
	const wps = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
	box := strings.Replace(floating, "CHART", `<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="`+wps+`"><wps:wsp xmlns:wps="`+wps+`"><wps:spPr/><wps:txbx><w:txbxContent>`+para("box")+`</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>`, 1)
	for data, want := range map[string]bool{`{"Orders": [{"No": 1}, {"No": 2}]}`: true, `{"Orders": [{"No": 1}]}`: false} {
		for _, drawing := range []string{floating, box} {
			file := withChart(t, docx(t, "", "", ""), "word", "word/document.xml", "<w:sectPr>", para("{{#each Orders}}")+drawing+para("{{/each}}"), chartXML("barChart"))
			_, _, err := fillDocument(t, file, data)
			if got := err != nil && strings.Contains(err.Error(), "floating"); got != want {
				t.Errorf("%s: got %v, want a mistake: %v", data, err, want)
			}
		}
	}
}
