package fill_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// pptx draws slides: a slide is a list of shapes, and a shape is drawn as a
// table when its first line begins with a bar, and taken as it is when it is XML.
func pptx(t testing.TB, slides ...[]string) []byte {
	t.Helper()
	return pptxWithNotes(t, slides, nil)
}

// pptxWithNotes draws slides with these speaker notes.
func pptxWithNotes(t testing.TB, slides [][]string, notes []string) []byte {
	t.Helper()
	const (
		namespaces = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
		relations  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		kind       = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	)
	parts := [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{"_rels/.rels", relations + `<Relationship Id="d" Type="` + kind + `officeDocument" Target="ppt/presentation.xml"/></Relationships>`},
	}
	list, rels := "", relations
	for i, shapes := range slides {
		tree := ""
		for j, s := range shapes {
			tree += drawnShape(j+2, s)
		}
		parts = append(parts, [2]string{fmt.Sprintf("ppt/slides/slide%d.xml", i+1), `<p:sld` + namespaces + `><p:cSld><p:spTree>` + tree + `</p:spTree></p:cSld></p:sld>`})
		if i < len(notes) {
			parts = append(parts,
				[2]string{fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", i+1), relations + fmt.Sprintf(`<Relationship Id="n" Type="%snotesSlide" Target="../notesSlides/notesSlide%d.xml"/></Relationships>`, kind, i+1)},
				[2]string{fmt.Sprintf("ppt/notesSlides/notesSlide%d.xml", i+1), `<p:notes` + namespaces + `><p:cSld><p:spTree>` + drawnShape(2, notes[i]) + `</p:spTree></p:cSld></p:notes>`})
		}
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="s%d"/>`, 256+i, i)
		rels += fmt.Sprintf(`<Relationship Id="s%d" Type="%sslide" Target="slides/slide%d.xml"/>`, i, kind, i+1)
	}
	parts = append(parts, [2]string{"ppt/presentation.xml", `<p:presentation` + namespaces + `><p:sldIdLst>` + list + `</p:sldIdLst></p:presentation>`},
		[2]string{"ppt/_rels/presentation.xml.rels", rels + `</Relationships>`})
	return zipped(t, parts)
}

func slideParas(text string) string {
	out := ""
	for line := range strings.SplitSeq(text, "\n") {
		properties, run := "", ""
		if rest, ok := strings.CutPrefix(line, "* "); ok {
			properties, line = `<a:pPr><a:buChar char="•"/></a:pPr>`, rest
		}
		if line != "" {
			run = `<a:r><a:t>` + escape.Replace(line) + `</a:t></a:r>`
		}
		out += `<a:p>` + properties + run + `</a:p>`
	}
	return out
}

func drawnShape(id int, s string) string {
	if strings.HasPrefix(s, "<p:") {
		return s // it is drawn already
	}
	if !strings.HasPrefix(s, "|") {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Box"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>%s</p:txBody></p:sp>`, id, slideParas(s))
	}
	rows, columns := "", 0
	for line := range strings.SplitSeq(s, "\n") {
		cells := strings.Split(strings.TrimPrefix(line, "|"), "|")
		rows += `<a:tr h="100000">`
		for _, c := range cells {
			rows += `<a:tc><a:txBody><a:bodyPr/>` + slideParas(strings.ReplaceAll(strings.TrimSpace(c), " // ", "\n")) + `</a:txBody><a:tcPr/></a:tc>`
		}
		rows += `</a:tr>`
		columns = len(cells)
	}
	return drawnTable(id, columns, rows)
}

// drawnTable draws a table of these rows of XML.
func drawnTable(id, columns int, rows string) string {
	return fmt.Sprintf(`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="%d" name="Table"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="1000" cy="1000"/></p:xfrm>`+
		`<a:graphic><a:graphicData><a:tbl><a:tblPr/><a:tblGrid>%s</a:tblGrid>%s</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`, id, strings.Repeat(`<a:gridCol w="1000"/>`, columns), rows)
}

func shownText(text *gslides.TextContent) string {
	out := ""
	if text == nil {
		return out
	}
	for _, e := range text.TextElements {
		switch {
		case e.ParagraphMarker != nil && e.ParagraphMarker.Bullet != nil:
			out += "* "
		case e.TextRun != nil:
			out += e.TextRun.Content
		}
	}
	return strings.TrimSuffix(out, "\n")
}

func shownSlides(p *gslides.Presentation) [][]string {
	var all [][]string
	for _, s := range p.Slides {
		var shapes []string
		for _, e := range s.PageElements {
			switch {
			case e.Shape != nil:
				shapes = append(shapes, shownText(e.Shape.Text))
			case e.Table != nil:
				var lines []string
				for _, r := range e.Table.TableRows {
					line := "|"
					for i, c := range r.TableCells {
						if i > 0 {
							line += " |"
						}
						line += strings.TrimRight(" "+strings.ReplaceAll(shownText(c.Text), "\n", " // "), " ")
					}
					lines = append(lines, line)
				}
				shapes = append(shapes, strings.Join(lines, "\n"))
			}
		}
		all = append(all, shapes)
	}
	return all
}

// fillPresentation fills a presentation as our drive carries the requests out.
func fillPresentation(t testing.TB, file []byte, data string) (*gslides.Presentation, error) {
	t.Helper()
	filled, _, err := filledSlides(t, file, data)
	return filled, err
}

// filledSlides is fillPresentation with the file that it leaves.
func filledSlides(t testing.TB, file []byte, data string) (*gslides.Presentation, *pml.Presentation, error) {
	t.Helper()
	p, err := pml.ReadPresentation(file)
	if err != nil {
		t.Fatalf("ReadPresentation: %v", err)
	}
	resource, err := slides.Get(p, "id", "title", "1")
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	e := lang.NewEvaluator(parse(t, data), lang.Builtins{WorkflowName: "Flow", AcceptedAt: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC), Number: invoices})
	e.ObtainWith(obtained())
	requests, err := fill.ComposePresentation(resource, e, nonce)
	if err != nil {
		return nil, nil, err
	}
	if len(requests) > 0 {
		if _, err := slides.Apply(p, "id", requests); err != nil {
			t.Fatalf("Apply: %v", err)
		}
	}
	written, err := p.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	if p, err = pml.ReadPresentation(written); err != nil {
		t.Fatalf("ReadPresentation of what was filled: %v", err)
	}
	filled, err := slides.Get(p, "id", "title", "2")
	if err != nil {
		t.Fatalf("Get of what was filled: %v", err)
	}
	return filled, p, nil
}

func TestPresentationsAreFilled(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name         string
		slides, want [][]string
	}{
		{"fields", [][]string{{"{{Name}} {{Evil}}\n{{Lines}}", "{{= Total + 1}}"}}, [][]string{{"Ada {{Name}}\none\vtwo", "1201"}}},
		{"a row for each item", [][]string{{"| Name | Qty\n| {{Items.Name}} | {{Items.Qty}} {{Name}}\n| Sum | {{= SUM(Items.Qty)}}"}},
			[][]string{{"| Name | Qty\n| Bolt | 3 Ada\n| Nut {{Name}} | 1 Ada\n| Washer | 9 Ada\n| Sum | 13"}}},
		{"no row for none", [][]string{{"| a | b\n| {{None.A}} | x"}}, [][]string{{"| a | b"}}},
		{"a table of no rows", [][]string{{"x", "| {{None.A}} | x"}}, [][]string{{"x"}}},
		{"bullets and blocks", [][]string{{"* {{Items.Qty}} {{Items.Name}}\nend", "{{#each Orders}}\nNo {{No}}\n{{/each}}", "{{#if Open}}\nx\n{{else}}\ny\n{{/if}}", "{{#if Open}}a{{/if}}b"}},
			[][]string{{"* 3 Bolt\n* 1 Nut {{Name}}\n* 9 Washer\nend", "No 1\nNo 2\nNo 3", "y", "b"}}},
		{"conditions over slides", [][]string{{"{{#if Open}}", "one"}, {"two", "{{/if}}"}, {"{{#if Paid}}", "three {{Name}}", "{{/if}}"}},
			[][]string{{"three Ada"}}},
		{"either slide", [][]string{{"{{#if Open}}", "one"}, {"{{else}}", "two"}, {"{{/if}}", "three"}, {"four"}},
			[][]string{{"two"}, {"three"}, {"four"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			filled, err := fillPresentation(t, pptx(t, c.slides...), sample)
			if err != nil {
				t.Fatal(err)
			}
			if got := shownSlides(filled); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
